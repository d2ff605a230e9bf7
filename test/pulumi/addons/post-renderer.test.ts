import { pathFrom, postRendererOf } from '../../../lib/pulumi/addons/helm-addon';

test.each<[string, string, string, string, string]>([
  [
    'from the folder of the program',
    '/app',
    '/app',
    '/app/node_modules/x/harden.js',
    'node_modules/x/harden.js',
  ],
  [
    'from a folder in the project',
    '/app/src',
    '/app',
    '/app/node_modules/x/harden.js',
    '../node_modules/x/harden.js',
  ],
  [
    'out of a workspace',
    '/repo/infra',
    '/repo/infra',
    '/repo/node_modules/x/harden.js',
    '../node_modules/x/harden.js',
  ],
  ['never as a bare name', '/app', '/app', '/app/harden.js', './harden.js'],
  [
    'whole, for a program outside of its project',
    '/repo',
    '/tmp/automation',
    '/repo/x/harden.js',
    '/repo/x/harden.js',
  ],
])('the program is named %s', (_, folder, project, file, expected) => {
  expect(pathFrom(folder, project, file)).toBe(expected);
});

test('another program is taken as it is, and none where there is to be none', () => {
  expect(postRendererOf('own-program')).toBe('own-program');
  expect(postRendererOf(false)).toBeUndefined();
});
