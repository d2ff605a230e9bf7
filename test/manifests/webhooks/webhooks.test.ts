import { ApiObject, Chart, JsonPatch, Testing } from 'cdk8s';
import { Construct } from 'constructs';
import { InvalidInput } from '../../../lib/core/validation';
import { MutatingWebhook, ValidatingWebhook } from '../../../lib/manifests/webhooks';
import type { CaInjection, MutatingWebhookProps, ServingCertificate } from '../../../lib/manifests/webhooks';
import { configurationOf, validate } from './emitted';

const injection: CaInjection = {
  annotations: { 'cert-manager.io/inject-ca-from': 'gate-system/gate-ca-g1' },
  providerNamespaces: ['cert-manager'],
};

const readiness: MutatingWebhookProps = {
  name: 'readiness.pods.example.com',
  intent: 'required',
  optIn: { 'example.com/readiness-gate': 'enabled' },
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
  service: { name: 'gate', namespace: 'gate-system', path: '/mutate-v1-pod' },
  caInjection: injection,
};

const images: MutatingWebhookProps = {
  ...readiness,
  name: 'images.pods.example.com',
  intent: 'security',
  optIn: undefined,
  server: { podLabels: { app: 'gate' }, replicas: 3 },
};

/** A certificate as manifests/certificates makes it. */
class Certificate extends Construct implements ServingCertificate {
  public readonly caInjection = injection;
  public readonly object: ApiObject;

  public constructor(
    scope: Construct,
    public readonly dnsNames: string[],
  ) {
    super(scope, 'certificate');
    this.object = new ApiObject(this, 'Certificate', {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Certificate',
    });
  }
}

test('a required mutating webhook is one configuration that says everything', () => {
  const webhook = new MutatingWebhook(Testing.chart(), 'readiness', readiness);
  expect(webhook.disruptionBudget).toBeUndefined();
  expect([webhook.intent, webhook.failurePolicy]).toEqual(['required', 'Fail']);
  validate(configurationOf(webhook));
  expect(configurationOf(webhook)).toEqual({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: {
      name: 'readiness.pods.example.com',
      annotations: {
        'cert-manager.io/inject-ca-from': 'gate-system/gate-ca-g1',
        'cluster-canary/intent': 'required',
      },
    },
    webhooks: [
      {
        name: 'readiness.pods.example.com',
        admissionReviewVersions: ['v1'],
        clientConfig: {
          service: { name: 'gate', namespace: 'gate-system', port: 443, path: '/mutate-v1-pod' },
        },
        rules: [
          { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' },
        ],
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        namespaceSelector: {
          matchExpressions: [
            {
              key: 'kubernetes.io/metadata.name',
              operator: 'NotIn',
              values: ['cert-manager', 'gate-system', 'kube-node-lease', 'kube-public', 'kube-system'],
            },
          ],
        },
        objectSelector: { matchLabels: { 'example.com/readiness-gate': 'enabled' } },
        sideEffects: 'None',
        timeoutSeconds: 3,
        reinvocationPolicy: 'Never',
      },
    ],
  });
});

test('a security webhook has no object selector, and a budget for its server', () => {
  const webhook = new ValidatingWebhook(Testing.chart(), 'images', images);
  const [entry] = configurationOf(webhook).webhooks;
  expect(entry).not.toHaveProperty('objectSelector');
  expect(entry).not.toHaveProperty('reinvocationPolicy');
  expect(entry.failurePolicy).toBe('Fail');
  expect(webhook.disruptionBudget?.toJson()).toEqual({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'gate-webhook', namespace: 'gate-system' },
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'gate' } } },
  });
});

test('webhooks behind one Service share the budget, since a pod with two can not be evicted', () => {
  const chart = Testing.chart();
  const first = new ValidatingWebhook(chart, 'images', images);
  const second = new MutatingWebhook(chart, 'defaults', { ...images, name: 'defaults.pods.example.com' });
  expect(second.disruptionBudget).toBe(first.disruptionBudget);
  const other = { ...images, service: { ...images.service, name: 'other' } };
  expect(new ValidatingWebhook(chart, 'other', other).disruptionBudget).not.toBe(first.disruptionBudget);
  const away = { ...images, service: { ...images.service, namespace: 'away' } };
  expect(new ValidatingWebhook(chart, 'away', away).disruptionBudget?.metadata.namespace).toBe('away');
  const theirs = { ...images, server: { ...images.server!, disruptionBudget: 'exists' } } as const;
  expect(new ValidatingWebhook(chart, 'theirs', theirs).disruptionBudget).toBeUndefined();
  const budgets = chart.toJson().filter(({ kind }: { kind: string }) => kind === 'PodDisruptionBudget');
  expect(budgets).toHaveLength(3);
  const otherPods = { ...images, server: { podLabels: { app: 'b' }, replicas: 2 } };
  expect(() => new ValidatingWebhook(chart, 'disagrees', otherPods)).toThrow(
    /server\.podLabels.*"app":"gate"/,
  );
});

test('a server that is described has a budget with every intent', () => {
  const server = { podLabels: { app: 'gate' }, replicas: 2 };
  const webhook = new MutatingWebhook(Testing.chart(), 'readiness', { ...readiness, server });
  expect(webhook.disruptionBudget?.name).toBe('gate-webhook');
});

test('the configuration belongs to the cluster, whatever namespace its chart has', () => {
  const chart = new Chart(Testing.app(), 'chart', { namespace: 'gate-system', labels: { team: 'a' } });
  const metadata = {
    name: 'gates',
    labels: { tier: 'b' },
    annotations: { 'argocd.argoproj.io/sync-wave': '2' },
  };
  const webhook = new MutatingWebhook(chart, 'readiness', { ...readiness, metadata });
  expect(webhook.configuration.metadata.namespace).toBeUndefined();
  expect(configurationOf(webhook).metadata).toEqual({
    name: 'gates',
    labels: { team: 'a', tier: 'b' },
    annotations: {
      'argocd.argoproj.io/sync-wave': '2',
      'cert-manager.io/inject-ca-from': 'gate-system/gate-ca-g1',
      'cluster-canary/intent': 'required',
    },
  });
});

test('a certificate comes first, and must be valid for the Service', () => {
  const chart = Testing.chart();
  const certificate = new Certificate(chart, ['gate.gate-system.svc']);
  const props = { ...readiness, caInjection: undefined, certificate };
  const webhook = new MutatingWebhook(chart, 'readiness', props);
  expect(webhook.configuration.node.dependencies).toContain(certificate);
  expect(configurationOf(webhook).metadata.annotations).toMatchObject(injection.annotations);
  expect(() => new MutatingWebhook(chart, 'both', { ...props, caInjection: injection })).toThrow(
    /caInjection/,
  );
  const elsewhere = { ...props, service: { ...readiness.service, namespace: 'elsewhere' } };
  expect(() => new MutatingWebhook(chart, 'elsewhere', elsewhere)).toThrow(/gate\.elsewhere\.svc/);
});

test('all problems come at once, and nothing is left behind', () => {
  const chart = Testing.chart();
  const broken = { ...readiness, name: 'x', timeoutSeconds: 30, failurePolicy: 'Ignore', rules: [] } as const;
  let error: unknown;
  try {
    new MutatingWebhook(chart, 'broken', broken);
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(InvalidInput);
  expect((error as InvalidInput).problems.map(({ path }) => path).sort()).toEqual([
    'failurePolicy',
    'name',
    'rules',
    'timeoutSeconds',
  ]);
  expect((error as InvalidInput).message).toContain('MutatingWebhook "broken": 4 problems');
  expect(chart.node.children).toEqual([]);
});

test('a second source of the CA that is added later is found at synth', () => {
  const chart = Testing.chart();
  const webhook = new MutatingWebhook(chart, 'readiness', readiness);
  expect(webhook.node.validate()).toEqual([]);
  webhook.configuration.metadata.addAnnotation('cert-manager.io/inject-ca-from-secret', 'a/b');
  expect(webhook.node.validate()).toEqual([expect.stringContaining('inject-ca-from-secret')]);
  const bare = new ValidatingWebhook(chart, 'bare', { ...readiness, name: 'bare.pods.example.com' });
  bare.configuration.addJsonPatch(JsonPatch.remove('/metadata/annotations'));
  expect(bare.node.validate()).toHaveLength(1);
});
