import type { OptionsOf } from '../problems';
import { refuseOptions } from '../problems';
import type * as Clock from './clock/clock-check';
import type { ClockOptions } from './clock';
import type * as Clusters from './clusters/clusters-check';
import type { ClustersCheckOptions } from './clusters';
import type { CheckName, DoctorCheck } from './doctor-check';
import { checkNames } from './doctor-check';
import type * as GitHub from './github/github-check';
import type { GitHubCheckOptions } from './github';
import type * as Sync from './sync/sync-check';
import type { SyncOptions } from './sync';
import type * as Webhooks from './webhooks/webhooks-check';
import type { WebhooksCheckOptions } from './webhooks';

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

/** Checks load the lint rules and TLS: each is loaded when it is asked for, and not with the library. */
const clock = () => require('./clock/clock-check') as typeof Clock;
const github = () => require('./github/github-check') as typeof GitHub;
const sync = () => require('./sync/sync-check') as typeof Sync;
const webhooks = () => require('./webhooks/webhooks-check') as typeof Webhooks;
const clusters = () => require('./clusters/clusters-check') as typeof Clusters;

const checkOptionsKeys: OptionsOf<CheckOptions> = {
  get clock() {
    return clock().clockOptionsKeys;
  },
  get github() {
    return github().gitHubCheckOptionsKeys;
  },
  get sync() {
    return sync().syncOptionsKeys;
  },
  get webhooks() {
    return webhooks().webhooksCheckOptionsKeys;
  },
  get clusters() {
    return clusters().clustersCheckOptionsKeys;
  },
};

const factories: Readonly<Record<CheckName, (options: CheckOptions) => DoctorCheck>> = {
  clock: (options) => clock().clockCheck(options.clock),
  github: (options) => github().githubCheck(options.github),
  sync: (options) => sync().syncCheck(options.sync),
  webhooks: (options) => webhooks().webhooksCheck(options.webhooks),
  clusters: (options) => clusters().clustersCheck(options.clusters),
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
