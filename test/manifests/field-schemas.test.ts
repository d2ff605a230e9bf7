import { marker } from '../../lib/core/tokens';
import { list, object, optional } from '../../lib/core/validation/collections';
import { dnsLabel } from '../../lib/core/validation/formats';
import { problemsOf } from '../../lib/core/validation/schema';
import type { Schema } from '../../lib/core/validation/schema';
import { anything, text } from '../../lib/core/validation/values';
import {
  annotations,
  completed,
  completedAnnotations,
  completedLabels,
  dataWithoutNull,
  labels,
  labelSelector,
  namedObject,
  podMetadata,
  propsProblems,
  refuseProps,
  repeatedIn,
  constructSubject,
  withKeys,
} from '../../lib/manifests/field-schemas';

const paths = (schema: Schema, value: unknown) => problemsOf(schema, value).map(({ path }) => path);
const output = { __pulumiOutput: true, apply: () => undefined };

describe('a text that is completed later', () => {
  const [open, template] = [`apps-${marker(1)}`, '{{.name}} of the fleet'];

  test('has no format yet, and has to be there', () => {
    const name = completed(dnsLabel);
    expect(paths(name, open)).toEqual([]);
    expect(paths(name, 'apps')).toEqual([]);
    expect(paths(name, 'Apps!')).toEqual(['']);
    expect(paths(name, undefined)).toEqual(['']);
    expect(paths(object({ name }), {})).toEqual(['name']);
  });

  test('is completed by the controller only where that reads it', () => {
    expect(paths(completed(dnsLabel), template)).toEqual(['']);
    expect(paths(completed(dnsLabel, 'deployment or controller'), template)).toEqual([]);
    expect(paths(completed(dnsLabel, 'deployment or controller'), open)).toEqual([]);
  });

  test('may be in labels and annotations, where these say so', () => {
    expect(paths(completedLabels(), { env: open })).toEqual([]);
    expect(paths(completedLabels('deployment or controller'), { '{{.name}}': open })).toEqual([]);
    expect(paths(completedAnnotations('deployment or controller'), { '{{.name}}': open })).toEqual([]);
    expect(paths(labels, { env: open })).toEqual(['env']);
    expect(paths(annotations, { '{{.name}}': open })).toEqual(['{{.name}}']);
  });
});

test('name and namespace are DNS names, labels and annotations have keys of Kubernetes', () => {
  const named = object(namedObject());
  const labelled = { labels: { env: 'production' }, annotations: { 'example.com/owner': 'Team A' } };
  expect(paths(named, { name: 'apps.blue', namespace: 'argocd', ...labelled })).toEqual([]);
  expect(
    paths(named, { name: 'Apps', namespace: 'a.b', labels: { 'a b': '!' }, annotations: { x: 1 } }),
  ).toEqual(['name', 'namespace', 'labels.a b', 'labels.a b', 'annotations.x']);
  expect(paths(object(namedObject(dnsLabel)), { name: 'apps.blue' })).toEqual(['name']);
  expect(paths(podMetadata, labelled)).toEqual([]);
  expect(paths(podMetadata, { label: {} })).toEqual(['label']);
});

test('operators of a label selector take values, or none', () => {
  const requirement = (operator: string, values?: string[]) =>
    paths(labelSelector(), {
      matchLabels: { env: 'a' },
      matchExpressions: [{ key: 'env', operator, values }],
    });
  expect(requirement('In', ['a'])).toEqual([]);
  expect(requirement('Exists')).toEqual([]);
  expect(requirement('In')).toEqual(['matchExpressions[0].values']);
  expect(requirement('NotIn', [])).toEqual(['matchExpressions[0].values']);
  expect(requirement('Exists', ['a'])).toEqual(['matchExpressions[0].values']);
  expect(requirement('Is')).toEqual(['matchExpressions[0].operator']);
});

test('null inside data is refused where it is', () => {
  expect(paths(dataWithoutNull, { a: { b: [1, { c: '' }] } })).toEqual([]);
  expect(paths(dataWithoutNull, { a: { b: [1, { c: null }] }, d: null })).toEqual(['a.b[1].c', 'd']);
});

test.each([
  ['exactly one', { a: '1' }, { a: '1', b: [] }],
  ['exactly one', { b: [] }, {}],
  ['at least one', { a: '1', b: [] }, { b: [] }],
  ['at most one', {}, { a: '1', b: ['2'] }],
] as const)('%s of the keys: %j and not %j', (amount, right, wrong) => {
  const entries = { a: optional(text('a text')), b: optional(list(text('a text'))) };
  const schema = withKeys(amount, ['a', 'b'], object<{ a?: string; b?: readonly string[] }>(entries));
  expect(problemsOf(schema, right)).toEqual([]);
  const [problem, ...others] = problemsOf(schema, wrong);
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ path: '', allowed: `an object with ${amount} of "a", "b"` });
  expect(JSON.stringify(problem)).not.toContain('1');
});

test('what a list has twice is found by its identity', () => {
  expect(repeatedIn(['a', 'b', 'a', 'a'])).toEqual([2, 3]);
  expect(repeatedIn([{ a: 1, b: 2 }, { a: 1 }], ({ a }: { a: number }) => a)).toEqual([1]);
  expect(repeatedIn(undefined)).toEqual([]);
});

describe('props', () => {
  const schema = object<{ name: string; data?: unknown }>({
    name: completed(dnsLabel),
    data: optional(anything),
  });

  test('have no Output at any depth, also where anything is allowed', () => {
    const twice: Record<string, unknown> = { list: [output] };
    twice.itself = twice;
    const found = propsProblems(schema, { name: output, data: twice });
    expect(found.map(({ path }) => path)).toEqual(['name', 'data.list[0]']);
    expect(() =>
      refuseProps('App "a"', schema, { name: 'a', data: `${'Calling [toString] on an [Output<T>]'}` }),
    ).toThrow(
      'App "a": 1 problem\n  data: a text made of an Output, known only during a deployment; here a plain value is needed',
    );
  });

  test('keep instances of classes, whose fields are their own', () => {
    class Chart {
      public readonly value = output;
    }
    expect(propsProblems(schema, { name: 'a', data: new Chart() })).toEqual([]);
  });

  test('are an object', () => {
    expect(() => refuseProps('App "a"', schema, undefined)).toThrow(
      'App "a": 1 problem\n  props: nothing: must be an object with name, data',
    );
    expect(() => refuseProps('App "a"', schema, output)).toThrow('props: an Output, known only');
  });

  test('are looked at together without what is wrong', () => {
    const together = jest.fn(() => [{ path: 'data', allowed: 'left out' }]);
    expect(propsProblems(schema, { name: 'A', data: 1 }, together).map(({ path }) => path)).toEqual([
      'name',
      'data',
    ]);
    expect(together).toHaveBeenCalledWith({ data: 1 });
  });

  test('are named by the name of the object, or by the id of the construct', () => {
    expect(constructSubject('App', 'id', { name: 'apps' })).toBe('App "apps"');
    expect(constructSubject('App', 'id', { name: 7 })).toBe('App "id"');
    expect(constructSubject('App', 'id', undefined)).toBe('App "id"');
  });
});
