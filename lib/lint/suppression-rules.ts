import { rulePage } from './rule';
import type { Rule } from './rule';

/** A rule about what users say to the engine, which the engine checks itself. */
export type EngineRule = Omit<Rule, 'check'>;

/** A suppression without a reason. */
export const sup01: EngineRule = {
  id: 'SUP01',
  severity: 'error',
  title: 'A suppression without a reason',
  why: 'later it is not known whether it still holds, so it suppresses nothing',
  fix: 'explain why the finding does not matter here, or remove the suppression',
  link: rulePage('SUP01'),
};

/** A suppression that matches nothing. */
export const sup02: EngineRule = {
  id: 'SUP02',
  severity: 'warning',
  title: 'A suppression that matches nothing',
  why: 'what it was for is fixed or renamed, and it would hide the next finding of this kind',
  fix: 'remove it',
  link: rulePage('SUP02'),
};

/** Rules about suppressions; they can't be suppressed. */
export const suppressionRules: readonly EngineRule[] = [sup01, sup02];
