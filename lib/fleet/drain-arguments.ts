import { goDuration, parseDuration } from '../durations';
import type { DrainSettings } from '../drain';
import { drainSettingsProblems, drainSettingsKeys } from '../drain';
import type { Problem, OptionsOf } from '../problems';
import { oneOf, Problems } from '../problems';

/** How a slot is emptied before its cluster is deleted. */
export interface DrainArgs extends DrainSettings {
  /**
   * How long the slot's traffic may take to leave, where the same deployment takes it away.
   * @default '5m' - load balancer rules are deleted in seconds
   */
  readonly trafficWithin?: string;
  /**
   * What happens where something is left in AWS: the deletion fails, with the list; or the list is a warning.
   * @default 'fail' - once the cluster is gone, nobody looks for it
   */
  readonly leftovers?: 'fail' | 'warn';
}

export const drainArgsKeys: OptionsOf<DrainArgs> = {
  ...drainSettingsKeys,
  trafficWithin: 'plain',
  leftovers: 'plain',
};

/** What is wrong with how a slot is to be emptied. */
export function drainArgsProblems(drain: DrainArgs | false | undefined): readonly Problem[] {
  if (drain === undefined || drain === false) {
    return [];
  }
  const problems = new Problems('drain');
  const { trafficWithin, leftovers, ...settings } = drain;
  problems.addAll(drainSettingsProblems(settings));
  if (trafficWithin !== undefined && parseDuration(trafficWithin) === undefined) {
    problems.add('trafficWithin', trafficWithin, goDuration.allowed);
  }
  if (leftovers !== undefined) {
    problems.check('leftovers', leftovers, oneOf('fail', 'warn'));
  }
  return problems.all;
}
