import type { HelmReleaseArgs, HelmValues } from '../addons';
import { HelmAddon, mergeValues } from '../addons';
import { goDuration } from '../durations';
import type { NotificationSettings } from '../gitops';
import { notificationEntries, notificationProblems } from '../gitops';
import type { Rule } from '../problems';
import { Problems } from '../problems';
import type { ArgoCdAccess } from './argo-cd-security';
import { accessProblems, accessValues } from './argo-cd-security';
import type { ArgoCdSize } from './argo-cd-sharding';
import { argoCdSizing, sizeProblems, sizingValues } from './argo-cd-sharding';

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
export interface ArgoCdInstallation extends ArgoCdAccess {
  /** Version of the chart. @default '10.1.1' - Argo CD 3.4.4 */
  readonly chartVersion?: string;
  /** Several replicas and a redundant Redis, which wants three nodes. @default false - the chart's own default */
  readonly highAvailability?: boolean;
  /** How many clusters and Applications it has to look after, see `argoCdSizing`. @default - the chart's own replicas */
  readonly size?: ArgoCdSize;
  /** What it tells whom, when. @default - nothing */
  readonly notifications?: NotificationSettings;
  /**
   * How long a rendered revision is kept, as Go writes durations. When it runs out, the same revision is rendered again; where
   * that gives something else (a random value, a remote base, a chart that was published again), Argo CD synchronises by
   * itself, at any hour.
   * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/high_availability/#argocd-repo-server
   * @default '24h' - Argo CD's default
   */
  readonly repoCacheExpiration?: string;
  /** Values of the chart, merged over ours: resources, ingress, … @default - none */
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
  /**
   * Tells nobody anything: a hub that stands by compares the same Applications as the one that writes, and each notification
   * would come twice.
   * @default false
   */
  readonly silent?: boolean;
  /** The ApplicationSet controller follows RollingSync strategies, which is off otherwise. */
  readonly progressiveSyncs: boolean;
}

/** Everything that is wrong with how Argo CD is to be installed. */
export function installationProblems(installation: ArgoCdInstallation): Problems['all'] {
  const problems = new Problems('Argo CD');
  const { size, notifications, repoCacheExpiration } = installation;
  problems.addAll(accessProblems(installation));
  if (size) {
    problems.addAll(sizeProblems(size), 'size');
  }
  if (notifications) {
    problems.addAll(notificationProblems(notifications), 'notifications');
  }
  if (repoCacheExpiration !== undefined) {
    problems.check('repoCacheExpiration', repoCacheExpiration, goDuration);
  }
  return problems.all;
}

/**
 * The chart's values.
 *
 * High availability as the chart's README describes it.
 * @see https://github.com/argoproj/argo-helm/blob/argo-cd-10.1.1/charts/argo-cd/README.md#high-availability
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Progressive-Syncs/
 *
 * @throws InvalidInput with everything that is wrong with the installation
 */
export function argoCdValues(installation: ArgoCdInstallation, duty: ArgoCdDuty): HelmValues {
  const problems = new Problems('Argo CD');
  problems.addAll(installationProblems(installation));
  problems.throwIfAny();
  const { highAvailability = false, size, notifications, repoCacheExpiration, values } = installation;
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
  const kept: HelmValues = {
    configs: { params: { 'reposerver.repo.cache.expiration': repoCacheExpiration } },
  };
  return [
    accessValues(installation),
    highAvailability ? available : {},
    size ? sizingValues(argoCdSizing(size), highAvailability) : {},
    repoCacheExpiration === undefined ? {} : kept,
    notifications ? notificationValues(notifications) : {},
    duty.progressiveSyncs ? stepping : {},
    values ?? {},
    duty.idle || duty.silent ? { notifications: { enabled: false } } : {},
    // What keeps an idle Argo CD idle stands above what a user says of replicas.
    duty.idle ? stopped : {},
  ].reduce<HelmValues>(mergeValues, { crds: { install: true, keep: true } });
}

/** https://github.com/argoproj/argo-helm/blob/argo-cd-10.1.1/charts/argo-cd/templates/argocd-configs/argocd-notifications-cm.yaml */
function notificationValues(settings: NotificationSettings): HelmValues {
  const { argocdUrl, context = {}, secretName, subscriptions = [] } = settings;
  const { services, templates, triggers } = notificationEntries(settings);
  return {
    notifications: {
      enabled: true,
      ...(argocdUrl === undefined ? {} : { argocdUrl }),
      context,
      // The chart would write what is secret into the release.
      ...(secretName === undefined ? {} : { secret: { create: false, name: secretName } }),
      notifiers: services,
      templates,
      triggers,
      subscriptions,
    },
  };
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
    // A hub that left the program and went on writing would be the second one.
    removal: 'uninstalled',
  });
}
