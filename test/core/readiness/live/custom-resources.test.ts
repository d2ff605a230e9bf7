import {
  judgeConverter,
  judgeDefinition,
  judgeWritten,
} from '../../../../lib/core/readiness/live/custom-resources';
import { definitionOf } from '../../../../lib/core/readiness/live/definitions';
import type { Definition } from '../../../../lib/core/readiness/live/definitions';
import type { SeenVersion } from '../../../../lib/core/readiness/live/written-versions';

/** `v1` is served; `v1-` is not, `v1!` is deprecated. */
const definition = (versions: string, more: Partial<Definition> = {}): Definition => ({
  ...{ name: 'widgets.example.com', group: 'example.com', kind: 'Widget', storedVersions: [] },
  versions: versions.split(' ').map((each) => ({
    name: each.replace(/[-!]/g, ''),
    served: !each.includes('-'),
    deprecated: each.includes('!'),
  })),
  ...more,
});

const seen = (version: string, declared: number, written: number): SeenVersion => {
  const first = (count: number, seenIn: string) => ({
    count,
    first: Array.from({ length: Math.min(count, 2) }, (_, index) => ({
      seenIn,
      object: { apiVersion: `example.com/${version}`, kind: 'Widget', namespace: 'shop', name: `w${index}` },
    })),
  });
  return {
    ...{ apiVersion: `example.com/${version}`, kind: 'Widget' },
    declared: first(declared, 'last applied'),
    written: first(written, 'managed fields of helm'),
  };
};

const ids = (findings: readonly { readonly id: string; readonly severity: string }[]): readonly string[] =>
  findings.map(({ id, severity }) => `${id} ${severity}`);

test.each<[string, Definition, readonly SeenVersion[], readonly string[]]>([
  ['in order', definition('v1 v1beta1', { storedVersions: ['v1'] }), [seen('v1beta1', 1, 1)], []],
  ['stored, not defined', definition('v1', { storedVersions: ['v1', 'v1alpha1'] }), [], ['CRD01 error']],
  ['stored, not served', definition('v1 v1alpha1-', { storedVersions: ['v1alpha1'] }), [], ['CRD02 warning']],
  ['deprecated, unused', definition('v1 v1beta1!'), [seen('v1', 3, 0)], ['CRD03 info']],
  ['deprecated, written', definition('v1 v1beta1!'), [seen('v1beta1', 0, 1)], ['CRD03 warning']],
  ['deprecated, not served', definition('v1 v1beta1!-'), [], []],
  [
    'deprecated, written by another group',
    definition('v1 v1beta1!'),
    [{ ...seen('v1beta1', 1, 0), apiVersion: 'other.com/v1beta1' }],
    ['CRD03 info'],
  ],
])('a definition whose versions are %s', (_, one, versions, expected) => {
  expect(ids(judgeDefinition(one, versions))).toEqual(expected);
});

const converter = { namespace: 'shop', name: 'converter' };

test.each<[string, Definition, readonly string[]]>([
  ['is missing', definition('v1 v2', { converter }), ['CRD04 error']],
  ['is there', definition('v1 v2', { converter: { ...converter, name: 'other' } }), []],
  ['has nothing to convert', definition('v1', { converter }), []],
  ['is none', definition('v1 v2'), []],
])('a converter that %s', (_, one, expected) => {
  expect(ids(judgeConverter(one, new Set(['shop/converter'])))).toEqual(expected);
});

const written = (versions: readonly SeenVersion[], objects?: number) => ({
  versions,
  counts: new Map(objects === undefined ? [] : [['example.com Widget', objects]]),
});

test.each<
  [string, Definition, Definition | undefined | 'none', ReturnType<typeof written>, readonly string[]]
>([
  ['the new cluster serves it', definition('v1'), definition('v1'), written([seen('v1', 2, 2)], 2), []],
  ['the new one lacks the kind, with objects', definition('v1'), undefined, written([], 2), ['API03 error']],
  ['the new one lacks the kind, without any', definition('v1'), undefined, written([], 0), ['API03 info']],
  [
    'the new one lacks the kind, whose objects could not be read',
    definition('v1'),
    undefined,
    written([]),
    ['API03 warning'],
  ],
  ['manifests', definition('v1 v2'), definition('v2'), written([seen('v1', 1, 0)], 1), ['API03 error']],
  ['a writer', definition('v1 v2'), definition('v2'), written([seen('v1', 0, 1)], 1), ['API03 warning']],
  [
    'both',
    definition('v1 v2'),
    definition('v1- v2'),
    written([seen('v1', 1, 1)], 2),
    ['API03 error', 'API03 warning'],
  ],
  ['a writer of long ago', definition('v1- v2'), definition('v2'), written([seen('v1', 0, 1)], 1), []],
  [
    'manifests of long ago',
    definition('v1- v2'),
    definition('v2'),
    written([seen('v1', 1, 0)], 1),
    ['API03 error'],
  ],
  ['no new cluster, and served', definition('v1'), 'none', written([seen('v1', 1, 1)], 1), []],
  [
    'no new cluster, and not served here',
    definition('v1- v2'),
    'none',
    written([seen('v1', 1, 1)], 1),
    ['API03 error'],
  ],
])('by which version objects were written: %s', (_, here, there, objects, expected) => {
  const others = there === 'none' ? undefined : there === undefined ? [] : [there];
  expect(ids(judgeWritten([here], others, objects))).toEqual(expected);
});

test('a finding names definition, version, objects and where they say so', () => {
  const [finding] = judgeWritten([definition('v1 v2')], [definition('v2')], written([seen('v1', 7, 0)], 7));
  expect(finding).toMatchObject({
    message:
      'Widget of example.com/v1 is not served in the new cluster, and 7 objects were written by it: shop/w0 (last applied), shop/w1 (last applied)',
    object: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name: 'widgets.example.com',
    },
  });
});

test('a definition is read as far as it matters, whatever is wrong with it', () => {
  const named = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
  const metadata = { name: 'widgets.example.com' };
  expect(
    definitionOf({
      ...{ ...named, metadata },
      spec: {
        group: 'example.com',
        names: { kind: 'Widget' },
        versions: [
          { name: 'v1', served: true, schema: {} },
          { name: 'v0', deprecated: true },
        ],
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { service: { ...converter, path: '/' } } },
        },
      },
      status: { storedVersions: ['v1'] },
    }),
  ).toEqual(definition('v1 v0!-', { storedVersions: ['v1'], converter }));
  for (const spec of [undefined, 7, [], { versions: 1, conversion: { strategy: 'Webhook', webhook: [] } }]) {
    expect(definitionOf({ ...named, metadata, spec, status: spec })).toMatchObject({
      versions: [],
      storedVersions: [],
    });
  }
});
