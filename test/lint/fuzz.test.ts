import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { stringify } from 'yaml';
import { allRules, lint, lintDocument, lintText, fixFiles, readManifests, sarifLog } from '../../lib/lint';
import { templateFile } from './examples';
import { now } from './lint-text';
import { scaled } from '../runs';

/** How many times as often as usual: FUZZ=100 takes a few minutes. */
const times = Number(process.env['FUZZ'] ?? 1);
jest.setTimeout(5_000 + 20_000 * times);

const texts = [
  ...['examples', 'well-formed']
    .map((folder) => join(__dirname, folder))
    .flatMap((folder) => readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))),
  readFileSync(join(__dirname, 'objects.yaml'), 'utf8'),
];

/** Longer than that is a hang, on a busy machine too. In milliseconds. */
const patience = 10_000;

/** Whatever the text, all that can be made of it is made, in reasonable time. */
function survives(text: string, before = ''): void {
  const started = performance.now();
  const read = (yaml: string, file: string) => readManifests(yaml, { file, read: () => yaml });
  const { objects, unreadable } = read(text, 'a.yaml');
  const templates = [templateFile(text)];
  const options = { before: read(before, 'b.yaml').objects, live: objects, templates, now };
  const result = lint(objects, options);
  expect(result.failures.map(({ rule, error }) => [rule, (error as Error).stack])).toEqual([]);
  for (const { line } of [...result.findings, ...unreadable]) {
    expect(line === undefined || (line >= 1 && line <= text.split('\n').length)).toBe(true);
  }
  JSON.stringify([
    lintDocument(result, unreadable),
    sarifLog({ ...result, rules: allRules, unreadable, version: '0' }),
  ]);
  lintText(result);
  fixFiles(objects, () => text, options);
  expect(performance.now() - started).toBeLessThan(patience);
}

/** Values of every type, also where they make no sense. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1e308,
    '',
    '*',
    'Fail',
    'x/y',
    [],
    {},
    [null],
    [[]],
    { a: null },
    '-----BEGIN CERTIFICATE-----',
  ),
  fc.string(),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Puts other values into some places of a value, or takes them away. */
function mutated(
  value: unknown,
  choices: Iterator<{ readonly hit: number; readonly value: unknown }>,
): unknown {
  const { hit, value: other } = choices.next().value as { hit: number; value: unknown };
  if (hit === 0) {
    return other;
  }
  if (Array.isArray(value)) {
    const items = value.map((each) => mutated(each, choices));
    return hit === 1 ? [...items, ...items] : items;
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, each]) => [key, mutated(each, choices)] as const);
    return Object.fromEntries(hit === 2 ? entries.slice(1) : entries);
  }
  return value;
}

test('real manifests with odd values in them', () => {
  const choice = fc.record({ hit: fc.nat(40), value: odd });
  fc.assert(
    fc.property(fc.constantFrom(...texts), fc.infiniteStream(choice), fc.boolean(), (text, choices, json) => {
      const values = readManifests(text, { file: 'a', read: () => text }).objects.map(({ value }) => {
        const other = mutated(value, choices) as object;
        // Still of its kind, so that rules look at it.
        return { ...other, apiVersion: value['apiVersion'], kind: value['kind'] };
      });
      const list = { apiVersion: 'v1', kind: 'List', items: values };
      const written = json
        ? JSON.stringify(list, null, '\t')
        : values.map((value) => stringify(value, { version: '1.1' })).join('---\n');
      survives(written, text);
    }),
    { numRuns: scaled(150 * times) },
  );
});

test('real manifests with characters changed', () => {
  const sign = fc.constantFrom(
    ...'{}[]:,-#&*!|>\'"%@`~<?\n\t \\0aé\u0000',
    '<<: ',
    '---\n',
    '{{ x }}',
    '&a ',
    '*a ',
    ': ',
  );
  const edit = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), remove: fc.nat(3), insert: sign });
  fc.assert(
    fc.property(fc.constantFrom(...texts), fc.array(edit, { minLength: 1, maxLength: 6 }), (text, edits) => {
      survives(
        edits.reduce((current, { at, remove, insert }) => {
          const position = Math.floor(at * current.length);
          return current.slice(0, position) + insert + current.slice(position + remove);
        }, text),
      );
    }),
    { numRuns: scaled(150 * times) },
  );
});

test('any text', () => {
  const line = fc.oneof(
    fc.string(),
    fc.fullUnicodeString(),
    fc.constantFrom(
      '---',
      '...',
      'a: &a',
      '  - *a',
      '? b',
      ': c',
      '<<: *a',
      '- - -',
      '{a: [',
      ']}',
      '"',
      "'",
      '|',
      '>-',
      '%YAML 1.1',
      '!!binary x',
      'kind: List',
      'items:',
    ),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => survives(lines.join('\n'))),
    { numRuns: scaled(400 * times) },
  );
});
