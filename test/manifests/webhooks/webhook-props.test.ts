import { marker } from '../../../lib/core/tokens';
import { webhookEntry } from '../../../lib/manifests/webhooks';
import type { WebhookProps } from '../../../lib/manifests/webhooks';
import { pods, required, security, wrong } from './samples';

describe('props of a webhook', () => {
  test('that are in order have no problem', () => {
    expect(wrong(required)).toEqual([]);
    expect(wrong({ ...required, intent: 'convenience' })).toEqual([]);
    expect(wrong(security)).toEqual([]);
    expect(
      wrong({ ...security, rules: [{ ...pods, operations: ['CONNECT'], resources: ['pods/exec'] }] }),
    ).toEqual([]);
    expect(
      wrong({ ...security, failurePolicy: 'Fail', timeoutSeconds: 5, sideEffects: 'NoneOnDryRun' }),
    ).toEqual([]);
  });

  test.each<[string, WebhookProps, string[]]>([
    ['a name of two parts', { ...required, name: 'example.com' }, ['name']],
    ['a name with capitals', { ...required, name: 'Gate.pods.example.com' }, ['name']],
    ['an unknown intent', { ...required, intent: 'comfort' as 'convenience' }, ['intent']],
    ['no rule', { ...required, rules: [] }, ['rules']],
    [
      'empty lists in a rule',
      { ...required, rules: [{ operations: [], apiGroups: [], apiVersions: [], resources: [] }] },
      ['rules[0].operations', 'rules[0].apiGroups', 'rules[0].apiVersions', 'rules[0].resources'],
    ],
    [
      'wildcards beside others',
      {
        ...required,
        intent: 'convenience',
        rules: [
          {
            operations: ['*', 'CREATE'],
            apiGroups: ['', '*'],
            apiVersions: ['*', 'v1'],
            resources: ['*/*', 'a'],
          },
        ],
      },
      ['rules[0].operations', 'rules[0].apiGroups', 'rules[0].apiVersions', 'rules[0].resources'],
    ],
    [
      'overlapping resources',
      { ...required, intent: 'convenience', rules: [{ ...pods, resources: ['pods/*', 'pods/exec'] }] },
      ['rules[0].resources'],
    ],
    [
      'everything and something',
      { ...required, intent: 'convenience', rules: [{ ...pods, resources: ['*', 'pods'] }] },
      ['rules[0].resources'],
    ],
    [
      'words that Kubernetes does not know',
      {
        ...required,
        rules: [{ ...pods, operations: ['create' as 'CREATE'], resources: ['Pod'], scope: 'All' as '*' }],
      },
      ['rules[0].operations[0]', 'rules[0].resources[0]', 'rules[0].scope'],
    ],
    [
      'CONNECT with an opt-in',
      { ...required, rules: [{ ...pods, operations: ['CONNECT'] }] },
      ['rules[0].operations'],
    ],
    [
      'a broken Service',
      { ...required, service: { name: 'a_b', namespace: 'A', port: 0, path: 'mutate' } },
      ['service.name', 'service.namespace', 'service.port', 'service.path'],
    ],
    [
      'an empty path segment',
      { ...required, service: { ...required.service, path: '/a//b' } },
      ['service.path'],
    ],
    ['no opt-in', { ...required, optIn: undefined }, ['optIn']],
    ['an empty opt-in', { ...required, intent: 'convenience', optIn: {} }, ['optIn']],
    ['an opt-in with a broken label', { ...required, optIn: { 'a b': 'x y' } }, ['optIn.a b']],
    [
      'an object selector that excludes the opt-in',
      {
        ...required,
        objectSelector: {
          matchExpressions: [{ key: 'example.com/gate', operator: 'NotIn', values: ['enabled'] }],
        },
      },
      ['objectSelector'],
    ],
    [
      'an object selector with another value',
      { ...required, objectSelector: { matchLabels: { 'example.com/gate': 'disabled' } } },
      ['objectSelector'],
    ],
    [
      'broken selectors',
      {
        ...required,
        namespaceSelector: {
          matchExpressions: [
            { key: 'a', operator: 'In' },
            { key: 'b', operator: 'Exists', values: ['x'] },
            { key: '', operator: 'Is' as 'In' },
          ],
        },
      },
      [
        'namespaceSelector.matchExpressions[0].values',
        'namespaceSelector.matchExpressions[1].values',
        'namespaceSelector.matchExpressions[2].key',
        'namespaceSelector.matchExpressions[2].operator',
      ],
    ],
    [
      'only namespaces that are left out',
      { ...required, namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'gate-system' } } },
      ['namespaceSelector'],
    ],
    [
      'a namespace that is none',
      { ...required, exemptNamespaces: ['ok', 'Not_ok'] },
      ['exemptNamespaces[1]'],
    ],
    [
      'a convenience that fails',
      { ...required, intent: 'convenience', failurePolicy: 'Fail' },
      ['failurePolicy'],
    ],
    ['a need that is ignored', { ...required, failurePolicy: 'Ignore' }, ['failurePolicy']],
    ['security that is ignored', { ...security, failurePolicy: 'Ignore' }, ['failurePolicy']],
    ['security with an opt-in', { ...security, optIn: { a: 'b' } }, ['optIn']],
    ['security with an object selector', { ...security, objectSelector: {} }, ['objectSelector']],
    ['security on nothing known', { ...security, server: undefined }, ['server']],
    [
      'security on one pod',
      { ...security, server: { podLabels: {}, replicas: 1, disruptionBudget: 'no' as 'exists' } },
      ['server.podLabels', 'server.replicas', 'server.disruptionBudget'],
    ],
    ['six seconds', { ...required, timeoutSeconds: 6 }, ['timeoutSeconds']],
    ['no time', { ...required, timeoutSeconds: 0 }, ['timeoutSeconds']],
    ['part of a second', { ...required, timeoutSeconds: 1.5 }, ['timeoutSeconds']],
    ['side effects', { ...required, sideEffects: 'Some' as 'None' }, ['sideEffects']],
    ['no CA', { ...required, caInjection: undefined }, ['certificate']],
    ['a CA from nowhere', { ...required, caInjection: { annotations: {} } }, ['caInjection.annotations']],
    [
      'a CA from two places',
      {
        ...required,
        caInjection: {
          annotations: {
            'cert-manager.io/inject-ca-from': 'a/b',
            'cert-manager.io/inject-ca-from-secret': 'a/b',
          },
        },
      },
      ['caInjection.annotations'],
    ],
    [
      'the CA of the API server',
      { ...required, caInjection: { annotations: { 'cert-manager.io/inject-apiserver-ca': 'true' } } },
      ['caInjection.annotations'],
    ],
    [
      'a CA without a namespace',
      { ...required, caInjection: { annotations: { 'cert-manager.io/inject-ca-from': 'gate-ca' } } },
      ['caInjection.annotations.cert-manager.io/inject-ca-from'],
    ],
    [
      'metadata that is set elsewhere',
      {
        ...required,
        metadata: {
          name: 'A',
          annotations: { 'cert-manager.io/inject-ca-from': 'a/b', 'cluster-canary/intent': 'x' },
        },
      },
      [
        'metadata.name',
        'metadata.annotations.cert-manager.io/inject-ca-from',
        'metadata.annotations.cluster-canary/intent',
      ],
    ],
  ])('are refused: %s', (_, props, paths) => {
    expect(wrong(props).sort()).toEqual([...paths].sort());
  });

  test('may hold outputs of a deployment where values stand, not where names do', () => {
    const output = marker(1);
    expect(
      wrong({
        ...required,
        optIn: { 'example.com/gate': output },
        service: { ...required.service, path: output },
      }),
    ).toEqual([]);
    expect(wrong({ ...required, service: { name: output, namespace: output } })).toEqual([
      'service.name',
      'service.namespace',
    ]);
  });

  test('an object selector narrows the opt-in, a namespace selector what is left of the namespaces', () => {
    const entry = webhookEntry({
      ...required,
      exemptNamespaces: ['registry', 'kube-system'],
      caInjection: { ...required.caInjection!, providerNamespaces: ['cert-manager'] },
      objectSelector: {
        matchLabels: { app: 'web' },
        matchExpressions: [{ key: 'tier', operator: 'Exists' }],
      },
      namespaceSelector: { matchLabels: { team: 'blue' } },
    });
    expect(entry.objectSelector).toEqual({
      matchLabels: { app: 'web', 'example.com/gate': 'enabled' },
      matchExpressions: [{ key: 'tier', operator: 'Exists' }],
    });
    expect(entry.namespaceSelector).toEqual({
      matchLabels: { team: 'blue' },
      matchExpressions: [
        {
          key: 'kubernetes.io/metadata.name',
          operator: 'NotIn',
          values: [
            'cert-manager',
            'gate-system',
            'kube-node-lease',
            'kube-public',
            'kube-system',
            'registry',
          ],
        },
      ],
    });
  });
});
