import { refuseArguments } from '../../../core/validation/arguments';
import { object, optional } from '../../../core/validation/collections';
import type { Schema } from '../../../core/validation/schema';
import { whole } from '../../../core/validation/values';
import type { HelmValues } from '../../addons';

/** How much an Argo CD has to look after. */
export interface ArgoCdSize {
  /** Number of managed clusters. */
  readonly clusters: number;
  /** Number of Applications. */
  readonly applications: number;
}

/** How much a hub has to look after. */
export interface HubSize extends Omit<ArgoCdSize, 'clusters'> {
  /** Number of managed clusters. @default - the slots of the fleets that it manages */
  readonly clusters?: number;
}

const clusters = whole(0, 100_000);

const applications = whole(0, 10_000_000);

/** How much an Argo CD has to look after. */
export const argoCdSize: Schema<ArgoCdSize> = object<ArgoCdSize>({ clusters, applications });

/** How much a hub has to look after. */
export const hubSize: Schema<HubSize> = object<HubSize>({ clusters: optional(clusters), applications });

/** How an Argo CD is cut to its size. */
export interface ArgoCdSizing {
  /** Application controllers. Each looks after its share of the clusters: a shard. */
  readonly controllers: number;
  /** Workers of each controller that compare. */
  readonly statusProcessors: number;
  /** Workers of each controller that synchronise. */
  readonly operationProcessors: number;
  /** Repo-servers, which render. */
  readonly repoServers: number;
}

/**
 * Applications that one controller looks after. Argo CD's documentation gives 50 and 25 processors for this many.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/high_availability/#argocd-application-controller
 */
const applicationsPerController = 1_000;

/**
 * Clusters that one controller looks after. Argo CD names no number; a controller keeps a cache and watches for every kind of
 * each of its clusters. A choice of this library: measure the memory, and set `values` where yours is another.
 */
const clustersPerController = 50;

/** Argo CD's own numbers of processors, which are never undercut. */
const processors = { status: 20, operation: 10 };

/**
 * Replicas and workers from the number of clusters and Applications:
 *
 * - A controller for each 1,000 Applications or 50 clusters that were begun, whichever are more, but no more than there are
 *   clusters: a cluster is never divided between controllers.
 * - In each controller a worker that compares for every 20 Applications, and half as many that synchronise: 50 and 25 for 1,000
 *   Applications, as Argo CD's documentation has it, and at least its defaults of 20 and 10.
 * - A repo-server for each controller: one renders one Application of a repository at a time where rendering changes files.
 *
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/high_availability/
 * @throws InvalidInput where a number is none, or below 0
 */
export function argoCdSizing(size: ArgoCdSize): ArgoCdSizing {
  refuseArguments('argoCdSizing', argoCdSize, size);
  const wanted = Math.max(
    Math.ceil(size.applications / applicationsPerController),
    Math.ceil(size.clusters / clustersPerController),
  );
  const controllers = Math.max(1, Math.min(size.clusters, wanted));
  const each = Math.ceil(size.applications / controllers);
  const statusProcessors = Math.max(processors.status, Math.ceil(each / 20));
  return {
    controllers,
    statusProcessors,
    operationProcessors: Math.max(processors.operation, Math.ceil(statusProcessors / 2)),
    repoServers: controllers,
  };
}

/**
 * The chart's values for a sizing. `controller.replicas` sets the number of shards for the controllers, too.
 * @see https://github.com/argoproj/argo-helm/blob/argo-cd-10.1.1/charts/argo-cd/templates/argocd-application-controller/statefulset.yaml
 * @see https://github.com/argoproj/argo-cd/blob/v3.4.4/docs/operator-manual/argocd-cmd-params-cm.yaml
 */
export function sizingValues(sizing: ArgoCdSizing, highAvailability: boolean): HelmValues {
  const { controllers, statusProcessors, operationProcessors, repoServers } = sizing;
  const least = highAvailability ? Math.max(2, repoServers) : repoServers;
  return {
    controller: { replicas: controllers },
    // Where a repo-server is scaled by its load, this is where it starts from.
    repoServer: highAvailability
      ? { autoscaling: { minReplicas: least, maxReplicas: Math.max(5, 2 * least) } }
      : { replicas: repoServers },
    configs: {
      params: {
        'controller.status.processors': statusProcessors,
        'controller.operation.processors': operationProcessors,
      },
    },
  };
}
