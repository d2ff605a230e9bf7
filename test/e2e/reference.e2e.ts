import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../..');

test('the API reference has every type that a public name refers to, and its links lead somewhere', () => {
  const typedoc = join(root, 'node_modules', 'typedoc', 'bin', 'typedoc');
  const { status, stderr, stdout } = spawnSync(process.execPath, [typedoc, '--emit', 'none'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  expect({
    status,
    found: `${stdout}${stderr}`.split('\n').filter((line) => /warning|error/.test(line)),
  }).toEqual({
    status: 0,
    found: [],
  });
});
