import type { OptionsOf } from '../problems';
import { refuseOptions } from '../problems';
import type { ClockOptions } from './clock';
import { clockCheck } from './clock';
import { clockOptionsKeys } from './clock/clock-check';
import type { ClustersCheckOptions } from './clusters';
import { clustersCheck } from './clusters';
import { clustersCheckOptionsKeys } from './clusters/clusters-check';
import type { CheckName, DoctorCheck } from './doctor-check';
import { checkNames } from './doctor-check';
import type { GitHubCheckOptions } from './github';
import { githubCheck } from './github';
import { gitHubCheckOptionsKeys } from './github/github-check';
import type { SyncOptions } from './sync';
import { syncCheck } from './sync';
import { syncOptionsKeys } from './sync/sync-check';
import type { WebhooksCheckOptions } from './webhooks';
import { webhooksCheck } from './webhooks';
import { webhooksCheckOptionsKeys } from './webhooks/webhooks-check';

/** What single checks can be told. */
export interface CheckOptions {
  /** How clocks are measured. */
  readonly clock?: ClockOptions;
  /** How GitHub and logs are asked. */
  readonly github?: GitHubCheckOptions;
  /** Which Applications are looked at. */
  readonly sync?: SyncOptions;
  /** How servers of webhooks are asked. */
  readonly webhooks?: WebhooksCheckOptions;
  /** How clusters are asked. */
  readonly clusters?: ClustersCheckOptions;
}

const checkOptionsKeys: OptionsOf<CheckOptions> = {
  clock: clockOptionsKeys,
  github: gitHubCheckOptionsKeys,
  sync: syncOptionsKeys,
  webhooks: webhooksCheckOptionsKeys,
  clusters: clustersCheckOptionsKeys,
};

const factories: Readonly<Record<CheckName, (options: CheckOptions) => DoctorCheck>> = {
  clock: ({ clock }) => clockCheck(clock),
  github: ({ github }) => githubCheck(github),
  sync: ({ sync }) => syncCheck(sync),
  webhooks: ({ webhooks }) => webhooksCheck(webhooks),
  clusters: ({ clusters }) => clustersCheck(clusters),
};

/**
 * The checks of these names, in the order in which they are listed.
 *
 * @param names default: all
 */
export function doctorChecks(
  names: readonly CheckName[] = checkNames,
  options: CheckOptions = {},
): readonly DoctorCheck[] {
  refuseOptions('doctorChecks', options, checkOptionsKeys);
  return checkNames.filter((name) => names.includes(name)).map((name) => factories[name](options));
}
