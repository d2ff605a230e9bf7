import { refuseArguments } from '../../core/validation/arguments';
import { keyOf, fixValues } from '../fix/fix-files';
import type { FixResult } from '../fix/fix-files';
import type { UnfixedFinding } from '../fix/left-as';
import { lintOptions } from '../options';
import type { LintOptions } from '../options';
import { allRules } from '../rules';
import { declaredDecisions } from './decisions';
import { decided } from './decided';
import { stableCertificates } from './stable-certificates';

/** Why a finding is left alone that {@link harden} does not leave. */
export const hardenChangesIt = 'harden changes it';

/**
 * What fixing left alone, with those named that hardening would not leave: it knows of more that is safe, and of what
 * Services declare.
 *
 * @param options by which it was fixed
 */
export function leftToHarden(fixing: FixResult, options: LintOptions): readonly UnfixedFinding[] {
  refuseArguments('leftToHarden', lintOptions, options);
  const { leftAlone, objects } = fixing;
  if (leftAlone.length === 0) {
    return leftAlone;
  }
  const named = ({ reason, ...left }: UnfixedFinding): UnfixedFinding => ({
    ...left,
    reason: left.decision ? `harden ${reason}` : reason,
  });
  const { rules = allRules } = options;
  const decisions = declaredDecisions(objects).decisions.map(({ decision }) => decision);
  const { after } = fixValues(objects, [], {
    ...options,
    rules: [...rules, decided(decisions), stableCertificates],
  });
  const hardened = new Set(after.findings.map(keyOf));
  return leftAlone.map((left) =>
    hardened.has(keyOf(left.finding)) ? named(left) : { finding: left.finding, reason: hardenChangesIt },
  );
}
