import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlainServer } from '../core/kubernetes/plain-server';
import { plainServer } from '../core/kubernetes/plain-server';
import { emitStack, sampleStack } from '../manifests/certificates/emitted-stacks';
import { base64, issue } from '../manifests/certificates/issue';
import { scratch } from './run-cli';
import { clusterCanary } from './run-here';

const folder = join(scratch, 'lint-live');
const kubeconfig = join(folder, 'kubeconfig.json');
const resources: Readonly<Record<string, readonly string[]>> = {
  '/api/v1': ['Namespace', 'Secret'],
  '/apis/admissionregistration.k8s.io/v1': ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
  '/apis/apiextensions.k8s.io/v1': ['CustomResourceDefinition'],
  '/apis/apiregistration.k8s.io/v1': ['APIService'],
  '/apis/cert-manager.io/v1': ['Certificate', 'CertificateRequest'],
};
let server: PlainServer;
let asked: string[] = [];
let denied: string | undefined;
let nonsense: { status?: number; [key: string]: unknown } | undefined;
let lists: Readonly<Record<string, readonly any[]>> = {};

function answer(path: string): { status?: number; [key: string]: unknown } {
  const kinds = resources[path];
  if (kinds && nonsense) {
    return nonsense;
  }
  if (kinds) {
    const known = kinds.map((kind) => ({ kind, name: `${kind.toLowerCase()}s`, verbs: ['list', 'get'] }));
    return { kind: 'APIResourceList', resources: known.map((each) => ({ ...each, namespaced: false })) };
  }
  const name = path.split('/').at(-1)!;
  asked.push(name);
  return name === denied
    ? { status: 403, kind: 'Status', message: `${name} is forbidden` }
    : { kind: 'List', metadata: {}, items: lists[name] ?? [] };
}

beforeAll(async () => {
  mkdirSync(folder);
  server = await plainServer(({ url }, response) => {
    const { status = 200, ...body } = answer(url!.split('?')[0]!);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }, kubeconfig);
  const objects = emitStack(sampleStack('required', 'switch'));
  writeFileSync(
    join(folder, 'switch.json'),
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
  );
  writeFileSync(join(folder, 'settings.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n');

  const now = Date.now();
  const validity = { notBefore: new Date(now - 3_600_000), notAfter: new Date(now + 3_600_000) };
  const old = await issue({ subject: 'gates-g1', isCa: true, ...validity });
  const leaf = await issue({ subject: 'gate', signer: old, dnsNames: ['gate.gate-system.svc'], ...validity });
  const webhook = structuredClone(objects.find(({ kind }) => /WebhookConfiguration/.test(kind)));
  webhook.webhooks[0].clientConfig.caBundle = base64(old.certificate);
  const { name, namespace } = objects.find(({ kind, spec }) => kind === 'Certificate' && !spec.isCA).metadata;
  const annotations = {
    'cert-manager.io/certificate-name': name,
    'cert-manager.io/certificate-revision': '1',
  };
  lists = {
    mutatingwebhookconfigurations: [webhook],
    certificaterequests: [
      {
        metadata: { name: 'gate-1', namespace, annotations },
        status: { certificate: base64(leaf.certificate) },
      },
    ],
  };
});
afterAll(() => server.stop());
beforeEach(() => {
  asked = [];
  denied = undefined;
  nonsense = undefined;
});

const lint = (...args: string[]) =>
  clusterCanary(['lint', ...args, '--kubeconfig', 'kubeconfig.json'], { cwd: folder });

test('a phase that comes too soon is found, and no Secret is read', async () => {
  const { status, stdout, stderr } = await lint('switch.json', '--format', 'json', '--rule', 'TLS15');
  expect([status, stderr]).toEqual([1, '']);
  expect(JSON.parse(stdout).findings).toEqual([
    expect.objectContaining({
      rule: 'TLS15',
      severity: 'error',
      message: expect.stringContaining('does not hold the new authority, CN=gates-g2'),
      object: expect.objectContaining({ kind: 'Certificate' }),
    }),
  ]);
  expect(asked.sort()).toEqual([
    'apiservices',
    'certificaterequests',
    'customresourcedefinitions',
    'mutatingwebhookconfigurations',
    'validatingwebhookconfigurations',
  ]);
});

test('what may not be read is said, and ends with 2; the rest is judged', async () => {
  denied = 'customresourcedefinitions';
  const { status, stdout, stderr } = await lint('switch.json', '--rule', 'TLS15');
  expect(status).toBe(2);
  expect(stdout).toContain('does not hold the new authority');
  expect(stderr).toMatch(/^error: the cluster: not checked: .*customresourcedefinitions/);
});

test.each([
  ['an answer that is no list', { kind: 'Status', message: 'ok' }],
  ['status 404, as any web server', { status: 404, message: 'no such page' }],
] as const)('discovery is nonsense (%s): it is said, and ends with 2', async (_, said) => {
  nonsense = said;
  const { status, stdout, stderr } = await lint('settings.yaml');
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^error: http:.*: get \/api\/v1: .*; is this an API server\?\n$/);
});

test('where nothing needs a certificate, nothing of one is read', async () => {
  expect(await lint('settings.yaml')).toMatchObject({ status: 0, stderr: '' });
  expect(asked).toEqual(['namespaces']);
});
