import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidInput } from '../../lib/core/validation';
import { allRules, lint, readDecisions, readLintConfig, readManifests } from '../../lib/lint';
import { parseClusterSet } from '../../lib/manifests/cluster-sync';
import { readSwap } from '../../lib/operate/swap/file';
import { parsePlan } from '../../lib/shift/plan-file';
import { readScenario } from '../../lib/shift/simulation';
import { expectNoHang, hostileTexts } from './texts';
import { scaled } from '../runs';

const ids = allRules.map(({ id }) => id);

const readers: readonly [string, (text: string) => unknown][] = [
  ['plan', (text) => parsePlan(text, 'a.yaml')],
  ['swap file', (text) => readSwap(text, 'a.yaml')],
  ['scenario', (text) => readScenario(text, 'a.yaml')],
  ['cluster set', (text) => parseClusterSet(text, 'a.yaml')],
  ['lint configuration', (text) => readLintConfig(text, 'a.yaml', ids)],
  ['decisions', (text) => readDecisions(text, 'a.yaml')],
];

const many = (count: number, line: (position: number) => string): string =>
  Array.from({ length: count }, (_, position) => line(position)).join('\n');

const documents: readonly [string, string][] = [
  ['many keys', many(12_000, (n) => `k${n}: 1`)],
  ['many keys below one', `weights:\n${many(12_000, (n) => `  k${n}: x`)}`],
  ['one key again and again', many(12_000, () => 'a: 1')],
  ['many anchors', `k: [${many(6_000, (n) => `&a${n} 1, *a${n},`)}]`],
  ['aliases of aliases', `a0: &a0 [1]\n${many(30, (n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`)}`],
  ['deep lists', '['.repeat(5_000) + ']'.repeat(5_000)],
  ['deep maps', '{a: '.repeat(5_000) + '1' + '}'.repeat(5_000)],
  ['deep JSON', '{"a":'.repeat(5_000) + '1' + '}'.repeat(5_000)],
  ['deep blocks', '- '.repeat(5_000)],
  ['a long key', `${'a.'.repeat(50_000)}: 1`],
  ['a large file', 'a: 1\n'.repeat(1_000_000)],
];

test.each(readers)('a hostile %s is refused within a second', (name, read) => {
  for (const [what, text] of documents) {
    expectNoHang(`${name}: ${what}`, () => {
      // Empty or unknown keys are allowed in some of them.
      try {
        read(text);
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidInput);
      }
    });
  }
});

const [yaml] = ['objects.yaml'].map((file) => readFileSync(join(__dirname, '../lint', file), 'utf8'));
const folder = join(__dirname, '../lint/examples');

/** Evaluates objects as a file that has them. */
function evaluate(values: readonly unknown[]): void {
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: values });
  const { objects } = readManifests(text, { file: 'a.json', read: () => text });
  const { failures, findings } = lint(objects, { before: objects, live: objects, templates: [], now: 0 });
  expect(failures.map(({ rule, error }) => [rule, String(error)])).toEqual([]);
  findings.forEach(({ line }) => line);
}

const fixtures = [yaml!, ...readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))].map(
  (text) => readManifests(text, { file: 'a', read: () => text }).objects.map(({ value }) => value),
);

type Steps = readonly (string | number)[];

function* leaves(value: unknown, steps: Steps = []): Iterable<Steps> {
  if (typeof value === 'string') {
    yield steps;
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      yield* leaves(each, [...steps, Array.isArray(value) ? Number(key) : key]);
    }
  }
}

function replaced(value: unknown, [step, ...rest]: Steps, text: string): unknown {
  if (step === undefined) {
    return text;
  }
  if (Array.isArray(value)) {
    return value.map((each: unknown, position) => (position === step ? replaced(each, rest, text) : each));
  }
  const map = value as Readonly<Record<string, unknown>>;
  return { ...map, [step]: replaced(map[step], rest, text) };
}

/** One place for each field of each kind, of which a quick run takes some; `FUZZ` tries more texts in each. */
const places = new Map<string, { fixture: readonly unknown[]; at: number; steps: Steps }>();
for (const fixture of fixtures) {
  fixture.forEach((value, at) => {
    for (const steps of leaves(value)) {
      const name = steps.map((step) => (typeof step === 'number' ? '*' : step)).join('.');
      const { kind } = value as { kind?: string };
      if (name !== 'kind' && name !== 'apiVersion') {
        places.set(`${kind} ${name}`, { fixture, at, steps });
      }
    }
  });
}

const times = Number(process.env['FUZZ'] ?? 1);
jest.setTimeout(60_000 * times);

test('a hostile text in any field of a manifest is evaluated within a second', () => {
  const texts = hostileTexts(30_000);
  const perField = Math.min(texts.length, times);
  const every = places.size / scaled(places.size);
  let turn = 0;
  for (const [name, { fixture, at, steps }] of [...places].filter((_, place) => place % every < 1)) {
    for (let each = 0; each < perField; each += 1) {
      // Digits keep the most parsers busy; the others take turns.
      const text = each === 0 ? '1'.repeat(30_000) : texts[turn++ % texts.length]!;
      expectNoHang(`${name}: ${JSON.stringify(text.slice(0, 20))}`, () =>
        evaluate(fixture.map((value, position) => (position === at ? replaced(value, steps, text) : value))),
      );
    }
  }
});

test('a thousand webhooks of one Service', () => {
  const webhook = {
    name: 'a.example.com',
    clientConfig: { service: { namespace: 'a', name: 'a' }, caBundle: 'Cg==' },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    failurePolicy: 'Fail',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'a', annotations: { 'cert-manager.io/inject-ca-from': 'a/a' } },
    webhooks: Array.from({ length: 1_000 }, () => webhook),
  };
  const certificate = {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: { namespace: 'a', name: 'a' },
    spec: { secretName: 'a', dnsNames: ['a.a.svc'], issuerRef: { name: 'a' } },
  };
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [configuration, certificate] });
  const { objects } = readManifests(text, { file: 'a.json', read: () => text });
  for (const rule of allRules) {
    expectNoHang(rule.id, () => lint(objects, { rules: [rule], before: objects, live: objects, now: 0 }));
  }
});
