import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { stringify } from 'yaml';
import { loadBalancerChart } from '../lint/hardening/load-balancer-chart';
import {
  authority,
  certificate,
  documents,
  injected,
  issuer,
  named,
  selfSigned,
} from '../lint/rules/certificates/manifests';
import type { Result } from './run-cli';
import { root, scratch } from './run-cli';

const program = (name: string): string => join(scratch, 'dist', 'cli', `${name}.js`);
const folder = join(scratch, 'harden');
beforeAll(() => mkdirSync(folder));

/** Runs a program with a text as its standard input. */
function piped(input: string | Buffer, command: string, ...args: readonly string[]): Promise<Result> {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '', NODE_NO_WARNINGS: '1' },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, stdout, stderr })));
}

const harden = (input: string | Buffer, ...args: readonly string[]): Promise<Result> =>
  piped(input, process.execPath, program('main'), 'harden', ...args);

const quiet = { enableServiceMutatorWebhook: false, webhookConfig: { disableIngressValidation: true } };
const rendered = loadBalancerChart({ ...quiet, enableCertManager: true });
const loud = loadBalancerChart({ enableCertManager: true });

/** What most tests begin with. */
let once: Result;
beforeAll(async () => {
  once = await harden(rendered);
});

const isHardening = new Ajv2020({ strict: true, strictTypes: false }).compile(
  JSON.parse(readFileSync(join(root, 'schemas', 'harden.json'), 'utf8')) as object,
);

describe('cluster-canary harden', () => {
  test('writes hardened manifests, says what was changed, and again changes nothing', async () => {
    expect(once.status).toBe(0);
    expect(once.stderr).toMatch(
      /^changed: 3 \(lines are those of the input\)\n {2}\d+ Certificate aws-load-balancer-root-cert: HARDEN02 /,
    );
    expect(once.stdout).toContain('rotationPolicy: Never');
    expect(once.stdout.match(/inject-ca-from: kube-system\/aws-load-balancer-root-cert/g)).toHaveLength(2);
    const twice = await harden(once.stdout);
    expect(twice).toMatchObject({ status: 0, stdout: once.stdout });
    expect(twice.stderr).toMatch(/^changed: 0 \(lines are those of the input\)\nleft: \d+\n/);
  });

  test('--check writes nothing, and ends with 1 while there is something to change', async () => {
    const check = await harden(rendered, '--check');
    expect(check).toMatchObject({ status: 1, stdout: '' });
    expect(check.stderr).toMatch(/^to change: 3 \(/);
    expect(await harden(once.stdout, '--check')).toMatchObject({ status: 0, stdout: '' });
    const { status, stdout: json, stderr } = await harden(rendered, '--check', '--json');
    expect([status, stderr]).toEqual([1, '']);
    const document = JSON.parse(json) as object;
    expect([isHardening(document), isHardening.errors]).toEqual([true, null]);
    expect(document).toMatchObject({ clusters: [] });
    expect(document).toMatchObject({
      schemaVersion: 1,
      isChanged: true,
      changed: [{ rule: 'HARDEN02', object: { kind: 'Certificate' } }, { rule: 'TLS02' }, { rule: 'TLS02' }],
    });
  });

  test('errors that are left keep nothing from being written, but for --strict', async () => {
    const lax = await harden(loud);
    expect(lax.status).toBe(0);
    expect(lax.stdout).toContain('mservice.elbv2.k8s.aws');
    expect(lax.stderr).toContain(
      'error ALBC03 mservice.elbv2.k8s.aws sees every Service, with Fail (no change',
    );
    expect(await harden(loud, '--strict')).toMatchObject({ status: 1, stdout: '' });
    expect(await harden(once.stdout, '--strict')).toMatchObject({ status: 0, stdout: once.stdout });
  });

  test('--strict writes where infos are left, of certificates that outlive a certificate of an authority that keeps its key', async () => {
    const text = documents(
      injected('gate-system/ca'),
      selfSigned,
      authority('ca', 'duration: 43800h'),
      certificate('gate', 'ca', named, 'duration: 100000h', 'renewBefore: 720h'),
    ).replace('failurePolicy: Fail', 'failurePolicy: Ignore');
    const before = await harden(text, '--check', '--json');
    const { remaining } = JSON.parse(before.stdout) as { remaining: { rule: string; severity: string }[] };
    expect(remaining).toContainEqual(expect.objectContaining({ rule: 'TLS04', severity: 'info' }));
    const strict = await harden(text, '--strict');
    expect(strict).toMatchObject({ status: 0, stdout: expect.stringContaining('rotationPolicy: Never') });
  });

  test('a configuration of a whole repository may name rules of one’s own, and Services that are elsewhere', async () => {
    const config = {
      suppress: [{ rule: 'ACME01', reason: 'known' }],
      rules: { ACME01: 'info' },
      harden: [
        { service: 'gate-system/other', timeoutSeconds: 5 },
        { webhook: 'other.example.com', service: 'gate-system/gate', timeoutSeconds: 5 },
      ],
    };
    writeFileSync(join(folder, 'shared.yaml'), stringify(config));
    const { status, stderr } = await harden(once.stdout, '--config', 'shared.yaml');
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /^decided in vain: Service gate-system\/other: nothing among the manifests calls it\ndecided in vain: webhook other.example.com of Service gate-system\/gate: it is not among the manifests\nchanged: 0 /,
    );
    expect(stderr).not.toContain('SUP02');
    writeFileSync(join(folder, 'typo.yaml'), stringify({ rules: { WH033: 'info' } }));
    const typo = await harden(once.stdout, '--config', 'typo.yaml');
    expect([typo.status, typo.stdout]).toEqual([2, '']);
    expect(typo.stderr).toContain('rules.WH033: "WH033": must be the id of a rule');
  });

  test('a decision that brings an error is refused by name, and nothing is written', async () => {
    const text = documents(
      injected('gate-system/gate'),
      selfSigned,
      certificate('gate', 'self-signed', named),
    );
    const decisions = [
      { service: 'gate-system/gate', webhook: 'gate.pods.example.com', timeoutSeconds: 5 },
      { service: 'gate-system/gate', injectCaFrom: 'gate-system/ca' },
    ];
    writeFileSync(join(folder, 'broken.yaml'), stringify({ harden: decisions }));
    const { status, stdout, stderr } = await harden(text, '--config', 'broken.yaml');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^error: manifests: 1 problem\n {2}decisions\[1\]: .*gate-system\/ca.*TLS10 at .* of MutatingWebhookConfiguration gate: /,
    );
  });

  test('decisions come from a configuration, and an authority from beside', async () => {
    const decisions = [{ webhook: 'mservice.elbv2.k8s.aws', failurePolicy: 'Ignore', timeoutSeconds: 2 }];
    writeFileSync(join(folder, 'own.yaml'), stringify({ harden: decisions }));
    const { status, stdout } = await harden(loud, '--config', 'own.yaml');
    expect(status).toBe(0);
    expect(stdout.match(/timeoutSeconds: 2$/gm)).toHaveLength(1);

    const documents = rendered.split(/(?=---\n# Source)/);
    const isAuthority = (text: string): boolean => /kind: Issuer|isCA: true/.test(text);
    writeFileSync(join(folder, 'authority.yaml'), documents.filter(isAuthority).join(''));
    const rest = documents.filter((text) => !isAuthority(text)).join('');
    expect((await harden(rest)).stdout).toBe(rest);
    const beside = await harden(rest, '--context-manifests', 'authority.yaml');
    expect(beside.stdout).toContain('inject-ca-from: kube-system/aws-load-balancer-root-cert');
    expect(beside.stdout).not.toContain('kind: Issuer\n');
  });

  test('files beside may be of several clusters: --cluster says which ones the manifests are of', async () => {
    const authorityOf = (cluster: string): string =>
      documents(
        selfSigned,
        issuer('root', `{ ca: { secretName: ca-${cluster}-tls } }`),
        certificate(`ca-${cluster}`, 'self-signed', 'isCA: true', 'duration: 87600h', 'renewBefore: 8760h'),
      );
    for (const cluster of ['blue', 'green']) {
      mkdirSync(join(folder, 'rendered', cluster), { recursive: true });
      writeFileSync(join(folder, 'rendered', cluster, 'ca.yaml'), authorityOf(cluster));
    }
    const chart = documents(
      injected('gate-system/gate'),
      certificate('gate', 'root', named, 'duration: 2160h', 'renewBefore: 720h'),
    );
    const unsaid = await harden(chart, '--context-manifests', 'rendered');
    expect(unsaid).toMatchObject({ status: 0, stdout: chart });
    const flags = '--cluster blue=- blue=rendered/blue green=rendered/green';
    expect(unsaid.stderr).toMatch(
      new RegExp(`^checked with 2 clusters; choose one by --cluster NAME=-: ${flags}\n`),
    );
    const inJson = await harden(chart, '--context-manifests', 'rendered', '--check', '--json');
    const { clusters } = JSON.parse(inJson.stdout) as { readonly clusters: unknown };
    expect(clusters).toEqual([
      { name: 'blue', objects: 3, shared: 2 },
      { name: 'green', objects: 3, shared: 2 },
    ]);
    expect(isHardening(JSON.parse(inJson.stdout))).toBe(true);
    const helped = await harden(chart, '--context-manifests', 'rendered', ...flags.split(' '));
    expect(helped.stderr).toMatch(/^changed: 1 /);
    expect(unsaid.stderr).toContain('its authority is the Certificate gate-system/ca-green (no change');

    const green = ['--cluster', 'green=-', 'green=rendered/green', '--cluster', 'blue=rendered/blue'];
    const said = await harden(chart, '--context-manifests', 'rendered', ...green);
    expect(said).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('"cert-manager.io/inject-ca-from":"gate-system/ca-green"'),
    });
    expect(said.stderr).toMatch(/^changed: 1 /);

    // A decision that is refused for what one of them has says so, too.
    const config = stringify({ harden: [{ service: 'gate-system/gate', issuer: 'gate-system/none' }] });
    writeFileSync(join(folder, 'decided.yaml'), config);
    const refused = await harden(chart, '--context-manifests', 'rendered', '--config', 'decided.yaml');
    expect(refused.stderr).toMatch(/^checked with 2 clusters; choose one by --cluster NAME=-/);
    const others = ['--cluster', 'blue=rendered/blue', 'green=rendered/green'];
    expect((await harden(chart, '--context-manifests', 'rendered', ...others)).stderr).toMatch(
      /^checked with 2 clusters; /,
    );
  });

  test('says which decision would do what no safe change does, and where infos are', async () => {
    const text = JSON.stringify({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'gate' },
      webhooks: [
        {
          name: 'pods.gate.example.com',
          timeoutSeconds: 20,
          clientConfig: { service: { name: 'gate', namespace: 'gate' } },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        },
      ],
    });
    const check = await harden(text, '--check');
    expect(check.stderr).toMatch(/ WH06 .*\(takes a decision: optIn or failurePolicy\)\n/);
    expect(check.stderr).toMatch(/ WH09 .*\(takes a decision: timeoutSeconds\)\n/);
    expect(check.stderr).toMatch(/\nleft: \d+ more, as infos: --check --json has them\n$/);
    const { remaining } = JSON.parse((await harden(text, '--check', '--json')).stdout);
    expect(remaining).toContainEqual(
      expect.objectContaining({
        rule: 'WH06',
        why: expect.any(String),
        fix: expect.any(String),
        decision: ['optIn', 'failurePolicy'],
      }),
    );
    expect(remaining).toContainEqual(expect.objectContaining({ severity: 'info', why: expect.any(String) }));
  });

  test.each<[string, string | Buffer, readonly string[], RegExp]>([
    [
      'a cluster of files that are not looked at',
      rendered,
      ['--cluster', 'blue=-', 'green=none.yaml'],
      /^error: harden: 1 problem\n {2}--cluster: "green=none\.yaml": must be a file or folder among the PATHs: it does not exist/,
    ],
    [
      'what is not YAML',
      `${rendered}---\na: b\n c: d\n`,
      [],
      /^error: manifests: 1 problem\n {2}stdin:\d+:\d+: must be YAML that can be read: not YAML/,
    ],
    ['nothing', '', [], /there is no Kubernetes object among them/],
    ['what some program said', 'Error: chart not found\n', [], /there is no Kubernetes object among them/],
    ['binary', Buffer.from([0, 1, 2]), [], /stdin: must be text: it is binary/],
    [
      'a wrong decision',
      rendered.replace(
        'kind: Service\nmetadata:',
        'kind: Service\nmetadata:\n  annotations: { cluster-canary/harden: "{" }',
      ),
      [],
      /stdin:\d+ Service aws-load-balancer-webhook-service cluster-canary\/harden: "\{": must be a decision in JSON/,
    ],
    [
      'a configuration that is not there',
      rendered,
      ['--config', 'none.yaml'],
      /none\.yaml: must be a configuration, in YAML; there is no such file/,
    ],
    [
      'something beside that is not there',
      rendered,
      ['--context-manifests', 'none.yaml'],
      /none\.yaml: must be manifests that can be read: not there/,
    ],
    ['JSON without --check', rendered, ['--json'], /--json: must be together with --check/],
    ['an unknown flag', rendered, ['--nothing'], /unknown option '--nothing'/],
  ])('of %s, nothing is written, and the status is 2', async (_, input, args, said) => {
    const { status, stdout, stderr } = await harden(input, ...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(said);
  });
});

test.each([[['harden']], [['lint', '-']], [['lint', '/dev/stdin']]])(
  'an interrupt ends %j while it waits for its input',
  async (args) => {
    // The shell holds both ends of a pipe, and writes nothing. Without job control its children would ignore SIGINT.
    const script =
      'mkfifo $$; exec 3<>$$; "$@" <&3 & sleep 2; kill -INT $!; sleep 2; kill -KILL $! 2>&-; wait $!; echo $?';
    const command = [process.execPath, program('main'), ...args];
    expect((await piped('', 'bash', '-m', '-c', script, 'bash', ...command)).stdout).toBe('130\n');
  },
);

test('a folder as its input is refused as a problem', async () => {
  const result = await piped(
    '',
    'bash',
    '-c',
    '"$@" < .',
    'bash',
    process.execPath,
    program('main'),
    'harden',
  );
  expect(result).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'error: manifests: 1 problem\n  stdin: must be manifests that can be read: not readable: a folder\n',
  });
});

test('cluster-canary-harden is a program that takes no arguments', async () => {
  chmodSync(program('harden'), 0o755);
  const { status, stdout } = await piped(rendered, program('harden'));
  expect(status).toBe(0);
  expect(stdout).toBe(once.stdout);
  expect(await piped('a: [', program('harden'))).toMatchObject({ status: 2, stdout: '' });
});
