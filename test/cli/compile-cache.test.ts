import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import * as nodeModule from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from '../../lib/cli/compile-cache';
import { main, node } from './run-cli';

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
  expect(cacheFolder({ HOME: newHome() }, user + 1)).toBeUndefined();
  expect(cacheFolder({ HOME: newHome() }, undefined)).toBeUndefined();
});

test('lint writes there where Node.js keeps compiled code, other commands do not, and it can be turned off', async () => {
  const keeps = 'enableCompileCache' in nodeModule;
  const wrote = async (command: string, env: NodeJS.ProcessEnv = {}): Promise<boolean> => {
    const HOME = newHome();
    const off = { NODE_DISABLE_COMPILE_CACHE: undefined };
    expect((await node([main, command, '--help'], { env: { ...off, HOME, ...env } })).status).toBe(0);
    return existsSync(join(HOME, '.cache', 'cluster-canary', 'compiled'));
  };
  expect(await wrote('lint')).toBe(keeps);
  expect(await wrote('simulate')).toBe(false);
  expect(await wrote('lint', { NODE_DISABLE_COMPILE_CACHE: '1' })).toBe(false);
  expect(await wrote('lint', { NODE_COMPILE_CACHE: join(scratch, 'elsewhere') })).toBe(false);
});
