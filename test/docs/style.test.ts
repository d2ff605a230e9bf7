import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pages as allPages, root } from './documents';
import { longSentences, misspelled, unwantedWords, wordCount } from './style';

const others = ['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'].map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}));
/** What is written in English. */
const pages = [...allPages, ...others].filter(({ path }) => !path.endsWith('.ja.md'));
const paths = pages.map(({ path }) => path);
const textOf = (path: string) => pages.find((page) => page.path === path)!.text;

test('at most 28 pages in docs', () => {
  expect(paths.filter((path) => path.startsWith('docs/')).length).toBeLessThanOrEqual(28);
});

test('at most 55,000 words in all', () => {
  const counted = pages.filter(({ path }) => /^docs\/|^README|^CONTRIBUTING/.test(path));
  const total = counted.reduce((sum, { text }) => sum + wordCount(text), 0);
  expect(total).toBeLessThanOrEqual(55_000);
});

test.each(Object.entries({ 'README.md': 1500, 'docs/architecture.md': 1300 }))(
  '%s has at most %d words',
  (path, most) => {
    expect(wordCount(textOf(path))).toBeLessThanOrEqual(most);
  },
);

test.each(paths)('%s has no unwanted words', (path) => {
  expect(unwantedWords(textOf(path))).toEqual([]);
});

test.each(paths)('%s has sentences of at most 40 words', (path) => {
  expect(longSentences(textOf(path), 40)).toEqual([]);
});

// A word that is right, and that the dictionary does not have, goes into test/docs/words.txt.
test.each(paths)('%s is spelled right', (path) => {
  expect(misspelled(textOf(path))).toEqual([]);
});

describe('the checks themselves', () => {
  test('find words, sentences and spelling in prose', () => {
    const text = `Nobody is told.\n\n- ${'word '.repeat(41)}.\n\nA mispeled word.\n`;
    expect(unwantedWords(text).map((each) => each.split(' ')[1])).toEqual(['Nobody', 'told']);
    expect(longSentences(text, 40)).toEqual([expect.stringMatching(/^41 words: word word/)]);
    expect(misspelled(text)).toEqual(['mispeled']);
  });

  test('find nothing in code, addresses, tables and names', () => {
    const text = [
      '```sh\nnobody mispeled\n```',
      '`nobody` [link](https://nobody.example/mispeled) ListenerRule EKS x509',
      `| ${'word '.repeat(50)} |`,
    ].join('\n\n');
    expect([...unwantedWords(text), ...longSentences(text, 40), ...misspelled(text)]).toEqual([]);
  });

  test('count words as `wc -w` does: whatever white space surrounds, in tables and code, too', () => {
    expect(wordCount('')).toBe(0);
    expect(wordCount('| a | `b c` |\n|---|---|\n\n- 90 %\n')).toBe(10);
  });
});
