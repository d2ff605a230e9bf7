import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { casesOf, commands, env, expectNoHarm, harm, kubeconfig, own, path, rollout } from './hostile-cases';
import type { Result } from './run-cli';
import { clusterCanary, main } from './run-cli';
import { clusterCanary as here } from './run-here';

function withInput(args: readonly string[], { input }: { input?: string }): Promise<Result> {
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...process.env, NODE_OPTIONS: '', _: '', ...env },
  });
  const texts = { stdout: '', stderr: '' };
  child.stdout.on('data', (data: Buffer) => (texts.stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (texts.stderr += data.toString()));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, ...texts })));
}

/** One case of each command is a process of its own, and all that signals end or that load programs of users. */
const runOf = (name: string, what: string): typeof clusterCanary =>
  /^(demo|guard|harden|lint|preview|simulate)/.test(name) || own[name]![what] === Object.values(own[name]!)[0]
    ? clusterCanary
    : here;

test.each(commands)('%s shows what others wrote, and nothing of it does anything', async (name, command) => {
  await expectNoHarm(name, casesOf(name, command), (what, words, { input, signalAt }) =>
    input === undefined ? runOf(name, what)(words, { env, signalAt }) : withInput(words, { input }),
  );
});

test('manifests that are hardened are what was given, to the byte', async () => {
  const text =
    'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { a: "::error::\u202e\u0085\u007f##vso[x]" }\n';
  expect(await withInput(['harden'], { input: text })).toMatchObject({ status: 0, stdout: text });
});

test('a message of termination does nothing to who shows it', async () => {
  const message = path('message');
  await clusterCanary(['restart-rollout', ...rollout, '--kubeconfig', kubeconfig, '--message', message], {
    env,
  });
  expect(existsSync(message)).toBe(true);
  expect(harm(readFileSync(message, 'utf8'))).toEqual([]);
});
