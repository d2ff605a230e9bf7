import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allRules, rulePage, suppressionRules } from '../../lib/rules';
import { rulePages } from './rule-pages';

const page = readFileSync(join(__dirname, '../../docs/rules.md'), 'utf8');

test('docs/rules.md is what the rules and their examples say', () => {
  expect(page === rulePages() ? 'up to date' : 'run: npx ts-node -T test/rules/write-rule-pages.ts').toBe(
    'up to date',
  );
});

test.each([...allRules, ...suppressionRules].map(({ id }) => id))(
  'the link of %s leads to its section',
  (id) => {
    const [, anchor] = rulePage(id).split('#');
    expect(page).toMatch(new RegExp(`^## ${anchor}$`, 'im'));
  },
);
