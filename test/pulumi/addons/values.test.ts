import * as pulumi from '@pulumi/pulumi';
import * as fc from 'fast-check';
import { formatProblem as line } from '../../../lib/core/validation';
import type { HelmValues } from '../../../lib/pulumi/addons';
import { awsLoadBalancerController, certManager, mergeValues } from '../../../lib/pulumi/addons';

describe('mergeValues', () => {
  const output = pulumi.output('later');
  test.each<[string, HelmValues, HelmValues, HelmValues]>([
    ['adds', { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    ['merges objects', { a: { x: 1, y: 1 } }, { a: { y: 2, z: 2 } }, { a: { x: 1, y: 2, z: 2 } }],
    ['replaces arrays', { a: [1, 2, 3] }, { a: [4] }, { a: [4] }],
    ['replaces an object by a plain value', { a: { x: 1 } }, { a: false }, { a: false }],
    ['replaces a plain value by an object', { a: 1 }, { a: { x: 1 } }, { a: { x: 1 } }],
    [
      'undefined leaves what is there',
      { a: { x: 1 } },
      { a: { x: undefined }, b: undefined },
      { a: { x: 1 } },
    ],
    ['what every object inherits is no value', {}, { toString: undefined }, { toString: undefined }],
    ['null is a value', { a: { x: 1 } }, { a: null }, { a: null }],
    ['an output is a leaf', { a: { x: 1 } }, { a: output }, { a: output }],
    ['an output below is replaced', { a: output }, { a: { x: 1 } }, { a: { x: 1 } }],
  ])('%s', (_, values, over, expected) => {
    expect(mergeValues(values, over)).toEqual(expected);
  });

  test('an output stays the same output', () => {
    expect(mergeValues({ a: { x: 1 } }, { a: { y: output } })).toEqual({ a: { x: 1, y: output } });
    expect((mergeValues({}, { a: output }) as { a: unknown }).a).toBe(output);
  });

  test('keys with a meaning in JavaScript are plain keys', () => {
    const hostile = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}') as HelmValues;
    const merged = mergeValues({}, hostile);
    expect(Object.keys(merged).sort()).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null), fc.array(fc.integer()));
  const { values } = fc.letrec<{ values: HelmValues }>((tie) => ({
    values: fc.dictionary(
      fc.constantFrom('a', 'b', 'c', 'd'),
      fc.oneof({ depthSize: 'small' }, leaf, tie('values')),
      {
        noNullPrototype: true,
      },
    ),
  }));

  test('laying the same over twice changes nothing, and no argument is changed', () => {
    fc.assert(
      fc.property(values, values, (below, above) => {
        const before = JSON.stringify([below, above]);
        const once = mergeValues(below, above);
        expect(mergeValues(once, above)).toEqual(once);
        expect(mergeValues(below, {})).toEqual(below);
        expect(mergeValues({}, above)).toEqual(above);
        expect(JSON.stringify([below, above])).toBe(before);
      }),
    );
  });
});

describe('values that would undo the safety of the load balancer controller', () => {
  const found = (values: HelmValues) => awsLoadBalancerController({ values }).problems!.map(line);
  const selector = [{ key: 'team', operator: 'In', values: ['a'] }];

  test.each<[HelmValues]>([
    [{}],
    [{ webhookNamespaceSelectors: [] }],
    [{ webhookNamespaceSelectors: null }],
    [{ enableCertManager: true }],
    [{ certManager: { revisionHistoryLimit: 3 } }],
    [{ enableServiceMutatorWebhook: false }],
    [{ enableServiceMutatorWebhook: true, serviceMutatorWebhookConfig: { namespaceSelectors: selector } }],
    [
      {
        enableServiceMutatorWebhook: true,
        serviceMutatorWebhookConfig: { objectSelector: { matchLabels: { lb: 'nlb' } } },
      },
    ],
    [{ webhookConfig: { disableIngressValidation: true } }],
    [
      {
        webhookConfig: {
          disableIngressValidation: false,
          ingressValidationNamespaceSelector: { matchExpressions: selector },
        },
      },
    ],
    [{ serviceAccount: { create: true, name: 'aws-load-balancer-controller', annotations: { a: 'b' } } }],
    [{ podMutatorWebhookConfig: { failurePolicy: 'Fail' } }],
    [{ resources: pulumi.output({}) }],
    [{ serviceAnnotations: { 'example.com/team': 'edge' } }],
  ])('takes %j', (values) => {
    expect(found(values)).toEqual([]);
  });

  test.each<[HelmValues, string]>([
    [{ webhookNamespaceSelectors: selector }, 'values.webhookNamespaceSelectors: '],
    [
      { webhookNamespaceSelectors: pulumi.output(selector) },
      'values.webhookNamespaceSelectors: must be left out',
    ],
    [{ enableCertManager: false }, 'values.enableCertManager: false: must be left out'],
    [
      { certManager: { issuerRef: { name: 'own' } } },
      'values.certManager.issuerRef: {"name":"own"}: must be left out',
    ],
    [{ certManager: { duration: '8760h' } }, 'values.certManager.duration: "8760h": must be left out'],
    [{ certManager: { renewBefore: '1h' } }, 'values.certManager.renewBefore: "1h": must be left out'],
    [{ certManager: pulumi.output({ duration: '1h' }) }, 'values.certManager: must be a plain object'],
    [
      { enableServiceMutatorWebhook: true },
      'values.enableServiceMutatorWebhook: true: must be left out, or scoped',
    ],
    [
      {
        enableServiceMutatorWebhook: true,
        serviceMutatorWebhookConfig: { objectSelector: { matchLabels: {}, matchExpressions: [] } },
      },
      'values.enableServiceMutatorWebhook: true: must be left out, or scoped',
    ],
    [
      { webhookConfig: { disableIngressValidation: false } },
      'values.webhookConfig.disableIngressValidation: false: must be left out, or scoped',
    ],
    [{ serviceAccount: { name: 'other' } }, 'values.serviceAccount.name: "other": must be left out'],
    [{ serviceAccount: { create: false } }, 'values.serviceAccount.create: false: must be left out'],
    [
      { serviceAnnotations: { 'cluster-canary/harden': '{}' } },
      'values.serviceAnnotations.cluster-canary/harden: "{}": must be left out',
    ],
    [{ serviceAnnotations: pulumi.output({}) }, 'values.serviceAnnotations: must be a plain object'],
  ])('refuses %j', (values, expected) => {
    expect(found(values)).toEqual([expect.stringContaining(expected)]);
  });

  test('tells all of them at once', () => {
    expect(
      found({
        enableCertManager: false,
        enableServiceMutatorWebhook: true,
        webhookNamespaceSelectors: selector,
      }),
    ).toHaveLength(3);
  });
});

describe('cert-manager', () => {
  test.each([
    [{ values: { replicaCount: 1 } }, ['values.replicaCount: 1: must be 2 or more']],
    [{ values: { webhook: { replicaCount: 1 } } }, ['values.webhook.replicaCount: 1: must be 2 or more']],
    [{ values: { webhook: { replicaCount: 1, podDisruptionBudget: { enabled: false } } } }, []],
    [{ replicas: { controller: 1, webhook: 1, cainjector: 1 } }, []],
    [
      { replicas: { controller: 11, cainjector: 1.5 } },
      ['replicas.controller: 11', 'replicas.cainjector: 1.5'],
    ],
    [{ version: 'latest', timeoutSeconds: 7200 }, ['version: "latest"', 'timeoutSeconds: 7200']],
  ])('%j', (options, expected) => {
    expect(certManager(options).problems.map(line)).toEqual(
      expected.map((text) => expect.stringContaining(text) as string),
    );
  });
});
