import type { JudgedObject } from '../../../lint';

/** As many values are kept of all files together: a short text may stand for many of them, and each takes some 60 bytes. */
export const mostValues = 20_000_000;

/** Why no more files are read, by the values of those that were. */
export class KeptValues {
  private count = 0;

  /** @param most how many there may be. @default mostValues */
  public constructor(private readonly most = mostValues) {}

  public add(objects: readonly JudgedObject[]): void {
    objects.forEach(({ value }) => (this.count += valuesIn(value)));
  }

  /** Nothing while there are not too many. */
  public get problem(): string | undefined {
    return this.count > this.most
      ? `the files before it have more than ${this.most} values together`
      : undefined;
  }
}

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) {
    return 1;
  }
  let count = 1;
  for (const each of Array.isArray(value) ? (value as readonly unknown[]) : Object.values(value)) {
    count += valuesIn(each);
  }
  return count;
}
