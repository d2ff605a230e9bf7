import { ApiObject, Chart, Testing } from 'cdk8s';
import * as fc from 'fast-check';
import { formatDuration } from '../../../../lib/core/durations';
import { InvalidInput } from '../../../../lib/core/validation';
import { manifestObjects, lint } from '../../../../lib/lint';
import { certificateRules } from '../../../../lib/lint/rules/certificates';
import { CertificateAuthority, WebhookCertificate } from '../../../../lib/manifests/certificates';
import { MutatingWebhook, ValidatingWebhook } from '../../../../lib/manifests/webhooks';
import { now } from '../../lint-text';

interface Options {
  readonly ownAuthority: boolean;
  readonly clusterIssuer: boolean;
  readonly generation: number;
  readonly validating: boolean;
  readonly intent: 'convenience' | 'required' | 'security';
  readonly caLife: readonly [hours: number, renewBefore: number];
  readonly leafLife: readonly [hours: number, renewBefore: number];
  readonly names: Readonly<{ name?: string; secretName?: string; clusterDomain?: string }>;
  readonly history: number | undefined;
  readonly service: string;
  /** A second webhook with the same certificate. */
  readonly shared: boolean;
}

const service = { name: 'gate', namespace: 'gate-system' };
const rules = [
  { operations: ['CREATE' as const], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] },
];

/** What the constructs make of options. @throws InvalidInput for options that do not fit each other */
function emit(options: Options): any[] {
  const chart = new Chart(Testing.app(), 'chart');
  const [caDuration, caBefore] = options.caLife.map((hours) => formatDuration(hours * 3_600_000));
  const [duration, renewBefore] = options.leafLife.map((hours) => formatDuration(hours * 3_600_000));
  const history = options.history === undefined ? {} : { revisionHistoryLimit: options.history };
  const server = { name: options.service, namespace: 'gate-system' };
  const authority = new CertificateAuthority(chart, 'authority', {
    name: 'gates',
    namespace: options.clusterIssuer ? 'cert-manager' : 'gate-system',
    issuerKind: options.clusterIssuer ? 'ClusterIssuer' : 'Issuer',
    generation: options.generation,
    duration: caDuration!,
    renewBefore: caBefore!,
    ...history,
  });
  const certificate = new WebhookCertificate(chart, 'certificate', {
    service: server,
    duration: duration!,
    renewBefore: renewBefore!,
    ...(options.ownAuthority ? {} : { authority }),
    ...options.names,
    ...history,
  });
  const common = { rules, service: server, certificate, intent: options.intent };
  const more =
    options.intent === 'security'
      ? { server: { podLabels: { app: 'gate' }, replicas: 2 } }
      : { optIn: { 'example.com/gate': 'enabled' } };
  const kind = options.validating ? ValidatingWebhook : MutatingWebhook;
  new kind(chart, 'webhook', { ...common, ...more, name: 'gate.pods.example.com' });
  if (options.shared) {
    new ValidatingWebhook(chart, 'other', { ...common, ...more, name: 'other.pods.example.com' });
  }
  return Testing.synth(chart);
}

const evaluate = (objects: readonly unknown[]) =>
  lint(manifestObjects(objects), { rules: certificateRules, now });

test('nothing that the constructs make has a finding', () => {
  const life = fc.tuple(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 10_000 }));
  const options = fc.record<Options>({
    ownAuthority: fc.boolean(),
    clusterIssuer: fc.boolean(),
    generation: fc.integer({ min: 1, max: 9999 }),
    validating: fc.boolean(),
    intent: fc.constantFrom('convenience', 'required', 'security'),
    caLife: fc.oneof(fc.constant([87_600, 8760] as const), life),
    leafLife: fc.oneof(fc.constant([2160, 720] as const), life),
    names: fc.record(
      {
        name: fc.constantFrom('serving', 'a.b'),
        secretName: fc.constantFrom('serving-tls', 'gate'),
        clusterDomain: fc.constantFrom('cluster.local', 'k8s.example.com'),
      },
      { requiredKeys: [] },
    ),
    history: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
    service: fc.constantFrom('gate', 'webhook-service'),
    shared: fc.boolean(),
  });
  let evaluated = 0;
  const check = (each: Options): void => {
    let objects: unknown[];
    try {
      objects = emit(each);
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidInput);
      return;
    }
    evaluated += 1;
    const { findings, failures } = evaluate(objects);
    expect([...findings, ...failures]).toEqual([]);
  };
  fc.assert(fc.property(options, check), { numRuns: 300, seed: 11 });
  expect(evaluated).toBeGreaterThan(80);
});

describe('with one safety field taken away or changed', () => {
  const usual: Options = {
    ownAuthority: false,
    clusterIssuer: false,
    generation: 1,
    validating: false,
    intent: 'required',
    caLife: [87_600, 8760],
    leafLife: [2160, 720],
    names: {},
    history: undefined,
    service: 'gate',
    shared: false,
  };
  const parts = (objects: readonly any[]) => {
    const find = (kind: string, name: string) =>
      objects.find((each) => each.kind === kind && each.metadata.name === name);
    return {
      ca: find('Certificate', 'gates-g1'),
      leaf: find('Certificate', 'gate-webhook'),
      caIssuer: find('Issuer', 'gates-g1'),
      configuration: find('MutatingWebhookConfiguration', 'gate.pods.example.com'),
    };
  };
  type Parts = ReturnType<typeof parts>;
  const injection = 'cert-manager.io/inject-ca-from';

  test('nothing taken away', () => {
    expect(evaluate(emit(usual)).findings).toEqual([]);
  });

  test.each<[string, (parts: Parts) => unknown, string]>([
    ['the annotation', ({ configuration }) => delete configuration.metadata.annotations[injection], 'TLS10'],
    [
      'its namespace',
      ({ configuration }) => (configuration.metadata.annotations[injection] = 'gates-g1'),
      'TLS10',
    ],
    [
      'the CA in it, for the leaf',
      ({ configuration }) => (configuration.metadata.annotations[injection] = 'gate-system/gate-webhook'),
      'TLS02',
    ],
    [
      'the authority, for a leaf that signs itself',
      ({ configuration, leaf }) => {
        configuration.metadata.annotations[injection] = 'gate-system/gate-webhook';
        leaf.spec.issuerRef.name = 'gates-g1-self-signed';
      },
      'TLS01',
    ],
    [
      'a second source',
      ({ configuration }) =>
        (configuration.metadata.annotations['cert-manager.io/inject-apiserver-ca'] = 'true'),
      'TLS10',
    ],
    ['isCA', ({ ca }) => delete ca.spec.isCA, 'TLS01'],
    ['rotationPolicy of the CA', ({ ca }) => delete ca.spec.privateKey.rotationPolicy, 'TLS03'],
    ['privateKey of the CA', ({ ca }) => delete ca.spec.privateKey, 'TLS03'],
    ['rotationPolicy, changed', ({ ca }) => (ca.spec.privateKey.rotationPolicy = 'Always'), 'TLS03'],
    ['renewBefore of the CA, changed', ({ ca }) => (ca.spec.renewBefore = '2183h'), 'TLS04'],
    [
      'duration of the CA, with its renewBefore',
      ({ ca }) => {
        delete ca.spec.duration;
        delete ca.spec.renewBefore;
      },
      'TLS04',
    ],
    ['duration of the leaf, changed', ({ leaf }) => (leaf.spec.duration = '8737h'), 'TLS04'],
    ['renewBefore of the leaf, changed', ({ leaf }) => (leaf.spec.renewBefore = '23h'), 'TLS05'],
    ['dnsNames', ({ leaf }) => delete leaf.spec.dnsNames, 'TLS06'],
    ['the first of dnsNames', ({ leaf }) => leaf.spec.dnsNames.shift(), 'TLS06'],
    ['server auth', ({ leaf }) => leaf.spec.usages.pop(), 'TLS06'],
    ['server auth, for clients', ({ leaf }) => (leaf.spec.usages = ['client auth']), 'TLS06'],
    ['the issuer', ({ caIssuer }) => (caIssuer.spec = { acme: {} }), 'TLS10'],
    [
      'no CA bundle',
      ({ configuration }) => (configuration.webhooks[0].clientConfig.caBundle = 'bm9uZQ=='),
      'TLS07',
    ],
  ])('%s', (_, change, rule) => {
    const objects = emit(usual);
    change(parts(objects));
    const found = evaluate(objects).findings.map((finding) => finding.rule);
    expect(found).toContain(rule);
  });

  test('defaults of cert-manager in place of what is said of the leaf are as safe', () => {
    const objects = emit(usual);
    const { leaf } = parts(objects);
    for (const field of ['duration', 'renewBefore', 'usages', 'privateKey']) {
      delete leaf.spec[field];
    }
    expect(evaluate(objects).findings).toEqual([]);
  });

  test('two generations: trust moves before the signature, and a step too far is found', () => {
    const stage = (trusted: 1 | 2, signer: 1 | 2): unknown[] => {
      const chart = new Chart(Testing.app(), 'chart');
      const authorities = [1, 2].map(
        (generation) =>
          new CertificateAuthority(chart, `g${generation}`, {
            name: 'gates',
            namespace: 'gate-system',
            generation,
          }),
      );
      new WebhookCertificate(chart, 'certificate', { service, authority: authorities[signer - 1]! });
      new ApiObject(chart, 'webhook', {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'gate', annotations: { ...authorities[trusted - 1]!.caInjection.annotations } },
        webhooks: [{ name: 'gate.pods.example.com', clientConfig: { service } }],
      });
      return Testing.synth(chart);
    };
    const change = (before: unknown[], after: unknown[]): string[] =>
      lint(manifestObjects(after), {
        rules: certificateRules,
        now,
        before: manifestObjects(before),
      }).findings.map(({ rule, severity }) => `${severity} ${rule}`);
    expect(change(stage(1, 1), stage(1, 1))).toEqual([]);
    expect(change(stage(1, 1), stage(2, 2))).toEqual(['error TLS14']);
    expect(change(stage(1, 1), stage(1, 2)).sort()).toEqual(['error TLS14', 'info TLS11']);
  });
});
