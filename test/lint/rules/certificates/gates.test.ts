import { base64, issue } from '../../../manifests/certificates/issue';
import type { Issued } from '../../../manifests/certificates/issue';
import { allRules, indexObjects, manifestObjects, lint } from '../../../../lib/lint';
import { emitStack, sampleStack, serverOf } from '../../../manifests/certificates/emitted-stacks';
import type { Source } from '../../../manifests/certificates/emitted-stacks';
import { now } from '../../lint-text';

const stack = sampleStack('required', 'publish');
const objectsOf = (source: Source, generation = 2): any[] => [
  ...emitStack({ ...stack, source, generation }),
  ...serverOf(stack),
];
const steady = { old: objectsOf('Issuer', 1), renewed: objectsOf('Issuer', 2) };
const hour = 3_600_000;

let [g1, g2, leaf1, leaf2]: Issued[] = [];

beforeAll(async () => {
  [g1, g2] = await Promise.all(['gates-g1', 'gates-g2'].map((subject) => issue({ subject, isCa: true })));
  const dnsNames = ['gate.gate-system.svc'];
  [leaf1, leaf2] = await Promise.all(
    [g1, g2].map((signer) => issue({ subject: 'gate', signer: signer!, dnsNames })),
  );
});

/** What a cluster has in which some manifests were applied. */
interface Cluster {
  readonly applied: readonly any[];
  readonly trusts: readonly (Issued | undefined)[];
  readonly leaf?: Issued | undefined;
  /** Since when the bundles are so. @default - two hours */
  readonly since?: number;
  /** Whether what was issued for the authorities is known. @default true */
  readonly requests?: boolean;
}

function clusterOf({ applied, trusts, leaf, since = now - 2 * hour, requests = true }: Cluster): any[] {
  const caBundle = base64(trusts.map((each) => each!.certificate).join('\n'));
  const managedFields = [{ time: new Date(since).toISOString(), fieldsV1: { 'f:caBundle': {} } }];
  const trusting = structuredClone(applied.filter(({ kind }) => /Webhook|^API|Custom/.test(kind)));
  for (const { metadata, webhooks = [], spec = {} } of trusting) {
    Object.assign(metadata, { managedFields });
    [
      ...webhooks.map((each: any) => each.clientConfig),
      spec.conversion?.webhook.clientConfig,
      spec.service && spec,
    ]
      .filter(Boolean)
      .forEach((each) => Object.assign(each, { caBundle }));
  }
  return [
    ...trusting,
    ...(requests ? [request('gates-g1', g1), request('gates-g2', g2)] : []),
    request(applied.find(({ kind, spec }) => kind === 'Certificate' && !spec.isCA).metadata.name, leaf, 3),
    request(applied.find(({ kind, spec }) => kind === 'Certificate' && !spec.isCA).metadata.name, leaf1, 2),
  ];
}

const request = (name: string, issued: Issued | undefined, revision = 1) => ({
  apiVersion: 'cert-manager.io/v1',
  kind: 'CertificateRequest',
  metadata: {
    name: `${name}-${revision}`,
    namespace: 'gate-system',
    annotations: {
      'cert-manager.io/certificate-name': name,
      'cert-manager.io/certificate-revision': String(revision),
    },
  },
  status: { certificate: base64(issued!.certificate) },
});

const rules = allRules.filter(({ id }) => id === 'TLS15');

function found(objects: readonly any[], cluster?: Cluster): string[] {
  const { findings, failures } = lint(manifestObjects(objects), {
    rules,
    now,
    ...(cluster ? { live: manifestObjects(clusterOf(cluster)) } : {}),
  });
  expect(failures).toEqual([]);
  return findings.map(({ severity, object, message }) => `${severity} ${object.kind}: ${message}`);
}

const all = (pattern: RegExp) => [pattern];

test.each<[string, readonly any[], () => Cluster, RegExp[]]>([
  ['nothing changes', steady.old, () => ({ applied: steady.old, trusts: [g1], leaf: leaf1 }), []],
  ['publish', objectsOf('publish'), () => ({ applied: steady.old, trusts: [g1], leaf: leaf1 }), []],
  [
    'switch, published an hour ago',
    objectsOf('switch'),
    () => ({ applied: objectsOf('publish'), trusts: [g1, g2], leaf: leaf1 }),
    [],
  ],
  [
    'switch, where only the names of authorities are known',
    objectsOf('switch'),
    () => ({ applied: objectsOf('publish'), trusts: [g1, g2], leaf: leaf1, requests: false }),
    [],
  ],
  [
    'switch, not published',
    objectsOf('switch'),
    () => ({ applied: steady.old, trusts: [g1], leaf: leaf1 }),
    all(
      /^error Certificate: gate-system\/gates-g2 is to sign, .* publish is not over: .*does not hold the new authority, CN=gates-g2, and 2 more/,
    ),
  ],
  [
    'the same, where only names are known',
    objectsOf('switch'),
    () => ({ applied: steady.old, trusts: [g1], leaf: leaf1, requests: false }),
    all(/^error Certificate: .*does not hold the new authority, CN=gates-g2/),
  ],
  [
    'switch, published a minute ago',
    objectsOf('switch'),
    () => ({ applied: objectsOf('publish'), trusts: [g1, g2], leaf: leaf1, since: now - 60_000 }),
    all(/^error Certificate: .* changed a short time ago, 3540 s are left to wait/),
  ],
  [
    'retire, not switched',
    objectsOf('retire'),
    () => ({ applied: objectsOf('publish'), trusts: [g1, g2], leaf: leaf1 }),
    Array(3).fill(
      /^error \w+: API servers are to trust gate-system\/gates-g2 alone, .* is signed by CN=gates-g1/,
    ),
  ],
  [
    'retire, switched',
    objectsOf('retire'),
    () => ({ applied: objectsOf('switch'), trusts: [g1, g2], leaf: leaf2 }),
    Array(3).fill(/^info \w+: .* is seen from inside of the cluster only/),
  ],
  [
    'retire once more, while its Job is at it',
    objectsOf('retire'),
    () => ({ applied: objectsOf('retire'), trusts: [g1, g2], leaf: leaf2 }),
    [],
  ],
  ['afterwards', steady.renewed, () => ({ applied: objectsOf('retire'), trusts: [g2], leaf: leaf2 }), []],
  [
    'afterwards, too soon',
    steady.renewed,
    () => ({ applied: objectsOf('retire'), trusts: [g1, g2], leaf: leaf2 }),
    Array(3).fill(/^warning \w+: .* retire is not over: .* still holds the old authority, CN=gates-g1/),
  ],
  [
    'another authority at once',
    steady.renewed,
    () => ({ applied: steady.old, trusts: [g1], leaf: leaf1 }),
    [
      /^error Certificate: gate-system\/gates-g2 is to sign/,
      ...Array(3).fill(/^error \w+: API servers are to trust/),
    ],
  ],
])('in the cluster: %s', (_, objects, cluster, expected) => {
  const messages = found(objects, cluster());
  expect(messages).toHaveLength(expected.length);
  const left = [...messages];
  for (const pattern of expected) {
    const position = left.findIndex((each) => pattern.test(each));
    expect(position < 0 ? `${pattern} is not in ${left.join('\n')}` : '').toBe('');
    left.splice(position, 1);
  }
});

test('an empty cluster has no phase before', () => {
  const live = manifestObjects([]);
  expect(lint(manifestObjects(objectsOf('switch')), { rules, live, now }).findings).toEqual([]);
});

test('the time that the gate is told to wait counts', () => {
  const objects = structuredClone(objectsOf('switch'));
  const { args } = objects.find(({ kind }) => kind === 'Job').spec.template.spec.containers[0];
  args[args.indexOf('--settle-time') + 1] = '30s';
  const published = { applied: objectsOf('publish'), trusts: [g1, g2], leaf: leaf1, since: now - 60_000 };
  expect(found(objects, published)).toEqual([]);
});

describe('without a cluster', () => {
  test.each(['publish', 'switch', 'retire'] as const)('the Jobs of %s have to be there', (phase) => {
    const objects = objectsOf(phase);
    expect(found(objects)).toEqual([]);
    const without = objects.filter(({ kind }) => kind !== 'Job');
    expect(found(without)).toHaveLength(phase === 'retire' ? 2 : 1);
    expect(found(without)[0]).toMatch(/^error Certificate: the way to gate-system\/gates-g2 is in its phase/);
  });

  test('what they hold back has to come after them', () => {
    const objects = structuredClone(objectsOf('switch'));
    const leaf = objects.find(({ kind, spec }) => kind === 'Certificate' && !spec.isCA);
    leaf.metadata.annotations = { 'argocd.argoproj.io/sync-wave': '-1' };
    expect(found(objects)).toEqual([
      expect.stringMatching(/^error Job: .* is in wave -1, not before all that the phase changes$/),
    ]);
  });

  test('two generations alone are no CA rotation', () => {
    const objects = objectsOf('retire').filter(({ kind }) => !/^(Job|ServiceAccount|Role)/.test(kind));
    expect(found(objects)).toEqual([]);
  });
});

test('reads of the cluster what holds CA bundles and what was issued, and nothing where no certificate is judged', () => {
  const kinds = (objects: readonly any[]) => {
    const { liveKinds } = rules[0]!;
    return typeof liveKinds === 'function'
      ? liveKinds(indexObjects(manifestObjects(objects))).map(({ kind }) => kind)
      : [];
  };
  expect(kinds(objectsOf('switch')).sort()).toEqual([
    'APIService',
    'CertificateRequest',
    'CustomResourceDefinition',
    'MutatingWebhookConfiguration',
    'ValidatingWebhookConfiguration',
  ]);
  expect(kinds(serverOf(stack))).toEqual([]);
});
