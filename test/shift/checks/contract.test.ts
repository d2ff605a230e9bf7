import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { formatProblem as sentence, InvalidInput } from '../../../lib/core/validation';
import { list, object, optional } from '../../../lib/core/validation/collections';
import { anything, number, oneOf, text } from '../../../lib/core/validation/values';
import type { AnyCheckKind, CheckSettings } from '../../../lib/shift/checks';
import { checkArgs, checkKind, checkKinds, checkProblems, createChecks } from '../../../lib/shift/checks';
import { kindsIn } from '../../../lib/shift/checks/kinds';
import * as registered from '../../../lib/shift/checks/registry';
import { readPage, withTable } from './check-table';
import { contractProblems, minimal } from './kind-contract';
import { contextOf, metricsOf, subject } from './metric-samples';

const kinds = checkKinds as unknown as Readonly<Record<string, AnyCheckKind>>;
const words = Object.keys(kinds);

/** The first example of each kind in docs/checks.md. */
const examples = new Map<string, Record<string, unknown>>(
  [...readPage().matchAll(/```yaml\n(- [^]*?)```/g)]
    .flatMap(([, block]) => parse(block!) as object[])
    .reverse()
    .flatMap((check) => Object.entries(check)),
);

/** The first example of a kind. */
function exampleOf(word: string): Record<string, unknown> {
  const example = examples.get(word);
  if (example === undefined) {
    throw new Error(
      `docs/checks.md has no example of ${word}: a block of YAML that begins with "- ${word}:"`,
    );
  }
  return example;
}

test.each(words)('%s keeps the contract', (word) => {
  expect(contractProblems(word, kinds[word]!, exampleOf(word))).toEqual([]);
});

test('every kind names the same resource for an action, with the region and the name that are known', () => {
  const resources = new Map<string, Set<string>>();
  for (const word of words) {
    for (const each of kinds[word]!.permissions?.(exampleOf(word) as any, subject) ?? []) {
      for (const action of each.actions) {
        const told = resources.get(action) ?? new Set();
        resources.set(action, told.add([...each.resources].sort().join(' ')));
      }
    }
  }
  for (const [action, told] of resources) {
    expect([action, told.size]).toEqual([action, 1]);
    for (const resource of [...told].flatMap((each) => each.split(' '))) {
      expect(resource).toMatch(/^(\*|arn:\*:[a-z]+:eu-west-1:\*:[a-z]+\/(apps-|ws-).*)$/);
    }
  }
  expect([...resources.keys()]).toEqual(expect.arrayContaining(['eks:DescribeCluster', 'aps:QueryMetrics']));
});

test.each(words)('%s: a second check of the kind has a number in its name', (word) => {
  const settings = { [word]: minimal(kinds[word]!, exampleOf(word)) } as unknown as CheckSettings;
  const made = createChecks([settings, settings], contextOf({ metricData: () => metricsOf({}) }));
  expect(made.map(({ name }) => name)).toEqual([word, `${word} 2`]);
});

test.each(words)('%s has a function that makes its settings', (word) => {
  const path = word.split('.');
  const build = path.reduce((found: any, name) => found[name], registered);
  expect([typeof build, build.word]).toEqual(['function', word]);
  const settings = minimal(kinds[word]!, exampleOf(word));
  // A list of names, or a number, in place of settings: the others of these come second.
  const [first = settings, ...more] = Object.values(settings);
  const isShort = JSON.stringify(build(settings)) !== JSON.stringify({ [word]: settings });
  expect(isShort ? build(first) : build(settings)).toEqual({ [word]: settings });
  expect(more.length > 0 && isShort).toBe(false);
  const misspelt = () => (isShort ? build(first, { nam: 'x' }) : build({ ...settings, nam: 'x' }));
  expect(misspelt).toThrow(InvalidInput);
  expect(misspelt).toThrow(/nam: unknown key, did you mean "name"\?/);
});

const long = [
  `${'a'.repeat(300_000)}\n`,
  ' '.repeat(300_000),
  `a=${'"'.repeat(300_000)}`,
  '{'.repeat(300_000),
];

test.each(words)('%s: a long text takes no hold of the process', (word) => {
  const begun = performance.now();
  for (const key of Object.keys(kinds[word]!.args.json.properties!)) {
    for (const value of long) {
      checkProblems([{ [word]: { ...exampleOf(word), [key]: value } }], subject);
      checkProblems([{ [word]: { ...exampleOf(word), [key]: [value] } }], subject);
    }
  }
  expect(performance.now() - begun).toBeLessThan(10_000);
});

test('a kind without an example is named, with what it lacks', () => {
  expect(() => exampleOf('toy')).toThrow('docs/checks.md has no example of toy');
});

test('the table in docs/checks.md is what write-check-table.ts writes', () => {
  expect(withTable(readPage(), kinds)).toBe(readPage());
});

test('schemas/plan.json has every kind', () => {
  const plan = JSON.parse(readFileSync(join(__dirname, '../../../schemas/plan.json'), 'utf8'));
  expect(Object.keys(plan.$defs.check.properties)).toEqual(words);
});

interface ToyArgs {
  readonly name?: string;
  readonly color: string;
  readonly size?: number;
  readonly shapes?: readonly string[];
}

const toyKind = {
  asks: 'Toys: is one of a color there?',
  stages: ['after'],
  perRouter: false,
  beforeTraffic: false,
  needs: 'nothing',
  args: checkArgs<ToyArgs>({
    color: text('a color', /^[a-z]+$/),
    size: optional(number('a number above 0', { above: 0 })),
    shapes: optional(list(oneOf('ball', 'cube'), 1)),
  }),
  create: (name: string) => ({
    name,
    stages: ['after'],
    evaluate: () => Promise.resolve({ status: 'pass', reason: 'it is there', figures: [] }),
  }),
} as const satisfies object;

const toyExample = { color: 'red', size: 1, shapes: ['ball'] };
const toyProblems = (change: object) =>
  contractProblems('toy', { ...toyKind, ...change } as unknown as AnyCheckKind, toyExample);

test('a toy that only this test has keeps it', () => {
  expect(toyProblems({})).toEqual([]);
  expect(kindsIn({ toys: { toy: checkKind('toys.toy', toyKind as never) } })['toys.toy']).toBe(toyKind);
});

const create = toyKind.create;
const open = { ...toyKind.args, evaluator: anything.evaluator };

test.each<[string, object, RegExp]>([
  ['asks nothing', { asks: '' }, /what it asks is no line/],
  ['has no stage', { stages: [] }, /its stages are/],
  ['is asked in another stage', { stages: ['before'] }, /it is also asked after/],
  ['has another name', { create: () => create('other') }, /its check is called other/],
  ['asks while it is made', { create: (_n: string, _a: object, context: any) => context.http() }, /it asks/],
  ['needs more than it says', { needs: 'targetGroups' }, /needs targetGroups, and needs nothing/],
  ['takes no name', { args: object({ color: text('a color') } as never) }, /its example is refused/],
  ['takes anything', { args: open }, /colorx is not refused/],
  ['takes more than its JSON Schema', { args: open }, /its JSON Schema refuses color/],
  [
    'has a JSON Schema of nothing',
    { args: { ...toyKind.args, json: { ...toyKind.args.json, properties: { name: {}, color: {} } } } },
    /its JSON Schema says nothing of color/,
  ],
  [
    'wants all permissions',
    { permissions: () => [{ actions: ['toys:*'], resources: ['*'] }] },
    /its permission .*toys/,
  ],
  [
    'wants to write',
    {
      access: () => [
        { cluster: 'hub', at: [{}], rule: { apiGroups: [''], resources: ['pods'], verbs: ['delete'] } },
      ],
    },
    /its access .*delete/,
  ],
  ['is simulated as nothing', { simulated: () => ({}) }, /simulated as nothing/],
  ['has no times', { canaryTimes: () => ({ overMs: NaN }) }, /its overMs is no time/],
  ['names another without memory', { withoutMemory: 'toys.none' }, /toys.none is no kind/],
])('a toy that %s does not', (_name, change, expected) => {
  expect(toyProblems(change).join('\n')).toMatch(expected);
});

test('a kind is registered under its word, and has a heading', () => {
  expect(() => kindsIn({ toy: checkKind('tóy', toyKind as never) })).toThrow('"tóy" is registered as "toy"');
  expect(() => withTable(readPage(), { toy: toyKind as unknown as AnyCheckKind })).toThrow(/no heading/);
});

test('what is missing, of another type, or unknown is said in these words', () => {
  const checks = [
    { targetHealth: { mn: 1, min: 7 } },
    {
      'prometheus.query': {
        address: 'https://me:secret@a',
        query: 'up{a="{{job}}"}',
        auth: { bearer: 'secret' },
      },
    },
    { 'cloudWatch.metric': { max: 1, stat: 'Sum', queries: [{ Id: 'a', MetricStat: { Stt: 'Sum' } }] } },
    { kubernetesPods: { labels: { 'a b': 'c' } } },
  ];
  const lines = checkProblems(checks, subject).map((problem) => sentence(problem));
  expect(lines.map((line) => line.replace(/^checks\[\d\]\./, ''))).toEqual([
    'targetHealth.mn: unknown key, did you mean "min"?; known keys: name, min',
    'targetHealth.min: 7: must be a share above 0, up to 1',
    expect.stringMatching(/^prometheus\.query\.address: must be a URL that starts with https:/),
    'prometheus.query.auth.bearer: must be where it is read from, { env: "NAME" } or { file: "/path" }, and never the secret itself',
    'prometheus.query.max: nothing: must be there, or "min": a check without a bound says nothing',
    expect.stringMatching(
      /^prometheus\.query\.query: "{{job}}": must be without that variable; there are: {{slot}}, /,
    ),
    'cloudWatch.metric.queries[0].MetricStat.Stt: unknown key, did you mean "Stat"?; known keys: Metric, Period, Stat, Unit',
    'cloudWatch.metric.queries[0].MetricStat.Metric: is required: an object with Namespace, MetricName, Dimensions',
    'cloudWatch.metric.queries[0].MetricStat.Period: is required: a number of seconds',
    'cloudWatch.metric.queries[0].MetricStat.Stat: is required: text on one line',
    'cloudWatch.metric.stat: conflicts with queries',
    expect.stringMatching(/^kubernetesPods\.namespace: is required: lower-case letters/),
    expect.stringMatching(/^kubernetesPods\.labels\.a b: "a b": must be a name of letters/),
  ]);
});

test('a word that is none has the one that may be meant', () => {
  const said = (word: string) => checkProblems([{ [word]: {} }], subject)[0]!.allowed;
  expect(said('targethealth')).toMatch(/ \(is "targetHealth" meant\?\)$/);
  const sources = words.filter((word) => word.endsWith('.errorShare')).map((word) => `"${word}"`);
  expect(sources.length).toBeGreaterThan(1);
  expect(said('errorShare').endsWith(` (is ${sources.join(' or ')} meant?)`)).toBe(true);
  expect(said('quite-another')).toMatch(/targetHealth$/);
});
