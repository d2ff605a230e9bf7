import { worstStatus } from '../../engine';
import type { CheckResult, CheckStatus } from '../../engine';

/** One alarm, whatever system it is of. */
export interface AlarmFinding {
  readonly name: string;
  readonly status: CheckStatus;
  /** In the system's own words: `ALARM`. */
  readonly state: string;
}

/** What some alarms amount to; without one, nothing is known. */
export function evaluateAlarms(kind: string, alarms: readonly AlarmFinding[]): CheckResult {
  const status = worstStatus(
    alarms.map((each) => each.status),
    'inconclusive',
  );
  const named = alarms.filter((each) => each.status === status);
  const isFiring = status === 'fail';
  const names = named.slice(0, 3).map(({ name, state }) => (isFiring ? name : `${name} (${state})`));
  const more = named.length > 3 ? [`${named.length - 3} more`] : [];
  const firing = alarms.filter((each) => each.status === 'fail').length;
  return {
    status,
    reason: `${isFiring ? 'in alarm' : kind}: ${[...names, ...more].join(', ') || 'none found'}`,
    figures: [{ name: 'in alarm', value: alarms.length > 0 ? firing : null, unit: 'count', max: 0 }],
  };
}
