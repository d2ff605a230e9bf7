import { allRules, suppressionRules } from '../../lib/lint';
import { exampleTexts, judgeExample, ofRule } from './examples';

describe.each(allRules.map((rule) => [rule.id, rule] as const))('%s', (id, rule) => {
  test('has an example that fires', () => {
    const result = judgeExample(rule, exampleTexts(id, 'fires'));
    expect(result.failures).toEqual([]);
    expect(ofRule(rule, result)).not.toEqual([]);
  });

  test('has a near miss that stays silent', () => {
    const texts = exampleTexts(id, 'silent');
    expect(Object.keys(texts)).not.toEqual([]);
    const result = judgeExample(rule, texts);
    expect(result.failures).toEqual([]);
    expect(ofRule(rule, result)).toEqual([]);
  });

  test('says what it is in single lines', () => {
    for (const text of [rule.title, rule.why, rule.fix, rule.otherwise ?? rule.title]) {
      expect(text).toMatch(/^\S.*[^\s.]$/);
    }
    expect(rule.title).toMatch(/^[A-Z]/);
    expect(id).toMatch(/^[A-Z]+\d\d$/);
  });
});

test('ids are there once', () => {
  const ids = [...allRules, ...suppressionRules].map(({ id }) => id);
  expect([...new Set(ids)]).toEqual(ids);
});
