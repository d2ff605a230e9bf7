import { parseDuration } from '../../core/durations';
import { unknownKey } from '../../core/validation/known-keys';
import { isMapping } from '../../core/validation/problems';
import type { Problem, Rule } from '../../core/validation/problems';
import { TemplateError, checkTemplate, isTemplate, templateRule } from './text-template';

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

/** Yes or no. */
export const yesOrNo: Rule = { allowed: 'true or false', accepts: (value) => typeof value === 'boolean' };

/** An AWS account. */
export const account: Rule = {
  allowed: 'an account: a text of 12 digits, in quotation marks',
  accepts: (value) => typeof value === 'string' && /^\d{12}$/.test(value),
};

/**
 * Key and value of a tag. A number is a text to AWS, and YAML reads it as a number unless it stands in quotation marks.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/eks-using-tags.html
 */
export const tagKey: Rule = {
  allowed: 'the key of a tag: a text of 1 to 128 characters',
  accepts: (value) => typeof value === 'string' && value !== '' && value.length <= 128,
};

export const tagValue: Rule = {
  allowed: 'the value of a tag: a text of at most 256 characters (numbers and booleans in quotation marks)',
  accepts: (value) => typeof value === 'string' && value.length <= 256,
};

/** A duration of at least so many milliseconds. */
export function durationFrom(least: number, allowed: string): Rule {
  return {
    allowed,
    accepts: (value) => typeof value === 'string' && (parseDuration(value) ?? -1) >= least,
  };
}

/** A template; a text without a variable must be what its expansion has to be. */
export function templateOf(rule: Rule): Rule {
  return {
    allowed: `${rule.allowed}; or ${templateRule}`,
    accepts: (value) => {
      if (typeof value !== 'string' || !isTemplate(value)) {
        return rule.accepts(value);
      }
      try {
        checkTemplate(value);
        return true;
      } catch (error) {
        if (error instanceof TemplateError) {
          return false;
        }
        throw error;
      }
    },
  };
}
