import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { AnyCheckKind } from '../../../lib/shift/checks';

/** Where the kinds are documented. */
export const checksPage = join(resolve(__dirname, '../../..'), 'docs', 'checks.md');

const begin = '<!-- kinds: written by test/shift/checks/write-check-table.ts -->\n';
const end = '<!-- kinds: end -->\n';

/** The page with the table of these kinds between its marks; each has a heading with its word as code. */
export function withTable(page: string, kinds: Readonly<Record<string, AnyCheckKind>>): string {
  const [before, behind] = [page.indexOf(begin), page.indexOf(end)];
  if (before < 0 || behind < 0) {
    throw new Error(`docs/checks.md has no ${begin.trim()} or no ${end.trim()}`);
  }
  const headings = page.split('\n').filter((line) => line.startsWith('#'));
  const rows = Object.entries(kinds).map(([word, { asks, stages }]) => {
    const heading = headings.find((line) => line.includes(`\`${word}\``));
    if (heading === undefined) {
      throw new Error(`docs/checks.md has no heading with \`${word}\``);
    }
    return `| [\`${word}\`](#${anchorOf(heading)}) | ${stages.join(', ')} | ${asks} |\n`;
  });
  const table = ['| kind | stages | asks |\n', '|---|---|---|\n', ...rows].join('');
  return `${page.slice(0, before)}${begin}${table}${page.slice(behind)}`;
}

/** As GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

/** The page as it is. */
export function readPage(): string {
  return readFileSync(checksPage, 'utf8');
}
