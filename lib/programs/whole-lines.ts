/** Longest line that is kept, in characters: of more, the end. */
const longest = 64 * 1024;

/**
 * Tells the lines of a stream when they are whole. A stream comes in pieces that end anywhere, and a secret could not be taken
 * out of one that holds its first half.
 */
export class WholeLines {
  private begun = '';

  /** @param tell is told each line that is not empty, without spaces around it */
  public constructor(private readonly tell: (line: string) => void) {}

  /** The next piece. */
  public add(text: string): void {
    const lines = (this.begun + text).split('\n');
    this.begun = lines.pop()!.slice(-longest);
    lines.forEach((line) => this.tellTrimmed(line));
  }

  /** The stream has ended. */
  public end(): void {
    this.tellTrimmed(this.begun);
    this.begun = '';
  }

  private tellTrimmed(line: string): void {
    if (line.trim() !== '') {
      this.tell(line.trim());
    }
  }
}
