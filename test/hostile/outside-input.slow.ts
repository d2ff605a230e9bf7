import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKubernetes } from '../../lib/core/kubernetes/open';
import { InvalidInput } from '../../lib/core/validation';
import { readLintConfig, readManifests } from '../../lib/lint';
import { parseClusterSet } from '../../lib/manifests/cluster-sync';
import { checkOutput, readPluginConfig } from '../../lib/operate/doctor';
import { readSwap } from '../../lib/operate/swap/file';
import { readAnswers } from '../../lib/pulumi/preview';
import { parsePlan } from '../../lib/shift/plan-file';
import { readScenario } from '../../lib/shift/simulation';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'outside-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Everything that reads YAML from outside. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'a plan': (text) => parsePlan(text, 'plan.yaml'),
  'a swap file': (text) => readSwap(text, 'swap.yaml'),
  'a scenario': (text) => readScenario(text, 'scenario.yaml'),
  'a cluster set': (text) => parseClusterSet(text, 'set.yaml'),
  'a configuration of lint': (text) => readLintConfig(text, 'cluster-canary.yaml', ['WH01']),
  'a kubeconfig': (text) => openKubernetes({ kubeconfigText: text }),
  'a plugin’s configuration': (text) => readPluginConfig(text, 'plugin.yaml'),
  answers: (text) => {
    const file = join(folder, 'answers.yaml');
    writeFileSync(file, text);
    return readAnswers(file);
  },
};

const nested = (open: string, close: string, levels: number): string =>
  `a: ${open.repeat(levels)}${close.repeat(levels)}\n`;
const bomb = Array.from({ length: 9 }, (_, level) => {
  const inner = level === 0 ? 'x' : `*l${level - 1}`;
  return `l${level}: &l${level} [${Array(10).fill(inner).join(', ')}]\n`;
}).join('');
const chain = Array.from({ length: 900 }, (_, at) => {
  const inner = at === 0 ? '1' : `*c${at - 1}`;
  return `c${at}: &c${at} ${'['.repeat(20)}${inner}${']'.repeat(20)}\n`;
}).join('');

const hostile: readonly [string, string][] = [
  ['lists in lists', nested('[', ']', 1_000)],
  ['a great depth, which would end a process', nested('[', ']', 20_000)],
  ['open brackets', '['.repeat(20_000)],
  ['maps in maps', nested('{a: ', '}', 1_000)],
  ['dashes', `${'- '.repeat(5_000)}a\n`],
  ['a value in itself', 'a: &a\n  b: *a\n'],
  ['a list in itself', 'a: &a [*a]\n'],
  ['aliases of aliases', bomb],
  ['a chain of aliases', chain],
  ['an alias without an anchor', 'a: *b\n'],
  ['a tag of JavaScript', 'a: !!js/function "x"\n'],
  ['NUL', 'a: \0\n'],
  ['two documents', 'a: 1\n---\nb: 1\n'],
  ['a key twice', 'a: 1\na: 2\n'],
  ['nothing', ''],
  ['a number', '17'],
];

describe.each(Object.entries(readers))('%s', (name, read) => {
  test.each(hostile)('%s', async (_what, text) => {
    const begun = performance.now();
    const error: unknown = await Promise.resolve()
      .then(() => read(text))
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    // Some of these texts are in order for some readers.
    expect(error === undefined || error instanceof InvalidInput ? undefined : error).toBeUndefined();
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  test('fifty thousand keys take no hold of the process', async () => {
    const text = Array.from({ length: 50_000 }, (_, at) => `key${at}: 1`).join('\n');
    const begun = performance.now();
    await Promise.resolve()
      .then(() => read(text))
      .catch(() => undefined);
    expect([name, performance.now() - begun < 20_000]).toEqual([name, true]);
  });
});

test('manifests that a plugin writes: a list in itself, and words that stand for gigabytes', () => {
  const list = '&a\napiVersion: v1\nkind: List\nitems: [*a]\n';
  expect(checkOutput(list).problems).toEqual([
    expect.objectContaining({ reason: expect.stringContaining('a value that contains itself') }),
  ]);
  expect(readManifests(list, { file: 'a.yaml', read: () => list }).unreadable).toEqual([
    { file: 'a.yaml', line: 1, reason: 'a value that contains itself' },
  ]);
  const words = `${bomb}kind: ConfigManagementPlugin\nmetadata: { name: a }\nspec: { generate: { command: [*l8] } }\n`;
  expect(() => readPluginConfig(words, 'plugin.yaml')).toThrow(InvalidInput);
});
