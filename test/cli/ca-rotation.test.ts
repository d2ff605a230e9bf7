import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import type { PlainServer } from '../core/kubernetes/plain-server';
import { plainServer } from '../core/kubernetes/plain-server';
import { terminationMessage } from '../../lib/cli/written-files';
import { base64, issue } from '../manifests/certificates/issue';
import { root, scratch } from './run-cli';
import { clusterCanary } from './run-here';

const ajv = new Ajv2020({ strict: true });
const fits = (schema: string) =>
  ajv.compile(JSON.parse(readFileSync(join(root, 'schemas', schema), 'utf8')) as object);
const isGate = fits('ca-rotation-check.json');
const isResult = fits('ca-rotation-result.json');
const authorities = join(scratch, 'authorities');
const kubeconfig = join(scratch, 'kubeconfig.json');
const which = ['--namespace', 'gate-system', '--name', 'gates', '--generation', '2'];
const service = ['--service', 'gate-system/gate'];
const validity = { notBefore: new Date(Date.now() - 3_600_000), notAfter: new Date(Date.now() + 3_600_000) };
let server: PlainServer;
let bundle: string;
let secret: any;
let jobStatus: any;

beforeAll(async () => {
  mkdirSync(authorities);
  const [old, renewed] = await Promise.all(
    ['gates-g1', 'gates-g2'].map((subject) => issue({ subject, isCa: true, ...validity })),
  );
  writeFileSync(join(authorities, 'old.crt'), old!.certificate);
  writeFileSync(join(authorities, 'renewed.crt'), renewed!.certificate);
  bundle = [old, renewed].map((each) => each!.certificate.trim() + '\n').join('');
  server = await plainServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { status = 200, ...body } = answer(
        request.method!,
        request.url!,
        Buffer.concat(parts).toString(),
      );
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  }, kubeconfig);
});
afterAll(() => server.stop());

const kinds: Record<string, readonly (readonly [string, string, boolean])[]> = {
  '/api/v1': [
    ['Secret', 'secrets', true],
    ['Pod', 'pods', true],
  ],
  '/apis/batch/v1': [['Job', 'jobs', true]],
  '/apis/admissionregistration.k8s.io/v1': [
    ['MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', false],
    ['ValidatingWebhookConfiguration', 'validatingwebhookconfigurations', false],
  ],
  '/apis/apiextensions.k8s.io/v1': [['CustomResourceDefinition', 'customresourcedefinitions', false]],
  '/apis/apiregistration.k8s.io/v1': [['APIService', 'apiservices', false]],
};

function answer(method: string, url: string, body: string): any {
  const { pathname } = new URL(url, 'http://api');
  const resources = kinds[pathname];
  if (resources) {
    return { resources: resources.map(([kind, name, namespaced]) => ({ kind, name, namespaced })) };
  }
  if (method === 'PATCH') {
    secret = { pathname, ...JSON.parse(body) };
    return { metadata: { name: 'x', annotations: { 'cert-manager.io/allow-direct-injection': 'true' } } };
  }
  if (pathname.endsWith('/mutatingwebhookconfigurations')) {
    const time = new Date(Date.now() - 120_000).toISOString();
    const metadata = { name: 'gate', managedFields: [{ time, fieldsV1: { 'f:caBundle': {} } }] };
    const clientConfig = { service: { name: 'gate', namespace: 'gate-system' }, caBundle: base64(bundle) };
    return { metadata: {}, items: [{ metadata, webhooks: [{ name: 'a.gate.example.com', clientConfig }] }] };
  }
  if (pathname.endsWith('/namespaces/gate-system/jobs')) {
    const name = 'gates-g2-gate-01234567';
    return { metadata: {}, items: [{ metadata: { name, namespace: 'gate-system' }, status: jobStatus }] };
  }
  if (pathname.endsWith('/pods')) {
    const terminated = { message: 'The phase switch is not over:\n  pod gate-1 (10.0.0.1:9443)' };
    return {
      metadata: {},
      items: [{ metadata: { name: 'gate-1' }, status: { containerStatuses: [{ state: { terminated } }] } }],
    };
  }
  return pathname.includes('/secrets/') ? { status: 404, kind: 'Status' } : { metadata: {}, items: [] };
}

const rotation = (...args: string[]) =>
  clusterCanary(['ca-rotation', ...args, ...which, '--kubeconfig', kubeconfig]);

test('a gate that is open, and one that is shut, as a document and as text', async () => {
  const gate = ['check', 'publish', ...service, '--authorities', authorities];
  const [open, shut, text] = await Promise.all([
    rotation(...gate, '--settle-time', '1m', '--json'),
    rotation(...gate, '--json'),
    rotation(...gate),
  ]);
  expect(open).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(open.stdout)).toMatchObject({
    ...{ schemaVersion: 1, phase: 'publish', passed: true, blockers: [], pods: [] },
    bundles: [
      { place: 'MutatingWebhookConfiguration gate, webhook a.gate.example.com', holds: ['old', 'renewed'] },
    ],
  });
  expect(shut.status).toBe(1);
  expect(JSON.parse(shut.stdout).blockers).toEqual([expect.stringMatching(/34\d\d s are left to wait/)]);
  expect(text).toMatchObject({ status: 1, stderr: '' });
  expect(text.stdout).toMatch(
    /^The phase publish is not over:\n {2}Mutating.* left to wait\n\nold {6}CN=gates-g1\n/,
  );
});

test('the document of a gate is as its schema says, and the schema is strict enough', async () => {
  const found = await rotation('check', 'publish', ...service, '--authorities', authorities, '--json');
  const document = JSON.parse(found.stdout);
  expect([isGate(document), isGate.errors]).toEqual([true, null]);
  const [bundleSeen] = document.bundles;
  const pods = [
    { name: 'gate-1 (10.0.0.1:9443)', signer: 'old' },
    { name: 'gate-2 (10.0.0.2:9443)', signer: { other: 'CN=other' } },
    { name: '10.0.0.3:9443', signer: null },
  ];
  expect(isGate({ ...document, pods })).toBe(true);
  for (const wrong of [
    { passed: 'no' },
    { phase: 'done' },
    { schemaVersion: 2 },
    { blockers: undefined },
    { bundles: [{ ...bundleSeen, holds: ['new'] }] },
    { pods: [{ name: 'gate-1' }] },
  ]) {
    expect(isGate(JSON.parse(JSON.stringify({ ...document, ...wrong })))).toBe(false);
  }
});

test('what came of it is also written into a file, in short', async () => {
  const file = join(scratch, 'message');
  const gate = ['check', 'publish', ...service, '--authorities', authorities, '--json'];
  const [, nowhere] = await Promise.all([
    rotation(...gate, '--message', file),
    rotation(...gate, '--settle-time', '1m', '--message', join(scratch, 'no', 'folder')),
  ]);
  expect(readFileSync(file, 'utf8')).toMatch(
    /^The phase publish is not over:\n {2}Mutating.* left to wait\n$/,
  );
  expect(nowhere).toMatchObject({ status: 0, stderr: expect.stringMatching(/^warning: ENOENT/) });
});

test('and through no link', async () => {
  const [mine, link] = [join(scratch, 'mine'), join(scratch, 'link')];
  writeFileSync(mine, 'mine');
  symlinkSync(mine, link);
  const result = await rotation(
    'check',
    'publish',
    ...service,
    '--authorities',
    authorities,
    '--message',
    link,
  );
  expect(result.stderr).toContain(`warning: ${link}: a link\n`);
  expect(readFileSync(mine, 'utf8')).toBe('mine');
});

test.each([
  [['a', 'b'], 'a\nb\n'],
  [['é'.repeat(1000), 'é'.repeat(1000), 'c'], `${'é'.repeat(1000)}\n${'é'.repeat(1000)}\nc\n`],
  [[...Array<string>(2), 'c'].fill('é'.repeat(1500)), `${'é'.repeat(1500)}\nand 2 more\n`],
  [['é'.repeat(5000)], `${'é'.repeat(1024)}\n`],
])('a termination message is cut where Kubernetes would cut it (%#)', (lines, message) => {
  expect(terminationMessage(lines)).toBe(message);
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096);
});

test.each([
  ['Failed', 1, 'failed'],
  ['Complete', 0, 'succeeded'],
])('what the Jobs said, as text and as a document (%s)', async (type, status, state) => {
  jobStatus = { conditions: [{ type, status: 'True' }] };
  const [text, document] = await Promise.all([rotation('result'), rotation('result', '--json')]);
  expect(text).toMatchObject({ status, stderr: '' });
  expect(text.stdout).toBe(
    `Job gates-g2-gate-01234567: ${state}\n  The phase switch is not over:\n  pod gate-1 (10.0.0.1:9443)\n`,
  );
  expect(document.status).toBe(status);
  expect([isResult(JSON.parse(document.stdout)), isResult.errors]).toEqual([true, null]);
  expect(
    isResult({ ...JSON.parse(document.stdout), jobs: [{ name: 'x', state: 'done', message: [] }] }),
  ).toBe(false);
});

test('no Job is no answer', async () => {
  const other = ['--namespace', 'elsewhere', '--name', 'gates', '--generation', '2'];
  const found = await clusterCanary(['ca-rotation', 'result', ...other, '--kubeconfig', kubeconfig]);
  expect(found).toMatchObject({ status: 2, stdout: '' });
  expect(found.stderr).toMatch(/elsewhere.*a phase that was applied/);
});

test('the Secret with both authorities is written', async () => {
  const result = await rotation('bundle', '--authorities', authorities);
  expect(result).toMatchObject({ status: 0, stderr: '' });
  expect(secret.pathname).toBe('/api/v1/namespaces/gate-system/secrets/gates-g2-bundle');
  expect(Buffer.from(secret.data['ca.crt'], 'base64').toString()).toBe(bundle);
});

test.each<[string, string[], RegExp]>([
  ['no phase', ['check', 'done', ...service], /Allowed choices are publish, switch, retire/],
  ['no Service', ['check', 'publish'], /--service/],
  ['a Service without a namespace', ['check', 'publish', '--service', 'gate'], /NAMESPACE\/NAME/],
  ['no duration', ['check', 'publish', ...service, '--settle-time', 'soon'], /duration/],
  ['a kind that holds no CA bundle', ['retire', ...service, '--injected', 'Pod/gate'], /kinds are/],
  [
    'no certificates',
    ['bundle', '--authorities', join(scratch, 'nowhere')],
    /old\.crt: must be an authority's certificate, as PEM; there is no such file/,
  ],
  ['no Secrets', ['bundle'], /gates-g1, tls\.crt: .*no such Secret[^]*gates-g2, tls\.crt: .*no such Secret/],
])('it can not run with %s', async (_, args, message) => {
  const result = await rotation(...args);
  expect(result).toMatchObject({ status: 2, stdout: '' });
  expect(result.stderr).toMatch(message);
  expect(result.stderr).not.toMatch(/\n\s+at |not-shown/);
});

test('what is no certificate of an authority is refused, and not shown', async () => {
  const folder = join(scratch, 'wrong');
  mkdirSync(folder);
  const leaf = await issue({ subject: 'leaf' });
  writeFileSync(join(folder, 'old.crt'), leaf.key);
  writeFileSync(join(folder, 'renewed.crt'), leaf.certificate);
  const result = await rotation('bundle', '--authorities', folder);
  expect(result.status).toBe(2);
  expect(result.stderr).toMatch(/2 problems[\s\S]*old\.crt[\s\S]*renewed\.crt/);
  expect(result.stderr).not.toMatch(/BEGIN|PRIVATE/);
});
