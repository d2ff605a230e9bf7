import * as fc from 'fast-check';
import { manifestObject, lint, parseYaml } from '../../../lib/lint';
import type { ManifestObject, Rule } from '../../../lib/lint';
import { certificateRules } from '../../../lib/lint/rules/certificates';
import { gitopsRules } from '../../../lib/lint/rules/gitops';
import { loadBalancerRules } from '../../../lib/lint/rules/load-balancer';
import { retryRules } from '../../../lib/lint/rules/retries';
import { exampleTexts, evaluateExample } from '../examples';
import { now } from '../lint-text';
import { scaled } from '../../runs';

const rules: readonly Rule[] = [...certificateRules, ...gitopsRules, ...retryRules, ...loadBalancerRules];

/** The objects of every example of these rules: shapes in which there is something to find. */
const examples: readonly Record<string, any>[] = rules.flatMap(({ id }) =>
  (['fires', 'silent'] as const).flatMap((kind) =>
    Object.entries(exampleTexts(id, kind))
      .filter(([part]) => part !== 'template')
      .flatMap(([, text]) => text.split('\n---\n').map((each) => parseYaml(each) as Record<string, any>)),
  ),
);

/** Places in an object that can be something else. */
function places(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  const below =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, each]) =>
          places(each, [...path, Array.isArray(value) ? Number(key) : key]),
        )
      : [];
  return [...(path.length > 0 ? [path] : []), ...below];
}

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
  fc.constantFrom<unknown>(
    undefined,
    NaN,
    Infinity,
    -1,
    1e308,
    '',
    '/',
    'a/',
    '/a',
    '{{ x }}',
    'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t',
  ),
);

const mutated = fc
  .tuple(fc.constantFrom(...examples), fc.array(fc.tuple(fc.nat(), anything), { minLength: 1, maxLength: 3 }))
  .map(([example, changes]) => {
    const copy = structuredClone(example);
    for (const [chosen, value] of changes) {
      const all = places(copy).filter(([first]) => first !== 'apiVersion' && first !== 'kind');
      const path = all[chosen % Math.max(1, all.length)];
      if (path) {
        const parent = path.slice(0, -1).reduce<any>((each, step) => each[step], copy);
        parent[path.at(-1)!] = value;
      }
    }
    return copy;
  });

const kinds = [
  ...examples.map(({ apiVersion, kind }) => ({ apiVersion, kind })),
  { apiVersion: 'v1', kind: 'Secret' },
  { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
];
const shapeless = fc
  .tuple(
    fc.constantFrom(...kinds),
    fc.dictionary(fc.constantFrom('metadata', 'spec', 'webhooks', 'data', 'operation', 'status'), anything),
  )
  .map(([kind, fields]) => ({ ...fields, ...kind }));

function failuresOf(values: readonly unknown[], before: readonly unknown[], chosen = rules): unknown[] {
  const objects = (each: readonly unknown[]): ManifestObject[] =>
    each.flatMap((value) => manifestObject(value) ?? []);
  const { failures } = lint(objects(values), { rules: chosen, now, before: objects(before) });
  return failures.map(({ rule, error }) => [rule, error]);
}

test('the examples have objects of every kind that these rules look at', () => {
  expect(new Set(kinds.map(({ kind }) => kind)).size).toBeGreaterThan(8);
  expect(evaluateExample(certificateRules[0]!, exampleTexts('TLS01', 'fires')).findings).toHaveLength(1);
});

test('objects of any shape never make a rule throw', () => {
  const list = fc.array(fc.oneof(mutated, shapeless), { maxLength: 6 });
  const check = (values: unknown[], before: unknown[]): void => {
    expect(failuresOf(values, before)).toEqual([]);
  };
  fc.assert(fc.property(list, list, check), { numRuns: scaled(500), seed: 5 });
});

test('examples with a field of any other value never make a rule throw, with what belongs to them', () => {
  for (const rule of rules) {
    const texts = exampleTexts(rule.id, 'fires');
    const whole = (texts.manifests ?? '')
      .split('\n---\n')
      .map((each) => parseYaml(each) as Record<string, any>);
    whole.forEach((each, position) => {
      for (const path of places(each)) {
        for (const value of [null, -1, '', [null], {}]) {
          const copy = structuredClone(whole);
          const parent = path.slice(0, -1).reduce<any>((inner, step) => inner[step], copy[position]);
          parent[path.at(-1)!] = value;
          expect(failuresOf(copy, whole, [rule])).toEqual([]);
        }
      }
    });
  }
});
