import type { DeploymentState } from './github';

/** More are not asked for: each costs a request at each look. */
const mostRevisions = 4;

/** Commits that have the configuration, the newest first, those that are known and one more look at the branch. */
export function withRevisions(
  known: readonly string[],
  found: readonly (string | undefined)[],
): readonly string[] {
  const all = new Set([...found, ...known].filter((each) => each !== undefined));
  return [...all].slice(0, mostRevisions);
}

/**
 * What became of a configuration that several commits have: deployed with any of them; failed where one has failed and no other
 * one is being deployed.
 */
export function stateOfAll(states: readonly DeploymentState[]): DeploymentState {
  return (['deployed', 'running', 'failed'] as const).find((each) => states.includes(each)) ?? 'unknown';
}

/** Commits for a person: `0123456789ab or 456789abcdef` */
export function shortNames(revisions: readonly string[]): string {
  return revisions.map((each) => each.slice(0, 12)).join(' or ');
}
