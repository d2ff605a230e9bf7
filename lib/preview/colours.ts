/** Marks up parts of a text for a terminal. */
export interface Colours {
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
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
