import type * as k8s from '@pulumi/kubernetes';
import type { Problem, Rule, OptionsOf } from '../problems';
import { Problems, dnsLabel, dnsLabelUpTo, refuseOptions } from '../problems';
import type { Addon, AddonCluster, AddonResources, AddonTarget } from './addon';
import { addonSubject } from './addon';
import type { AddonIdentity } from './addon-identity';
import { identityProblems, identityRole, addonIdentityKeys } from './addon-identity';
import type { ChartOptions } from './chart-options';
import { chartProblems, defaultTimeoutSeconds } from './chart-options';
import type { ChartRelease, HelmChart } from './chart-release';
import { helmChartKeys } from './chart-release';
import type { AddonState, Courier } from './courier';
import { helmRelease } from './helm-release';
import type { HelmValues } from './helm-values';
import type { PodIdentityRole } from './pod-identity-role';
import type { PodSecurityLevel } from './pod-security';
import { podSecurityLevel, securedNamespace } from './pod-security';
import { postRendererOf } from './post-renderer';

/** Options of a `HelmAddon`. */
export interface HelmAddonOptions extends Omit<ChartOptions, 'values'>, HelmChart {
  /** Name of the add-on, and of the Helm release: a DNS label of at most 53 characters. */
  readonly name: string;
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
   * @default 'stays' - it may have moved to another courier; `state: 'absent'` says that it is to go
   */
  readonly removal?: 'stays' | 'uninstalled';
}

export const helmAddonOptionsKeys: OptionsOf<HelmAddonOptions> = {
  ...helmChartKeys,
  name: 'plain',
  namespace: 'plain',
  createNamespace: 'plain',
  podSecurity: 'plain',
  identity: addonIdentityKeys,
  requires: 'list',
  values: 'open',
  removal: 'plain',
  deliveredBy: 'plain',
  state: 'plain',
  timeoutSeconds: 'plain',
  harden: 'plain',
  releaseArgs: 'open',
};

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
const releaseName: Rule = {
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
export class HelmAddon implements Addon<HelmAddonResources> {
  public readonly name: string;
  public readonly requires: readonly string[];
  public readonly problems: readonly Problem[];
  public readonly deliveredBy: Courier;
  public readonly state: AddonState;
  public readonly chart: HelmChart;
  public readonly prepare?: (target: AddonTarget) => AddonResources;

  /**
   * @param options what to install; wrong ones are told by `problems`, and so by `checkAddons`
   * @param problems what else is known to be wrong
   */
  public constructor(
    private readonly options: HelmAddonOptions,
    problems: readonly Problem[] = [],
  ) {
    refuseOptions(addonSubject('HelmAddon', options.name), options, helmAddonOptionsKeys);
    this.name = options.name;
    this.requires = options.requires ?? [];
    this.problems = [...optionProblems(options), ...problems];
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
        timeoutSeconds: timeoutSeconds ?? defaultTimeoutSeconds,
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

function optionProblems(options: HelmAddonOptions): Problem[] {
  const problems = new Problems('HelmAddon');
  if (dnsLabel.accepts(options.name)) {
    // A name that is no DNS label is told with the list.
    problems.check('name', options.name, releaseName);
  }
  const saysWhere = /^(oci:\/\/|\.{0,2}\/)/.test(options.chart);
  if (options.chart === '') {
    problems.add('chart', options.chart, 'the name of a chart, an OCI reference or a path');
  } else if (saysWhere && options.repository !== undefined) {
    problems.add(
      'repository',
      options.repository,
      `left out: ${options.chart} already says where the chart is`,
    );
  } else if (!saysWhere && options.repository === undefined) {
    problems.add(
      'repository',
      undefined,
      'the URL of the repository, unless the chart is an OCI reference or a path',
    );
  }
  if (/^\.{0,2}\//.test(options.chart) && options.deliveredBy === 'argocd') {
    problems.add('chart', options.chart, 'a chart of a repository or an OCI reference: Argo CD delivers it');
  }
  problems.check('namespace', options.namespace, dnsLabel);
  if (options.podSecurity !== undefined) {
    problems.check('podSecurity', options.podSecurity, podSecurityLevel);
  }
  if (options.identity !== undefined) {
    problems.addAll(identityProblems('identity', options.identity));
  }
  const { values: _, ...chart } = options;
  problems.addAll(chartProblems(options.version, chart));
  return [...problems.all];
}
