import type { MutatingPolicyProps, ValidatingPolicyProps } from '../../../lib/manifests/webhooks';
import { validatingPolicyProblems } from '../../../lib/manifests/webhooks';
import { defaults, images, params, wrongMutating, wrongValidating } from './policy-samples';
import { pods } from './samples';

const optIn = { 'example.com/images': 'checked' };
const validated = (expression: string, more: Partial<ValidatingPolicyProps> = {}): ValidatingPolicyProps => ({
  ...images,
  ...more,
  validations: [{ expression }],
});

describe('props of a validating policy', () => {
  test.each<[string, ValidatingPolicyProps]>([
    ['security', images],
    ['required', { ...images, intent: 'required', optIn }],
    ['convenience', { ...images, intent: 'convenience', optIn, validationActions: ['Warn', 'Audit'] }],
    ['a trial', { ...images, validationActions: ['Audit'] }],
    ['a version', { ...images, kubernetesVersion: 'v1.30.14-eks-2d5f260' }],
    [
      'annotations only',
      { ...images, validations: [], auditAnnotations: [{ key: 'a', valueExpression: '"x"' }] },
    ],
    ['parameters', validated('"min" in params.data && int(params.data["min"]) > 0', params)],
    [
      'a guard in a variable',
      validated('variables.labels["a"] == "b"', {
        variables: [
          { name: 'labels', expression: 'has(object.metadata.labels) ? object.metadata.labels : {}' },
          { name: 'known', expression: '"a" in variables.labels' },
        ],
      }),
    ],
    [
      'a guard in a match condition',
      validated('object.metadata.labels.team != ""', {
        matchConditions: [
          { name: 'team', expression: 'has(object.metadata.labels) && "team" in object.metadata.labels' },
        ],
      }),
    ],
    [
      'a message that may fail',
      {
        ...images,
        validations: [{ expression: 'false', messageExpression: 'object.metadata.labels.team' }],
      },
    ],
    [
      'CONNECT for security',
      { ...images, rules: [{ ...pods, operations: ['CONNECT'], resources: ['pods/exec'] }] },
    ],
  ])('are in order: %s', (_, props) => {
    expect(wrongValidating(props)).toEqual([]);
  });

  test.each<[string, ValidatingPolicyProps, string[]]>([
    ['a name in capitals', { ...images, name: 'Images' }, ['name']],
    ['an unknown intent', { ...images, intent: 'comfort' as 'security' }, ['intent']],
    ['an old Kubernetes', { ...images, kubernetesVersion: '1.29.15' }, ['kubernetesVersion']],
    [
      'a number as version',
      { ...images, kubernetesVersion: 1.3 as unknown as string },
      ['kubernetesVersion'],
    ],
    ['no version at all', { ...images, kubernetesVersion: 'latest' }, ['kubernetesVersion']],
    ['no rules', { ...images, rules: [] }, ['rules']],
    ['nothing to do', { ...images, validations: [] }, ['validations']],
    ['an empty expression', validated(' '), ['validations[0].expression']],
    [
      'nodes that could be refused',
      { ...images, rules: [{ ...pods, resources: ['nodes'] }] },
      ['rules[0].resources[0]'],
    ],
    ['every group', { ...images, rules: [{ ...pods, apiGroups: ['*'] }] }, ['rules[0].apiGroups[0]']],
    ['a way around', { ...images, optIn, objectSelector: {} }, ['optIn', 'objectSelector']],
    ['no opt-in', { ...images, intent: 'required' }, ['optIn']],
    ['another failure policy', { ...images, failurePolicy: 'Ignore' }, ['failurePolicy']],
    [
      'only exempt namespaces',
      { ...images, namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } },
      ['namespaceSelector'],
    ],
    ['a broken namespace', { ...images, exemptNamespaces: ['A'] }, ['exemptNamespaces[0]']],
    ['unguarded labels', validated('object.metadata.labels.team != ""'), ['validations[0].expression']],
    [
      'a guard in another validation',
      {
        ...images,
        validations: [
          { expression: 'has(object.metadata.labels) && "a" in object.metadata.labels' },
          { expression: 'object.metadata.labels["a"] != ""' },
        ],
      },
      ['validations[1].expression'],
    ],
    [
      'no object',
      validated('object.spec.x == 1', { rules: [{ ...pods, operations: ['DELETE'] }] }),
      ['validations[0].expression'],
    ],
    ['parameters that are not there', validated('params.x == 1'), ['validations[0].expression']],
    [
      'parameters and variables in a match condition',
      { ...images, matchConditions: [{ name: 'a', expression: 'params.x == variables.y' }] },
      ['matchConditions[0].expression'],
    ],
    ['half of the parameters', { ...images, paramKind: params.paramKind }, ['paramRef']],
    ['the other half', { ...images, paramRef: params.paramRef }, ['paramKind']],
    [
      'broken parameters',
      {
        ...images,
        paramKind: { apiVersion: 'a/b/c', kind: '' },
        paramRef: { namespace: 'A', parameterNotFoundAction: 'Ignore' as 'Allow' },
      },
      [
        'paramKind.apiVersion',
        'paramKind.kind',
        'paramRef',
        'paramRef.namespace',
        'paramRef.parameterNotFoundAction',
      ],
    ],
    [
      'a name and a selector',
      { ...images, ...params, paramRef: { name: 'B_', selector: { matchLabels: { 'a b': 'c' } } } },
      ['paramRef', 'paramRef.name', 'paramRef.selector.matchLabels.a b'],
    ],
    [
      'variables',
      validated('variables.c', {
        variables: [
          { name: 'a', expression: 'variables.b' },
          { name: 'b', expression: '1' },
          { name: 'b', expression: '' },
          { name: 'in', expression: '2' },
        ],
      }),
      [
        'variables[2].name',
        'variables[3].name',
        'variables[0].expression',
        'variables[2].expression',
        'validations[0].expression',
      ],
    ],
    [
      'messages',
      {
        ...images,
        validations: [
          { expression: 'true', message: 'a\nb', reason: 'Unauthorized' as 'Invalid' },
          { expression: 'true', message: ' ', messageExpression: 'string(authorizer)' },
        ],
      },
      [
        'validations[1].messageExpression',
        'validations[0].message',
        'validations[0].reason',
        'validations[1].message',
      ],
    ],
    [
      'audit annotations',
      {
        ...images,
        auditAnnotations: [
          { key: 'a b', valueExpression: '"x"' },
          { key: 'a', valueExpression: `"${'x'.repeat(5 * 1024)}"` },
          { key: 'a', valueExpression: '' },
          ...Array.from({ length: 18 }, (_, each) => ({ key: `k${each}`, valueExpression: '"x"' })),
        ],
      },
      [
        'auditAnnotations[2].valueExpression',
        'auditAnnotations',
        'auditAnnotations[0].key',
        'auditAnnotations[1].valueExpression',
        'auditAnnotations[2].key',
      ],
    ],
    ['an unknown action', { ...images, validationActions: ['deny' as 'Deny'] }, ['validationActions[0]']],
    ['no action', { ...images, validationActions: [] }, ['validationActions']],
    ['an action twice', { ...images, validationActions: ['Audit', 'Audit'] }, ['validationActions']],
    ['actions that say the same', { ...images, validationActions: ['Deny', 'Warn'] }, ['validationActions']],
    [
      'a convenience that refuses',
      { ...images, intent: 'convenience', optIn, validationActions: ['Deny'] },
      ['validationActions'],
    ],
    [
      'annotations that are set otherwise',
      { ...images, metadata: { annotations: { 'cluster-canary/intent': 'required' } } },
      ['metadata.annotations.cluster-canary/intent'],
    ],
  ])('are refused: %s', (_, props, paths) => {
    expect(wrongValidating(props).sort()).toEqual([...paths].sort());
  });

  test('say why, in the words of a policy', () => {
    const [problem] = validatingPolicyProblems({ ...images, rules: [{ ...pods, resources: ['nodes'] }] });
    expect(problem!.allowed).toContain('while an expression fails');
    expect(problem!.allowed).not.toContain('webhook');
  });
});

describe('props of a mutating policy', () => {
  test.each<[string, MutatingPolicyProps]>([
    ['a convenience', defaults],
    ['a later Kubernetes', { ...defaults, kubernetesVersion: '2.0' }],
    ['required', { ...defaults, intent: 'required', reinvocationPolicy: 'IfNeeded' }],
    [
      'a JSON patch',
      {
        ...defaults,
        mutations: [{ jsonPatch: '[JSONPatch{op: "add", path: "/spec/enableServiceLinks", value: false}]' }],
      },
    ],
  ])('are in order: %s', (_, props) => {
    expect(wrongMutating(props)).toEqual([]);
  });

  test.each<[string, MutatingPolicyProps, string[]]>([
    ['a Kubernetes without it', { ...defaults, kubernetesVersion: '1.35.4' }, ['kubernetesVersion']],
    ['no mutation', { ...defaults, mutations: [] }, ['mutations']],
    ['neither kind', { ...defaults, mutations: [{}] }, ['mutations[0]']],
    [
      'both kinds',
      { ...defaults, mutations: [{ applyConfiguration: 'Object{}', jsonPatch: '[]' }] },
      ['mutations[0]'],
    ],
    [
      'unguarded annotations',
      { ...defaults, mutations: [{ jsonPatch: '[object.metadata.annotations["a"]]' }] },
      ['mutations[0].jsonPatch'],
    ],
    [
      'nothing to change',
      { ...defaults, rules: [{ ...pods, operations: ['DELETE'] }] },
      ['rules[0].operations'],
    ],
    [
      'an unknown reinvocation policy',
      { ...defaults, reinvocationPolicy: 'Always' as 'Never' },
      ['reinvocationPolicy'],
    ],
  ])('are refused: %s', (_, props, paths) => {
    expect(wrongMutating(props).sort()).toEqual([...paths].sort());
  });
});
