import { argumentProblems, opaque, rawArgs, refuseArguments } from '../../../core/validation/arguments';
import { across, object, optional, record } from '../../../core/validation/collections';
import { dnsSubdomain, goDuration } from '../../../core/validation/formats';
import type { Problem, Format } from '../../../core/validation/problems';
import type { Entries, Schema } from '../../../core/validation/schema';
import { flag, following, oneOf, secret, text, whole } from '../../../core/validation/values';
import { notificationEntries, notificationSettings } from '../../../manifests/argocd';
import type { NotificationSettings } from '../../../manifests/argocd';
import { HelmAddon, mergeValues } from '../../addons';
import type { HelmReleaseArgs, HelmValues } from '../../addons';
import { plainList } from '../../input-schemas';
import { argoCdSize, argoCdSizing, sizingValues } from './sharding';
import type { ArgoCdSize } from './sharding';
import { argoCdSso, ssoConfig } from './sso';
import type { ArgoCdSso } from './sso';

/** Who gets into Argo CD, and what its parts may do. */
export interface ArgoCdAccess {
  /** Host under which Argo CD is reached, `argocd.example.com`. @default - the chart's example; needed by `sso` */
  readonly domain?: string;
  /** How people log in. @default - nobody does; whoever may write Argo CD's objects uses the Kubernetes API */
  readonly sso?: ArgoCdSso;
  /** What members of groups may do, by the group's name at the provider. @default - nothing, for everybody */
  readonly groups?: Readonly<Record<string, 'admin' | 'readonly'>>;
  /** Further lines of Argo CD's policy. @default - none */
  readonly policies?: readonly string[];
  /**
   * Whether the user `admin` with its password may log in.
   * @default false - one password that many know, with every right and no name
   */
  readonly admin?: boolean;
  /**
   * Whether Argo CD may do everything in the cluster that it runs in. It is not needed to deploy to it as a managed cluster,
   * where it logs in with its role.
   * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/installation/
   * @default false - rights in its own namespace only
   */
  readonly ownCluster?: boolean;
}

/**
 * The chart's values that close what is open: no user `admin`, no right without a policy, no terminal in pods, TLS on the
 * server, network policies, a repo-server without a token of Kubernetes, and rights in Argo CD's own namespace alone.
 *
 * The repo-server runs what repositories hold (charts, Kustomize, plugins) and asks nothing of an API server, so a token is of
 * use to nobody but an intruder.
 * @see https://github.com/argoproj/argo-helm/blob/argo-cd-10.1.1/charts/argo-cd/values.yaml
 */
function accessValues(access: ArgoCdAccess): HelmValues {
  const { domain, sso, groups = {}, policies = [], admin = false, ownCluster = false } = access;
  const lines = [
    ...policies,
    ...Object.entries(groups).map(([group, role]) => `g, "${group}", role:${role}`),
  ];
  return {
    global: { ...(domain === undefined ? {} : { domain }), networkPolicy: { create: true } },
    createClusterRoles: ownCluster,
    configs: {
      cm: { 'admin.enabled': admin, 'exec.enabled': false, ...(sso ? ssoConfig(sso) : {}) },
      params: { 'server.insecure': false },
      rbac: { 'policy.default': '', 'policy.csv': lines.map((line) => `${line}\n`).join('') },
    },
    dex: { enabled: sso?.dex !== undefined },
    repoServer: {
      automountServiceAccountToken: false,
      serviceAccount: { automountServiceAccountToken: false },
      clusterRoleRules: { enabled: false },
    },
  };
}

/**
 * Version of Argo CD's chart: 10.1.1 installs Argo CD 3.4.4.
 * @see https://github.com/argoproj/argo-helm/blob/argo-cd-10.1.1/charts/argo-cd/Chart.yaml
 */
export const argoCdChartVersion = '10.1.1';

/** Older charts install an Argo CD that ignores settings this library writes. */
export const chartVersionRule: Format = {
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
export interface ArgoCdRequirements {
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

/** A schema for each setting of an installation but its size, of which a hub knows one half. */
export const installationEntries: Entries<Omit<ArgoCdInstallation, 'size'>> = {
  domain: optional(following(dnsSubdomain)),
  sso: optional(argoCdSso),
  groups: optional(
    record(
      oneOf('admin', 'readonly'),
      text('the name of a group, without quotes and line breaks', /^[^"\n]+$/),
    ),
  ),
  policies: optional(
    plainList(
      text(
        'a line of Argo CD\'s policy, such as "p, role:deployer, applications, sync, apps/*, allow"',
        /^[pg]\s*,\s*\S[^\n]*$/,
      ),
    ),
  ),
  admin: optional(flag),
  ownCluster: optional(flag),
  chartVersion: optional(following(chartVersionRule)),
  highAvailability: optional(flag),
  notifications: optional(notificationSettings),
  repoCacheExpiration: optional(following(goDuration)),
  values: optional(secret(opaque("an object with the chart's values"))),
  releaseArgs: optional(rawArgs),
  timeoutSeconds: optional(whole(1, 3600)),
};

/** What goes together in settings of an installation. */
export function withDomain<T extends ArgoCdAccess>(schema: Schema<T>): Schema<T> {
  return across(schema, ({ sso, domain }, { mustBe }) => {
    if (sso !== undefined && domain === undefined) {
      mustBe(['domain'], 'given: the provider sends people back to it');
    }
  });
}

const argoCdInstallation: Schema<ArgoCdInstallation> = withDomain(
  object<ArgoCdInstallation>({ ...installationEntries, size: optional(argoCdSize) }),
);

/** Everything that is wrong with how Argo CD is to be installed. */
export function installationProblems(installation: ArgoCdInstallation): readonly Problem[] {
  return argumentProblems(argoCdInstallation, installation);
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
export function argoCdValues(installation: ArgoCdInstallation, duty: ArgoCdRequirements): HelmValues {
  refuseArguments('Argo CD', argoCdInstallation, installation);
  return valuesOf(installation, duty);
}

function valuesOf(installation: ArgoCdInstallation, duty: ArgoCdRequirements): HelmValues {
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
 *
 * @param installation without problems
 */
export function argoCdAddon(
  namespace: string,
  installation: ArgoCdInstallation,
  duty: ArgoCdRequirements,
): HelmAddon {
  return new HelmAddon({
    name: 'argocd',
    chart: 'argo-cd',
    repository: 'https://argoproj.github.io/argo-helm',
    version: installation.chartVersion ?? argoCdChartVersion,
    namespace,
    values: valuesOf(installation, duty),
    releaseArgs: installation.releaseArgs,
    timeoutSeconds: installation.timeoutSeconds,
    // A hub that left the program and went on writing would be the second one.
    removal: 'uninstalled',
  });
}
