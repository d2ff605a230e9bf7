import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rulePage } from '../../lib/lint';
import { pageHead, pageRules, ruleSection } from './rule-pages';

const page = readFileSync(join(__dirname, '../../docs/rules.md'), 'utf8');
const [head, ...sections] = page.split(/\n(?=## [A-Z]+\d+\n)/);

/** Long texts are not compared line by line: they are written anew. */
const state = (is: string | undefined, shouldBe: string): string =>
  is === shouldBe ? 'up to date' : 'run: npx ts-node -T test/lint/write-rule-pages.ts';

test('docs/rules.md begins with what the rules are', () => {
  expect(state(head, pageHead())).toBe('up to date');
  expect(sections).toHaveLength(pageRules.length);
  expect(pageRules.filter(({ id }) => !head!.includes(`[${id}](`)).map(({ id }) => id)).toEqual([]);
});

describe.each(pageRules.map((rule, position) => [rule.id, rule, position] as const))(
  '%s',
  (id, rule, position) => {
    test('docs/rules.md is what the rule and its examples say', () => {
      expect(state(sections[position], ruleSection(rule))).toBe('up to date');
    });

    test('its link leads to its section', () => {
      const [, anchor] = rulePage(id).split('#');
      expect(page).toMatch(new RegExp(`^## ${anchor}$`, 'im'));
    });
  },
);
