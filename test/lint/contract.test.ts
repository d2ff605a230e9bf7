import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rule } from '../../lib/lint';
import { allRules, lint, rulePage, ruleGroups, suppressionRules } from '../../lib/lint';
import type { Examples } from './contract';
import { contractProblems } from './contract';
import { exampleTexts, objectsOf } from './examples';

const mutationGroups: Readonly<
  Record<string, { readonly mutate: readonly string[]; readonly tests: readonly string[] }>
> = require('../mutation/groups');
const rulesFolder = join(__dirname, '../../lib/lint/rules');
const page = readFileSync(join(__dirname, '../../docs/rules.md'), 'utf8');
const groups = Object.entries(ruleGroups);

describe.each(groups)('%s', (group, rules) => {
  test('every file of the folder is a rule of the group, in the order of the ids', () => {
    const files = readdirSync(join(rulesFolder, group))
      .filter((file) => /\d\d-.*\.ts$/.test(file))
      .sort();
    expect(files.map((file) => file.split('-')[0]!.toUpperCase())).toEqual(rules.map(({ id }) => id));
  });

  test.each(rules.map((rule) => [rule.id, rule] as const))('%s keeps the contract', (id, rule) => {
    const examples = { fires: exampleTexts(id, 'fires'), silent: exampleTexts(id, 'silent') };
    expect(contractProblems(rule, examples)).toEqual([]);
  });

  test.each(rules.map(({ id }) => [id]))('%s has its place on the page', (id) => {
    expect(rulePage(id)).toBe(`docs/rules.md#${id.toLowerCase()}`);
    expect(page).toContain(`\n## ${id}\n`);
  });
});

test('every group is a folder, and every folder a group', () => {
  const folders = readdirSync(rulesFolder, { withFileTypes: true }).filter((each) => each.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(groups.map(([name]) => name).sort());
});

test('mutants of every folder are tried with its tests and with these', () => {
  const families = Object.values(mutationGroups).filter(({ mutate }) =>
    /^lib\/lint\/rules\//.test(mutate[0]!),
  );
  expect(families.map(({ mutate }) => mutate[0]!.split('/')[3]).sort()).toEqual(
    groups
      .map(([name]) => name)
      .filter((name) => existsSync(join(__dirname, 'rules', name)))
      .sort(),
  );
  const named = Object.values(mutationGroups).flatMap(({ tests }) => tests);
  expect(named.filter((test) => !existsSync(join(__dirname, '..', `${test}.test.ts`)))).toEqual([]);
});

test('ids are there once', () => {
  const ids = [...allRules, ...suppressionRules].map(({ id }) => id);
  expect([...new Set(ids)]).toEqual(ids);
});

test('every example is that of a rule', () => {
  const ids = readdirSync(join(__dirname, 'examples')).map((file) => file.split('.')[0]!);
  expect([...new Set(ids)].sort()).toEqual(allRules.map(({ id }) => id).sort());
});

describe('one that only the test has', () => {
  const toy: Rule = {
    id: 'TOY01',
    severity: 'warning',
    title: 'ConfigMap without data',
    why: 'it holds nothing',
    fix: 'give it data',
    scope: 'object',
    *check({ objects }) {
      for (const object of objects.ofKind('', 'ConfigMap')) {
        if (!('data' in (object.value as object))) {
          yield { object, pointer: '/data', message: 'no data' };
        }
      }
    },
  };
  const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n';
  const examples: Examples = {
    fires: { manifests: `${configMap}---\n${configMap.replace('name: a', 'name: b')}` },
    silent: { manifests: `${configMap}data: {}\n` },
  };

  test('keeps the contract, and finds something among the others', () => {
    expect(contractProblems(toy, examples)).toEqual([]);
    const { findings } = lint(objectsOf(configMap), { rules: [...allRules, toy] });
    expect(findings).toMatchObject([{ rule: 'TOY01', severity: 'warning', line: 1 }]);
  });

  const unlessAlone: Rule['check'] = function* ({ objects }) {
    const [object, ...others] = objects.ofKind('', 'ConfigMap');
    if (others.length > 0) {
      yield { object: object!, pointer: '', message: 'another one is there' };
    }
  };

  test.each<[string, Partial<Rule>, Partial<Examples>, string]>([
    ['an id', { id: 'Toy1' }, {}, 'id: '],
    ['a severity', { severity: 'fatal' as 'error' }, {}, 'severity: '],
    ['a full stop', { why: 'It holds nothing.' }, {}, 'why: '],
    ['a title of two sentences', { title: 'No data. At all' }, {}, 'title: '],
    ['two lines', { otherwise: 'an error\nat times' }, {}, 'otherwise: '],
    ['a title', { title: 'no data' }, {}, 'title: no capital, or more'],
    ['a scope that has needs', { needs: 'before' }, {}, 'scope: with needs'],
    ['a scope that is not so', { check: unlessAlone }, {}, 'scope: finds something else'],
    ['an example without findings', {}, { fires: examples.silent }, 'fires: no finding'],
    ['a near miss with findings', {}, { silent: examples.fires }, 'silent: a finding'],
    ['no near miss', {}, { silent: {} }, 'silent: no example'],
    [
      'a message of two lines',
      {
        *check({ objects }) {
          yield* objects.all.map((object) => ({ object, pointer: '', message: 'a\nb' }));
        },
      },
      {},
      'message: ',
    ],
    [
      'a failure',
      {
        check: () => {
          throw new Error('no such field');
        },
      },
      {},
      'fails: ',
    ],
  ])('%s is told', (_, spoilt, others, problem) => {
    expect(contractProblems({ ...toy, ...spoilt }, { ...examples, ...others })).toContainEqual(
      expect.stringContaining(problem),
    );
  });
});
