import type { RolloutOutcome } from '../../progressive';

/** What became of each Rollout, a line each. */
export function restartLines(application: string, outcomes: readonly RolloutOutcome[]): string[] {
  if (outcomes.length === 0) {
    return [`There is no Rollout of the Application ${application}.`];
  }
  return outcomes.flatMap(({ name, outcome, why, restartAt, warning }) => [
    `Rollout ${name}: ${restartAt === undefined ? verdicts[outcome] : `restarted at ${restartAt}`}: ${why}`,
    ...(warning === undefined ? [] : [`Rollout ${name}: warning: ${warning}`]),
  ]);
}

const verdicts: Readonly<Record<RolloutOutcome['outcome'], string>> = {
  restart: 'would be restarted',
  fine: 'left alone',
  changing: 'left alone',
  broken: 'left alone, broken',
  limited: 'left alone, limited',
};
