import type { KubernetesReader } from '../../../core/kubernetes/api';
import { CarefulReader } from '../../../core/kubernetes/tolerant-reader';
import { Problems } from '../../../core/validation/problems';
import type { PluginConfig } from './config';
import type { EnvironmentFacts, PluginVariable } from './environment';
import type { PluginSource } from './find-plugins';

/** Which Application is inspected, and what is known beside the cluster. */
export interface PluginRequest extends EnvironmentFacts {
  /** Name of the Application; `NAMESPACE/NAME` where it is not in Argo CD's own. */
  readonly application: string;
  /** The plugin's configuration, where the cluster does not have it. @default - it is looked for in ConfigMaps */
  readonly config?: PluginConfig;
}

/** How the manifests of one source are made by a plugin. */
export interface ExaminedSource {
  /** `spec.source` */
  readonly path: string;
  /** Path in the repository; `.` is its root. */
  readonly folder: string;
  /** The name that the source gives. @default - discovery chooses */
  readonly named?: string;
  /** Variables that the plugin's commands see. */
  readonly environment: readonly PluginVariable[];
  /** The plugin's configuration. @default - it was not found */
  readonly config?: PluginConfig;
  /** Where the configuration was read. */
  readonly readFrom?: string;
}

/** What there is to know of an Application's plugins. */
export interface ExaminedPlugin {
  /** Name of the Application. */
  readonly application: string;
  /** Its sources that a plugin is for. */
  readonly sources: readonly ExaminedSource[];
  /** Names of the plugins that were found, for messages. */
  readonly found: readonly string[];
  /** Names of the repository server's containers that may run a plugin. */
  readonly sidecars: readonly string[];
  /** What could not be read, a line each. */
  readonly notes: readonly string[];
}

/**
 * Reads which plugin an Application uses, and with which command and environment the repository server runs it.
 *
 * @throws InvalidInput where the Application uses no plugin
 * @throws KubernetesError where the Application can't be read
 */
export async function examinePlugin(
  api: KubernetesReader,
  request: PluginRequest,
  signal?: AbortSignal,
): Promise<ExaminedPlugin> {
  // They load all rules, which whoever examines no plugin is spared.
  const [{ findPlugins }, { pluginEnvironment }, { pluginSources }] = await Promise.all([
    import('./find-plugins'),
    import('./environment'),
    import('./find-plugins'),
  ]);
  const [name, namespace] = request.application.split('/').reverse();
  const application = await api.get(
    {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: name ?? '', namespace: namespace ?? request.namespace },
    },
    signal,
  );
  const sources = pluginSources(application);
  if (sources.length === 0) {
    const problems = new Problems('doctor plugin');
    problems.add('application', request.application, 'an Application with a source that a plugin is for');
    problems.throwIfAny();
  }
  const { plugins, sidecars, notes } = await findPlugins(new CarefulReader(api, signal), request.namespace);
  const known = [
    ...(request.config ? [{ config: request.config, readFrom: 'the given configuration' }] : []),
    ...plugins,
  ];
  return {
    application: request.application,
    sources: sources.map((source) => ({
      path: source.path,
      folder: source.field.get('path').text ?? '.',
      ...(source.plugin === undefined ? {} : { named: source.plugin }),
      environment: pluginEnvironment(application, source.field, source.position, request),
      ...chosen(source, known),
    })),
    found: known.map(({ config }) => config.name),
    sidecars,
    notes,
  };
}

/** The one that is named; where none is, the only one there is, as far as it has a discovery. */
function chosen<Known extends { readonly config: PluginConfig; readonly readFrom: string }>(
  { plugin }: PluginSource,
  known: readonly Known[],
): Known | undefined {
  if (plugin !== undefined) {
    return known.find(({ config }) => config.name === plugin);
  }
  const [only, ...others] = known;
  return only?.config.discover !== undefined && others.length === 0 ? only : undefined;
}
