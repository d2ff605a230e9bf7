import type { HelmfileVerb } from './command-line';
import { helmfileArguments, helmfileEnvironment } from './command-line';
import type { HelmfileEnd, HelmfilePlan, ListedRelease } from './plan';
import { endReason, listedReleases, planOf } from './plan';
import type { PrivateFolder } from './private-folder';
import { withPrivateFolder } from './private-folder';
import { withoutSecrets } from './redaction';
import { runHelmProgram, succeeded } from './run-helm-program';
import type { HelmfileSettings } from './settings';

/** How a run is watched. */
export interface RunControl {
  readonly signal?: AbortSignal;
  /** Is told what the program says, without secrets. */
  readonly onLine?: (line: string) => void;
}

/** A kubeconfig that leads nowhere, for runs that ask no cluster. */
const nowhere = JSON.stringify({ apiVersion: 'v1', kind: 'Config' });

/**
 * Runs helmfile. What it is given and what it leaves behind lies in a private folder that is gone afterwards.
 *
 * @throws Error where helmfile can't be started
 */
async function runHelmfile(
  verb: HelmfileVerb,
  settings: HelmfileSettings,
  kubeconfig: string,
  control: RunControl,
): Promise<HelmfileEnd> {
  const { choice, environmentVariables, secrets } = settings;
  return withPrivateFolder(async (folder) => {
    const files = await valuesFiles(settings, folder);
    const end = await runHelmProgram({
      program: settings.program,
      args: helmfileArguments(verb, { ...choice, ...files }),
      cwd: settings.workingDirectory,
      env: helmfileEnvironment(process.env, environmentVariables, {
        kubeconfig: await folder.write('kubeconfig', kubeconfig),
        temporary: folder.temporary,
      }),
      timeoutMs: settings.timeoutMs,
      signal: control.signal,
      onLine: (line) => control.onLine?.(withoutSecrets(line, secrets)),
    });
    const stdout = verb === 'list' ? end.stdout : withoutSecrets(end.stdout, secrets);
    return { ...end, stdout, stderr: withoutSecrets(end.stderr, secrets) };
  });
}

/** JSON is YAML. */
async function valuesFiles(
  { choice, stateValues, values }: HelmfileSettings,
  folder: PrivateFolder,
): Promise<{ stateValuesFiles: string[]; valuesFiles: string[] }> {
  const file = async (name: string, content: object | undefined): Promise<string[]> =>
    content === undefined ? [] : [await folder.write(name, JSON.stringify(content))];
  return {
    stateValuesFiles: [...choice.stateValuesFiles, ...(await file('state-values.json', stateValues))],
    valuesFiles: [...choice.valuesFiles, ...(await file('values.json', values))],
  };
}

/**
 * The releases that are to be there. No cluster is asked.
 *
 * @throws Error with what helmfile said
 */
export async function listReleases(
  settings: HelmfileSettings,
  control: RunControl = {},
): Promise<ListedRelease[]> {
  const end = await runHelmfile('list', settings, nowhere, control);
  if (!succeeded(end)) {
    throw new Error(`helmfile list failed:\n${endReason(end, [])}`);
  }
  return listedReleases(end.stdout);
}

/** What helmfile would do. Never throws: what went wrong is in the plan. */
export async function planReleases(
  settings: HelmfileSettings,
  kubeconfig: string,
  releases: readonly ListedRelease[],
  control: RunControl = {},
): Promise<HelmfilePlan> {
  try {
    const end = await runHelmfile('diff', settings, kubeconfig, control);
    return planOf(end, names(releases));
  } catch (error) {
    return { kind: 'failed', reason: withoutSecrets((error as Error).message, settings.secrets) };
  }
}

/**
 * Does it, or takes it all away again.
 *
 * @throws Error with the release that failed, and what Helm said of it
 */
export async function changeReleases(
  verb: 'apply' | 'destroy',
  settings: HelmfileSettings,
  kubeconfig: string,
  releases: readonly ListedRelease[],
  control: RunControl = {},
): Promise<void> {
  const end = await runHelmfile(verb, settings, kubeconfig, control);
  if (!succeeded(end)) {
    throw new Error(`helmfile ${verb} failed:\n${endReason(end, names(releases))}`);
  }
}

function names(releases: readonly ListedRelease[]): string[] {
  return releases.map(({ name }) => name);
}
