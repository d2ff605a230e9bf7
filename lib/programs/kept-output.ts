import type { OutputLimit } from './program-call';

/** What is kept of a stream. */
export class KeptOutput {
  private parts: Buffer[] = [];
  private length = 0;
  private full = false;

  public constructor(private readonly limit: OutputLimit) {}

  /** Whether there was more than is kept. */
  public get isBeyond(): boolean {
    return this.full;
  }

  /** All that is kept. */
  public get content(): Buffer {
    const { bytes, beyond } = this.limit;
    const all = Buffer.concat(this.parts);
    if (beyond !== 'keepEnd' || all.length <= bytes) {
      return all.subarray(0, bytes);
    }
    // From a whole line on: a secret could not be found in what is left of it.
    const end = all.subarray(all.length - bytes);
    return end.subarray(end.indexOf('\n') + 1);
  }

  /** The next piece. */
  public add(part: Buffer): void {
    const { bytes, beyond } = this.limit;
    if (this.full && beyond !== 'keepEnd') {
      return;
    }
    this.parts.push(part);
    this.length += part.length;
    this.full ||= this.length > bytes;
    // Not with each piece: they may be small.
    if (beyond === 'keepEnd' && this.length > 2 * bytes) {
      this.parts = [Buffer.from(this.content)];
      this.length = this.parts[0]!.length;
    }
  }
}
