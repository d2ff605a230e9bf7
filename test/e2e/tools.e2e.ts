import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { eventually } from './bench/eventually';

const root = resolve(__dirname, '../..');
const scratch = mkdtempSync(join(tmpdir(), 'tools-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A run that provides a folder, as a process of its own. */
function provider(
  manner: string,
  folder: string,
): { readonly child: ChildProcess; readonly status: Promise<number | null> } {
  const script = join(__dirname, 'bench/fill-folder.ts');
  const args = ['node_modules/.bin/ts-node', '--transpile-only', '--project', 'tsconfig.dev.json', script];
  const child = spawn(process.execPath, [...args, manner, folder, `${folder}.log`], {
    cwd: root,
    stdio: 'inherit',
  });
  return { child, status: new Promise((done) => child.on('close', done)) };
}

const logOf = (folder: string): string[] =>
  existsSync(`${folder}.log`) ? readFileSync(`${folder}.log`, 'utf8').trim().split('\n') : [];

describe.each(['in place', 'beside'])('what two runs provide at once, %s,', (manner) => {
  const waiting = (folder: string): string =>
    `waiting for another run that provides ${folder.split('/').at(-1)}`;

  test('is made by one of them, and whole when the other goes on', async () => {
    const folder = join(scratch, `${manner} twice`);
    const [first, second] = [provider(manner, folder), provider(manner, folder)];
    expect(await Promise.all([first.status, second.status])).toEqual([0, 0]);
    expect(logOf(folder).sort()).toEqual(['begin', 'end', waiting(folder)]);
    expect(readdirSync(folder).sort()).toEqual(['.complete', 'first', 'second']);
  });

  test('is made anew where the first is killed, after the program that it ran has ended', async () => {
    const folder = join(scratch, `${manner} killed`);
    const first = provider(manner, folder);
    await eventually('the first run makes it', () => logOf(folder).includes('begin'));
    first.child.kill('SIGKILL');
    const second = provider(manner, folder);
    expect(await second.status).toBe(0);
    expect(logOf(folder)).toEqual(['begin', waiting(folder), 'end', 'begin', 'end']);
    expect(readdirSync(folder).sort()).toEqual(['.complete', 'first', 'second']);
  });
});
