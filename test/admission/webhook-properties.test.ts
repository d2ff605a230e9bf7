import { Testing } from 'cdk8s';
import * as fc from 'fast-check';
import { MutatingWebhook, selects, systemNamespaces, ValidatingWebhook } from '../../lib/admission';
import type {
  CaInjection,
  Intent,
  Labels,
  MutatingWebhookProps,
  Webhook,
  WebhookEntry,
  WebhookRule,
} from '../../lib/admission';
import { InvalidInput } from '../../lib/problems';
import { configurationOf, validate } from './emitted';

const injection: CaInjection = {
  annotations: { 'cert-manager.io/inject-ca-from': 'gate-system/gate-ca-g1' },
  providerNamespaces: ['cert-manager'],
};

const name = fc.constantFrom('a', 'web', 'kube-system', 'x-1');
const labels = fc.dictionary(fc.constantFrom('app', 'example.com/in', 'tier'), fc.constantFrom('', 'x', 'y'));
const requirement = fc.record(
  {
    key: fc.constantFrom('app', 'kubernetes.io/metadata.name', 'example.com/in'),
    operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
    values: fc.array(name, { maxLength: 2 }),
  },
  { requiredKeys: ['key', 'operator'] },
);
const selector = fc.record(
  { matchLabels: labels, matchExpressions: fc.array(requirement, { maxLength: 2 }) },
  { requiredKeys: [] },
);
const mostly = (sound: readonly string[], odd: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...sound) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );
const groups = mostly(['', 'apps'], ['*', 'coordination.k8s.io']);
const resources = mostly(
  ['pods', 'deployments', 'pods/exec'],
  ['pods/*', 'leases', '*', '*/*', 'nodes/status', '*/scale'],
);
const operations = mostly(['CREATE', 'UPDATE', 'DELETE'], ['CONNECT', '*']);
const rule = fc.record(
  {
    operations: fc.uniqueArray(operations, { minLength: 1, maxLength: 2 }),
    apiGroups: fc.uniqueArray(groups, { minLength: 1, maxLength: 2 }),
    apiVersions: fc.constant(['v1']),
    resources: fc.uniqueArray(resources, { minLength: 1, maxLength: 2 }),
    scope: fc.constantFrom('Cluster', 'Namespaced', '*'),
  },
  { requiredKeys: ['operations', 'apiGroups', 'apiVersions', 'resources'] },
);
const usually = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq: 8 });
const seldom = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc
    .boolean()
    .chain((first) => (first ? fc.option(value, { nil: undefined, freq: 1 }) : fc.constant(undefined)));
const common = {
  name: mostly(['a.example.com', 'a.b.example.com'], ['example.com']),
  rules: fc.array(rule, { minLength: 1, maxLength: 2 }),
  service: fc.record({ name, namespace: name }),
  caInjection: fc.constant(injection),
  namespaceSelector: seldom(selector),
  exemptNamespaces: seldom(fc.array(name, { maxLength: 2 })),
  failurePolicy: seldom(fc.constantFrom('Fail', 'Ignore')),
  timeoutSeconds: seldom(fc.integer({ min: 0, max: 8 })),
  sideEffects: seldom(fc.constantFrom('None', 'NoneOnDryRun', 'Some')),
  reinvocationPolicy: seldom(fc.constantFrom('Never', 'IfNeeded')),
};
const server = fc.record({ podLabels: labels, replicas: fc.integer({ min: 1, max: 4 }) });
const props = fc.oneof(
  fc.record({
    ...common,
    intent: fc.constantFrom<Intent>('convenience', 'required'),
    optIn: usually(labels),
    objectSelector: seldom(selector),
    server: seldom(server),
  }),
  fc.record({
    ...common,
    intent: fc.constant<Intent>('security'),
    optIn: seldom(labels),
    objectSelector: seldom(selector),
    server: usually(server),
  }),
) as fc.Arbitrary<MutatingWebhookProps>;

function build(given: MutatingWebhookProps): Webhook | undefined {
  const Kind = given.reinvocationPolicy ? MutatingWebhook : ValidatingWebhook;
  try {
    return new Kind(Testing.chart(), 'webhook', given);
  } catch (error) {
    if (error instanceof InvalidInput) {
      return undefined;
    }
    throw error;
  }
}

/** Whether the API server would send an object in a namespace to the webhook, its rules apart. */
function asks(
  entry: WebhookEntry,
  namespace: string,
  objectLabels: Labels,
  namespaceLabels: Labels,
): boolean {
  const ofNamespace = { ...namespaceLabels, 'kubernetes.io/metadata.name': namespace };
  return selects(entry.namespaceSelector, ofNamespace) && selects(entry.objectSelector, objectLabels);
}

/** Whether a rule matches a resource, as the API server does it. */
function matches(given: WebhookRule, group: string, path: string): boolean {
  const [resource, below = ''] = path.split('/');
  return (
    given.apiGroups.some((each) => each === '*' || each === group) &&
    given.resources.some((each) => {
      const [ofResource, ofBelow = ''] = each.split('/');
      return (
        (ofResource === '*' || ofResource === resource) &&
        (ofBelow === below || (below !== '' && ofBelow === '*') || each === '*/*')
      );
    })
  );
}

/** What must stay writable while a webhook is down. */
const critical: readonly [string, string][] = [
  ['', 'nodes'],
  ['', 'nodes/status'],
  ['', 'pods/binding'],
  ['coordination.k8s.io', 'leases'],
  ['certificates.k8s.io', 'certificatesigningrequests'],
  ['authentication.k8s.io', 'tokenreviews'],
  ['authorization.k8s.io', 'subjectaccessreviews'],
];

test('whatever the constructs accept is valid, and keeps the rules for webhooks', () => {
  const accepted: Record<Intent, number> = { convenience: 0, required: 0, security: 0 };
  const check = (given: MutatingWebhookProps, objectLabels: Labels, namespaceLabels: Labels): void => {
    const webhook = build(given);
    if (!webhook) {
      return;
    }
    accepted[given.intent] += 1;
    const configuration = configurationOf(webhook);
    validate(configuration);
    expect(webhook.node.validate()).toEqual([]);
    const [entry] = configuration.webhooks;

    expect(JSON.stringify(configuration)).not.toContain('caBundle');
    expect(configuration.metadata.annotations).toMatchObject(injection.annotations);
    expect([1, 2, 3, 4, 5]).toContain(entry.timeoutSeconds);
    expect(entry.admissionReviewVersions).toEqual(['v1']);
    expect(entry.matchPolicy).toBe('Equivalent');
    expect(['None', 'NoneOnDryRun']).toContain(entry.sideEffects);
    expect(entry.failurePolicy).toBe(given.intent === 'convenience' ? 'Ignore' : 'Fail');

    const never = [
      ...systemNamespaces,
      'cert-manager',
      given.service.namespace,
      ...(given.exemptNamespaces ?? []),
    ];
    for (const namespace of never) {
      expect(asks(entry, namespace, { ...objectLabels, ...given.optIn }, namespaceLabels)).toBe(false);
    }
    if (given.intent === 'security') {
      expect(entry.objectSelector).toBeUndefined();
      expect(given.server!.replicas).toBeGreaterThanOrEqual(2);
      const budget = webhook.disruptionBudget!.toJson() as { kind: string; spec: { selector: object } };
      validate(budget);
      expect(selects(budget.spec.selector, given.server!.podLabels)).toBe(true);
      expect(selects(budget.spec.selector, {})).toBe(false);
    } else {
      expect(Object.keys(given.optIn!)).not.toEqual([]);
      for (const key of Object.keys(given.optIn!)) {
        const { [key]: _, ...without } = { ...objectLabels, ...given.optIn };
        expect(selects(entry.objectSelector, without)).toBe(false);
      }
    }
    if (entry.failurePolicy === 'Fail') {
      const reached = critical.filter(([group, path]) =>
        entry.rules.some((each) => matches(each, group, path)),
      );
      expect(reached).toEqual([]);
    }
  };
  fc.assert(fc.property(props, labels, labels, check), { numRuns: 3_000, seed: 20 });
  expect(Math.min(...Object.values(accepted))).toBeGreaterThan(100);
});
