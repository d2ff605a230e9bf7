import { Testing } from 'cdk8s';
import type { Chart } from 'cdk8s';
import * as fc from 'fast-check';
import type { Intent } from '../../../lib/core/admission/intent';
import { InvalidInput } from '../../../lib/core/validation';
import { MutatingWebhook, ValidatingWebhook } from '../../../lib/manifests/webhooks';
import type { CaInjection, MutatingWebhookProps, Webhook } from '../../../lib/manifests/webhooks';

/** CA injection of every webhook here. */
export const injection: CaInjection = {
  annotations: { 'cert-manager.io/inject-ca-from': 'gate-system/gate-ca-g1' },
  providerNamespaces: ['cert-manager'],
};

/** Names of namespaces and Services. */
export const name = fc.constantFrom('a', 'web', 'kube-system', 'x-1');
/** Labels, of which there are few. */
export const labels = fc.dictionary(
  fc.constantFrom('app', 'example.com/in', 'tier'),
  fc.constantFrom('', 'x', 'y'),
);
const requirement = fc.record(
  {
    key: fc.constantFrom('app', 'kubernetes.io/metadata.name', 'example.com/in'),
    operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
    values: fc.array(name, { maxLength: 2 }),
  },
  { requiredKeys: ['key', 'operator'] },
);
/** Label selectors, some of them broken. */
export const selector = fc.record(
  { matchLabels: labels, matchExpressions: fc.array(requirement, { maxLength: 2 }) },
  { requiredKeys: [] },
);
/** Mostly one of these, and now and then an odd one. */
export const mostly = (sound: readonly string[], odd: readonly string[]): fc.Arbitrary<string> =>
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
/** Rules, some of them too wide. */
export const rule = fc.record(
  {
    operations: fc.uniqueArray(operations, { minLength: 1, maxLength: 2 }),
    apiGroups: fc.uniqueArray(groups, { minLength: 1, maxLength: 2 }),
    apiVersions: fc.constant(['v1']),
    resources: fc.uniqueArray(resources, { minLength: 1, maxLength: 2 }),
    scope: fc.constantFrom('Cluster', 'Namespaced', '*'),
  },
  { requiredKeys: ['operations', 'apiGroups', 'apiVersions', 'resources'] },
);
/** There but one time in eight. */
export const usually = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq: 8 });
/** There one time in four. */
export const seldom = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
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
/** Props over the whole space of options, most of them sound. */
export const props = fc.oneof(
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

/** A webhook, a mutating one where the props are of that. @returns nothing where the props are refused */
export function build(given: MutatingWebhookProps, chart: Chart = Testing.chart()): Webhook | undefined {
  const Kind = given.reinvocationPolicy ? MutatingWebhook : ValidatingWebhook;
  try {
    return new Kind(chart, 'webhook', given);
  } catch (error) {
    if (error instanceof InvalidInput) {
      return undefined;
    }
    throw error;
  }
}
