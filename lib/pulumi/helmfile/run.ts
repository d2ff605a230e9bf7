import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../core/process/run-program';
import type { ProgramCall } from '../../core/process/run-program';
import { withoutSecrets } from '../../core/redaction';
import { endReason, listedReleases, planOf } from './plan';
import type { HelmfileEnd, HelmfilePlan, ListedRelease } from './plan';
import { helmfileArguments, helmfileEnvironment } from './settings';
import type { HelmfileSettings, HelmfileVerb } from './settings';

/** A folder that only this user can read. */
interface PrivateFolder {
  readonly path: string;
  /** Folder for what programs leave behind. */
  readonly temporary: string;
  /** Writes a file that only this user can read, and answers its path. */
  write(name: string, text: string): Promise<string>;
}

/** Does something with a folder that is gone afterwards, however that ends. */
export async function withPrivateFolder<T>(use: (folder: PrivateFolder) => Promise<T>): Promise<T> {
  // Made with the mode 0700.
  const path = await mkdtemp(join(tmpdir(), 'cluster-canary-helmfile-'));
  try {
    const temporary = join(path, 'temporary');
    await mkdir(temporary, { mode: 0o700 });
    const write = async (name: string, text: string): Promise<string> => {
      const file = join(path, name);
      await writeFile(file, text, { mode: 0o600, flag: 'wx' });
      return file;
    };
    return await use({ path, temporary, write });
  } finally {
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** As much is kept of each stream, in bytes: of more, the end. */
const mostKept = { bytes: 4 * 1024 * 1024, beyond: 'keepEnd' } as const;

/**
 * Runs helmfile or helm.
 *
 * @throws Error where it can't be started
 */
export async function runHelmProgram(call: Omit<ProgramCall, 'stdout' | 'stderr'>): Promise<HelmfileEnd> {
  const end = await runProgram({ ...call, stdout: mostKept, stderr: mostKept });
  if (end.how === 'notStarted') {
    throw new Error(`${call.program} can't be started: ${whyNot(end.code, call.cwd)}`);
  }
  return { ...end, stdout: end.stdout.toString('utf8'), stderr: end.stderr.toString('utf8') };
}

/** Whether it did what it was to do. */
export function succeeded(end: HelmfileEnd): boolean {
  return end.how === 'exited' && end.status === 0;
}

function whyNot(code: string, cwd: string | undefined): string {
  const place = cwd === undefined ? '' : `, or the folder ${cwd} is not there`;
  return code === 'ENOENT' ? `it is not on the PATH${place}` : code;
}

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
