import { InvalidInput } from '../../../../lib/core/validation';
import { lint, manifestObjects, readLintConfig } from '../../../../lib/lint';
import { brief, lintText, said } from '../../lint-text';

const budget = 'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: { name: web }\n';
const flows =
  'apiVersion: flowcontrol.apiserver.k8s.io/v1beta3\nkind: FlowSchema\nmetadata: { name: batch }\n';
const apis = ['API01', 'API02', 'API03', 'API04'];
const found = (text: string, kubernetesVersion?: string, live?: string): string[] =>
  brief(
    lintText(text, {
      rules: apis,
      ...(kubernetesVersion === undefined ? {} : { kubernetesVersion }),
      ...(live === undefined ? {} : { live }),
    }),
  );

describe('built-in APIs', () => {
  test.each<[string, string, string | undefined, string[]]>([
    ['gone for long, of no version', budget, undefined, ['error API01 /apiVersion']],
    ['for a version that still serves it', budget, '1.24', ['warning API02 /apiVersion']],
    ['for the version that ends it', budget, '1.25', ['error API01 /apiVersion']],
    ['for a version before it is deprecated', budget, '1.20', []],
    ['that a later version ends, of no version', flows, undefined, ['warning API02 /apiVersion']],
    ['the same for that version', flows, '1.32', ['error API01 /apiVersion']],
    ['of another group by the same name', budget.replace('policy/', 'policy.example.com/'), '1.36', []],
    [
      'in a List',
      `apiVersion: v1\nkind: List\nitems:\n  - ${budget.trim().replaceAll('\n', '\n    ')}`,
      '1.36',
      ['error API01 /apiVersion'],
    ],
    [
      'deprecated, and nobody plans to remove it',
      'apiVersion: v1\nkind: Endpoints\nmetadata: { name: web }\n',
      '1.36',
      ['info API02 /apiVersion'],
    ],
  ])('%s', (_name, text, version, expected) => {
    expect(found(text, version)).toEqual(expected);
  });

  test('a finding says since when, and what to use instead', () => {
    expect(lintText(budget, { rules: ['API01'], kubernetesVersion: '1.36' })).toMatchObject([
      {
        message: 'PodDisruptionBudget of policy/v1beta1 is not served any more since Kubernetes 1.25',
        fix: 'use policy/v1, whose fields may differ',
        line: 1,
      },
    ]);
  });

  test('a configuration names the version, and the command comes before it', () => {
    const config = readLintConfig("kubernetesVersion: '1.24'\n");
    const options = { rules: apis, config };
    expect(brief(lintText(budget, options))).toEqual(['warning API02 /apiVersion']);
    expect(brief(lintText(budget, { ...options, kubernetesVersion: '1.25' }))).toEqual([
      'error API01 /apiVersion',
    ]);
  });

  test.each(['1.30.2', 'v1.30', '1.030', '2.0', '', 'constructor', 1.3])('%j is no version', (version) => {
    expect(() => lint([], { kubernetesVersion: version as string })).toThrow(InvalidInput);
    expect(() => readLintConfig(`kubernetesVersion: ${JSON.stringify(version)}\n`)).toThrow(
      /kubernetesVersion: .*must be a minor version of Kubernetes in quotes, such as "1\.36"/,
    );
  });

  test('types of objects that are none are no finding', () => {
    const objects = manifestObjects([{ apiVersion: 'constructor', kind: '__proto__' }]);
    expect(lint(objects).findings).toEqual([]);
  });
});

describe('custom resources', () => {
  const definition = (versions: string, group = 'example.com'): string => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.${group} }
spec:
  group: ${group}
  names: { kind: Widget, plural: widgets }
  versions: ${versions}
---
`;
  const widget = (version: string): string =>
    `apiVersion: example.com/${version}\nkind: Widget\nmetadata: { name: blue }\n`;
  const v1 = '{ name: v1, served: true }';
  const old = '{ name: v1beta1, served: true, deprecated: true, deprecationWarning: use v1 by summer }';
  const gone = '{ name: v1alpha1, served: false }';
  const crd = definition(`[${v1}, ${old}, ${gone}]`);

  test.each<[string, string, string | undefined, string[]]>([
    ['a version that is served', crd + widget('v1'), undefined, []],
    [
      'a deprecated one',
      crd + widget('v1beta1'),
      undefined,
      ['warning /apiVersion: Widget of example.com/v1beta1 is deprecated by its CustomResourceDefinition'],
    ],
    [
      'one that is not served',
      crd + widget('v1alpha1'),
      undefined,
      [
        'error /apiVersion: Widget of example.com/v1alpha1 is not served: its CustomResourceDefinition says served: false',
      ],
    ],
    [
      'one that is not there',
      crd + widget('v2'),
      undefined,
      [
        'error /apiVersion: Widget of example.com/v2 is not served: its CustomResourceDefinition has no such version',
      ],
    ],
    ['without a definition', widget('v2'), undefined, []],
    ['with one of another group', definition(`[${v1}]`, 'example.org') + widget('v2'), undefined, []],
    ['of the cluster', widget('v1'), crd, []],
    [
      'of the cluster, which does not serve it',
      widget('v2'),
      crd,
      [
        'error /apiVersion: Widget of example.com/v2 is not served: its CustomResourceDefinition has no such version',
      ],
    ],
    ['that the new definition brings', definition('[{ name: v2, served: true }]') + widget('v2'), crd, []],
    [
      'that one of two definitions serves',
      definition(`[${gone}]`) + definition('[{ name: v1alpha1, served: true }]') + widget('v1alpha1'),
      undefined,
      [],
    ],
    [
      'by a definition of v1beta1 with a single version',
      `${definition('[]').replace('versions: []', 'version: v1').replace('apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1')}${widget('v2')}`,
      undefined,
      [
        'error /apiVersion: Widget of example.com/v2 is not served: its CustomResourceDefinition has no such version',
      ],
    ],
    ['with a definition of no shape', definition('{ v1: true }') + widget('v1'), undefined, []],
  ])('%s', (_name, text, live, expected) => {
    const findings = said('API03', text, live === undefined ? {} : { live });
    expect(findings).toEqual(expected);
  });

  test('the versions to use are named, and what the definition says', () => {
    expect(lintText(crd + widget('v1beta1'), { rules: ['API03'] })).toMatchObject([
      { fix: 'use v1', why: 'use v1 by summer' },
    ]);
  });
});

test('APIs of other projects are a warning: their release decides', () => {
  const text = 'apiVersion: cert-manager.io/v1alpha2\nkind: Issuer\nmetadata: { name: a }\n';
  expect(found(text, '1.36')).toEqual(['warning API04 /apiVersion']);
});
