import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from '../../lib/cli/compile-cache';
import { main, node } from './run-cli';
import type { Result } from './run-cli';

const scratch = mkdtempSync(join(tmpdir(), 'cluster-canary-cache-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const user = process.getuid?.() ?? 0;

let homes = 0;
function newHome(): string {
  homes += 1;
  const home = join(scratch, `home-${homes}`);
  mkdirSync(home, { mode: 0o755 });
  return home;
}

test('is made for the user alone', () => {
  const home = newHome();
  const folder = cacheFolder({ HOME: home }, user);
  expect(folder).toBe(join(home, '.cache', 'cluster-canary', 'compiled'));
  expect(lstatSync(folder!).mode & 0o777).toBe(0o700);
  expect(cacheFolder({ HOME: home }, user)).toBe(folder);
  const other = newHome();
  expect(cacheFolder({ HOME: home, XDG_CACHE_HOME: other }, user)).toBe(
    join(other, 'cluster-canary', 'compiled'),
  );
  expect(cacheFolder({ HOME: home, XDG_CACHE_HOME: 'relative' }, user)).toBe(folder);
});

test.each<[string, NodeJS.ProcessEnv]>([
  ['without a home', {}],
  ['with an empty one', { HOME: '' }],
  ['with a relative one', { HOME: 'home' }],
  ['with one that is not there', { HOME: join(scratch, 'nowhere', 'home') }],
])('there is none %s', (_, env) => {
  expect(cacheFolder(env, user)).toBeUndefined();
  expect([existsSync(join(scratch, 'nowhere')), existsSync('home')]).toEqual([false, false]);
});

test.each<[string, (at: string) => void]>([
  ['a link', (at) => symlinkSync(newHome(), at)],
  ['a file', (at) => writeFileSync(at, '')],
  [
    'a folder that others can write to',
    (at) => {
      mkdirSync(at);
      chmodSync(at, 0o777);
    },
  ],
])('there is none where %s is in its place, or in that of a folder above it', (_, make) => {
  for (const place of ['.cache', '.cache/cluster-canary', '.cache/cluster-canary/compiled']) {
    const home = newHome();
    mkdirSync(join(home, place, '..'), { recursive: true, mode: 0o755 });
    make(join(home, place));
    expect([place, cacheFolder({ HOME: home }, user)]).toEqual([place, undefined]);
  }
});

test('there is none in folders of somebody else, nor where users have no numbers', () => {
  const home = newHome();
  expect(cacheFolder({ HOME: home }, user + 1)).toBeUndefined();
  expect(readdirSync(home)).toEqual([]);
  expect(cacheFolder({ HOME: newHome() }, undefined)).toBeUndefined();
});

const manifest = join(scratch, 'manifest.yaml');
const webhook = join(scratch, 'webhook.yaml');
writeFileSync(manifest, 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, namespace: b }\n');
writeFileSync(
  webhook,
  `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: pods }
webhooks:
- name: pods.example.com
  clientConfig: { service: { name: pods, namespace: pods } }
  rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: [CREATE], resources: ['*'] }]
`,
);

/** Runs the command with a cache below a home. */
function cached(home: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Result> {
  return node([main, ...args], { env: { NODE_DISABLE_COMPILE_CACHE: undefined, HOME: home, ...env } });
}

/** What a run kept of the bundle, without the folders of Node.js' own cache. */
function keptIn(home: string): string[] {
  const folder = join(home, '.cache', 'cluster-canary', 'compiled');
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  return entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name));
}

test('harden keeps compiled code', () => {
  const home = newHome();
  const env = { PATH: process.env['PATH'], HOME: home };
  const harden = () =>
    spawnSync(process.execPath, [main, 'harden'], { input: readFileSync(webhook), env, encoding: 'utf8' });
  const { status, stdout } = harden();
  expect([status, keptIn(home).length]).toEqual([0, 1]);
  expect(harden().stdout).toBe(stdout);
});

test('lint keeps compiled code, other commands do not, and it can be turned off', async () => {
  const keeps = async (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<boolean> => {
    const home = newHome();
    await cached(home, args, env);
    return keptIn(home).length > 0;
  };
  expect(await keeps(['lint', manifest])).toBe(true);
  expect(await keeps(['harden', '--help'])).toBe(false);
  expect(await keeps(['lint', '--help'])).toBe(false);
  expect(await keeps(['lint', join(scratch, 'no-such-file')])).toBe(false);
  expect(await keeps(['simulate', '--help'])).toBe(false);
  expect(await keeps(['lint', manifest], { NODE_DISABLE_COMPILE_CACHE: '1' })).toBe(false);
  expect(await keeps(['lint', manifest], { NODE_COMPILE_CACHE: join(scratch, 'elsewhere') })).toBe(false);
});

test('a run with findings keeps more, once, and runs say the same with what is kept', async () => {
  const home = newHome();
  const [clean, found] = [await cached(home, ['lint', manifest]), await cached(home, ['lint', webhook])];
  expect([clean.status, found.status]).toEqual([0, 1]);
  const kept = keptIn(home).sort();
  expect(kept.map((file) => file.replace(/.*-/, ''))).toEqual(['clean', 'found']);
  const [before, after] = kept.map((file) => statSync(file)) as [Stats, Stats];
  expect(before.mode & 0o777).toBe(0o600);
  expect(after.size).toBeGreaterThan(before.size * 1.05);
  expect(await cached(home, ['lint', webhook])).toEqual(found);
  expect(await cached(home, ['lint', manifest])).toEqual(clean);
  expect(
    keptIn(home)
      .sort()
      .map((file) => statSync(file).ino),
  ).toEqual([before.ino, after.ino]);
});

test.each<[string, (code: Buffer) => Buffer]>([
  ['a byte is wrong', (code) => Buffer.from(code.map((byte, at) => (at === 5_000 ? byte ^ 255 : byte)))],
  ['the end is missing', (code) => code.subarray(0, 100_000)],
  ['there is nothing', () => Buffer.alloc(0)],
])('kept code is made anew where %s', async (_, broken) => {
  const home = newHome();
  const result = await cached(home, ['lint', webhook]);
  const [file] = keptIn(home) as [string];
  const [code, before] = [readFileSync(file), statSync(file).ino];
  writeFileSync(file, broken(code));
  expect(await cached(home, ['lint', webhook])).toEqual(result);
  expect(statSync(file).ino).not.toBe(before);
  expect(await cached(home, ['lint', webhook])).toEqual(result);
});

test('what can not be kept leaves no part of a file', async () => {
  const home = newHome();
  const result = await cached(home, ['lint', manifest]);
  const [file] = keptIn(home) as [string];
  rmSync(file);
  mkdirSync(file);
  expect(await cached(home, ['lint', manifest])).toEqual(result);
  expect(keptIn(home)).toEqual([]);
});
