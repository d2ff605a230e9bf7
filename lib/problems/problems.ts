import type { Problem } from './invalid-input';
import { InvalidInput } from './invalid-input';
import type { Rule } from './rules';

/**
 * Collects what is wrong with an input, so that a user sees all of it at once.
 *
 * @example
 * const problems = new Problems('ClusterFleet "apps"');
 * problems.check('slots.blue', 'blue', dnsLabel);
 * problems.throwIfAny();
 */
export class Problems {
  private readonly found: Problem[] = [];

  /** @param subject what is checked, for the error's first line */
  public constructor(public readonly subject: string) {}

  /** What was found so far, in the order of finding. */
  public get all(): readonly Problem[] {
    return this.found;
  }

  /** Adds a problem; `allowed` completes the sentence "… must be". */
  public add(path: string, value: unknown, allowed: string): void {
    this.found.push({ path, value, allowed });
  }

  /** Adds a problem whose value must not be shown. */
  public addSecret(path: string, allowed: string): void {
    this.found.push({ path, allowed });
  }

  /** Adds a problem where the rule does not accept the value. Answers whether it did. */
  public check<T>(path: string, value: T, rule: Rule<T>): boolean {
    const accepted = rule.accepts(value);
    if (!accepted) {
      this.add(path, value, rule.allowed);
    }
    return accepted;
  }

  /**
   * Adds a problem for each field that is given and that its rule does not accept.
   *
   * @param path of the object; empty for the input itself
   */
  public checkGiven<T extends object>(
    path: string,
    object: T,
    rules: Readonly<Partial<Record<keyof T, Rule>>>,
  ): void {
    for (const [field, rule] of Object.entries(rules) as [keyof T & string, Rule][]) {
      if (object[field] !== undefined) {
        this.check(path ? `${path}.${field}` : field, object[field], rule);
      }
    }
  }

  /** Takes over problems found elsewhere, with their paths below `path`. */
  public addAll(problems: readonly Problem[], path = ''): void {
    for (const problem of problems) {
      this.found.push({ ...problem, path: path ? `${path}.${problem.path}` : problem.path });
    }
  }

  /**
   * Ends the check.
   *
   * @throws InvalidInput with every problem, if there is one
   */
  public throwIfAny(): void {
    if (this.found.length > 0) {
      throw new InvalidInput(this.subject, this.found);
    }
  }
}
