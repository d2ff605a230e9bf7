import { goDuration, parseDuration } from '../../durations';
import type { Problems } from '../../problems';

/** Adds what is wrong with a time that Argo Rollouts takes in whole seconds. */
export function checkSeconds(problems: Problems, at: string, value: string | undefined, least = 0): void {
  if (value === undefined || !problems.check(at, value, goDuration)) {
    return;
  }
  const given = parseDuration(value)! / 1000;
  if (!Number.isInteger(given) || given < least || given > 2_147_483_647) {
    problems.add(at, value, `whole seconds${least > 0 ? `, at least ${least}s` : ''}`);
  }
}

/** A time that was checked, in seconds; undefined for none. */
export function seconds(value: string | undefined): number | undefined {
  return value === undefined ? undefined : parseDuration(value)! / 1000;
}
