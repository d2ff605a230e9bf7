import { parseDuration } from '../durations';
import type { Rule } from '../problems';
import { TemplateError, checkTemplate, isTemplate, templateRule } from './text-template';

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
