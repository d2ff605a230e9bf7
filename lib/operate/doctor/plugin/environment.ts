import type { KubernetesObject } from '../../../core/kubernetes/api';
import { masked } from '../../../core/redaction';
import { namesSecret } from '../../../core/validation/secrets';
import { Field } from '../../../lint';

/** One variable of a plugin's environment. */
export interface PluginVariable {
  /** Name of the variable. */
  readonly name: string;
  /** The value itself, which may be a secret. @default - it is not known here */
  readonly value?: string;
  /** The value as it may be shown. */
  readonly shown: string;
}

/** What the environment is made of beside the Application. */
export interface EnvironmentFacts {
  /** Namespace of Argo CD: an Application in another one has its namespace in its name. */
  readonly namespace: string;
  /** Version of the destination cluster; Argo CD hands over `1.35`. @default - not known */
  readonly kubeVersion?: string;
  /** API versions of the destination cluster, `apps/v1` and `apps/v1/Deployment`. @default - not known */
  readonly apiVersions?: readonly string[];
}

/**
 * The variables that the repository server hands to a plugin, in its order. A plugin's sidecar has its own beside them.
 *
 * @param source one source of the Application
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/reposerver/repository/repository.go newEnv, getPluginEnvs
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/pkg/apis/application/v1alpha1/types.go ApplicationSourcePluginParameters
 */
export function pluginEnvironment(
  application: KubernetesObject,
  source: Field,
  position: number,
  facts: EnvironmentFacts,
): readonly PluginVariable[] {
  const revision = revisionOf(application, position);
  const { name, namespace } = application.metadata;
  const spec = Field.ofValue(application.spec);
  const build: readonly PluginVariable[] = [
    known(
      'ARGOCD_APP_NAME',
      namespace === undefined || namespace === facts.namespace ? name : `${namespace}_${name}`,
    ),
    known('ARGOCD_APP_NAMESPACE', spec.get('destination', 'namespace').text ?? ''),
    known('ARGOCD_APP_PROJECT_NAME', spec.get('project').text ?? ''),
    fromRevision('ARGOCD_APP_REVISION', revision, Infinity),
    fromRevision('ARGOCD_APP_REVISION_SHORT', revision, 7),
    fromRevision('ARGOCD_APP_REVISION_SHORT_8', revision, 8),
    known('ARGOCD_APP_SOURCE_REPO_URL', source.get('repoURL').text ?? ''),
    known('ARGOCD_APP_SOURCE_PATH', source.get('path').text ?? ''),
    known('ARGOCD_APP_SOURCE_TARGET_REVISION', source.get('targetRevision').text ?? ''),
    fromCluster('KUBE_VERSION', facts.kubeVersion, 'version of the destination cluster'),
    fromCluster('KUBE_API_VERSIONS', facts.apiVersions?.join(','), 'API versions of the destination cluster'),
  ];
  const plugin = source.get('plugin');
  return plugin.exists ? [...build, ...ownVariables(plugin, build), ...parameterVariables(plugin)] : build;
}

function known(name: string, value: string): PluginVariable {
  return { name, value, shown: namesSecret(name) ? '[secret]' : masked(value) };
}

function fromRevision(name: string, revision: string | undefined, length: number): PluginVariable {
  return revision === undefined
    ? { name, shown: '(not known: Argo CD has not compared yet)' }
    : known(name, revision.slice(0, length));
}

function fromCluster(name: string, value: string | undefined, what: string): PluginVariable {
  return value === undefined ? { name, shown: `(not known here: ${what})` } : known(name, value);
}

/** The commit that Argo CD has compared last. */
function revisionOf(application: KubernetesObject, position: number): string | undefined {
  const sync = Field.ofValue(application.status).get('sync');
  return sync.get('revisions', position).text ?? (position === 0 ? sync.get('revision').text : undefined);
}

/** `plugin.env`: each with a prefix, and with the variables of the build in its value. */
function ownVariables(plugin: Field, build: readonly PluginVariable[]): PluginVariable[] {
  const values = new Map(build.map(({ name, value }) => [name, value ?? '']));
  return plugin.get('env').items.map((entry) => {
    const name = `ARGOCD_ENV_${entry.get('name').text ?? ''}`;
    return known(name, expanded(entry.get('value').text ?? '', values));
  });
}

/** References as Go's os.Expand knows them; `$$` is a dollar, and what is not known is nothing. */
export function expanded(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(
    /\$(?:\{([^}]*)\}|(\{)|([*#$@!?0-9-])|([A-Za-z0-9_]+))/g,
    (_found, ...groups: unknown[]) => {
      const [braced, broken, special, plain] = groups as (string | undefined)[];
      if (broken !== undefined) {
        return '';
      }
      const name = braced ?? special ?? plain ?? '';
      return name === '$' ? '$' : (values.get(name) ?? '');
    },
  );
}

/** `plugin.parameters`: all of them as JSON, then each by itself. */
function parameterVariables(plugin: Field): PluginVariable[] {
  const parameters = plugin.get('parameters').items;
  const single = parameters.flatMap((parameter) => {
    const own = parameter.get('name').text ?? '';
    const text = parameter.get('string').text;
    const variable = (keys: readonly (string | number)[], value = ''): PluginVariable => ({
      ...known(['PARAM', own, ...keys].map(escaped).join('_'), value),
      // The name of the variable goes on after that of the parameter, and no longer looks like that of a secret.
      ...(namesSecret(own) ? { shown: '[secret]' } : {}),
    });
    return [
      ...(text === undefined ? [] : [variable([], text)]),
      ...parameter.get('map').entries.map(([key, value]) => variable([key], value.text)),
      ...parameter.get('array').items.map((value, index) => variable([index], value.text)),
    ];
  });
  return [
    {
      name: 'ARGOCD_APP_PARAMETERS',
      value: plugin.get('parameters').exists
        ? JSON.stringify(parameters.map((each) => written(each, false)))
        : 'null',
      shown: plugin.get('parameters').exists
        ? masked(JSON.stringify(parameters.map((each) => written(each, true))))
        : 'null',
    },
    ...single,
  ];
}

/** A parameter as Argo CD writes it: its keys in order, and only those that are set. */
function written(parameter: Field, hides: boolean): object {
  const name = parameter.get('name').text ?? '';
  const shown = (value: string, key = ''): string =>
    hides && (namesSecret(name) || namesSecret(key)) ? '[secret]' : value;
  const text = parameter.get('string').text;
  const keys = [...parameter.get('map').entries].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    ...(parameter.get('array').exists
      ? { array: parameter.get('array').items.map((value) => shown(value.text ?? '')) }
      : {}),
    ...(parameter.get('map').exists
      ? { map: Object.fromEntries(keys.map(([key, value]) => [key, shown(value.text ?? '', key)])) }
      : {}),
    name,
    ...(text === undefined ? {} : { string: shown(text) }),
  };
}

function escaped(name: string | number): string {
  return String(name)
    .toUpperCase()
    .replace(/[^A-Z0-9_]/g, '_');
}
