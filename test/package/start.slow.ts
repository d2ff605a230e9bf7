import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../cli/run-cli';
import { lintDefaults } from '../../lib/cli/actions/lint/flags';
import { lintCommand } from '../../lib/cli/commands/lint';
import { clusterCanary, main, node, root, scratch } from '../cli/run-cli';
import { standIn } from '../shift/notify/stand-in';

const built = join(root, 'dist', 'cli', 'main.js');
/** What `compile-library.ts` left of it before it made one file. */
const modules = join(scratch, 'dist', 'cli', 'lint-and-harden-modules.js');
const [counter, folder, rules, config] = ['counter.cjs', 'rendered', 'rules.mjs', 'settings.yaml'].map(
  (name) => join(scratch, name),
) as [string, string, string, string];

const webhook = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: pods }
webhooks:
- name: pods.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: { service: { name: pods, namespace: pods } }
  rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: [CREATE], resources: ['*'] }]
---
apiVersion: v1
kind: ConfigMap
metadata: { name: twice, name: twice }
`;

beforeAll(() => {
  mkdirSync(folder);
  writeFileSync(join(folder, 'webhook.yaml'), webhook);
  writeFileSync(config, 'rules: { WH01: info }\n');
  writeFileSync(
    rules,
    `export const rules = [{ id: 'ACME01', severity: 'error', title: 't', why: 'w', fix: 'f',
      check: ({ objects }) => objects.all.map((object) => ({ object, pointer: '', message: 'seen' })) }];`,
  );
  writeFileSync(
    counter,
    `process.on('exit', () => process.getBuiltinModule('node:fs').writeFileSync(
      process.env.COUNTED, JSON.stringify({ files: Object.keys(require.cache), builtin: process.moduleLoadList })));`,
  );
});

/** What a run of the built command loads. */
function loadedBy(...args: readonly string[]): Promise<{ files: string[]; builtin: string[] }> {
  return loadedIn(built, ...args);
}

async function loadedIn(
  start: string,
  ...args: readonly string[]
): Promise<{ files: string[]; builtin: string[] }> {
  const counted = join(scratch, 'counted.json');
  await node(['-r', counter, start, ...args], { env: { COUNTED: counted } });
  const { files, builtin } = JSON.parse(readFileSync(counted, 'utf8'));
  return { files: files.filter((file: string) => file !== counter), builtin };
}

test('lint of a small folder loads one file beside the start, no package, and of Node.js neither TLS nor OpenSSL', async () => {
  const single = join(scratch, 'single');
  mkdirSync(single);
  writeFileSync(join(single, 'pod.yaml'), 'apiVersion: v1\nkind: Pod\nmetadata: { name: web }\n');
  const { files, builtin } = await loadedBy('lint', single);
  const cli = join(root, 'dist', 'cli');
  expect(files).toEqual([built, join(cli, 'lint-and-harden.js')]);
  expect(builtin).toContain('NativeModule net');
  const slow = ['child_process', 'crypto', 'http', 'https', 'tls'].map((name) => `NativeModule ${name}`);
  expect(builtin.filter((name) => slow.includes(name))).toEqual([]);
});

test.each([
  ['a key that is there twice', [], ['lint-and-harden-yaml.js']],
  ['a flag', ['--min-severity', 'error'], ['lint-and-harden-commander.js', 'lint-and-harden-yaml.js']],
  [
    'a configuration',
    ['--config', config],
    ['lint-and-harden-commander.js', 'lint-and-harden-valibot.js', 'lint-and-harden-yaml.js'],
  ],
])('lint with %s loads what that needs', async (_, flags, expected) => {
  const { files } = await loadedBy('lint', folder, ...flags);
  const cli = join(root, 'dist', 'cli').length + 1;
  expect(
    files
      .slice(1)
      .map((file) => file.slice(cli))
      .sort(),
  ).toEqual([...expected, 'lint-and-harden.js'].sort());
});

test('lint of paths alone is lint with the defaults of its flags', () => {
  expect(lintCommand().opts()).toEqual(lintDefaults);
});

test('a shift loads the packages of OpenTelemetry where it sends traces, and nowhere else', async () => {
  const collector = await standIn();
  const plan = join(scratch, 'plan.yaml');
  const loaded = async (...sinks: readonly object[]): Promise<number> => {
    const shift = 'shift: { step: 50, every: 60ms, bake: 0s }\n';
    const route = 'router: { simulated: }\nslots: { blue: , green: }\nweights: { green: 100 }\n';
    writeFileSync(plan, `${route}${shift}notify: ${JSON.stringify(sinks)}\n`);
    const { files } = await loadedIn(main, 'shift', plan);
    return files.filter((file) => file.includes('@opentelemetry')).length;
  };
  const pushgateway = { pushgateway: { url: collector.url } };
  try {
    expect(await loaded(pushgateway)).toBe(0);
    expect(await loaded(pushgateway, { openTelemetry: { endpoint: collector.url } })).toBeGreaterThan(0);
    expect(new Set(collector.got.map(({ method }) => method))).toEqual(new Set(['PUT', 'POST']));
  } finally {
    await collector.close();
  }
});

/** The same from the one file and from the modules that it was made of. */
async function bothSay(...args: readonly string[]): Promise<Result> {
  const [one, many] = [await node([built, ...args]), await node([modules, ...args])];
  expect(one).toEqual(many);
  return one;
}

test.each([
  ['findings', 1, []],
  ['a document', 1, ['--format', 'json']],
  ['SARIF', 1, ['--format', 'sarif']],
  ['a configuration', 1, ['--config', config]],
  ['rules of a user, in an ES module', 1, ['--rules', rules]],
  ['a kubeconfig that is not there', 2, ['--kubeconfig', join(scratch, 'no-kubeconfig')]],
  ['a commit that is not there', 2, ['--baseline', 'no-such-commit']],
  ['a flag that there is not', 2, ['--no-such-flag']],
])('the one file says what its modules say: %s', async (_, status, flags) => {
  expect((await bothSay('lint', folder, ...flags)).status).toBe(status);
});

test('the one file fixes, and hardens, what its modules do', async () => {
  const [one, many] = ['one', 'many'].map((name) => join(scratch, name)) as [string, string];
  await node([built, 'lint', folder, '--fix', '--out', one]);
  await clusterCanary(['lint', folder, '--fix', '--out', many]);
  const written = (out: string): string[] =>
    readdirSync(out).map((file) => readFileSync(join(out, file), 'utf8'));
  expect(written(one).length).toBeGreaterThan(0);
  expect(written(one)).toEqual(written(many));
  const hardened = (file: string) => spawnSync(process.execPath, [file, 'harden'], { input: webhook });
  const [text, same] = [hardened(built), hardened(main)];
  expect(text.stderr.toString()).toContain('pods.example.com');
  expect([text.status, text.stdout, text.stderr]).toEqual([same.status, same.stdout, same.stderr]);
});

test.each([
  ['main.js', []],
  ['lint-and-harden.js', ['js-yaml']],
  ['lint-and-harden-commander.js', ['commander']],
  ['lint-and-harden-valibot.js', ['valibot']],
  ['lint-and-harden-yaml.js', ['yaml']],
])('%s has the licences of the packages in it', (file, expected: string[]) => {
  const text = readFileSync(join(root, 'dist', 'cli', file), 'utf8');
  const packages = [...text.matchAll(/^\/\*\n(\S+) \d+\.\d+\.\d+\n/gm)].map(([, name]) => name);
  expect(new Set(packages)).toEqual(new Set(expected));
  for (const name of expected) {
    const folder = join(root, 'node_modules', name);
    const [licence] = readdirSync(folder).filter((each) => each.startsWith('LICENSE'));
    expect(text).toContain(readFileSync(join(folder, licence!), 'utf8').trim());
  }
});
