import { brief, lintText } from '../../lint-text';
import { leavingOut } from './manifests';

/** What differs from a policy in which nothing is found, as YAML. */
interface PolicyText {
  readonly kind?: 'Validating' | 'Mutating';
  readonly intent?: string;
  readonly failurePolicy?: string;
  readonly constraints?: string;
  readonly resources?: string;
  readonly groups?: string;
  readonly expression?: string;
  readonly more?: string;
  /** Spec of the binding; undefined for none. */
  readonly binding?: string | undefined;
}

const unguarded = 'has(object.metadata.labels) && object.metadata.labels["team"] == "a"';
const guarded = `"team" in object.metadata.labels && ${unguarded}`;
const denying = '{ policyName: teams, validationActions: [Deny] }';

function policy(text: PolicyText = {}): string {
  const { kind = 'Validating', intent, failurePolicy = 'failurePolicy: Fail', constraints = '' } = text;
  const { resources = 'pods', groups = '""', expression = guarded, more = '' } = text;
  const binding = 'binding' in text ? text.binding : denying;
  const evaluated =
    kind === 'Validating'
      ? `validations: [{ expression: '${expression}' }]`
      : `mutations: [{ patchType: JSONPatch, jsonPatch: { expression: '${expression}' } }]`;
  return `
apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}AdmissionPolicy
metadata: { name: teams${intent === undefined ? '' : `, annotations: { cluster-canary/intent: ${intent} }`} }
spec:
  ${failurePolicy}
  ${evaluated}
  ${more}
  matchConstraints:
    ${constraints}
    resourceRules: [{ operations: [CREATE], apiGroups: [${groups}], apiVersions: [v1], resources: [${resources}] }]
${
  binding === undefined
    ? ''
    : `---
apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}AdmissionPolicyBinding
metadata: { name: teams }
spec: ${binding}
`
}`;
}

const optIn = 'objectSelector: { matchLabels: { gate: enabled } }';
const at = '/spec/validations/0/expression';
const namespaces = '/spec/matchConstraints/namespaceSelector';
const objectSelector = '/spec/matchConstraints/objectSelector';

test.each<[string, PolicyText, string[]]>([
  ['one that may deny in kube-system', {}, []],
  ['one that may deny everything', { groups: '"*"', resources: '"*"' }, []],
  ['one that denies nodes', { resources: 'nodes' }, []],
  [
    'an expression that fails, also in kube-system',
    { expression: unguarded },
    [`warning WH10 ${at}`, `warning WH03 ${namespaces}`],
  ],
  [
    'one that fails on nodes',
    { expression: unguarded, resources: 'nodes' },
    ['warning WH02 /spec/matchConstraints/resourceRules/0/resources/0', `warning WH10 ${at}`],
  ],
  [
    'one that fails on everything',
    {
      expression: unguarded,
      groups: '"*"',
      resources: '"*"',
      constraints: `namespaceSelector: ${leavingOut('kube-system', 'kube-node-lease')}`,
    },
    ['warning WH01 /spec/matchConstraints/resourceRules/0/apiGroups/0', `warning WH10 ${at}`],
  ],
  [
    'one that leaves the system out',
    {
      expression: unguarded,
      constraints: `namespaceSelector: ${leavingOut('kube-system', 'kube-node-lease')}`,
    },
    [`warning WH10 ${at}`],
  ],
  [
    'one that fails open',
    { expression: unguarded, failurePolicy: 'failurePolicy: Ignore' },
    [`warning WH10 ${at}`],
  ],
  [
    'one whose failures are only warned of',
    { expression: unguarded, binding: '{ policyName: teams, validationActions: [Warn] }' },
    [`warning WH10 ${at}`],
  ],
  [
    'one whose binding sees one namespace',
    {
      expression: unguarded,
      binding: `{ policyName: teams, validationActions: [Deny], matchResources: { namespaceSelector: { matchLabels: { a: b } } } }`,
    },
    [`warning WH10 ${at}`],
  ],
  [
    'a guard in a match condition',
    {
      expression: unguarded,
      more: `matchConditions: [{ name: a, expression: 'has(object.metadata.labels) && "team" in object.metadata.labels' }]`,
    },
    [],
  ],
  [
    'parameters, whose content nobody knows',
    {
      expression: 'params.data["most"] != "0"',
      more: 'paramKind: { apiVersion: v1, kind: ConfigMap }',
      binding:
        '{ policyName: teams, validationActions: [Deny], paramRef: { name: a, parameterNotFoundAction: Deny } }',
    },
    [],
  ],
  [
    'a match condition that fails',
    {
      more: `matchConditions: [{ name: a, expression: 'object.metadata.labels.team != "b"' }]`,
      resources: 'jobs',
    },
    Array(2).fill('error WH10 /spec/matchConditions/0/expression'),
  ],
  [
    'labels of the namespace, which it always has',
    {
      expression: 'variables.stage == "test"',
      more: `variables: [{ name: stage, expression: '"stage" in namespaceObject.metadata.labels ? namespaceObject.metadata.labels["stage"] : "none"' }]`,
    },
    [],
  ],
  [
    'parameters that nobody names',
    { more: 'paramKind: { apiVersion: v1, kind: ConfigMap }' },
    ['warning WH12 /spec/paramRef'],
  ],
  ['no failurePolicy', { failurePolicy: '' }, ['warning WH07 /spec/failurePolicy']],
  ['a word that is none', { failurePolicy: 'failurePolicy: fail' }, ['error WH07 /spec/failurePolicy']],
  [
    'an intent that is none',
    { intent: 'safety' },
    ['warning WH07 /metadata/annotations/cluster-canary~1intent'],
  ],
  ['security', { intent: 'security' }, []],
  [
    'security that is ignored',
    { intent: 'security', failurePolicy: 'failurePolicy: Ignore' },
    ['error WH07 /spec/failurePolicy'],
  ],
  [
    'security that goes by labels',
    { intent: 'security', constraints: optIn },
    [`error WH08 ${objectSelector}`],
  ],
  ['a need that nobody has to state', { intent: 'required' }, [`warning WH07 ${objectSelector}`]],
  [
    'a convenience that denies',
    { intent: 'convenience', failurePolicy: 'failurePolicy: Ignore', constraints: optIn },
    ['error WH07 /spec/validationActions'],
  ],
  [
    'a convenience that warns',
    {
      ...{ intent: 'convenience', failurePolicy: 'failurePolicy: Ignore', constraints: optIn },
      binding: '{ policyName: teams, validationActions: [Warn] }',
    },
    [],
  ],
  ['no binding', { binding: undefined }, ['info WH12 ']],
  [
    'a binding of another policy',
    { binding: '{ policyName: team, validationActions: [Deny] }' },
    ['info WH12 ', 'info WH12 /spec/policyName'],
  ],
  [
    'a binding that does nothing',
    { binding: '{ policyName: teams }' },
    ['error WH07 /spec/validationActions'],
  ],
  ['a mutating policy', { kind: 'Mutating', binding: '{ policyName: teams }' }, []],
  [
    'a mutating policy that fails',
    { kind: 'Mutating', expression: unguarded, binding: '{ policyName: teams }' },
    ['warning WH10 /spec/mutations/0/jsonPatch/expression', `warning WH03 ${namespaces}`],
  ],
])('%s', (_, text, expected) => {
  expect(brief(lintText(policy(text))).sort()).toEqual([...expected].sort());
});

test('mends what the API server would do anyway', () => {
  const fixes = (intent?: string) =>
    lintText(policy({ failurePolicy: '', ...(intent ? { intent } : {}) }), { rules: ['WH07'] }).map(
      ({ fixPatch: patch }) => patch,
    );
  expect(fixes()).toEqual([[{ op: 'add', path: '/spec/failurePolicy', value: 'Fail' }]]);
  // What is declared asks for Ignore.
  expect(fixes('convenience').every((patch) => patch === undefined)).toBe(true);
});

test('says what may leave a need out', () => {
  const more = `matchConditions: [{ name: a, expression: 'has(object.spec.a)' }]`;
  const [found] = lintText(policy({ intent: 'required', more }), { rules: ['WH07'] });
  expect(found).toMatchObject({
    severity: 'info',
    message:
      'policy teams (Fail) is declared as required, and objects do not have to opt in by a label, unless match conditions (a), which are not evaluated here, leave it out',
  });
});

test.each([
  ['{ validationActions: [Deny] }', 'ValidatingAdmissionPolicyBinding teams names no policy'],
  [
    '{ policyName: others, validationActions: [Deny] }',
    'ValidatingAdmissionPolicyBinding teams binds the policy others, which is not here',
  ],
])('a binding %s', (binding, message) => {
  const found = lintText(policy({ binding }), { rules: ['WH12'] });
  expect(found.map((each) => each.message)).toContain(message);
});

test('as many expressions as are evaluated, and as long ones', () => {
  const evaluated = (expressions: readonly string[]): number =>
    lintText(
      policy().replace(
        /validations: .*/,
        `validations: [${expressions.map((each) => `{ expression: '${each}' }`).join(', ')}]`,
      ),
      { rules: ['WH10'] },
    ).length;
  const harmless = (count: number): string[] => Array.from({ length: count }, () => 'true');
  expect([evaluated([unguarded, ...harmless(199)]), evaluated([unguarded, ...harmless(200)])]).toEqual([
    1, 0,
  ]);
  const long = (length: number): string => `true || "${'a'.repeat(length - 10)}"`;
  expect([evaluated([unguarded, long(10_000)]), evaluated([unguarded, long(10_001)])]).toEqual([1, 0]);
});

test('says what fails', () => {
  const [found] = lintText(policy({ expression: unguarded }), { rules: ['WH03'] });
  expect(found).toMatchObject({
    message: expect.stringMatching(
      /^policy teams \(Fail\) is called for pods in kube-system; its expression at \/spec\/validations\/0\/expression, .* must be guarded by/,
    ),
    why: expect.stringContaining('a policy cannot be unreachable'),
  });
});

test('many expressions take no time to speak of', () => {
  const many = Array.from({ length: 5_000 }, () => `{ expression: '${unguarded}' }`).join(', ');
  const text = policy().replace(/validations: .*/, `validations: [${many}]`);
  const start = performance.now();
  lintText(text, { rules: ['WH01', 'WH02', 'WH03', 'WH10'] });
  expect(performance.now() - start).toBeLessThan(2000);
});
