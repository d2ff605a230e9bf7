import * as fc from 'fast-check';
import { matchesGlob } from '../../../lib/core/glob';

test.each<[string, string, boolean]>([
  ['', '', true],
  ['', 'a', false],
  ['*', '', true],
  ['*', 'apps-blue', true],
  ['?', '', false],
  ['?', 'a', true],
  ['apps-*', 'apps-blue', true],
  ['apps-*', 'hub-blue', false],
  ['*-blue', 'apps-blue', true],
  ['*-blue', 'apps-blue-2', false],
  ['a?c', 'abc', true],
  ['a*b*c', 'a-b-b-c', true],
  ['a.c', 'abc', false],
  ['[ab]', 'a', false],
  ['a'.repeat(1_001), 'a'.repeat(1_001), false],
])('%s fits %s: %s', (pattern, text, fits) => {
  expect(matchesGlob(pattern, text)).toBe(fits);
});

test('as an expression says', () => {
  const sign = fc.stringOf(fc.constantFrom('a', 'b', '*', '?', '.'), { maxLength: 6 });
  fc.assert(
    fc.property(sign, sign, (pattern, text) => {
      const expression = pattern.replaceAll('.', '[.]').replaceAll('?', '.').replaceAll('*', '.*');
      expect(matchesGlob(pattern, text)).toBe(new RegExp(`^${expression}$`).test(text));
    }),
  );
});

test('many stars against a text that only its end refuses', () => {
  const started = performance.now();
  expect(matchesGlob('*a'.repeat(126), `${'a'.repeat(252)}b`)).toBe(false);
  expect(performance.now() - started).toBeLessThan(1_000);
});
