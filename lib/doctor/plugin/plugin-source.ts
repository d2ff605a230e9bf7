import type { KubernetesObject } from '../../kubernetes';
import { Field } from '../../rules';

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
    .map((source) => ({ ...source, ...nameOf(source.field) }));
  return named.length > 0 ? named : sources.filter(({ field }) => mayBeFound(field));
}

function nameOf(source: Field): { readonly plugin?: string } {
  const plugin = source.get('plugin', 'name').text;
  return plugin ? { plugin } : {};
}

/** Discovery asks plugins before it looks for charts and kustomizations. */
function mayBeFound(source: Field): boolean {
  return (
    source.exists && !['helm', 'kustomize', 'directory', 'chart', 'ref'].some((key) => source.get(key).exists)
  );
}
