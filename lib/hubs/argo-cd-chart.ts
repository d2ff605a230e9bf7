import type { HelmReleaseArgs, HelmValues } from '../addons';
import { HelmAddon, mergeValues } from '../addons';
import type { Rule } from '../problems';

/**
 * Version of Argo CD's chart: 10.1.1 installs Argo CD 3.4.4.
 * @see https://github.com/argoproj/argo-helm/blob/argo-cd-10.1.1/charts/argo-cd/Chart.yaml
 */
export const argoCdChartVersion = '10.1.1';

/** Older charts install an Argo CD that ignores settings this library writes. */
export const chartVersionRule: Rule = {
  allowed: `${argoCdChartVersion} or newer: it installs Argo CD 3.4`,
  accepts: (value) =>
    typeof value === 'string' && /^\d+\.\d+\.\d+$/.test(value) && !isOlder(value, argoCdChartVersion),
};

function isOlder(version: string, than: string): boolean {
  const [mine, other] = [version, than].map((each) => each.split('.').map(Number));
  const position = mine!.findIndex((part, index) => part !== other![index]);
  return position >= 0 && mine![position]! < other![position]!;
}

/**
 * The service accounts that talk to the managed clusters, as the chart names them.
 * @see https://github.com/argoproj/argo-helm/blob/argo-cd-10.1.1/charts/argo-cd/values.yaml
 */
export const clusterServiceAccounts: readonly string[] = [
  'argocd-application-controller',
  'argocd-applicationset-controller',
  'argocd-server',
];

/** How Argo CD is installed. */
export interface ArgoCdInstallation {
  /** Version of the chart. @default '10.1.1' - Argo CD 3.4.4 */
  readonly chartVersion?: string;
  /** Several replicas and a redundant Redis, which wants three nodes. @default false - the chart's own default */
  readonly highAvailability?: boolean;
  /** Values of the chart, merged over ours: resources, replicas, SSO, notifications, … @default - none */
  readonly values?: HelmValues;
  /** Raw arguments of the Helm release. @default - none */
  readonly releaseArgs?: HelmReleaseArgs;
  /** Longest wait for one operation of Helm, in seconds. @default 600 */
  readonly timeoutSeconds?: number;
}

/** What the hub asks of an installation, whatever the user says. */
export interface ArgoCdDuty {
  /** Installed with no controller that could write. */
  readonly idle: boolean;
  /** The ApplicationSet controller follows RollingSync strategies, which is off otherwise. */
  readonly progressiveSyncs: boolean;
}

/**
 * The chart's values.
 *
 * High availability as the chart's README describes it.
 * @see https://github.com/argoproj/argo-helm/blob/argo-cd-10.1.1/charts/argo-cd/README.md#high-availability
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Progressive-Syncs/
 */
export function argoCdValues({ highAvailability, values }: ArgoCdInstallation, duty: ArgoCdDuty): HelmValues {
  const available: HelmValues = {
    'redis-ha': { enabled: true },
    server: { autoscaling: { enabled: true, minReplicas: 2 } },
    repoServer: { autoscaling: { enabled: true, minReplicas: 2 } },
    applicationSet: { replicas: 2 },
  };
  const stopped: HelmValues = { controller: { replicas: 0 }, applicationSet: { replicas: 0 } };
  const stepping: HelmValues = {
    configs: { params: { 'applicationsetcontroller.enable.progressive.syncs': true } },
  };
  const ours = mergeValues({ crds: { install: true, keep: true } }, highAvailability ? available : {});
  const wanted = mergeValues(mergeValues(ours, duty.progressiveSyncs ? stepping : {}), values ?? {});
  // What keeps an idle Argo CD idle stands above what a user says of replicas.
  return mergeValues(wanted, duty.idle ? stopped : {});
}

/**
 * Argo CD with its ApplicationSet controller. A Helm release, not rendered objects: the chart makes the password of
 * its Redis in a hook.
 */
export function argoCdAddon(
  namespace: string,
  installation: ArgoCdInstallation,
  duty: ArgoCdDuty,
): HelmAddon {
  return new HelmAddon({
    name: 'argocd',
    chart: 'argo-cd',
    repository: 'https://argoproj.github.io/argo-helm',
    version: installation.chartVersion ?? argoCdChartVersion,
    namespace,
    values: argoCdValues(installation, duty),
    releaseArgs: installation.releaseArgs,
    timeoutSeconds: installation.timeoutSeconds,
  });
}
