/** One document of a YAML text. */
export interface DocumentText {
  readonly text: string;
  /** Line of its beginning, from 1: the one with `---` where there is one. */
  readonly line: number;
  /** Where it begins and ends in the text. */
  readonly start: number;
  readonly end: number;
}

/** Ends a document wherever it stands, in a block of text too: https://yaml.org/spec/1.2.2/#912-document-markers */
const marker = /(?<=^|\n)(?:---|\.\.\.)(?=[ \t\r\n]|$)/g;

/** The documents of a YAML text, each to be read alone: what is wrong in one leaves the others as they are. */
export function splitDocuments(text: string): DocumentText[] {
  const documents: DocumentText[] = [];
  let [start, line] = [0, 1];
  let isMarked = false;
  const end = (at: number): void => {
    const piece = text.slice(start, at);
    if (hasContent(piece)) {
      documents.push({ text: piece, line, start, end: at });
    }
    line += newlines(text, start, at);
    start = at;
  };
  for (const { 0: sign, index } of text.matchAll(marker)) {
    const begins = sign === '---';
    if (begins && !isMarked && startsWithDirective(text, start)) {
      // Directives stand before the marker of their document.
      isMarked = true;
      continue;
    }
    end(index);
    isMarked = begins;
    // The end marker itself belongs to no document.
    start += begins ? 0 : sign.length;
  }
  end(text.length);
  return documents;
}

/** Whether a piece has anything but blank lines, comments and its own marker. */
function hasContent(piece: string): boolean {
  return /^(?!---[ \t]*(?:#.*)?$)[ \t]*[^\s#]/m.test(piece);
}

/** Whether a piece begins with a directive such as `%YAML 1.2`, behind comments and blank lines. */
function startsWithDirective(text: string, start: number): boolean {
  directive.lastIndex = start;
  return directive.test(text);
}

const directive = /(?:[ \t]*(?:#.*)?\r?\n)*%/y;

function newlines(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) {
    count += 1;
  }
  return count;
}
