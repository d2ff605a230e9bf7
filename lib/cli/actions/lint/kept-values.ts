import { mostValues } from '../../../core/kubernetes/lists';
import type { ManifestObject } from '../../../lint';

/** Why no more files are read, by the values of those that were: as many are kept of all together as of one answer. */
export class KeptValues {
  private count = 0;

  /** @param most how many there may be. @default mostValues */
  public constructor(private readonly most = mostValues) {}

  public add(objects: readonly ManifestObject[]): void {
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
