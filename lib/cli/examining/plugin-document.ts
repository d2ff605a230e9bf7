import type { ExaminedPlugin, ExaminedSource, PluginOutcome } from '../../doctor';
import { shownConfig } from '../../doctor';

/** What `doctor plugin --json` prints; no value of it is a secret. */
export interface PluginDocument {
  readonly schemaVersion: 1;
  readonly application: string;
  readonly sources: readonly (Pick<ExaminedSource, 'path' | 'folder'> & {
    readonly plugin: string | null;
    readonly config: ExaminedSource['config'] | null;
    readonly readFrom: string | null;
    readonly environment: readonly { readonly name: string; readonly value: string }[];
    readonly outcome: PluginOutcome | null;
  })[];
  readonly sidecars: readonly string[];
  readonly notes: readonly string[];
}

/** What there is to know of an Application's plugins, and what came of a run, as a document. */
export function pluginDocument(
  { application, sources, sidecars, notes }: ExaminedPlugin,
  outcomes: ReadonlyMap<string, PluginOutcome>,
): PluginDocument {
  return {
    schemaVersion: 1,
    application,
    sources: sources.map(({ path, folder, named, config, readFrom, environment }) => ({
      path,
      folder,
      plugin: named ?? config?.name ?? null,
      config: config ? shownConfig(config) : null,
      readFrom: readFrom ?? null,
      environment: environment.map(({ name, shown }) => ({ name, value: shown })),
      outcome: outcomes.get(path) ?? null,
    })),
    sidecars,
    notes,
  };
}
