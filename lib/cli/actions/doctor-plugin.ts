import { dnsLabel } from '../../core/validation/formats';
import { Problems, readText } from '../../core/validation/problems';
import { examinePlugin, pluginText, readPluginConfig, runPlugin, redactedConfig } from '../../operate/doctor';
import type { ExaminedPlugin, ExaminedSource, PluginOutcome } from '../../operate/doctor';
import { inCluster } from '../in-cluster';
import { jsonText, linesOf, somethingWrong, writeDocument, writeOut } from '../output';
import { Progress } from '../progress';

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
function pluginDocument(
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
      config: config ? redactedConfig(config) : null,
      readFrom: readFrom ?? null,
      environment: environment.map(({ name, shown }) => ({ name, value: shown })),
      outcome: outcomes.get(path) ?? null,
    })),
    sidecars,
    notes,
  };
}

/** argoproj/argo-cd v3.3.4 docs/operator-manual/config-management-plugins.md: ARGOCD_EXEC_TIMEOUT. In milliseconds. */
const usualTimeout = 90_000;

/**
 * Runs `cluster-canary doctor plugin`, and sets the exit status.
 *
 * @throws InvalidInput with everything that is wrong
 * @throws KubernetesError where the Application can't be read
 */
export async function plugin(application: string, flags: PluginFlags): Promise<void> {
  checkFlags(application, flags);
  const { namespace, pluginFile, kubeVersion, apiVersions } = flags;
  const config =
    pluginFile === undefined
      ? undefined
      : readPluginConfig(readText(pluginFile, "a plugin's configuration, in YAML"), pluginFile);
  await inCluster(flags, async (api, signal) => {
    const progress = new Progress(`examining the plugin of ${application}`);
    try {
      const examined = await examinePlugin(
        api,
        {
          application,
          namespace,
          ...(config === undefined ? {} : { config }),
          ...(kubeVersion === undefined ? {} : { kubeVersion }),
          ...(apiVersions === undefined ? {} : { apiVersions: apiVersions.split(',') }),
        },
        signal,
      );
      const outcomes =
        flags.run === true ? await run(examined, flags, signal) : new Map<string, PluginOutcome>();
      await (flags.json === true
        ? writeDocument(jsonText(pluginDocument(examined, outcomes)))
        : writeOut(linesOf(pluginText(examined, outcomes))));
      process.exitCode = isWell(examined, outcomes) ? 0 : somethingWrong;
    } finally {
      progress.stop();
    }
  });
}

/** @throws InvalidInput with everything that is wrong with what was given */
function checkFlags(
  application: string,
  { namespace, run: runs, checkout, passEnv: pass = [] }: PluginFlags,
): void {
  const problems = new Problems('doctor plugin');
  problems.check('application', application, {
    allowed: 'the name of an Application, or NAMESPACE/NAME',
    accepts: (value) =>
      typeof value === 'string' && /^(?:[a-z0-9-]{1,63}\/)?[a-z0-9][a-z0-9.-]{0,252}$/.test(value),
  });
  problems.check('--namespace', namespace, dnsLabel);
  if (runs === true && checkout === undefined) {
    problems.add('--run', true, 'together with --checkout');
  }
  pass.forEach((name) =>
    problems.check('--pass-env', name, {
      allowed: 'the name of a variable',
      accepts: (value) => typeof value === 'string' && /^[A-Za-z_]\w*$/.test(value),
    }),
  );
  problems.throwIfAny();
}

async function run(
  { sources, found }: ExaminedPlugin,
  { checkout = '.', passEnv: pass = [], timeout = usualTimeout }: PluginFlags,
  signal: AbortSignal,
): Promise<Map<string, PluginOutcome>> {
  const outcomes = new Map<string, PluginOutcome>();
  const problems = new Problems('doctor plugin');
  for (const { path, config, named } of sources) {
    if (!config) {
      problems.add(
        path,
        named ?? null,
        `of a plugin whose configuration is known (${found.join(', ') || 'none is'}), or --plugin-file`,
      );
    }
  }
  problems.throwIfAny();
  for (const { path, folder, config, environment } of sources) {
    const outcome = await runPlugin({
      ...{ config: config!, environment, checkout, path: folder, pass, timeout, signal },
      surroundings: process.env,
    });
    outcomes.set(path, outcome);
  }
  return outcomes;
}

/** A plugin that is not there would fail for Argo CD as well, or can't be checked here. */
function isWell({ sources }: ExaminedPlugin, outcomes: ReadonlyMap<string, PluginOutcome>): boolean {
  return (
    sources.every(({ config }) => config !== undefined) &&
    [...outcomes.values()].every(({ failed, output }) => !failed && output?.problems.length === 0)
  );
}

/** What `cluster-canary doctor plugin` takes; durations are in milliseconds. */
export interface PluginFlags {
  /** Namespace of Argo CD. */
  readonly namespace: string;
  /** Folder with a checkout of the repository. */
  readonly checkout?: string;
  readonly run?: boolean;
  /** A `plugin.yaml`. @default - it is looked for in the cluster */
  readonly pluginFile?: string;
  readonly kubeVersion?: string;
  readonly apiVersions?: string;
  /** Names of variables that the plugin gets from this environment. */
  readonly passEnv?: readonly string[];
  readonly timeout?: number;
  readonly json?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
}
