import * as fc from 'fast-check';
import type { JsonPatchOperation, RawFinding, Rule } from '../../lib/lint';
import { applyPatch, Field, lint, fixFiles, parseYaml, readManifests, setValuePatch } from '../../lib/lint';
import { fixDocument } from '../../lib/lint/fix/fix-document';

const document = `# above
---
# of the object
apiVersion: v1
kind: Thing # a thing
metadata: {name: a, labels: {on: "off", n: 010}}
spec:
  list:
  - one # first

  # before two
  - two
  text: |
    keep
      this
  long: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
  flag: yes
`;

describe('a change of a text', () => {
  test.each<[string, JsonPatchOperation, RegExp]>([
    ['adds a key', { op: 'add', path: '/spec/more', value: 'x' }, /\n {2}flag: yes\n {2}more: x\n$/],
    [
      'adds what would be something else',
      { op: 'add', path: '/spec/more', value: 'on' },
      /\n {2}more: "on"\n$/,
    ],
    ['adds a number that is a text', { op: 'add', path: '/spec/more', value: '012' }, /\n {2}more: "012"\n$/],
    [
      'adds a tree',
      { op: 'add', path: '/spec/more', value: { a: [1, true, null] } },
      /\n {2}more:\n {4}a:\n {4}- 1\n {4}- true\n {4}- null\n$/,
    ],
    ['appends', { op: 'add', path: '/spec/list/-', value: 'three' }, /\n {2}- two\n {2}- three\n {2}text:/],
    [
      'inserts',
      { op: 'add', path: '/spec/list/0', value: 'zero' },
      /\n {2}list:\n {2}- zero\n {2}- one # first\n/,
    ],
    ['replaces', { op: 'replace', path: '/spec/list/1', value: 'zwei' }, /\n {2}# before two\n {2}- zwei\n/],
    ['removes a key', { op: 'remove', path: '/spec/text' }, /- two\n {2}long:/],
    [
      'removes an item',
      { op: 'remove', path: '/spec/list/0' },
      /\n {2}list:\n\n {2}# before two\n {2}- two\n/,
    ],
    [
      'goes into braces',
      { op: 'add', path: '/metadata/labels/a~1b', value: 'c' },
      /labels: \{on: "off", n: 010, a\/b: c\}/,
    ],
  ])('%s, and leaves the rest', (_, change, expected) => {
    const fixed = fixDocument(document, [change]);
    expect(fixed).toEqual({ text: expect.stringMatching(expected) });
    const { text } = fixed as { text: string };
    expect(parseYaml(text)).toEqual(applyPatch(parseYaml(document), [change]));
    for (const kept of ['# above', '# of the object', '# a thing', '"off"', '010', 'flag: yes', '---']) {
      expect(text).toContain(kept);
    }
  });

  test.each<[string, string, JsonPatchOperation, RegExp]>([
    ['an alias', 'x: &x {a: 1}\nz: *x\n', { op: 'add', path: '/z/b', value: 1 }, /alias/],
    ['a place that is not there', 'x: 1\n', { op: 'replace', path: '/y', value: 1 }, /not there/],
    ['a place in a scalar', 'x: 1\n', { op: 'add', path: '/x/y', value: 1 }, /not there/],
    ['a key that readers take for another', 'on: {a: 1}\n', { op: 'add', path: '/true/b', value: 1 }, /./],
    [
      'a map that is merged',
      'a: &a {k: {b: 1}}\nc:\n  <<: *a\n',
      { op: 'add', path: '/c/k/d', value: 1 },
      /./,
    ],
  ])('%s is left alone', (_, text, change, reason) => {
    expect(fixDocument(text, [change])).toEqual({ reason: expect.stringMatching(reason) });
  });

  test('of JSON stays JSON, with its indentation', () => {
    const text = `${JSON.stringify({ a: { b: [1] } }, null, '\t')}\n`;
    expect(fixDocument(text, [{ op: 'add', path: '/a/b/-', value: 'on' }])).toEqual({
      text: `${JSON.stringify({ a: { b: [1, 'on'] } }, null, '\t')}\n`,
    });
  });

  test('whatever the change, what comes out says exactly that or nothing does', () => {
    const paths = [
      '/spec/list/-',
      '/spec/list/1',
      '/spec/more',
      '/metadata/labels/on',
      '/spec/text',
      '/spec',
      '',
    ];
    const anyChange = fc.record({
      op: fc.constantFrom('add' as const, 'replace' as const, 'remove' as const),
      path: fc.constantFrom(...paths),
      value: fc.jsonValue({ maxDepth: 2 }),
    });
    fc.assert(
      fc.property(anyChange, (change) => {
        const fixed = fixDocument(document, [change]);
        if ('text' in fixed) {
          expect(parseYaml(fixed.text)).toEqual(applyPatch(parseYaml(document), [change]));
        } else {
          expect(fixed.reason).not.toBe('');
        }
      }),
    );
  });
});

/** Asks for fields with a value, as many as there are. */
function wants(id: string, key: string, value: string, mendable = true): Rule {
  return {
    id,
    severity: 'error',
    title: 'T',
    why: 'w',
    fix: 'f',
    *check({ objects }): Iterable<RawFinding> {
      for (const object of objects.all) {
        const steps = ['spec', 'options', '-'];
        if (!Field.of(object).get('spec', 'options').texts.includes(value)) {
          const patch = mendable ? setValuePatch(object, steps, value) : undefined;
          yield {
            object,
            pointer: `/spec/options/${key}`,
            message: `no ${value}`,
            ...(patch ? { fixPatch: patch } : {}),
          };
        }
      }
    },
  };
}

describe('files', () => {
  const one = 'apiVersion: v1\nkind: X\nmetadata: {name: a}\n';
  const texts: Record<string, string> = {
    'a.yaml': `${one}---\n# not an object\nfree: text\n---\n${one}spec: {options: [x]}   # odd   spacing stays\n`,
    'b.yaml': `kind: List\napiVersion: v1\nitems:\n- apiVersion: v1\n  kind: X\n  metadata: {name: b}\n- apiVersion: v1\n  kind: X\n  metadata: {name: b}\n`,
    'c.yaml': `${one}spec: {options: [x, w]}\n`,
    'd.yaml': `${one}spec: 7\n`,
  };
  const objects = Object.entries(texts).flatMap(
    ([file, text]) => readManifests(text, { file, read: () => text }).objects,
  );
  const rules = [wants('T01', '0', 'x'), wants('T02', '1', 'w'), wants('T03', '2', 'z', false)];
  const fixing = fixFiles(objects, (file) => texts[file]!, { rules });

  test('are fixed until nothing more can be, also where two fixes want the same list', () => {
    expect(Object.fromEntries(fixing.texts)).toEqual({
      'a.yaml': `${one}spec:\n  options:\n    - x\n    - w\n---\n# not an object\nfree: text\n---\n${one}spec: {options: [x, w]}   # odd   spacing stays\n`,
      'b.yaml': texts['b.yaml']!.replace(
        /name: b\}\n/g,
        'name: b}\n  spec:\n    options:\n    - x\n    - w\n',
      ),
    });
    expect(fixing.fixed).toHaveLength(7);
  });

  test('what is left is said with the reason, and is what is found in the fixed ones', () => {
    const reasons = fixing.leftAlone.map(({ finding: { file, rule }, reason }) => [file, rule, reason]);
    expect(reasons.filter(([, id]) => id !== 'T03')).toEqual([
      ['d.yaml', 'T01', 'no change of the manifest alone is known to be safe'],
      ['d.yaml', 'T02', 'no change of the manifest alone is known to be safe'],
    ]);
    expect(reasons.filter(([, id]) => id === 'T03')).toHaveLength(6);
    const again = Object.entries({ ...texts, ...Object.fromEntries(fixing.texts) }).flatMap(
      ([file, text]) => readManifests(text, { file, read: () => text }).objects,
    );
    expect(lint(again, { rules }).findings).toEqual(fixing.after.findings);
  });

  test('a patch that fixes nothing ends', () => {
    const endless: Rule = {
      ...wants('T01', '0', 'x'),
      check: ({ objects: { all } }) =>
        all.map((object) => ({
          object,
          pointer: '',
          message: 'm',
          fixPatch: setValuePatch(object, ['spec', 'n'], 1)!,
        })),
    };
    const text = `${one}spec: {n: 1}\n`;
    const outcome = fixFiles(readManifests(text, { file: 'x', read: () => text }).objects, () => text, {
      rules: [endless],
    });
    expect(outcome.leftAlone).toHaveLength(1);
  });
});

test('what is gone with what was fixed is known, so that counts add up', () => {
  const text = 'apiVersion: v1\nkind: Thing\nmetadata: { name: a }\nspec: { bad: yes }\n';
  const rule = (id: string, fixes: boolean): Rule => ({
    ...{ id, severity: 'warning', title: 't', why: 'w', fix: 'f' },
    *check({ objects }) {
      for (const object of objects.all) {
        const { exists, pointer } = Field.of(object).get('spec', 'bad');
        if (exists || id === 'C01') {
          const patch: readonly JsonPatchOperation[] = [{ op: 'remove', path: pointer }];
          yield { object, pointer, message: 'bad', ...(fixes ? { fixPatch: patch } : {}) };
        }
      }
    },
  });
  const { objects } = readManifests(text, { file: 'a.yaml', read: () => text });
  const rules = [rule('A01', true), rule('B01', false), rule('C01', false)];
  const { fixed, gone, leftAlone } = fixFiles(objects, () => text, { rules });
  expect(
    [fixed, gone, leftAlone.map(({ finding }) => finding)].map((each) => each.map((one) => one.rule)),
  ).toEqual([['A01'], ['B01'], ['C01']]);
});
