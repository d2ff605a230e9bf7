import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { refuseProps, constructSubject } from '../../field-schemas';
import { defaultName, helmfilePluginProps } from './props';
import type { HelmfilePluginProps } from './props';
import { pluginConfigMap, repoServerParts, sidecarValues } from './sidecar';
import type { PluginChartValues, RepoServerPatch } from './sidecar';

/**
 * A config management plugin that lets Argo CD render helmfiles, so that a repository of helmfiles works as it is: the ConfigMap
 * with the plugin's definition, and the parts that Argo CD's repo server needs. For an Argo CD that a Pulumi program installs, see
 * `helmfilePluginValues`.
 *
 * An Application sets, in `source.plugin.env`: `HELMFILE_ENVIRONMENT`, `HELMFILE_FILE` (below its own path), `HELMFILE_SELECTORS`
 * (with spaces between them: a release that fits any of them is taken), `HELMFILE_STATE_VALUES` and `HELMFILE_VALUES` (YAML).
 *
 * Objects without a namespace go into the Application's, as Argo CD has it, and not into the release's. The Argo CD that EKS manages
 * takes no plugins.
 *
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/config-management-plugins/
 *
 * @example
 * const plugin = new argocd.HelmfilePlugin(chart, 'helmfile', {
 *   image: 'registry.example.com/helmfile@sha256:…',
 *   bootstrapped: ['cert-manager', 'aws-load-balancer-controller'],
 * });
 */
export class HelmfilePlugin extends Construct {
  /** The ConfigMap. */
  public readonly apiObject: ApiObject;
  /** What `source.plugin.name` of an Application is. */
  public readonly pluginName: string;
  /** What goes into the repo server's pod. */
  public readonly repoServer: RepoServerPatch;

  private readonly timeoutSeconds?: number;

  /** @throws InvalidInput with everything that is wrong */
  public constructor(scope: Construct, id: string, props: HelmfilePluginProps) {
    refuseProps(constructSubject('HelmfilePlugin', id, props), helmfilePluginProps, props);
    super(scope, id);
    this.pluginName = props.name ?? defaultName;
    this.timeoutSeconds = props.timeoutSeconds;
    const configMap = pluginConfigMap(props);
    this.apiObject = new ApiObject(this, 'Resource', configMap);
    this.repoServer = repoServerParts(props, configMap);
  }

  /**
   * Values for the chart argo-cd, which add the sidecar, without the ConfigMap. A list replaces another one in Helm's values: with
   * more sidecars, put the parts of all of them together from `repoServer`.
   */
  public chartValues(): PluginChartValues {
    return sidecarValues(this.repoServer, this.timeoutSeconds);
  }

  /** A strategic merge patch of the Deployment `argocd-repo-server`, for an Argo CD that is installed without the chart. */
  public repoServerPatch(): object {
    const { container, volumes, podAnnotations } = this.repoServer;
    return {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'argocd-repo-server' },
      spec: {
        template: {
          metadata: { annotations: { ...podAnnotations } },
          spec: { containers: [container], volumes: [...volumes] },
        },
      },
    };
  }
}

/**
 * Values for the chart argo-cd that bring a `HelmfilePlugin` with its ConfigMap: for a hub, which installs Argo CD and its
 * namespace by the chart.
 *
 * @example
 * new hubs.ArgoCdHub('hub', {
 *   fleet: hubFleet,
 *   manages: [apps],
 *   values: argocd.helmfilePluginValues({ image: 'registry.example.com/helmfile@sha256:…', bootstrapped: ['cert-manager'] }),
 * });
 *
 * @throws InvalidInput with everything that is wrong
 */
export function helmfilePluginValues(
  props: HelmfilePluginProps,
): PluginChartValues & Readonly<Record<string, unknown>> {
  refuseProps('helmfilePluginValues', helmfilePluginProps, props);
  const configMap = pluginConfigMap(props);
  return {
    ...sidecarValues(repoServerParts(props, configMap), props.timeoutSeconds),
    extraObjects: [configMap],
  };
}
