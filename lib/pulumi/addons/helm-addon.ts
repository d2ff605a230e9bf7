import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { isAbsolute, join, relative } from 'node:path';
import { opaque, rawArgs } from '../../core/validation/arguments';
import { object, optional } from '../../core/validation/collections';
import { dnsLabel, dnsLabelUpTo } from '../../core/validation/formats';
import { Problems } from '../../core/validation/problems';
import type { Problem, Format } from '../../core/validation/problems';
import type { Entries, Schema } from '../../core/validation/schema';
import { anything, flag, following, oneOf, text, whole } from '../../core/validation/values';
import { addonSubject, evaluatedWithList, optionsProblems, requires } from './addon';
import type {
  Addon,
  AddonCluster,
  AddonResources,
  AddonState,
  AddonTarget,
  ChartRelease,
  Delivery,
  HelmChart,
} from './addon';
import type { HelmValues } from './helm-values';
import { addonIdentity, identityRole } from './pod-identity';
import type { AddonIdentity, PodIdentityRole } from './pod-identity';
import { podSecurityLevel, securedNamespace } from './pod-security';
import type { PodSecurityLevel } from './pod-security';

/** Arguments of a Helm release laid over ours; values have an option of their own, which merges them. */
export type HelmReleaseArgs = Partial<Omit<k8s.helm.v3.ReleaseArgs, 'values'>>;

/** One release of a chart by Pulumi. */
export interface HelmReleaseSettings extends ChartRelease {
  /** Longest wait for one operation of Helm, in seconds. */
  readonly timeoutSeconds: number;
  /** Program that rewrites what the chart renders. @default - none */
  readonly postRenderer?: string;
  /** Whether the release stays when the program has it no more. */
  readonly stays: boolean;
  readonly releaseArgs?: HelmReleaseArgs;
}

/**
 * Registers a chart as one Helm release, with its hooks. It is ready when the chart's workloads are, and an
 * installation that fails is rolled back, so that the next one starts clean. The objects of the chart are
 * Helm's: the program knows chart, version and values, not them.
 */
export function helmRelease(
  name: string,
  settings: HelmReleaseSettings,
  target: AddonTarget,
): k8s.helm.v3.Release {
  const { chart, repository, version } = settings.chart;
  return new k8s.helm.v3.Release(
    name,
    {
      name: settings.releaseName,
      chart,
      version,
      ...(repository === undefined ? {} : { repositoryOpts: { repo: repository } }),
      namespace: settings.namespace,
      createNamespace: settings.createNamespace,
      timeout: settings.timeoutSeconds,
      atomic: true,
      ...(settings.postRenderer === undefined ? {} : { postrender: settings.postRenderer }),
      ...settings.releaseArgs,
      values: { ...settings.values },
    },
    {
      parent: target.parent,
      provider: target.kubernetes,
      dependsOn: [...target.dependsOn],
      deletedWith: target.cluster,
      retainOnDelete: settings.stays,
    },
  );
}

/** Options that every add-on from a chart has. */
export interface ChartOptions {
  /**
   * Who brings it to the cluster: another word moves it there without a gap.
   * @default 'pulumi' - installed during `up`, before anything that needs it
   */
  readonly deliveredBy?: Delivery;
  /**
   * `absent` lets Helm uninstall it: the next `up` lets go of the release, which stays otherwise, and the one after the
   * add-on has left the list removes it. What Argo CD has delivered goes in the same two steps.
   * @default 'present'
   */
  readonly state?: AddonState;
  /**
   * Values laid over ours: objects are merged, everything else, arrays included, replaces.
   * @default - none
   */
  readonly values?: HelmValues;
  /**
   * Longest wait for one operation of Helm, in seconds, 1 to 3600.
   * @default 600 - on a new cluster the first pods also wait for nodes and images
   */
  readonly timeoutSeconds?: number;
  /**
   * Whether Helm lets `cluster-canary harden` rewrite what the chart renders, before it reaches the cluster. A text is the
   * program in its place: a name on the PATH, or a path from the folder of the Pulumi program.
   * @default - said by each add-on; `HelmAddon` does not
   */
  readonly harden?: boolean | string;
  /**
   * Arguments of the Helm release laid over ours, say `chart` and `repositoryOpts` of a mirror.
   * @default - none
   */
  readonly releaseArgs?: HelmReleaseArgs;
}

/** Longest wait for one operation of Helm where nothing else is said, in seconds. */
export const defaultHelmTimeoutSeconds = 600;

/** A version that always means the same chart. */
const exactVersion: Format = {
  allowed: 'an exact version, such as "1.2.3": a range would install whatever is newest that day',
  accepts: (value) =>
    typeof value === 'string' && /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/.test(value),
};

const hardening: Format = {
  allowed: 'true, false, or a program: a name on the PATH or a path, without arguments',
  accepts: (value) => typeof value === 'boolean' || (typeof value === 'string' && /^\S+$/.test(value)),
};

/** Version of a chart. */
export const chartVersion: Schema<never> = following(exactVersion);

/** Schemas of the options that every chart has; who may give a function for `values` says so itself. */
export const chartOptionEntries: Entries<ChartOptions> = {
  deliveredBy: evaluatedWithList,
  state: evaluatedWithList,
  values: optional(opaque('an object of values, with outputs as leaves')),
  timeoutSeconds: optional(whole(1, 3600)),
  harden: optional(following(hardening)),
  releaseArgs: optional(rawArgs),
};

/** What only Pulumi's Helm does, and another delivery would silently leave out. */
export function onlyByPulumi({
  deliveredBy = 'pulumi',
  harden,
  releaseArgs,
  timeoutSeconds,
}: Omit<ChartOptions, 'values'>): readonly Problem[] {
  if (deliveredBy === 'pulumi') {
    return [];
  }
  const options = { releaseArgs, timeoutSeconds, ...(harden ? { harden } : {}) };
  return Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([path, value]) => ({
      path,
      value,
      allowed: `left out: it is for releases of Pulumi, and ${deliveredBy} delivers this one`,
    }));
}

/**
 * The program that Helm runs over what a chart renders, for `postrender` of a Release. Pulumi's provider takes one
 * program without arguments, and looks for a path from the folder of the Pulumi program:
 * https://github.com/pulumi/pulumi-kubernetes/blob/v4.34.2/provider/pkg/provider/helm_release.go.
 *
 * @param harden whether, or which other program
 */
export function postRendererOf(harden: boolean | string): string | undefined {
  if (typeof harden === 'string') {
    return harden;
  }
  return harden
    ? pathFrom(process.cwd(), pulumi.getRootDirectory(), join(__dirname, '..', '..', 'cli', 'harden.js'))
    : undefined;
}

/**
 * A path that stays the same on every machine, so that no release looks changed on another one. It is a whole path where
 * the program does not run in a folder of its project: as an inline program of the Automation API, say.
 *
 * @param folder that the program runs in
 * @param project folder of Pulumi.yaml
 */
export function pathFrom(folder: string, project: string, file: string): string {
  const below = relative(project, folder);
  const path = relative(folder, file);
  if (below.startsWith('..') || isAbsolute(below) || isAbsolute(path)) {
    return file;
  }
  // A name without a separator would be looked for on the PATH.
  return path.includes('/') ? path : `./${path}`;
}

/** Options of a `HelmAddon`. */
export interface HelmAddonOptions<Name extends string = string>
  extends Omit<ChartOptions, 'values'>, HelmChart {
  /** Name of the add-on, and of the Helm release: a DNS label of at most 53 characters. */
  readonly name: Name;
  /** Namespace of the release. */
  readonly namespace: string;
  /**
   * Whether Helm creates the namespace if it is not there. Helm never deletes it.
   * @default true
   */
  readonly createNamespace?: boolean;
  /**
   * Level of the Pod Security Standards that the namespace enforces, whoever delivers the chart. It holds for every pod of
   * the namespace, so at most one add-on of a namespace may say it.
   * @default - the namespace's labels are left alone
   */
  readonly podSecurity?: PodSecurityLevel;
  /**
   * An IAM role for service accounts of the chart, made by Pulumi whoever delivers the chart.
   * @default - none
   */
  readonly identity?: AddonIdentity;
  /**
   * Names of the add-ons that must be ready before.
   * @default - none
   */
  readonly requires?: readonly string[];
  /**
   * Values of the chart; a function gets the slot.
   * @default - the chart's own
   */
  readonly values?: HelmValues | ((cluster: AddonCluster) => HelmValues);
  /**
   * What becomes of the release when the add-on leaves the list, and its cluster does not.
   * @default 'stays' - it may have moved to another delivery; `state: 'absent'` says that it is to go
   */
  readonly removal?: 'stays' | 'uninstalled';
}

const helmAddonOptions = object<HelmAddonOptions>({
  ...chartOptionEntries,
  name: text('the name of an add-on'),
  chart: text('the name of a chart, an OCI reference or a path', /\S/),
  repository: optional(text('the URL of the repository')),
  version: chartVersion,
  namespace: following(dnsLabel),
  createNamespace: optional(flag),
  podSecurity: optional(following(podSecurityLevel)),
  identity: optional(addonIdentity),
  requires,
  values: optional(anything),
  removal: optional(oneOf('stays', 'uninstalled')),
});

/** What a `HelmAddon` has registered. */
export interface HelmAddonResources extends AddonResources {
  /** The Helm release. */
  readonly release: k8s.helm.v3.Release;
  /** The IAM role of `identity`. */
  readonly identity?: PodIdentityRole;
}

/** What has to be there before the chart's first pod. */
interface ChartPrerequisites extends AddonResources {
  readonly identity?: PodIdentityRole;
}

/** @see https://github.com/helm/helm/commit/52a029dcde7562d1d652a5b2c841c92c25145f15 */
const releaseName: Format = {
  ...dnsLabelUpTo(53),
  allowed: `${dnsLabelUpTo(53).allowed}, as Helm wants release names`,
};

/**
 * An add-on from a Helm chart.
 *
 * @example
 * new addons.HelmAddon({
 *   name: 'metrics-server',
 *   chart: 'metrics-server',
 *   repository: 'https://charts.example.com',
 *   version: '1.2.3',
 *   namespace: 'kube-system',
 *   values: (cluster) => ({ clusterName: cluster.clusterName }),
 * });
 */
export class HelmAddon<const Name extends string = string> implements Addon<HelmAddonResources, Name> {
  public readonly name: Name;
  public readonly requires: readonly string[];
  public readonly problems: readonly Problem[];
  public readonly deliveredBy: Delivery;
  public readonly state: AddonState;
  public readonly chart: HelmChart;
  public readonly prepare?: (target: AddonTarget) => AddonResources;

  /**
   * @param options what to install; wrong ones are told by `problems`, and so by `checkAddons`
   * @param problems what is already known to be wrong: the same options are not reported again
   */
  public constructor(
    private readonly options: HelmAddonOptions<Name>,
    problems: readonly Problem[] = [],
  ) {
    const found = optionsProblems(
      addonSubject('HelmAddon', options?.name),
      helmAddonOptions,
      options,
      chartPlace,
    );
    this.name = options.name;
    this.requires = options.requires ?? [];
    const known = new Set(problems.map(({ path }) => path));
    this.problems = [...problems, ...found.filter(({ path }) => !known.has(path))];
    this.deliveredBy = options.deliveredBy ?? 'pulumi';
    this.state = options.state ?? 'present';
    const { chart, repository, version } = options;
    this.chart = { chart, repository, version };
    if (options.podSecurity !== undefined || options.identity !== undefined) {
      this.prepare = (target) => this.prerequisites(target);
    }
  }

  public release(cluster: AddonCluster): ChartRelease {
    const { name, namespace, values } = this.options;
    return {
      chart: this.chart,
      releaseName: name,
      namespace,
      createNamespace: this.options.createNamespace ?? true,
      values: (typeof values === 'function' ? values(cluster) : values) ?? {},
    };
  }

  public install(target: AddonTarget): HelmAddonResources {
    const { removal = 'stays', timeoutSeconds, releaseArgs, harden } = this.options;
    const { identity, resources } = this.prerequisites(target);
    const release = helmRelease(
      `${target.name}-${this.name}`,
      {
        ...this.release(target),
        timeoutSeconds: timeoutSeconds ?? defaultHelmTimeoutSeconds,
        postRenderer: postRendererOf(harden ?? false),
        stays: removal === 'stays' && this.state === 'present',
        releaseArgs,
      },
      { ...target, dependsOn: [...target.dependsOn, ...resources] },
    );
    return { release, identity, resources: [release] };
  }

  private prerequisites(target: AddonTarget): ChartPrerequisites {
    const { namespace, podSecurity, identity } = this.options;
    const name = `${target.name}-${this.name}`;
    const secured = podSecurity && securedNamespace(`${name}-namespace`, namespace, podSecurity, target);
    const role = identity && identityRole(name, namespace, identity, target);
    return {
      identity: role,
      resources: [...(secured ? [secured] : []), ...(role?.associations ?? [])],
    };
  }
}

/** What does not go together in the options of a chart. */
function chartPlace(options: Partial<HelmAddonOptions>): readonly Problem[] {
  const problems = new Problems('HelmAddon');
  const { name, chart, repository, deliveredBy } = options;
  problems.addAll(onlyByPulumi(options));
  if (dnsLabel.accepts(name)) {
    // A name that is no DNS label is told with the list.
    problems.check('name', name, releaseName);
  }
  if (chart !== undefined) {
    const saysWhere = /^(oci:\/\/|\.{0,2}\/)/.test(chart);
    if (saysWhere && repository !== undefined) {
      problems.add('repository', repository, `left out: ${chart} already says where the chart is`);
    } else if (!saysWhere && repository === undefined) {
      problems.require(
        'repository',
        'the URL of the repository, unless the chart is an OCI reference or a path',
      );
    }
    if (/^\.{0,2}\//.test(chart) && deliveredBy === 'argocd') {
      problems.add('chart', chart, 'a chart of a repository or an OCI reference: Argo CD delivers it');
    }
  }
  return problems.all;
}
