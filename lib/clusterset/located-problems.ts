import type { Problem, Rule } from '../problems';
import { isMapping, unknownKey } from '../problems';

/** The way to a field: keys, and places in lists. */
export type Steps = readonly (string | number)[];

/** A problem, and the way to it. */
export interface LocatedProblem extends Problem {
  readonly steps: Steps;
}

/** One field of a file that has not been checked, with its way. */
export class Field {
  public constructor(
    private readonly found: LocatedProblem[],
    public readonly value: unknown,
    private readonly steps: Steps = [],
  ) {}

  /** Whether the field is there; YAML's null counts as not. */
  public get isThere(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  /** The field below, whether it is there or not. */
  public at(step: string | number): Field {
    const holder = Object(this.value) as Record<string | number, unknown>;
    const value = this.isThere && Object.hasOwn(holder, step) ? holder[step] : undefined;
    return new Field(this.found, value, [...this.steps, step]);
  }

  /** Adds a problem with the value. */
  public wrong(allowed: string): void {
    this.found.push({ path: textOf(this.steps), value: this.value, allowed, steps: this.steps });
  }

  /** Adds a problem without the value. */
  public wrongSecretly(allowed: string): void {
    this.found.push({ path: textOf(this.steps), allowed, steps: this.steps });
  }

  /** Checks a field that must be there; answers whether it is fine. */
  public required(rule: Rule): boolean {
    const fine = rule.accepts(this.value);
    if (!fine) {
      this.wrong(rule.allowed);
    }
    return fine;
  }

  /** Checks a field that may be left out. */
  public optional(rule: Rule): void {
    if (this.isThere) {
      this.required(rule);
    }
  }

  /** The entries of a mapping; any other value is a problem, and has none. */
  public entries(): readonly (readonly [string, Field])[] {
    if (!isMapping(this.value)) {
      if (this.isThere) {
        this.wrong('a mapping');
      }
      return [];
    }
    return Object.keys(this.value).map((key) => [key, this.at(key)]);
  }

  /** The items of a list; any other value is a problem, and has none. */
  public items(): readonly Field[] {
    if (!Array.isArray(this.value)) {
      if (this.isThere) {
        this.wrong('a list');
      }
      return [];
    }
    return this.value.map((_, index) => this.at(index));
  }

  /** Refuses every key of a mapping but these. */
  public onlyKeys(...known: readonly string[]): void {
    for (const [key, field] of this.entries()) {
      if (!known.includes(key)) {
        // Its value may be a credential that somebody took for a setting.
        field.wrongSecretly(unknownKey(key, known));
      }
    }
  }
}

function textOf(steps: Steps): string {
  return steps
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${step}`))
    .join('');
}
