import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stub } from './stub.mjs';

// measure.mjs CLUSTERS-PER-PLACE ACCOUNTS REGION...: runs the command twice, and prints what each run took.
const [clusters, accounts, ...regions] = process.argv.slice(2);
const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-bench-'));
const { counts, ...servers } = stub(Number(clusters));
const [aws, hub] = await Promise.all([servers.aws, servers.hub]);
const urlOf = (server) => `http://127.0.0.1:${server.address().port}`;

const set = {
  metadata: { name: 'bench' },
  spec: {
    selector: { eksTags: { environment: 'production' } },
    accounts: Array.from({ length: Number(accounts) }, (_, index) => ({
      roleArn: `arn:aws:iam::${String(index + 1).padStart(12, '0')}:role/reader`,
      regions,
    })),
    template: { metadata: { name: '{{name}}-{{account}}', labels: { env: 'production' } } },
  },
};
const kubeconfig = {
  ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'hub' },
  clusters: [{ name: 'hub', cluster: { server: urlOf(hub) } }],
  users: [{ name: 'hub', user: { token: 'token' } }],
  contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'hub' } }],
};
writeFileSync(join(folder, 'set.json'), JSON.stringify(set));
writeFileSync(join(folder, 'kubeconfig.json'), JSON.stringify(kubeconfig));

const runs = [await run(), await run()];
process.stdout.write(JSON.stringify(runs));
rmSync(folder, { recursive: true });
aws.close();
hub.close();

async function run() {
  const before = { ...counts };
  const started = performance.now();
  const { document, usage } = await command();
  const seconds = (performance.now() - started) / 1000;
  const calls = Object.fromEntries(Object.entries(counts).map(([key, value]) => [key, value - before[key]]));
  const { create, keep, problems, written } = document;
  return { seconds, ...usage, calls, created: create.length, kept: keep.length, problems, written };
}

function command() {
  const env = { ...process.env };
  delete env.NODE_OPTIONS;
  delete env.NODE_COMPILE_CACHE;
  const files = ['--config', join(folder, 'set.json'), '--kubeconfig', join(folder, 'kubeconfig.json')];
  const child = spawn(
    process.execPath,
    [
      '-r',
      join(root, 'bench', 'report-usage.cjs'),
      join(root, 'dist', 'cli', 'main.js'),
      'clusters',
      'sync',
      ...files,
      '--json',
    ],
    {
      env: {
        ...env,
        AWS_ENDPOINT_URL: urlOf(aws),
        AWS_REGION: 'eu-west-1',
        AWS_ACCESS_KEY_ID: 'a',
        AWS_SECRET_ACCESS_KEY: 'b',
      },
      stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    },
  );
  const [output, usage] = [[], []];
  child.stdout.on('data', (part) => output.push(part));
  child.stdio[3].on('data', (part) => usage.push(part));
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (status) => {
      if (status === 0) {
        done({ document: JSON.parse(Buffer.concat(output)), usage: JSON.parse(Buffer.concat(usage)) });
      } else {
        fail(new Error(`clusters sync: exit status ${status}`));
      }
    });
  });
}
