import { list, object, optional, record } from '../../../lib/core/validation/collections';
import { problemsOf } from '../../../lib/core/validation/schema';
import { number } from '../../../lib/core/validation/values';
import { parsePlan } from '../../../lib/shift/plan-file';

const one = number('a number', { min: 0 });
const keys = Array.from({ length: 12_000 }, (_, position) => `k${position}`);
const map = Object.fromEntries(keys.map((key) => [key, 'x']));

test.each([
  ['a mapping', record(one), map],
  ['a list', list(one), keys],
  ['unknown keys', object<{ a?: number }>({ a: optional(one) }), map],
])('%s: of thousands that are wrong, a thousand are worked out', (_, schema, value) => {
  const found = problemsOf(schema, value);
  expect(found).toHaveLength(1_000);
  expect(new Set(found.map(({ path }) => path)).size).toBe(1_000);
});

test('a wrong value behind thousands of right ones is found', () => {
  const right = Object.fromEntries(keys.map((key) => [key, 1]));
  expect(problemsOf(record(one), { ...right, last: 'x' })).toMatchObject([{ path: 'last' }]);
});

test('a plan with thousands of wrong weights names a hundred, and says that there are more', () => {
  const text = `weights:\n${keys.map((key) => `  ${key}: x`).join('\n')}`;
  expect(() => parsePlan(text, 'a.yaml')).toThrow(
    /^a\.yaml: 101 problems\n[^]*k97: "x"[^]*without \d+ more problems, which are told after these$/,
  );
});
