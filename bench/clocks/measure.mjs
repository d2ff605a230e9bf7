import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stub } from './stub.mjs';

// measure.mjs NODES: runs the command, then a bare program that lists as often, and prints what each took.
const nodes = Number(process.argv[2]);
const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-bench-'));
const { server, counts, port } = await stub(nodes);
const kubeconfig = {
  ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'hub' },
  clusters: [{ name: 'hub', cluster: { server: `http://127.0.0.1:${port}` } }],
  users: [{ name: 'hub', user: { token: 'token' } }],
  contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'hub' } }],
};
const file = join(folder, 'kubeconfig.json');
writeFileSync(file, JSON.stringify(kubeconfig));

const doctor = await run(
  join(root, 'dist', 'cli', 'main.js'),
  'doctor',
  'clock',
  '--json',
  '--kubeconfig',
  file,
);
const looks = counts.lists;
const megabytes = counts.megabytes / looks;
const bare = await run(join(import.meta.dirname, 'bare.mjs'), String(port), String(looks));
const [{ findings, looked }] = JSON.parse(doctor.output).checks;
const { output: _, ...took } = doctor;
process.stdout.write(
  JSON.stringify({ looks, megabytes, findings: findings.length, looked, doctor: took, bare }),
);
rmSync(folder, { recursive: true });
server.close();
server.closeAllConnections();

function run(...args) {
  const env = { ...process.env };
  delete env.NODE_OPTIONS;
  delete env.NODE_COMPILE_CACHE;
  const started = performance.now();
  const child = spawn(process.execPath, ['-r', join(root, 'bench', 'report-usage.cjs'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  const [output, usage] = [[], []];
  child.stdout.on('data', (part) => output.push(part));
  child.stdio[3].on('data', (part) => usage.push(part));
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (status) => {
      // 1 says that clocks are off, which some are.
      if (status > 1) {
        fail(new Error(`${args[0]}: exit status ${status}`));
        return;
      }
      const seconds = (performance.now() - started) / 1000;
      done({ seconds, ...JSON.parse(Buffer.concat(usage)), output: Buffer.concat(output).toString() });
    });
  });
}
