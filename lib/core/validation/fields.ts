import { hasMarker } from '../tokens';
import { labelKey, labelValue } from './formats';
import type { Problems, Format } from './problems';

/** Who completes a text that is not final when the program runs. */
export type Completion = 'deployment' | 'deployment or controller';

/**
 * Checks fields of a Kubernetes object. A text that a deployment completes (a marker stands in it) or that the
 * ApplicationSet controller completes (a template expression stands in it) has no format yet: only that it is
 * there is checked.
 */
export class FieldChecks {
  /**
   * @param problems where problems go
   * @param completion who may still complete a text
   */
  public constructor(
    public readonly problems: Problems,
    private readonly completion: Completion = 'deployment',
  ) {}

  /** Whether somebody else completes the value, so that its format can't be evaluated. */
  public isOpen(value: unknown): boolean {
    return (
      typeof value === 'string' &&
      (hasMarker(value) || (this.completion === 'deployment or controller' && value.includes('{{')))
    );
  }

  /** Checks a field that must be there. */
  public required(path: string, value: unknown, rule: Format): void {
    if (!this.isOpen(value)) {
      this.problems.check(path, value, rule);
    }
  }

  /** Checks a field that must be there, without showing a value that is refused. */
  public requiredSecretly(path: string, value: unknown, rule: Format): void {
    if (!this.isOpen(value) && !rule.accepts(value)) {
      this.problems.addSecret(path, rule.allowed);
    }
  }

  /** Checks a field that may be left out. */
  public optional(path: string, value: unknown, rule: Format): void {
    if (value !== undefined) {
      this.required(path, value, rule);
    }
  }

  /** Checks a field that may be left out, without showing a value that is refused. */
  public optionalSecretly(path: string, value: unknown, rule: Format): void {
    if (value !== undefined) {
      this.requiredSecretly(path, value, rule);
    }
  }

  /** Checks every entry of a list that may be left out. */
  public each(path: string, values: readonly unknown[] | undefined, rule: Format): void {
    values?.forEach((value, position) => this.required(`${path}[${position}]`, value, rule));
  }

  /** Refuses what stands twice in a list. */
  public distinct(path: string, values: readonly unknown[], what: string): void {
    const seen = new Set<string>();
    values.forEach((value, position) => {
      const identity = JSON.stringify(value) ?? '';
      if (seen.has(identity)) {
        this.problems.add(`${path}[${position}]`, value, `${what} that the list does not hold already`);
      }
      seen.add(identity);
    });
  }

  /** Checks labels: keys and values. */
  public labels(path: string, labels: Readonly<Record<string, string>> | undefined): void {
    for (const [key, value] of Object.entries(labels ?? {})) {
      this.required(path, key, labelKey);
      this.required(`${path}.${key}`, value, labelValue);
    }
  }

  /** Checks annotations: keys; a value is any text. */
  public annotations(path: string, annotations: Readonly<Record<string, string>> | undefined): void {
    for (const [key, value] of Object.entries(annotations ?? {})) {
      this.required(path, key, labelKey);
      if (typeof value !== 'string') {
        this.problems.add(`${path}.${key}`, value, 'a text');
      }
    }
  }

  /** Exactly one of some fields may be there; answers whether that is so. */
  public exactlyOne(path: string, value: object, names: readonly string[]): boolean {
    // A program without types may leave the whole object out.
    const fields = (value ?? {}) as Record<string, unknown>;
    const there = names.filter((name) => fields[name] !== undefined);
    if (there.length !== 1) {
      this.problems.add(
        path,
        there.length === 0 ? undefined : there,
        `exactly one of ${names.map((name) => `"${name}"`).join(', ')}`,
      );
    }
    return there.length === 1;
  }

  /** Refuses null inside plain data: cdk8s leaves such an entry out of the manifest without a word. */
  public withoutNull(path: string, value: unknown): void {
    if (value === null) {
      this.problems.add(path, value, 'a value: cdk8s leaves null out of the manifest');
    } else if (Array.isArray(value)) {
      value.forEach((each, position) => this.withoutNull(`${path}[${position}]`, each));
    } else if (typeof value === 'object') {
      for (const [key, below] of Object.entries(value)) {
        this.withoutNull(`${path}.${key}`, below);
      }
    }
  }
}
