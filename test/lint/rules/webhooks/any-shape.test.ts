import * as fc from 'fast-check';
import { allRules, manifestObjects, lint } from '../../../../lib/lint';

const rules = allRules.filter(({ id }) => id.startsWith('WH'));

/** JSON of any shape, with words that rules look for among the texts and the keys. */
const word = fc.constantFrom(
  '',
  '*',
  'pods',
  'kube-system',
  'Fail',
  'In',
  'CREATE',
  'a',
  '__proto__',
  'x\ny',
  '443',
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    word,
    fc.constantFrom<unknown>(null, true, 0, -1, 443, 1e300),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.oneof(word, fc.constantFrom('name', 'key', 'matchLabels', 'matchExpressions', 'values')),
      tie('value'),
      { maxKeys: 4 },
    ),
  ),
})).value;

/** A sound value, or any. */
const or = (value: unknown): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: json });
const map = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 9, arbitrary: fc.record(fields, { requiredKeys: [] }) }, { weight: 1, arbitrary: json });
const list = (items: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 9, arbitrary: fc.array(items, { maxLength: 3 }) }, { weight: 1, arbitrary: json });

const selector = map({
  matchLabels: map({ app: or('gate'), 'kubernetes.io/metadata.name': or('a') }),
  matchExpressions: list(map({ key: or('app'), operator: or('In'), values: list(or('gate')) })),
});
const entry = map({
  name: or('gate.example.com'),
  clientConfig: map({ service: map({ name: or('gate'), namespace: or('a'), port: or(443) }), url: json }),
  failurePolicy: or('Fail'),
  rules: list(
    map({
      operations: or(['CREATE']),
      apiGroups: or(['']),
      apiVersions: or(['v1']),
      resources: fc.oneof(or(['pods']), fc.constantFrom(['nodes'], ['*'], ['services'])),
      scope: or('*'),
    }),
  ),
  namespaceSelector: selector,
  objectSelector: selector,
  matchConditions: list(map({ name: or('a'), expression: or(`object.metadata.labels['a'] == 'b'`) })),
  timeoutSeconds: or(10),
  sideEffects: or('None'),
});
const metadata = map({
  name: or('gate'),
  namespace: or('a'),
  labels: map({ app: or('gate') }),
  annotations: map({ 'cluster-canary/intent': or('security'), 'cert-manager.io/inject-ca-from': or('a/b') }),
});
const container = map({
  name: or('a'),
  image: or('a/csi-attacher:1'),
  ports: list(map({ name: or('https'), containerPort: or(443) })),
  readinessProbe: json,
});
const pod = map({
  metadata,
  spec: map({
    containers: list(container),
    volumes: list(map({ hostPath: map({ path: or('/opt/cni/bin') }), csi: json })),
    hostNetwork: or(true),
  }),
});
const object = (
  apiVersion: string,
  kind: string,
  fields: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<unknown> =>
  fc.record(
    { apiVersion: fc.constant(apiVersion), kind: fc.constant(kind), metadata, ...fields },
    { requiredKeys: ['apiVersion', 'kind'] },
  );

const admission = 'admissionregistration.k8s.io/v1';
const objects = fc.array(
  fc.oneof(
    ...['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map((kind) =>
      object(admission, kind, { webhooks: list(entry) }),
    ),
    object(admission, 'ValidatingAdmissionPolicy', {
      spec: map({ matchConstraints: map({ resourceRules: list(json) }) }),
    }),
    object(admission, 'ValidatingAdmissionPolicyBinding', {
      spec: map({ policyName: or('gate'), validationActions: or(['Deny']) }),
    }),
    object('v1', 'Service', {
      spec: map({
        selector: map({ app: or('gate') }),
        ports: list(map({ port: or(443), targetPort: or('https') })),
      }),
    }),
    object('apps/v1', 'Deployment', { spec: map({ replicas: or(1), template: pod }) }),
    object('autoscaling/v2', 'HorizontalPodAutoscaler', {
      spec: map({
        minReplicas: or(2),
        scaleTargetRef: or({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'gate' }),
      }),
    }),
    object('policy/v1', 'PodDisruptionBudget', { spec: map({ selector }) }),
    object('v1', 'Namespace', {}),
  ),
  { maxLength: 8 },
);

test('whatever the shape of objects, no rule throws, and each finding is one line', () => {
  const seen = new Set<string>();
  const check = (given: readonly unknown[], live: readonly unknown[]): void => {
    const { findings, failures } = lint(manifestObjects(given), { rules, live: manifestObjects(live) });
    expect(failures).toEqual([]);
    for (const { rule, severity, message, pointer } of findings) {
      seen.add(`${rule} ${severity}`);
      expect(message).toMatch(/^\S.*\S$/);
      expect(pointer).toMatch(/^(\/[^\n]*)?$/);
    }
  };
  fc.assert(fc.property(objects, objects, check), { numRuns: 400, seed: 3 });
  // Else the objects were too odd to be evaluated at all.
  expect([...new Set([...seen].map((each) => each.split(' ')[0]))].sort()).toEqual(rules.map(({ id }) => id));
});
