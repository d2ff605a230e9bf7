import { wrapped } from '../../lib/cli/output';

const words = (count: number, length = 9): string => Array(count).fill('x'.repeat(length)).join(' ');

test.each<[string, string, readonly number[]]>([
  ['nothing', '', [0]],
  ['a line that is just not too wide', 'x'.repeat(98), [98]],
  ['words that end at the edge', `${words(9)} ${'x'.repeat(8)}`, [98]],
  ['one letter more', `${words(10)}`, [99 - 10, 4 + 9]],
  ['a word that is too wide by itself', `  ${'x'.repeat(120)}`, [122]],
  ['what comes after such a word', `  ${'x'.repeat(120)} y`, [122, 5]],
  ['a further line that is too wide', `a ${'x'.repeat(120)} b`, [1, 124, 5]],
  ['a long text', words(30), [89, 93, 93, 33]],
])('%s', (_, line, widths) => {
  const lines = wrapped(line, '    ');
  expect(lines.map(({ length }) => length)).toEqual(widths);
  expect(lines.slice(1).every((each) => each.startsWith('    '))).toBe(true);
  expect(lines.map((each) => each.trim()).join(' ')).toBe(line.trim());
});
