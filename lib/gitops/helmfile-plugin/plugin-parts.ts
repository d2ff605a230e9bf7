import { createHash } from 'node:crypto';
import { Yaml } from 'cdk8s';
import { generateScript } from './generate-script';
import type { HelmfilePluginProps } from './helmfile-plugin-props';
import { defaultName, defaultTimeoutSeconds } from './helmfile-plugin-props';

/** What goes into the pod of Argo CD's repo server. */
export interface RepoServerParts {
  /** The sidecar. */
  readonly container: object;
  /** Volumes of the pod, beside `var-files` and `plugins`, which Argo CD's own manifests have. */
  readonly volumes: readonly object[];
  /** Annotations of the pod: a changed script starts it anew, since a mounted file never changes in a running pod. */
  readonly podAnnotations: Readonly<Record<string, string>>;
}

/** Values for the chart argo-cd. */
export interface PluginChartValues {
  /** Sidecar, volumes and annotations of the repo server. */
  readonly repoServer: object;
  /** How long Argo CD waits for the repo server. @default - the chart's own */
  readonly configs?: object;
  /** The ConfigMap, where the values bring it along. @default - none */
  readonly extraObjects?: readonly object[];
}

/** Where Argo CD looks for a plugin's definition in the sidecar. */
const folder = '/home/argocd/cmp-server/config';

const files = { definition: 'plugin.yaml', script: 'generate.sh' } as const;

/** The ConfigMap with the plugin's definition. */
export interface PluginConfigMap {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly data: Readonly<Record<(typeof files)[keyof typeof files], string>>;
}

/** The plugin's definition. */
export function pluginConfigMap(props: HelmfilePluginProps): PluginConfigMap {
  const {
    name = defaultName,
    namespace = 'argocd',
    environment,
    bootstrapped,
    variables = [],
    discover = 'helmfile.*',
  } = props;
  const script = generateScript({ environment, bootstrapped, variables });
  const plugin = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ConfigManagementPlugin',
    metadata: { name },
    spec: {
      // Argo CD shows the command before what it has said: a file, since nobody would find the error behind a whole script.
      generate: { command: ['sh', `${folder}/${files.script}`] },
      ...(discover === false ? {} : { discover: { fileName: discover } }),
    },
  };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-plugin`, namespace },
    data: { [files.definition]: Yaml.stringify(plugin), [files.script]: script },
  };
}

/** What the repo server's pod needs for it. */
export function repoServerParts(
  props: HelmfilePluginProps,
  { metadata, data }: PluginConfigMap,
): RepoServerParts {
  const { name = defaultName } = props;
  const volumes = { config: `${name}-plugin`, temporary: `${name}-plugin-tmp` };
  return {
    container: {
      name: `${name}-plugin`,
      image: props.image,
      // Argo CD's own init container puts it there.
      command: ['/var/run/argocd/argocd-cmp-server'],
      env: containerEnvironment(props),
      resources: props.resources ?? {
        requests: { cpu: '100m', memory: '256Mi' },
        limits: { memory: '1Gi' },
      },
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 999,
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
        seccompProfile: { type: 'RuntimeDefault' },
      },
      volumeMounts: [
        { name: 'var-files', mountPath: '/var/run/argocd' },
        { name: 'plugins', mountPath: '/home/argocd/cmp-server/plugins' },
        ...Object.values(files).map((file) => ({
          name: volumes.config,
          mountPath: `${folder}/${file}`,
          subPath: file,
        })),
        // Not the repo server's: a path that leads out of a repository must not lead into another one.
        { name: volumes.temporary, mountPath: '/tmp' },
      ],
    },
    volumes: [
      { name: volumes.config, configMap: { name: metadata.name } },
      { name: volumes.temporary, emptyDir: {} },
    ],
    podAnnotations: {
      [`cluster-canary/${name}-plugin`]: createHash('sha256')
        .update(JSON.stringify(data))
        .digest('hex')
        .slice(0, 16),
    },
  };
}

/** Only /tmp can be written to. Where Helm looks for plug-ins (HELM_DATA_HOME) is left to the image. */
function containerEnvironment(props: HelmfilePluginProps): object[] {
  const { restricted, timeoutSeconds = defaultTimeoutSeconds, env = {} } = props;
  const variables: Record<string, string> = {
    HELM_CACHE_HOME: '/tmp/helm/cache',
    HELM_CONFIG_HOME: '/tmp/helm/config',
    HELMFILE_CACHE_HOME: '/tmp/helmfile/cache',
    ARGOCD_EXEC_TIMEOUT: `${timeoutSeconds}s`,
    ...(restricted && { HELMFILE_DISABLE_INSECURE_FEATURES: 'true', HELMFILE_DISABLE_HOOKS: 'true' }),
    ...env,
  };
  return Object.entries(variables).map(([name, value]) => ({ name, value }));
}

/**
 * Values for the chart argo-cd, which add the sidecar.
 * @see https://github.com/argoproj/argo-helm/blob/argo-cd-10.1.1/charts/argo-cd/values.yaml
 */
export function sidecarValues(
  { container, volumes, podAnnotations }: RepoServerParts,
  timeoutSeconds: number | undefined,
): PluginChartValues {
  return {
    repoServer: {
      extraContainers: [container],
      volumes: [...volumes],
      podAnnotations: { ...podAnnotations },
    },
    // Both wait 60 s for the repo server otherwise.
    ...(timeoutSeconds !== undefined && {
      configs: {
        params: {
          'server.repo.server.timeout.seconds': String(timeoutSeconds),
          'controller.repo.server.timeout.seconds': String(timeoutSeconds),
        },
      },
    }),
  };
}
