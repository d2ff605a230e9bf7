import type { Problems, Untyped } from '../problems';
import { isMapping } from '../problems';

/**
 * The fields of one part of a kubeconfig. A value of another type is a problem, as it is for kubectl; so is a field that
 * nobody here knows, since a misspelt "as-groups" would leave the caller more rights than it is to have. Null is nothing, and
 * so is an empty text.
 */
export class KubeconfigFields {
  private readonly asked = new Set<string>(['extensions']);

  /** @param path of the part, for problems */
  public constructor(
    private readonly fields: Untyped,
    public readonly path: string,
    public readonly problems: Problems,
  ) {}

  /** Any value; undefined where the field is null. */
  public value(field: string): unknown {
    this.asked.add(field);
    return (Object.hasOwn(this.fields, field) ? this.fields[field] : undefined) ?? undefined;
  }

  /** A text in one line: control characters have no place in a header or a path. */
  public text(field: string): string | undefined {
    const value = this.value(field);
    if (value === undefined || value === '') {
      return undefined;
    }
    if (!isPlainText(value)) {
      // Numbers and texts of other fields may be passwords that were put here by mistake.
      this.problems.addSecret(`${this.path}.${field}`, 'a text without control characters');
      return undefined;
    }
    return value;
  }

  public flag(field: string): boolean {
    const value = this.value(field);
    if (value !== undefined && typeof value !== 'boolean') {
      this.problems.addSecret(`${this.path}.${field}`, 'true or false, without quotes');
    }
    return value === true;
  }

  public texts(field: string): readonly string[] {
    return this.textsThat(field, isPlainText, 'a list of texts without control characters');
  }

  /** Arguments of a program: a script may be one of them, with its line breaks. */
  public programArguments(field: string): readonly string[] {
    return this.textsThat(field, isArgument, 'a list of texts without NUL characters');
  }

  private textsThat(
    field: string,
    accepts: (value: unknown) => value is string,
    allowed: string,
  ): readonly string[] {
    const value = this.value(field);
    if (value === undefined) {
      return [];
    }
    if (Array.isArray(value) && value.every(accepts)) {
      return value;
    }
    this.problems.addSecret(`${this.path}.${field}`, allowed);
    return [];
  }

  public part(field: string): KubeconfigFields | undefined {
    const value = this.value(field);
    if (value === undefined) {
      return undefined;
    }
    if (!isMapping(value)) {
      this.problems.addSecret(`${this.path}.${field}`, 'an object');
      return undefined;
    }
    return new KubeconfigFields(value, `${this.path}.${field}`, this.problems);
  }

  /** Tells of the fields that were not asked for; the last call. */
  public refuseOthers(): void {
    const known = [...this.asked].sort();
    for (const field of Object.keys(this.fields).filter((each) => !this.asked.has(each))) {
      this.problems.addSecret(`${this.path}.${shortName(field)}`, `left out, or one of ${known.join(', ')}`);
    }
  }
}

/** A name as messages show it. */
export function shortName(name: string): string {
  return name.length > 80 ? `${name.slice(0, 79)}…` : name;
}

function isArgument(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}

function isPlainText(value: unknown): value is string {
  return typeof value === 'string' && !/\p{Cc}/u.test(value);
}
