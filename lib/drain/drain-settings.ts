import { goDuration, parseDuration } from '../durations';
import type { Problem, OptionsOf } from '../problems';
import { oneOf, Problems, optionKeyProblems } from '../problems';

/** How a cluster is emptied. */
export interface DrainSettings {
  /**
   * What becomes of PersistentVolumeClaims and their volumes. With `delete`, Deployments and StatefulSets that mount claims
   * are scaled to 0 and the claims are deleted, with the data. With `keep`, they stay, and are not counted as left behind.
   *
   * @default - they stay, and are counted as left behind: data goes or stays because somebody said so
   */
  readonly volumes?: 'delete' | 'keep';
  /**
   * How long controllers may take to remove what they made in AWS.
   * @default '15m' - load balancers go within minutes, nodes within their pods' termination
   */
  readonly within?: string;
  /**
   * How long the slot must have had no traffic before anything is deleted.
   * @default '1m' - clients that know an old DNS answer, and connections that end
   */
  readonly quiet?: string;
}

/** Keys of `DrainSettings`. */
export const drainSettingsKeys: OptionsOf<DrainSettings> = {
  volumes: 'plain',
  within: 'plain',
  quiet: 'plain',
};

/** The same with defaults; durations in milliseconds. */
export interface DrainTimes {
  /** What becomes of volumes; `untouched` ones are counted as left behind. */
  readonly volumes: 'delete' | 'keep' | 'untouched';
  /** How long controllers may take. */
  readonly withinMs: number;
  /** How long there must have been no traffic. */
  readonly quietMs: number;
}

/** The settings that a user left out are the defaults. */
export function drainTimes({ volumes, within = '15m', quiet = '1m' }: DrainSettings): DrainTimes {
  return {
    volumes: volumes ?? 'untouched',
    withinMs: parseDuration(within)!,
    quietMs: parseDuration(quiet)!,
  };
}

/** What is wrong with settings that a user gave. */
export function drainSettingsProblems(settings: DrainSettings): readonly Problem[] {
  const unfit = optionKeyProblems(settings, drainSettingsKeys);
  if (unfit.length > 0) {
    return unfit;
  }
  const problems = new Problems('drain');
  problems.checkGiven('', settings, {
    volumes: oneOf('delete', 'keep'),
    within: goDuration,
    quiet: goDuration,
  });
  return problems.all;
}
