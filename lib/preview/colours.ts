/** Marks up parts of a text for a terminal. */
export interface Colours {
  /** Marks a heading. */
  readonly strong: (text: string) => string;
  /** Marks what is of less weight. */
  readonly faint: (text: string) => string;
  /** Marks what a reader should not miss. */
  readonly notice: (text: string) => string;
}

const escape =
  (code: number) =>
  (text: string): string =>
    `\u001b[${code}m${text}\u001b[0m`;
const plain = (text: string): string => text;

/** For a terminal. */
export const coloured: Colours = { strong: escape(1), faint: escape(2), notice: escape(33) };

/** For files, pipes and people who want none. */
export const colourless: Colours = { strong: plain, faint: plain, notice: plain };
