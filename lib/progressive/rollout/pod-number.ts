import type { Problems, Rule } from '../../problems';

const podNumber: Rule = {
  allowed: 'a whole number, 0 or more, or a share such as "25%", at most 100%',
  accepts: (value) =>
    (Number.isInteger(value) && (value as number) >= 0) ||
    (typeof value === 'string' && /^\d{1,3}%$/.test(value) && parseInt(value, 10) <= 100),
};

/** Adds what is wrong with a number or a share of pods. Answers whether it is one. */
export function checkPods(problems: Problems, at: string, value: unknown): boolean {
  return problems.check(at, value, podNumber);
}

/** Whether a number or a share of pods is none. */
export function isNone(value: number | string): boolean {
  return value === 0 || /^0+%$/.test(String(value));
}
