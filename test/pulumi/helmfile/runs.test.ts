import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunProgress, uninstallRecorded } from '../../../lib/pulumi/helmfile/hooks';
import {
  changeReleases,
  listReleases,
  planReleases,
  runHelmProgram,
  withPrivateFolder,
} from '../../../lib/pulumi/helmfile/run';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'helmfile-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program of this name in the test's folder. */
function program(name: string, ...lines: string[]): string {
  writeFileSync(join(folder, name), ['#!/bin/sh', ...lines].join('\n'), { mode: 0o755 });
  return join(folder, name);
}

const script = (source: string, more: object = {}) =>
  runHelmProgram({ program: 'sh', args: ['-c', source], env: process.env, timeoutMs: 5_000, ...more });

test('of a program that writes much, the end is kept, from a whole line on', async () => {
  const end = await script('yes "a line of words" | head -n 500000; echo err >&2; exit 3');
  expect(end).toMatchObject({ how: 'exited', status: 3, stderr: 'err\n' });
  expect(end.stdout.length).toBeGreaterThan(4_000_000);
  expect(end.stdout.length).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(new Set(end.stdout.trim().split('\n'))).toEqual(new Set(['a line of words']));
});

test.each([
  ['an argument', { args: ['hunter2\0'] }],
  ['a variable', { env: { TOKEN: 'hunter2\0' } }],
])('%s that no program can get is not shown', async (_what, more) => {
  await expect(script('', more)).rejects.toThrow(/^sh can't be started: ERR_INVALID_ARG_VALUE$/);
});

test('a program that is not there is said by its name', async () => {
  await expect(script('', { program: 'no-such-program' })).rejects.toThrow(
    /no-such-program can't be started: it is not on the PATH$/,
  );
  await expect(script('', { cwd: '/no/such/folder' })).rejects.toThrow(/\/no\/such\/folder is not there/);
  writeFileSync(join(folder, 'plain'), '');
  await expect(script('', { program: join(folder, 'plain') })).rejects.toThrow(/can't be started: EACCES/);
});

test('a private folder is for this user alone, and gone however it ends', async () => {
  let path = '';
  const use = withPrivateFolder(async (made) => {
    path = made.path;
    const file = await made.write('kubeconfig', 'secret');
    const mode = (each: string) => (statSync(each).mode & 0o777).toString(8);
    expect([mode(path), mode(file), mode(made.temporary)]).toEqual(['700', '600', '700']);
    throw new Error('it failed');
  });
  await expect(use).rejects.toThrow('it failed');
  expect(existsSync(path)).toBe(false);
});

const settings = (helmfile: string, more: object = {}) => ({
  choice: {
    file: 'helmfile.yaml',
    selectors: [],
    stateValuesFiles: [],
    valuesFiles: ['/given'],
    helm: 'helm',
  },
  program: helmfile,
  workingDirectory: folder,
  environmentVariables: {},
  timeoutMs: 5_000,
  secrets: [],
  ...more,
});

test('values come in files that are gone afterwards, and are taken out of what is said', async () => {
  const helmfile = program(
    'helmfile',
    `echo "$@" > ${folder}/arguments`,
    `cat "$KUBECONFIG" > ${folder}/kubeconfig; echo "$KUBECONFIG" > ${folder}/path; touch "$TMPDIR/left-behind"`,
    'for each in "$@"; do case $each in *.json) cat "$each"; esac; done',
    'echo "it has hunter2hunter2" >&2; exit 2',
  );
  const secret = { stateValues: { a: 'hunter2hunter2' }, values: { b: 1 }, secrets: ['hunter2hunter2'] };
  const lines: string[] = [];
  const plan = await planReleases(settings(helmfile, secret), 'the kubeconfig', [], {
    onLine: (line) => lines.push(line),
  });
  expect(plan).toEqual({ kind: 'changes', releases: [], text: '{"a":"[secret]"}{"b":1}' });
  expect(lines).toContain('it has [secret]');
  const args = readFileSync(join(folder, 'arguments'), 'utf8');
  expect(args).toMatch(
    /--state-values-file \S+\/state-values.json diff .* --values \/given --values \S+\/values.json/,
  );
  expect(args).not.toContain('hunter2');
  expect(readFileSync(join(folder, 'kubeconfig'), 'utf8')).toBe('the kubeconfig');
  expect(existsSync(readFileSync(join(folder, 'path'), 'utf8').trim())).toBe(false);
});

test('a failure has its reason, in a plan as in a change', async () => {
  const helmfile = program('helmfile', 'echo "err: it is broken, s3cr3t-text" >&2; exit 1');
  const broken = settings(helmfile, { secrets: ['s3cr3t-text'] });
  const reason = 'err: it is broken, [secret]';
  expect(await planReleases(broken, '', [])).toEqual({ kind: 'failed', reason });
  await expect(changeReleases('apply', broken, '', [])).rejects.toThrow(`helmfile apply failed:\n${reason}`);
  await expect(changeReleases('destroy', broken, '', [])).rejects.toThrow(
    `helmfile destroy failed:\n${reason}`,
  );
  await expect(listReleases(broken)).rejects.toThrow(`helmfile list failed:\n${reason}`);
  expect(await planReleases(settings('no-such-helmfile'), '', [])).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining("no-such-helmfile can't be started") as string,
  });
});

test('a list asks no cluster', async () => {
  const helmfile = program(
    'helmfile',
    `cat "$KUBECONFIG" > ${folder}/kubeconfig`,
    `echo '[{"name":"a","namespace":"b"}]'`,
  );
  expect(await listReleases(settings(helmfile))).toEqual([{ name: 'a', namespace: 'b' }]);
  expect(JSON.parse(readFileSync(join(folder, 'kubeconfig'), 'utf8'))).toEqual({
    apiVersion: 'v1',
    kind: 'Config',
  });
});

const cluster = {
  clusterName: 'blue',
  region: 'eu-west-1',
  endpoint: 'https://a',
  certificateAuthority: 'Yw==',
};
const releases = [
  { name: 'web', namespace: 'front' },
  { name: 'api', namespace: '' },
];

test('releases are uninstalled from the record: all of them, although one fails', async () => {
  const helm = program(
    'helm',
    `echo "$@" >> ${folder}/arguments; grep -q get-token "$KUBECONFIG" || exit 9`,
    'if [ "$2" = web ]; then echo "Error: it stays" >&2; exit 1; fi',
  );
  const record = { file: 'helmfile.yaml', releases, cluster, helm };
  await expect(uninstallRecorded(record, {})).rejects.toThrow(
    'helm uninstall failed:\nrelease web: Error: it stays',
  );
  expect(readFileSync(join(folder, 'arguments'), 'utf8').trim().split('\n')).toEqual([
    'uninstall web --ignore-not-found --wait --timeout 300s --namespace front',
    'uninstall api --ignore-not-found --wait --timeout 300s',
  ]);
});

test('a helm that outlives its time, with a descendant in a session of its own, is left in time', async () => {
  const helmfile = program('helmfile', 'setsid sleep 9 & sleep 9');
  const began = performance.now();
  const plan = await planReleases(settings(helmfile, { timeoutMs: 100 }), '', []);
  expect(plan).toEqual({ kind: 'failed', reason: 'it took too long' });
  expect(performance.now() - began).toBeLessThan(8_000);
});

test('without a cluster in the record nothing is done, and it is said how to go on', async () => {
  await expect(uninstallRecorded({ file: 'helmfile.yaml', releases }, {})).rejects.toThrow(
    /web \(front\), api stayed\. Put the HelmfileRelease back/,
  );
});

test('progress: the last line, for how long, and no line twice', async () => {
  const told: string[] = [];
  const progress = new RunProgress('helmfile apply', { progress: (text) => void told.push(text) }, 5);
  const some = () => new Promise((resolve) => setTimeout(resolve, 30));
  await some();
  progress.line('Upgrading release=web');
  await some();
  progress.stop();
  expect(told).toEqual(['helmfile apply: 0 s', 'helmfile apply: 0 s, Upgrading release=web']);
});
