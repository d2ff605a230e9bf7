import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clusterCanary, main, scratch } from './run-cli';

// One of each kind: `*.slow.ts` have all cases. Other tests run commands by `run-here.ts`.

const plan = (every: string): string => {
  const file = join(scratch, `${every}.yaml`);
  const text = `router: { simulated: }\nslots: { blue: , green: }\nweights: { green: 100 }\nshift: { step: 50, every: ${every}, bake: 0s }\n`;
  writeFileSync(file, text);
  return file;
};

test('a command ends by itself, with a document on stdout and progress on stderr', async () => {
  const { status, stdout, stderr } = await clusterCanary(['shift', plan('30ms'), '--json']);
  expect([status, JSON.parse(stdout).verdict]).toEqual([0, 'completed']);
  expect(stderr).toContain('Step 2 of 2');
});

test('SIGINT holds a shift, whose outcome is printed', async () => {
  const { status, stdout, stderr } = await clusterCanary(['shift', plan('1m'), '--json'], {
    signalAt: 'Step 1',
  });
  expect([status, JSON.parse(stdout)]).toMatchObject([
    130,
    { verdict: 'held', final: { blue: 50, green: 50 } },
  ]);
  expect(stderr).toContain('Interrupted: holds.');
});

test('manifests on the standard input are hardened to the standard output', async () => {
  const child = spawn(process.execPath, [main, 'harden']);
  const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\n';
  child.stdin.end(manifest);
  let stdout = '';
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  const [status] = await once(child, 'close');
  expect([status, stdout]).toEqual([0, manifest]);
});

test('a stderr that nobody reads is no failure of a shift', async () => {
  const child = spawn(process.execPath, [main, 'shift', plan('60ms'), '--json']);
  child.stderr.destroy();
  let stdout = '';
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  const [status] = await once(child, 'close');
  expect([status, JSON.parse(stdout).verdict]).toEqual([0, 'completed']);
});
