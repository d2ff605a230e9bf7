import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The project's folder. */
export const root = join(__dirname, '..', '..');

/** A page for users. */
export interface Page {
  /** Path from the project's folder. */
  readonly path: string;
  readonly text: string;
}

/** The READMEs, and the pages in docs. */
export const pages: readonly Page[] = [
  ...readdirSync(root)
    .filter((name) => /^README.*\.md$/.test(name))
    .sort(),
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => join('docs', name)),
].map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** A fenced block of a page. */
export interface Block {
  /** `docs/shift.md:268`: where its first line stands. */
  readonly place: string;
  readonly page: string;
  /** Line before its first one. */
  readonly line: number;
  readonly code: string;
}

/** The fenced blocks in a language, without the indentation that they have in a list. */
export function blocksOf({ path, text }: Page, language: string): readonly Block[] {
  const found: Block[] = [];
  let open: { readonly language: string; readonly indent: number; readonly from: number } | undefined;
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const fence = /^( *)```(\S*)/.exec(line);
    if (!fence) {
      continue;
    }
    if (open === undefined) {
      open = { language: fence[2]!, indent: fence[1]!.length, from: index + 1 };
      continue;
    }
    if (open.language === language) {
      const { from, indent } = open;
      const code = lines
        .slice(from, index)
        .map((each) => each.slice(indent))
        .join('\n');
      found.push({ place: `${path}:${from + 1}`, page: path, line: from, code });
    }
    open = undefined;
  }
  return found;
}

/** A page without its code: fenced blocks are blank lines, and what stands in backticks is gone. */
export function withoutCode({ text }: Page): string {
  const blank = (code: string) => code.replace(/[^\n]/g, '');
  return text.replace(/^ *```[^]*?^ *```/gm, blank).replace(/`[^`\n]*`/g, '');
}
