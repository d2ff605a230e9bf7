import type { RestartRequest, RolloutOutcome } from '../../progressive';

/** What `restart-rollout --json` prints. */
export interface RestartDocument {
  readonly schemaVersion: 1;
  readonly application: string;
  readonly namespace: string;
  readonly dryRun: boolean;
  readonly rollouts: readonly RolloutOutcome[];
}

/** What became of an Application's Rollouts, as a document. */
export function restartDocument(
  { application, namespace, dryRun = false }: Pick<RestartRequest, 'application' | 'namespace' | 'dryRun'>,
  rollouts: readonly RolloutOutcome[],
): RestartDocument {
  return { schemaVersion: 1, application, namespace, dryRun, rollouts };
}
