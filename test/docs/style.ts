import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import nspell = require('nspell');
import { root } from './documents';

/** A text as prose: without code, addresses, comments and marks; lines stay where they are. */
export function proseOf(text: string): string {
  const blank = (code: string) => code.replace(/[^\n]/g, '');
  return (
    text
      .replace(/^ *(`{3,})[^]*?^ *\1/gm, blank)
      .replace(/<!--[^]*?-->/g, blank)
      .replace(/(``[^\n]*?``|`[^`\n]*`)(?:'?s\b)?/g, 'X')
      .replace(/!?\[([^\]]*)\](\([^)\s]*\)|\[[^\]]*\])/g, '$1')
      .replace(/https?:\/\/\S+|\S+@\S+\.\S+/g, 'X')
      // Names of files and hosts.
      .replace(/(?<![\w.])[\w-]+(\.[\w-]+)+/g, 'X')
      .replace(/<\/?[a-z][^>]*>/g, '')
      .replaceAll('’', "'")
  );
}

/** Words that documents do not use, and what to write. */
export const unwanted: Readonly<Record<string, string>> = {
  'nobody|somebody|anybody': 'name who: "no user", "another program"',
  'told|tells': 'reports, says, shows',
  'stands|stood': 'is, has',
  'judges?|judged|judging|judge?ments?': 'evaluates, checks, result',
  'mends?|mended|mending': 'fixes',
  'couriers?': 'delivery',
  're-?key(s|ed|ing)?': 'CA rotation',
  'houses?': 'package',
  'rooms?': 'module',
  'doors?': 'entry point',
  formerly: 'leave it out: history is in the commits',
  whoever: 'name who: "users that", "a program that"',
  likewise: 'also, the same',
};

/** Unwanted words of a text, as `LINE: WORD (ADVICE)`. */
export function unwantedWords(text: string): readonly string[] {
  const found: string[] = [];
  const lines = proseOf(text).split('\n');
  for (const [index, line] of lines.entries()) {
    for (const [words, advice] of Object.entries(unwanted)) {
      for (const [word] of line.matchAll(new RegExp(`(?<![-\\w])(?:${words})(?![-\\w])`, 'gi'))) {
        found.push(`${index + 1}: ${word} (${advice})`);
      }
    }
  }
  return found;
}

/** Sentences of paragraphs and lists that have more words than that, as `COUNT words: BEGINNING`. */
export function longSentences(text: string, most: number): readonly string[] {
  const blocks = proseOf(text)
    // A table or a heading is no sentence, and a list item begins one.
    .replace(/^ *(\||#|>).*$/gm, '\n')
    .replace(/^ *([-*+]|\d+\.) /gm, '\n')
    .split(/\n\s*\n/);
  const sentences = blocks.flatMap((block) => block.replace(/\s+/g, ' ').split(/(?<=[.!?][*_"')]*) /));
  return sentences
    .map((sentence) => [sentence, sentence.split(' ').filter((word) => /\w/.test(word)).length] as const)
    .filter(([, count]) => count > most)
    .map(([sentence, count]) => `${count} words: ${sentence.slice(0, 80)}`);
}

/** Words of the project, of its field and of British English, which the dictionary does not have: one a line. */
export const knownWords: readonly string[] = readFileSync(join(__dirname, 'words.txt'), 'utf8')
  .split('\n')
  .filter((word) => word !== '');

let loaded: ReturnType<typeof nspell> | undefined;

/** The dictionary of American English, with the project's words. */
function dictionary(): ReturnType<typeof nspell> {
  if (loaded === undefined) {
    // The package is an ES module that only reads these two files.
    const folder = join(root, 'node_modules/dictionary-en');
    const [aff, dic] = ['index.aff', 'index.dic'].map((name) => readFileSync(join(folder, name), 'utf8'));
    loaded = nspell({ aff: aff!, dic: dic! });
    knownWords.forEach((word) => loaded!.add(word));
  }
  return loaded;
}

/** Words of a text that are not spelled as in the dictionary. Names such as `ListenerRule`, `EKS` and `x509` are left out. */
export function misspelled(text: string): readonly string[] {
  const words = [...proseOf(text).matchAll(/(?<![\w/.@#$-])\p{Script=Latin}[\p{Script=Latin}\p{N}']*/gu)]
    .map(([word]) => word.replace(/'s?$/, ''))
    .filter((word) => word.length > 1 && !/\p{N}|\p{L}\p{Lu}/u.test(word));
  const speller = dictionary();
  return [...new Set(words)].filter((word) => !speller.correct(word) && !speller.correct(word.toLowerCase()));
}

/** How many words a text has, as `wc -w` counts: whatever white space surrounds, such as the lines of a table. */
export function wordCount(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}
