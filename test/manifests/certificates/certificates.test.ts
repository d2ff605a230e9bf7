import { Chart, Testing } from 'cdk8s';
import * as fc from 'fast-check';
import { formatDuration, parseDuration } from '../../../lib/core/durations';
import { InvalidInput } from '../../../lib/core/validation';
import { CertificateAuthority, WebhookCertificate } from '../../../lib/manifests/certificates';
import type { CertificateAuthorityProps, WebhookCertificateProps } from '../../../lib/manifests/certificates';
import { ValidatingWebhook } from '../../../lib/manifests/webhooks';
import { schemaErrors } from './schema';

interface Emitted {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: Record<string, unknown>;
}

const seen: Emitted[] = [];

/** The objects of a chart in the order of their creation. */
function emitted(chart: Chart): Emitted[] {
  const objects = Testing.synth(chart) as Emitted[];
  seen.push(...objects);
  return objects;
}

function problemsOf(create: () => unknown): string[] {
  try {
    create();
  } catch (error) {
    if (error instanceof InvalidInput) {
      return error.problems.map(({ path }) => path);
    }
    throw error;
  }
  return [];
}

const service = { name: 'gate', namespace: 'gate-system' };
const authorityOf = (chart: Chart, more: Partial<CertificateAuthorityProps> = {}): CertificateAuthority =>
  new CertificateAuthority(chart, `authority-${chart.node.children.length}`, {
    name: 'gates',
    namespace: 'gate-system',
    ...more,
  });

test('an authority is a self-signed issuer, a CA whose key stays, and an issuer that signs with it', () => {
  const chart = Testing.chart();
  const authority = authorityOf(chart);
  expect(emitted(chart)).toEqual([
    {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Issuer',
      metadata: { name: 'gates-g1-self-signed', namespace: 'gate-system' },
      spec: { selfSigned: {} },
    },
    {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Certificate',
      metadata: { name: 'gates-g1', namespace: 'gate-system' },
      spec: {
        isCA: true,
        commonName: 'gates-g1',
        secretName: 'gates-g1',
        duration: '87600h',
        renewBefore: '8760h',
        privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Never' },
        issuerRef: { name: 'gates-g1-self-signed', kind: 'Issuer', group: 'cert-manager.io' },
      },
    },
    {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Issuer',
      metadata: { name: 'gates-g1', namespace: 'gate-system' },
      spec: { ca: { secretName: 'gates-g1' } },
    },
  ]);
  expect(authority.certificate.node.dependencies).toEqual([authority.selfSignedIssuer]);
  expect(authority.issuer.node.dependencies).toEqual([authority.certificate]);
  expect(authority.issuerRef).toEqual({ name: 'gates-g1', kind: 'Issuer', group: 'cert-manager.io' });
  expect(authority.caInjection).toEqual({
    annotations: { 'cert-manager.io/inject-ca-from': 'gate-system/gates-g1' },
    providerNamespaces: ['cert-manager'],
  });
});

test('generations share no object, no Secret and no subject', () => {
  const chart = Testing.chart();
  const first = authorityOf(chart);
  const second = authorityOf(chart, { generation: 2, certManagerNamespace: 'pki' });
  const names = emitted(chart).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  expect(new Set(names).size).toBe(6);
  expect([second.commonName, second.secretName, second.issuerRef.name]).toEqual([
    'gates-g2',
    'gates-g2',
    'gates-g2',
  ]);
  expect(first.commonName).toBe('gates-g1');
  expect(second.caInjection).toEqual({
    annotations: { 'cert-manager.io/inject-ca-from': 'gate-system/gates-g2' },
    providerNamespaces: ['pki'],
  });
});

test('a cluster issuer has no namespace, and signs in every one', () => {
  const chart = new Chart(Testing.app(), 'chart', { namespace: 'elsewhere' });
  const authority = authorityOf(chart, { issuerKind: 'ClusterIssuer', namespace: 'cert-manager' });
  new WebhookCertificate(chart, 'leaf', { service, authority });
  const objects = emitted(chart);
  expect(objects.map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([
    ['Issuer', 'cert-manager'],
    ['Certificate', 'cert-manager'],
    ['ClusterIssuer', undefined],
    ['Certificate', 'gate-system'],
  ]);
  expect(objects[3]!.spec.issuerRef).toEqual({
    name: 'gates-g1',
    kind: 'ClusterIssuer',
    group: 'cert-manager.io',
  });
});

test('a certificate comes with an authority of its own, and after it', () => {
  const chart = Testing.chart();
  const leaf = new WebhookCertificate(chart, 'leaf', { service, certManagerNamespace: 'pki' });
  const objects = emitted(chart);
  expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'Issuer gate-webhook-ca-g1-self-signed',
    'Certificate gate-webhook-ca-g1',
    'Issuer gate-webhook-ca-g1',
    'Certificate gate-webhook',
  ]);
  expect(objects[3]).toEqual({
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: { name: 'gate-webhook', namespace: 'gate-system' },
    spec: {
      secretName: 'gate-webhook',
      dnsNames: ['gate.gate-system.svc', 'gate.gate-system.svc.cluster.local'],
      usages: ['digital signature', 'server auth'],
      duration: '2160h',
      renewBefore: '720h',
      privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
      issuerRef: { name: 'gate-webhook-ca-g1', kind: 'Issuer', group: 'cert-manager.io' },
    },
  });
  expect(leaf.certificate.node.dependencies).toEqual([leaf.authority.issuer]);
  expect(leaf.secretName).toBe('gate-webhook');
  expect(leaf.dnsNames).toEqual(['gate.gate-system.svc', 'gate.gate-system.svc.cluster.local']);
  expect(leaf.caInjection).toEqual({
    annotations: { 'cert-manager.io/inject-ca-from': 'gate-system/gate-webhook-ca-g1' },
    providerNamespaces: ['pki'],
  });
});

test('names, Secret, domain, lifetimes and history can be chosen', () => {
  const chart = Testing.chart();
  const authority = authorityOf(chart, { duration: '8760h', renewBefore: '720h', revisionHistoryLimit: 2 });
  const chosen = { name: 'serving', secretName: 'serving-tls', clusterDomain: 'k8s.example.com' };
  const times = { duration: '696h', renewBefore: '24h', revisionHistoryLimit: 3 };
  const leaf = new WebhookCertificate(chart, 'leaf', { service, authority, ...chosen, ...times });
  const [, ca, , certificate] = emitted(chart);
  expect(ca!.spec).toMatchObject({ duration: '8760h', renewBefore: '720h', revisionHistoryLimit: 2 });
  expect(certificate!.metadata.name).toBe('serving');
  expect(certificate!.spec).toMatchObject({ secretName: 'serving-tls', ...times });
  expect(leaf.dnsNames[1]).toBe('gate.gate-system.svc.k8s.example.com');
  expect(leaf.authority).toBe(authority);
});

test('a webhook waits for its certificate, and for everything that this one waits for', () => {
  const chart = Testing.chart();
  const webhook = new ValidatingWebhook(chart, 'images', {
    name: 'images.pods.example.com',
    intent: 'security',
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
    service,
    server: { podLabels: { app: 'gate' }, replicas: 2 },
    certificate: new WebhookCertificate(chart, 'zz-created-last', { service }),
  });
  const order = emitted(chart).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  expect(order).toHaveLength(6);
  expect(order.filter((each) => !each.startsWith('PodDisruptionBudget'))).toEqual([
    'Issuer gate-webhook-ca-g1-self-signed',
    'Certificate gate-webhook-ca-g1',
    'Issuer gate-webhook-ca-g1',
    'Certificate gate-webhook',
    'ValidatingWebhookConfiguration images.pods.example.com',
  ]);
  const { metadata, webhooks } = webhook.configuration.toJson() as {
    metadata: object;
    webhooks: [{ namespaceSelector: object }];
  };
  expect(metadata).toMatchObject({
    annotations: { 'cert-manager.io/inject-ca-from': 'gate-system/gate-webhook-ca-g1' },
  });
  expect(JSON.stringify(webhooks[0].namespaceSelector)).toContain('"cert-manager"');
  expect(JSON.stringify(webhooks)).not.toContain('caBundle');
});

test('every object that was emitted above fits the schema of its kind', () => {
  const ofCertManager = seen.filter(({ kind }) => /^(Certificate|ClusterIssuer|Issuer)$/.test(kind));
  expect(ofCertManager.length).toBeGreaterThan(20);
  expect(schemaErrors(ofCertManager)).toEqual([]);
  const { spec, ...rest } = ofCertManager.find(({ kind }) => kind === 'Certificate')!;
  expect(schemaErrors([{ ...rest, spec: { ...spec, secretName: 1 } }])).toEqual([
    expect.stringContaining('secretName'),
  ]);
});

describe('what is refused', () => {
  test.each<[string, Partial<CertificateAuthorityProps>, string[]]>([
    ['nothing', {}, []],
    ['names', { name: 'A b', namespace: 'a.b' }, ['name', 'namespace']],
    ['a common name of 65 characters', { name: 'x'.repeat(62) }, ['name']],
    ['but not of 64', { name: 'x'.repeat(61) }, []],
    ['a generation that is none', { generation: 0 }, ['generation']],
    ['another kind', { issuerKind: 'AWSPCAIssuer' as 'Issuer' }, ['issuerKind']],
    ['no history', { revisionHistoryLimit: 0 }, ['revisionHistoryLimit']],
    ['a namespace of cert-manager', { certManagerNamespace: '' }, ['certManagerNamespace']],
    ['days', { duration: '3650d', renewBefore: '365d' }, ['duration', 'renewBefore']],
    ['under an hour', { duration: '59m', renewBefore: '24h' }, ['duration', 'renewBefore']],
    ['a renewal within a day', { renewBefore: '23h59m' }, ['renewBefore']],
    ['but not with a day', { renewBefore: '24h' }, []],
    ['a renewal at birth', { duration: '8760h' }, ['renewBefore']],
    ['but not an hour later', { duration: '8761h' }, []],
  ])('of an authority: %s', (_, more, paths) => {
    const chart = Testing.chart();
    expect(problemsOf(() => authorityOf(chart, more))).toEqual(paths);
    expect(chart.node.children).toHaveLength(paths.length === 0 ? 1 : 0);
  });

  test.each<[string, Partial<WebhookCertificateProps>, string[]]>([
    ['nothing', {}, []],
    ['a Service', { service: { name: 'a.b', namespace: '' } }, ['service.name', 'service.namespace']],
    [
      'names',
      { name: '_', secretName: 'A', clusterDomain: 'local.' },
      ['name', 'secretName', 'clusterDomain'],
    ],
    ['a name that is too long for its authority', { name: 'x'.repeat(59) }, ['name']],
    ['but not a shorter one', { name: 'x'.repeat(58) }, []],
    ['no history', { revisionHistoryLimit: 1.5 }, ['revisionHistoryLimit']],
    ['a namespace of cert-manager', { certManagerNamespace: 'A' }, ['certManagerNamespace']],
    ['months', { duration: '3mo', renewBefore: '1mo' }, ['duration', 'renewBefore']],
    ['a renewal within a day', { renewBefore: '1h' }, ['renewBefore']],
    ['a renewal at birth', { duration: '720h' }, ['renewBefore']],
    ['a life that could outlast the CA', { duration: '8737h' }, ['duration']],
    ['but not one that ends a day before', { duration: '8736h' }, []],
    ['the Secret of the CA', { secretName: 'gate-webhook-ca-g1' }, ['secretName']],
  ])('of a certificate: %s', (_, more, paths) => {
    const chart = Testing.chart();
    expect(problemsOf(() => new WebhookCertificate(chart, 'leaf', { service, ...more }))).toEqual(paths);
    expect(chart.node.children).toHaveLength(paths.length === 0 ? 1 : 0);
  });

  test.each<[string, Partial<CertificateAuthorityProps>, Partial<WebhookCertificateProps>, string[]]>([
    ['an Issuer of another namespace', { namespace: 'pki' }, {}, ['authority']],
    ['a CA that is renewed too late', { renewBefore: '2183h' }, {}, ['duration']],
    ['but not just in time', { renewBefore: '2184h' }, {}, []],
    [
      'a CA that is too short for any',
      { renewBefore: '24h' },
      { duration: '25h', renewBefore: '24h' },
      ['duration'],
    ],
    ['the Secret of the CA', {}, { name: 'gates-g1' }, ['name']],
    ['cert-manager twice', {}, { certManagerNamespace: 'pki' }, ['certManagerNamespace']],
    ['but a long name is its own affair', {}, { name: 'x'.repeat(100) }, []],
  ])('of a certificate with an authority: %s', (_, ofAuthority, more, paths) => {
    const chart = Testing.chart();
    const authority = authorityOf(chart, ofAuthority);
    const create = (): unknown => new WebhookCertificate(chart, 'leaf', { service, authority, ...more });
    expect(problemsOf(create)).toEqual(paths);
  });

  test('with the longest life that would be allowed', () => {
    const chart = Testing.chart();
    const authority = authorityOf(chart, { renewBefore: '1000h30m' });
    const create = (): unknown => new WebhookCertificate(chart, 'leaf', { service, authority });
    expect(create).toThrow('duration: "2160h": must be at most 976h30m');
  });
});

test('no accepted lifetimes let a leaf outlast the CA that it was verified with', () => {
  const day = 24 * 3_600_000;
  const hours = fc.integer({ min: 0, max: 600 }).map((each) => formatDuration(each * 3_600_000));
  let accepted = 0;
  const check = (ca: [string, string], leaf: [string, string]): void => {
    const chart = Testing.chart();
    const problems = problemsOf(() => {
      const authority = authorityOf(chart, { duration: ca[0], renewBefore: ca[1] });
      new WebhookCertificate(chart, 'leaf', { service, authority, duration: leaf[0], renewBefore: leaf[1] });
    });
    const [caLife, caBefore, life, before] = [...ca, ...leaf].map((each) => parseDuration(each)!) as [
      number,
      number,
      number,
      number,
    ];
    const safe =
      caBefore >= day && caLife > caBefore && before >= day && life > before && life + day <= caBefore;
    expect(problems.length === 0).toBe(safe);
    accepted += safe ? 1 : 0;
  };
  fc.assert(fc.property(fc.tuple(hours, hours), fc.tuple(hours, hours), check), { numRuns: 2_000, seed: 7 });
  expect(accepted).toBeGreaterThan(20);
});
