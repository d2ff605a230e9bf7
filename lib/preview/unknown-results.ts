import type { UnknownResult } from './plan';

/**
 * What could not be known, each once. Arguments are left out: Pulumi hands them over in plain text, whether or
 * not they are secret.
 */
export class UnknownResults {
  private readonly found = new Map<string, UnknownResult>();

  public add(kind: UnknownResult['kind'], name: string): void {
    const key = `${kind} ${name}`;
    this.found.set(key, { kind, name, times: (this.found.get(key)?.times ?? 0) + 1 });
  }

  /** Sorted, since a program asks in no certain order. */
  public list(): UnknownResult[] {
    return [...this.found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, result]) => result);
  }
}
