import type { KubernetesObject } from '../../../core/kubernetes/api';
import type { CarefulReader } from '../../../core/kubernetes/tolerant-reader';
import { InvalidInput } from '../../../core/validation/problems';
import { Field } from '../../../lint';
import { looksLikePluginConfig, readPluginConfig } from './config';
import type { PluginConfig } from './config';

/** A plugin that was found in the cluster. */
export interface FoundPlugin {
  readonly config: PluginConfig;
  /** `ConfigMap argocd/cmp-plugin, key helmfile.yaml` */
  readonly readFrom: string;
}

/** What was found of plugins. */
export interface FoundPlugins {
  readonly plugins: readonly FoundPlugin[];
  /** Sidecars of the repository server, with their image: `helmfile (registry.example.com/helmfile:1)`. */
  readonly sidecars: readonly string[];
  /** What could not be read, or is no configuration of a plugin, a line each. */
  readonly notes: readonly string[];
}

/** argoproj/argo-cd v3.3.4 docs/operator-manual/config-management-plugins.md */
const entrypoint = /(?:^|\/)argocd-cmp-server$/;

/**
 * Looks for plugins in the namespace of Argo CD: their configuration in ConfigMaps, their sidecars in Deployments. A
 * configuration that is part of an image can't be read.
 */
export async function findPlugins(reader: CarefulReader, namespace: string): Promise<FoundPlugins> {
  const [maps, deployments] = await Promise.all([
    reader.list({ apiVersion: 'v1', kind: 'ConfigMap' }, { namespace }),
    reader.list({ apiVersion: 'apps/v1', kind: 'Deployment' }, { namespace }),
  ]);
  const notes: string[] = [];
  const plugins = (maps ?? []).flatMap((map) =>
    Field.ofValue(map.data).entries.flatMap(([key, { text }]) => {
      if (text === undefined || !looksLikePluginConfig(text)) {
        return [];
      }
      const readFrom = `ConfigMap ${namespace}/${map.metadata.name}, key ${key}`;
      try {
        return [{ config: readPluginConfig(text, readFrom), readFrom }];
      } catch (error) {
        if (!(error instanceof InvalidInput)) {
          throw error;
        }
        notes.push(...error.message.split('\n').map((line) => line.trim()));
        return [];
      }
    }),
  );
  return { plugins, sidecars: (deployments ?? []).flatMap(sidecarsOf), notes: [...notes, ...reader.unseen] };
}

function sidecarsOf(deployment: KubernetesObject): string[] {
  const containers = Field.ofValue(deployment.spec).get('template', 'spec', 'containers').items;
  return containers
    .filter((container) => container.get('command').items.some(({ text }) => entrypoint.test(text ?? '')))
    .map(
      (container) =>
        `${container.get('name').text ?? 'a container'} (${container.get('image').text ?? 'no image'})`,
    );
}

/** A source of an Application for which a plugin may make the manifests. */
export interface PluginSource {
  /** `spec.source`, `spec.sources[1]` */
  readonly path: string;
  /** Position among the sources. */
  readonly position: number;
  readonly field: Field;
  /** Name of the plugin. @default - the one whose discovery finds the source */
  readonly plugin?: string;
}

/** Sources of an Application that a plugin is for, or may be: those that say nothing of Helm, Kustomize or a directory. */
export function pluginSources(application: KubernetesObject): readonly PluginSource[] {
  const spec = Field.ofValue(application.spec);
  const dry = spec.get('sourceHydrator', 'drySource');
  const several = spec.get('sources').items;
  const sources = dry.exists
    ? [{ path: 'spec.sourceHydrator.drySource', position: 0, field: dry }]
    : several.length > 0
      ? several.map((field, position) => ({ path: `spec.sources[${position}]`, position, field }))
      : [{ path: 'spec.source', position: 0, field: spec.get('source') }];
  const named = sources
    .filter(({ field }) => field.get('plugin').exists)
    .map((source) => ({ ...source, ...subjectName(source.field) }));
  return named.length > 0 ? named : sources.filter(({ field }) => mayBeFound(field));
}

function subjectName(source: Field): { readonly plugin?: string } {
  const plugin = source.get('plugin', 'name').text;
  return plugin ? { plugin } : {};
}

/** Discovery asks plugins before it looks for charts and kustomizations. */
function mayBeFound(source: Field): boolean {
  return (
    source.exists && !['helm', 'kustomize', 'directory', 'chart', 'ref'].some((key) => source.get(key).exists)
  );
}
