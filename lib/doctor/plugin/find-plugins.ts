import type { CarefulReader, KubernetesObject } from '../../kubernetes';
import { InvalidInput } from '../../problems';
import { Field } from '../../rules';
import type { PluginConfig } from './plugin-config';
import { looksLikePluginConfig, readPluginConfig } from './plugin-config';

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
