import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../..');
const tests = join(root, 'test');

/** Files of tests that run fewer times in `npm test`. */
const files = (readdirSync(tests, { recursive: true }) as string[])
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => join(tests, file))
  .filter((file) => /\bscaled\(/.test(readFileSync(file, 'utf8')));

test('properties and simulations hold in all runs', () => {
  expect(files.length).toBeGreaterThan(20);
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const { status, stderr } = spawnSync(process.execPath, [jest, '--ci', '--runTestsByPath', ...files], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ALL_RUNS: '1' },
  });
  expect({ status, failed: status === 0 ? '' : stderr }).toEqual({ status: 0, failed: '' });
}, 1_200_000);
