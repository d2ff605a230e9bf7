import { Yaml } from 'cdk8s';
import { createHash } from 'node:crypto';
import { pluginAnnotation } from '../../../core/names';
import { defaultName, defaultTimeoutSeconds } from './props';
import type { HelmfilePluginProps } from './props';

/** What the script depends on. */
export interface GenerateScriptSettings {
  /** helmfile's environment where the Application names none. */
  readonly environment?: string;
  /** Names of releases that something else has installed. */
  readonly bootstrapped: readonly string[];
  /** Variables of the Application that helmfile sees by their own names. */
  readonly variables: readonly string[];
}

/**
 * The shell script that renders a helmfile for Argo CD.
 *
 * Argo CD takes what it prints for everything that is to be there and, with `prune`, deletes the rest. So it prints nothing before
 * all of it is known to be right: helmfile has ended well (there is no pipe, which would hide how it ended), there is something,
 * and every document is a Kubernetes object. What helmfile says goes to stderr, apart from the objects. It needs a POSIX shell,
 * `mktemp`, `rm`, helmfile and Helm.
 *
 * An error names the line and no more of it than its beginning, because Argo CD shows it to everybody and a value may be secret.
 *
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/config-management-plugins/
 */
export function generateScript({ environment, bootstrapped, variables }: GenerateScriptSettings): string {
  const excluded = bootstrapped.map((name) => `name!=${name}`).join(',');
  return [
    ...['set -euf', 'excluded=' + quoted(excluded), 'environment=' + quoted(environment ?? '')],
    ...variables.map(
      (name) => `if [ -n "\${ARGOCD_ENV_${name}+set}" ]; then export ${name}="$ARGOCD_ENV_${name}"; fi`,
    ),
    body,
  ].join('\n');
}

/** Names have nothing in them that a shell would read, which is checked before. */
function quoted(text: string): string {
  return `'${text}'`;
}

const body = String.raw`export HELMFILE_UPGRADE_NOTICE_DISABLED=true
fail() { printf 'helmfile plugin: %s\n' "$*" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
export HELMFILE_TEMPDIR="$work" CHARTIFY_TEMPDIR="$work"

set -- --no-color
file=@{ARGOCD_ENV_HELMFILE_FILE:-}
case /$file/ in
  //) ;;
  //* | */../* | *:*) fail "HELMFILE_FILE must be a path below the Application's own" ;;
  *) set -- "$@" --file "$file" ;;
esac
environment=@{ARGOCD_ENV_HELMFILE_ENVIRONMENT:-$environment}
[ -z "$environment" ] || set -- "$@" --environment "$environment"
if [ -n "@{ARGOCD_ENV_HELMFILE_SELECTORS:-}" ]; then
  for selector in $ARGOCD_ENV_HELMFILE_SELECTORS; do
    set -- "$@" --selector "$selector@{excluded:+,$excluded}"
  done
elif [ -n "$excluded" ]; then
  set -- "$@" --selector "$excluded"
fi
if [ -n "@{ARGOCD_ENV_HELMFILE_STATE_VALUES:-}" ]; then
  printf '%s\n' "$ARGOCD_ENV_HELMFILE_STATE_VALUES" > "$work/state-values.yaml"
  set -- "$@" --state-values-file "$work/state-values.yaml"
fi
set -- "$@" template --include-crds --skip-tests
[ -z "@{KUBE_VERSION:-}" ] || set -- "$@" --kube-version "$KUBE_VERSION"
# As one argument: helmfile writes each on a line of its own where Helm fails.
[ -z "@{KUBE_API_VERSIONS:-}" ] || set -- "$@" "--template-args=--api-versions=$KUBE_API_VERSIONS"
if [ -n "@{ARGOCD_ENV_HELMFILE_VALUES:-}" ]; then
  printf '%s\n' "$ARGOCD_ENV_HELMFILE_VALUES" > "$work/values.yaml"
  set -- "$@" --values "$work/values.yaml"
fi

objects=$(helmfile "$@") || fail "helmfile template ended with status $?"

# Every document has to be an object: its lines at the margin are its keys.
number=0 start=0 version= kind= odd= count=0
beginning() { printf '%.40s' "@{1%%:*}"; }
document() {
  [ "$start" -gt 0 ] || return 0
  if [ -n "$odd" ]; then
    fail "line $odd of what helmfile rendered is not part of a Kubernetes object: $(beginning "$oddText")"
  fi
  if [ -z "$version" ] || [ -z "$kind" ]; then
    fail "line $start of what helmfile rendered begins no Kubernetes object, which has apiVersion and kind: $(beginning "$startText")"
  fi
  count=$((count + 1)) start=0 version= kind=
}
while IFS= read -r line || [ -n "$line" ]; do
  number=$((number + 1))
  case $line in
    '---' | '--- '* | '...') document; continue ;;
    '' | '#'*) continue ;;
    *[![:space:]]*) ;;
    *) continue ;;
  esac
  if [ "$start" -eq 0 ]; then
    start=$number
    startText=$line
  fi
  case $line in
    *'"apiVersion":'* | apiVersion:*) version=yes ;;
  esac
  case $line in
    *'"kind":'* | kind:*) kind=yes ;;
  esac
  case $line in
    ' '* | '- '* | '-' | '{'* | '}'* | ']'*) ;;
    *:*)
      case @{line%%:*} in
        *[[:space:]]*) rest=odd ;;
        *) rest=@{line#*:} ;;
      esac
      case $rest in
        '' | ' '*) ;;
        *) [ -n "$odd" ] || { odd=$number; oddText=$line; } ;;
      esac
      ;;
    *) [ -n "$odd" ] || { odd=$number; oddText=$line; } ;;
  esac
done << END_OF_OBJECTS
$objects
END_OF_OBJECTS
document
[ "$count" -gt 0 ] || fail 'helmfile rendered nothing. Argo CD would take that for a wish to delete everything'

printf '%s\n' "$objects"
`.replaceAll('@{', '${');

/** What goes into the pod of Argo CD's repo server. */
export interface RepoServerPatch {
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
): RepoServerPatch {
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
      [pluginAnnotation(name)]: createHash('sha256').update(JSON.stringify(data)).digest('hex').slice(0, 16),
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
  { container, volumes, podAnnotations }: RepoServerPatch,
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
