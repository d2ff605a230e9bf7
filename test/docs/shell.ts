import type { Page } from './documents';
import { blocksOf } from './documents';

/** A command line of a page, as a shell reads it. */
export interface CommandLine {
  /** `docs/shift.md:17`: where it stands. */
  readonly place: string;
  readonly page: string;
  readonly text: string;
  /** The command lines of a pipe, or those behind `&&`, each as words. What is redirected is left out. */
  readonly commands: readonly (readonly string[])[];
  /** Whether it stands in a sentence or a table, and not in a block of its own. */
  readonly inline: boolean;
  /** What the page shows as its output, if it shows any. */
  readonly shown: string | undefined;
}

/** Command lines in a page's fenced blocks: those of `sh`, and those that have no language. */
export function commandLinesOf(page: Page): readonly CommandLine[] {
  const found = ['sh', ''].flatMap((language) =>
    blocksOf(page, language).flatMap((block) => {
      const lines = continued(block.code, block.line + 1);
      const shown =
        lines.filter(({ text }) => isCommand(text)).length === 1 ? shownBelow(page, block.line) : undefined;
      return lines
        .filter(({ text }) => isCommand(text))
        .map(({ text, line }) => {
          const place = `${page.path}:${line}`;
          return { place, page: page.path, text, commands: commandsOf(text), inline: false, shown };
        });
    }),
  );
  return [...found, ...inlineOf(page)];
}

/** What stands in backticks and begins as a command of this package does: in tables and in sentences. */
function inlineOf(page: Page): readonly CommandLine[] {
  const text = page.text.replace(/^ *```[^]*?^ *```/gm, (code) => code.replace(/[^\n]/g, ''));
  return text.split('\n').flatMap((line, index) =>
    [...line.matchAll(/`((?:npx --no-install )?cluster-canary [a-z][^`]*)`/g)].map(([, command]) => ({
      place: `${page.path}:${index + 1}`,
      page: page.path,
      text: command!.replaceAll('\\|', '|'),
      commands: commandsOf(command!.replaceAll('\\|', '|')),
      inline: true,
      shown: undefined,
    })),
  );
}

function isCommand(text: string): boolean {
  return /(^|\| )(npx |npm |cluster-canary |cd )/.test(text);
}

/** Lines that a backslash continues are one. */
function continued(code: string, from: number): readonly { readonly text: string; readonly line: number }[] {
  const lines: { text: string; line: number }[] = [];
  let open = false;
  for (const [index, each] of code.split('\n').entries()) {
    const text = each.replace(/\\$/, '').trim();
    if (open) {
      lines.at(-1)!.text += ` ${text}`;
    } else {
      lines.push({ text, line: from + index });
    }
    open = each.endsWith('\\');
  }
  return lines;
}

/** The `text` block that follows the one whose fence stands in a line, with nothing but a blank line between. */
function shownBelow(page: Page, fence: number): string | undefined {
  const lines = page.text.split('\n');
  const end = lines.findIndex((line, index) => index >= fence && /^ *```$/.test(line));
  return blocksOf(page, 'text').find(({ line }) => line === end + 3)?.code;
}

/** The commands of a line, each as words. Quotes are taken off, comments and redirections left out. */
export function commandsOf(text: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  for (const [, word, separator] of text.matchAll(/((?:'[^']*'|"[^"]*"|[^\s'"|&])+)|(\|\|?|&&)/g)) {
    if (separator !== undefined) {
      commands.push([]);
    } else if (word!.startsWith('#')) {
      break;
    } else {
      commands.at(-1)!.push(word!.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double));
    }
  }
  return commands.map(withoutRedirection).filter(({ length }) => length > 0);
}

function withoutRedirection(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => /^2?>/.test(word));
  return at < 0 ? words : words.slice(0, at);
}
