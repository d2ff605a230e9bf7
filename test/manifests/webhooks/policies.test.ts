import { Chart, Testing } from 'cdk8s';
import { InvalidInput } from '../../../lib/core/validation';
import { asPolicy, MutatingPolicy, ValidatingPolicy } from '../../../lib/manifests/webhooks';
import { validate } from './emitted';
import { defaults, images, params } from './policy-samples';
import { pods, required, security } from './samples';

const rule = { ...pods, scope: '*' };
const exempt = (...more: string[]) => ({
  matchExpressions: [
    {
      key: 'kubernetes.io/metadata.name',
      operator: 'NotIn',
      values: [...more, 'kube-node-lease', 'kube-public', 'kube-system'],
    },
  ],
});

test('a validating policy is a policy and a binding that say everything', () => {
  const chart = Testing.chart();
  const policy = new ValidatingPolicy(chart, 'images', {
    ...images,
    ...params,
    exemptNamespaces: ['argocd'],
    metadata: { labels: { team: 'platform' } },
    variables: [{ name: 'limit', expression: '3' }],
    auditAnnotations: [{ key: 'limit', valueExpression: 'string(variables.limit)' }],
  });
  const metadata = {
    name: 'images.example.com',
    labels: { team: 'platform' },
    annotations: { 'cluster-canary/intent': 'security' },
  };
  const [first, second, ...more] = Testing.synth(chart);
  expect(more).toEqual([]);
  expect(first).toEqual({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata,
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        matchPolicy: 'Equivalent',
        namespaceSelector: exempt('argocd'),
        resourceRules: [rule],
      },
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      variables: [{ name: 'limit', expression: '3' }],
      validations: images.validations,
      auditAnnotations: [{ key: 'limit', valueExpression: 'string(variables.limit)' }],
    },
  });
  expect(second).toEqual({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata,
    spec: {
      policyName: 'images.example.com',
      paramRef: { name: 'settings', namespace: 'default', parameterNotFoundAction: 'Deny' },
      validationActions: ['Deny'],
    },
  });
  [first, second].forEach(validate);
  expect([policy.intent, policy.failurePolicy]).toEqual(['security', 'Fail']);
  expect(policy.binding.toJson()).toEqual(second);
});

test('a mutating policy is a policy and a binding, in the API of Kubernetes 1.36', () => {
  const chart = Testing.chart();
  new MutatingPolicy(chart, 'defaults', {
    ...defaults,
    mutations: [...defaults.mutations, { jsonPatch: '[]' }],
    matchConditions: [{ name: 'linked', expression: '!has(object.spec.enableServiceLinks)' }],
    ...params,
  });
  expect(Testing.synth(chart).map(({ apiVersion, kind, spec }) => ({ apiVersion, kind, spec }))).toEqual([
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingAdmissionPolicy',
      spec: {
        failurePolicy: 'Ignore',
        matchConstraints: {
          matchPolicy: 'Equivalent',
          namespaceSelector: exempt(),
          objectSelector: { matchLabels: { 'example.com/defaults': 'enabled' } },
          resourceRules: [rule],
        },
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConditions: [{ name: 'linked', expression: '!has(object.spec.enableServiceLinks)' }],
        mutations: [
          {
            patchType: 'ApplyConfiguration',
            applyConfiguration: { expression: 'Object{spec: Object.spec{enableServiceLinks: false}}' },
          },
          { patchType: 'JSONPatch', jsonPatch: { expression: '[]' } },
        ],
        reinvocationPolicy: 'Never',
      },
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingAdmissionPolicyBinding',
      spec: {
        policyName: 'defaults.example.com',
        paramRef: { name: 'settings', namespace: 'default', parameterNotFoundAction: 'Allow' },
      },
    },
  ]);
});

test('a convenience warns, and never refuses', () => {
  const policy = new ValidatingPolicy(Testing.chart(), 'images', {
    ...images,
    intent: 'convenience',
    optIn: { a: 'b' },
  });
  expect(policy.failurePolicy).toBe('Ignore');
  expect(policy.binding.toJson().spec.validationActions).toEqual(['Warn']);
});

test('the namespace of a chart is not put on a policy', () => {
  const chart = new Chart(Testing.app(), 'chart', { namespace: 'platform' });
  new ValidatingPolicy(chart, 'images', images);
  Testing.synth(chart).forEach(({ metadata }) => expect(metadata).not.toHaveProperty('namespace'));
});

test('all problems are told at once', () => {
  const build = () =>
    new MutatingPolicy(Testing.chart(), 'defaults', {
      ...defaults,
      kubernetesVersion: '1.35',
      mutations: [],
    });
  expect(build).toThrow(InvalidInput);
  expect(build).toThrow(
    /MutatingAdmissionPolicy "defaults": 2 problems\n.*kubernetesVersion: "1.35": must be at least 1.36.*\n.*mutations/,
  );
});

describe('asPolicy', () => {
  const validations = images.validations!;

  test('judges whom the webhook evaluated, without what only a call needs', () => {
    const props = asPolicy(
      { ...required, exemptNamespaces: ['argocd'], timeoutSeconds: 5, sideEffects: 'NoneOnDryRun' },
      { validations },
    );
    const { policy } = new ValidatingPolicy(Testing.chart(), 'gate', props);
    expect(policy.name).toBe(required.name);
    const { spec } = policy.toJson();
    expect(spec.failurePolicy).toBe('Fail');
    expect(spec.matchConstraints).toEqual({
      matchPolicy: 'Equivalent',
      namespaceSelector: exempt('argocd'),
      objectSelector: { matchLabels: required.optIn },
      resourceRules: [rule],
    });
    expect(Object.keys(props)).not.toEqual(
      expect.arrayContaining([
        expect.stringMatching(/service|certificate|caInjection|timeoutSeconds|sideEffects/),
      ]),
    );
  });

  test('of a security webhook needs no server', () => {
    const { policy } = new ValidatingPolicy(Testing.chart(), 'gate', asPolicy(security, { validations }));
    expect(policy.toJson().spec.matchConstraints).not.toHaveProperty('objectSelector');
  });

  test('makes a mutating policy where there are mutations', () => {
    const { mutations } = defaults;
    const props = asPolicy(required, { mutations, kubernetesVersion: '1.36' });
    expect(new MutatingPolicy(Testing.chart(), 'gate', props).policy.kind).toBe('MutatingAdmissionPolicy');
  });
});
