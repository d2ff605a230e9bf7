import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const rooms: string[] = Object.keys(manifest.typesVersions['*']);

/** What a fresh Node process says of a subpath, imported as a user imports it. */
function load(subpath: string): { names: string[]; packages: string[]; own: string[] } {
  const program = `
    const room = require(${JSON.stringify(subpath)});
    const packages = Object.keys(require.cache)
      .map((file) => /.*node_modules\\/((@[^/]+\\/)?[^/]+)/.exec(file)?.[1])
      .filter(Boolean);
    const own = Object.keys(require.cache).flatMap((file) => file.split('/dist/')[1]?.split('/')[0] ?? []);
    console.log(JSON.stringify({ names: Object.keys(room), packages: [...new Set(packages)], own: [...new Set(own)] }));`;
  return JSON.parse(execFileSync(process.execPath, ['-e', program], { cwd: root, encoding: 'utf8' }));
}

test.each(rooms)('cluster-canary/%s is exported with types', (room) => {
  const { types, default: code } = manifest.exports[`./${room}`];
  expect(existsSync(join(root, types))).toBe(true);
  expect(existsSync(join(root, code))).toBe(true);
  expect(manifest.typesVersions['*'][room]).toEqual([types.replace('./', '')]);
});

const withoutPulumi = rooms.slice(0, rooms.indexOf('bridge'));

test.each(withoutPulumi)('cluster-canary/%s loads neither Pulumi nor an AWS SDK', (room) => {
  const { names, packages } = load(`cluster-canary/${room}`);
  expect(names.length).toBeGreaterThan(0);
  expect(packages.filter((name) => /^@pulumi\/|aws-sdk|^@smithy\//.test(name))).toEqual([]);
});

test('cluster-canary/doctor loads the rules where a check needs them, and not before', () => {
  expect(load('cluster-canary/rules').own).toContain('rules');
  const { own, packages } = load('cluster-canary/doctor');
  expect(own).toContain('doctor');
  expect(own).not.toContain('rules');
  expect(packages).toEqual([]);
});

test('rooms that only other rooms stand on are not exported', () => {
  const all: string[] = JSON.parse(readFileSync(join(root, '.dependency-rooms.json'), 'utf8'));
  expect(all.filter((room) => !rooms.includes(room))).toEqual([
    'files',
    'reading',
    'validation',
    'durations',
    'aws',
    'kubernetes',
  ]);
});

test('the root has every room as a namespace, but for the one that only a policy pack needs', () => {
  const { names, packages } = load('cluster-canary');
  expect(names.sort()).toEqual(rooms.filter((room) => room !== 'policy').sort());
  expect(packages).toContain('@pulumi/pulumi');
  expect(packages).not.toContain('@pulumi/policy');
});

test('the command starts without Pulumi', () => {
  const help = execFileSync(process.execPath, [join(root, manifest.bin['cluster-canary']), '--help'], {
    encoding: 'utf8',
  });
  expect(help).toContain('preview');
});

test('nothing is installed or downloaded by an install script of this package', () => {
  expect(Object.keys(manifest.scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual(
    [],
  );
});
