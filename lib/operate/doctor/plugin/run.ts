import { cp, mkdir, mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { runProgram } from '../../../core/process/run-program';
import type { ProgramEnd } from '../../../core/process/run-program';
import { masked, withoutSecrets } from '../../../core/redaction';
import { InvalidInput, Problems } from '../../../core/validation/problems';
import type { PluginCommand, PluginConfig } from './config';
import type { PluginVariable } from './environment';
import { checkOutput } from './manifests';
import type { CheckedOutput } from './manifests';

/** What a plugin is run on. */
export interface PluginRun {
  /** The commands. */
  readonly config: Pick<PluginConfig, 'init' | 'generate'>;
  /** Variables that the commands see. */
  readonly environment: readonly PluginVariable[];
  /** Folder of a checkout of the repository; it is copied, and stays as it is. */
  readonly checkout: string;
  /** Path of the source in it. */
  readonly path: string;
  /** Environment of this machine; of it only `passedOn` is. */
  readonly surroundings: NodeJS.ProcessEnv;
  /** Names of further variables of this machine that the plugin gets. */
  readonly pass: readonly string[];
  /** For each command, in milliseconds. */
  readonly timeout: number;
  /** Ends the command that runs. */
  readonly signal: AbortSignal;
  /** Folder in which the copy is made. @default - the system's for temporary files */
  readonly temporary?: string;
}

/** What came of it. */
export interface PluginOutcome {
  /** The command that failed. @default - both ended well */
  readonly failed?: {
    /** Which of the two. */
    readonly command: 'init' | 'generate';
    /** How it ended, for a person. */
    readonly why: string;
  };
  /** What it wrote to stderr, at its end, without what looks like a secret. */
  readonly stderr: string;
  /** What it wrote to stdout. @default - `generate` did not end well */
  readonly output?: CheckedOutput;
  /** Of `generate`, in milliseconds. */
  readonly duration: number;
}

/** argoproj/argo-cd v3.3.4 cmpserver/plugin/plugin.go: SIGTERM, and SIGKILL five seconds later. In milliseconds. */
const grace = 5_000;

/** Argo CD passes on 100 MB of manifests. In bytes. */
const longest = 100_000_000;

/** What programs need to start; credentials and kubeconfigs of whoever runs it are not among it. */
const passedOn = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

/**
 * Runs a plugin on a copy of a checkout, as its sidecar does: `init`, then `generate`, in the path of the source.
 *
 * @throws InvalidInput where the checkout is no folder, or the path is not in it
 * @throws the reason of the signal, when it is aborted
 */
export async function runPlugin(run: PluginRun): Promise<PluginOutcome> {
  const checkout = await folderOf(run);
  const own = await mkdtemp(join(await realpath(run.temporary ?? tmpdir()), 'cluster-canary-plugin-'));
  try {
    const [repository, temporary] = [join(own, 'repository'), join(own, 'tmp')];
    await mkdir(temporary);
    await cp(checkout, repository, { recursive: true, verbatimSymlinks: true });
    const place = {
      folder: await folderInCopy(repository, run),
      environment: environmentOf(run, temporary),
      timeout: run.timeout,
      signal: run.signal,
    };
    const show = shownWithout(run.environment);
    if (run.config.init) {
      const end = await runCommand(run.config.init, place);
      if (end.why !== undefined) {
        return {
          failed: { command: 'init', why: end.why },
          stderr: show(end.stderr),
          duration: end.duration,
        };
      }
    }
    // Without the wait the folder would go before the command ends.
    return await outcomeOf(run.config.generate, place, show);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

async function outcomeOf(
  command: PluginCommand,
  place: CommandPlace,
  show: (text: string) => string,
): Promise<PluginOutcome> {
  const end = await runCommand(command, place);
  const common = { stderr: show(end.stderr), duration: end.duration };
  if (end.why !== undefined) {
    return { ...common, failed: { command: 'generate', why: end.why } };
  }
  const { objects, problems } = checkOutput(end.stdout);
  return {
    ...common,
    output: { objects, problems: problems.map((each) => ({ ...each, text: show(each.text) })) },
  };
}

interface CommandPlace {
  readonly folder: string;
  /** Nothing of this machine's environment is added. */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeout: number;
  readonly signal: AbortSignal;
}

interface CommandEnd {
  readonly stdout: string;
  readonly stderr: string;
  /** @default - it ended well */
  readonly why?: string;
  readonly duration: number;
}

/** @throws the reason of the signal, when it is aborted */
async function runCommand(
  [program = '', ...args]: PluginCommand,
  { folder, environment, timeout, signal }: CommandPlace,
): Promise<CommandEnd> {
  const began = performance.now();
  const end = await runProgram({
    program,
    args,
    cwd: folder,
    env: environment,
    timeoutMs: timeout,
    graceMs: grace,
    signal,
    stdout: { bytes: longest, beyond: 'stop' },
    stderr: { bytes: 20_000, beyond: 'keepEnd' },
  });
  signal.throwIfAborted();
  const why = failureOf(end, program, timeout);
  return {
    stdout: end.stdout.toString('utf8'),
    stderr: end.stderr.toString('utf8'),
    ...(why === undefined ? {} : { why }),
    duration: Math.round(performance.now() - began),
  };
}

function failureOf(end: ProgramEnd, program: string, timeout: number): string | undefined {
  switch (end.how) {
    case 'exited':
      return end.status === 0 ? undefined : `exit status ${end.status}`;
    case 'signalled':
      return `${end.signal} ended it`;
    case 'notStarted':
      return end.code === 'ENOENT'
        ? `${program} is not installed here`
        : `${program} could not be started: ${end.code}`;
    case 'timedOut':
      return `it did not end within ${timeout / 1_000} s`;
    case 'tooMuch':
      return `it wrote more than 100 MB to ${end.stream}`;
    case 'cancelled':
      return 'it was interrupted';
  }
}

async function folderOf({ checkout, path }: PluginRun): Promise<string> {
  const problems = new Problems('doctor plugin');
  const root = resolve(checkout);
  const inside = relative(root, resolve(root, path));
  if (!(await isFolder(root))) {
    problems.add('--checkout', checkout, 'a folder with a checkout of the repository');
  } else if (inside === '..' || inside.startsWith(`..${sep}`) || !(await isFolder(join(root, path)))) {
    problems.add('path', path, `a folder in ${checkout}: is it a checkout of this repository and revision?`);
  }
  problems.throwIfAny();
  return root;
}

/** A link may lead out of the copy: the plugin would run where something else is. */
async function folderInCopy(repository: string, { path, checkout }: PluginRun): Promise<string> {
  const folder = join(repository, path);
  // A link with an absolute path leads to the checkout itself, or nowhere.
  const real = await realpath(folder).catch(() => undefined);
  const inside = real === undefined ? '..' : relative(repository, real);
  if (isAbsolute(inside) || inside.split(sep)[0] === '..') {
    throw new InvalidInput('doctor plugin', [
      { path: 'path', value: path, allowed: `a folder in ${checkout}; a link leads out of it` },
    ]);
  }
  return folder;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function environmentOf(
  { surroundings, pass, environment }: PluginRun,
  temporary: string,
): Record<string, string> {
  const given = [...passedOn, ...pass].flatMap((name) => {
    const value = surroundings[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const variables = environment.flatMap(({ name, value }) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(given), TMPDIR: temporary, ...Object.fromEntries(variables) };
}

/** A tool may write its environment: values that are not shown there are not shown here. */
function shownWithout(environment: readonly PluginVariable[]): (text: string) => string {
  const secrets = environment.flatMap(({ value, shown }) =>
    value !== undefined && value.length >= 4 && shown === '[secret]' ? [value] : [],
  );
  return (text) => masked(withoutSecrets(text, secrets));
}
