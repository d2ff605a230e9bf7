import * as pulumi from '@pulumi/pulumi';
import { eksKubeconfig } from '../../core/kubernetes/eks-kubeconfig';
import type { EksApiServer } from '../../core/kubernetes/eks-kubeconfig';
import { engineHook, canBindHooks, watchInterrupts } from '../hooks';
import { programLog } from '../log';
import { describeEnd } from './plan';
import type { HelmfilePlan, ListedRelease } from './plan';
import { changeReleases, runHelmProgram, succeeded, withPrivateFolder } from './run';
import type { RunControl } from './run';
import { helmfileEnvironment } from './settings';
import type { HelmfileSettings } from './settings';

/** Where a run says how far it is. */
export interface RunLog {
  /** A line that the next one takes the place of. */
  progress(text: string): void;
}

/** Silence before something is said, and the least time between two lines, in milliseconds. */
const everyMs = 2_000;

/** Where lines are not drawn anew, each stays: so often at most only the time is told, in milliseconds. */
const timeOnlyEveryMs = 30_000;

/** Says what a long run does: its last line, and for how long it has been running. */
export class RunProgress {
  private readonly started = Date.now();
  private last = '';
  private said = { line: '', at: this.started };
  private readonly timer: NodeJS.Timeout;

  /**
   * @param what is run: `helmfile apply`
   * @param tickMs time between two looks, in milliseconds
   */
  public constructor(
    private readonly what: string,
    private readonly log: RunLog,
    tickMs = everyMs,
  ) {
    this.timer = setInterval(() => this.tell(), tickMs);
    this.timer.unref();
  }

  /** Takes note of a line. */
  public readonly line = (line: string): void => {
    this.last = line.slice(0, 160);
  };

  public stop(): void {
    clearInterval(this.timer);
  }

  private tell(): void {
    const now = Date.now();
    if (
      this.last !== this.said.line ||
      now - this.said.at >= timeOnlyEveryMs ||
      this.said.at === this.started
    ) {
      this.said = { line: this.last, at: now };
      const seconds = Math.round((now - this.started) / 1000);
      this.log.progress(`${this.what}: ${seconds} s${this.last === '' ? '' : `, ${this.last}`}`);
    }
  }
}

/**
 * What stands in Pulumi's state: what has to be known to uninstall the releases when the program no longer has them. No value
 * and no credential is in it.
 */
interface RecordedReleases {
  /** The helmfile, as the program says it. */
  readonly file: string;
  readonly environment?: string;
  readonly selectors?: readonly string[];
  /** By namespace and name. */
  readonly releases: readonly ListedRelease[];
  /** The slot's cluster. @default - the program gave a kubeconfig, which is not kept */
  readonly cluster?: EksApiServer;
  /** Helm, as the program says it. */
  readonly helm?: string;
}

/**
 * Reads it from the inputs of the resource.
 *
 * @throws Error where it is something else
 */
export function recordedReleases(inputs: unknown): RecordedReleases {
  const { input } = (inputs ?? {}) as { input?: Partial<RecordedReleases> };
  if (typeof input?.file !== 'string' || !Array.isArray(input.releases)) {
    throw new Error('the record of the releases can not be read: it has been changed');
  }
  return input as RecordedReleases;
}

/** `web (front), api (back)`. */
export function describeReleases(releases: readonly ListedRelease[]): string {
  const words = releases.map(({ name, namespace }) => (namespace === '' ? name : `${name} (${namespace})`));
  return words.length === 0 ? 'no release' : words.join(', ');
}

/** Longest wait for the objects of one release to be gone, in seconds: Helm's own default. */
const waitSeconds = 300;

/**
 * Uninstalls releases that are no longer in the program, from what stands in Pulumi's state. helmfile itself has no say, since
 * its values are not known any more: neither its `needs` nor its hooks count.
 *
 * @throws Error for each release that stayed, with what Helm said of it
 */
export async function uninstallRecorded(
  { file, releases, cluster, helm = 'helm' }: RecordedReleases,
  control: RunControl,
): Promise<void> {
  if (cluster === undefined) {
    throw new Error(
      `the kubeconfig of ${file} is no longer in the program, and ${describeReleases(releases)} stayed. Put the HelmfileRelease ` +
        'back and run pulumi destroy --run-program --target on it, or uninstall them with helmfile destroy and run pulumi state delete',
    );
  }
  await withPrivateFolder(async (folder) => {
    const config = await folder.write('kubeconfig', JSON.stringify(eksKubeconfig(cluster)));
    const env = helmfileEnvironment(process.env, {}, { kubeconfig: config, temporary: folder.temporary });
    const failures: string[] = [];
    for (const { name, namespace } of releases) {
      const end = await runHelmProgram({
        program: helm,
        args: [
          ...['uninstall', name, '--ignore-not-found', '--wait', '--timeout', `${waitSeconds}s`],
          ...(namespace === '' ? [] : ['--namespace', namespace]),
        ],
        env,
        timeoutMs: (waitSeconds + 30) * 1000,
        signal: control.signal,
        onLine: control.onLine,
      });
      if (!succeeded(end)) {
        const said = end.how === 'exited' ? end.stderr.trim() : '';
        failures.push(`release ${name}: ${said || describeEnd(end)}`);
      }
    }
    if (failures.length > 0) {
      throw new Error(`helm uninstall failed:\n${failures.join('\n')}`);
    }
  });
}

/** What a program knows of its releases while it runs. Values are in it, so it never leaves the process. */
export interface LiveReleases {
  readonly settings: HelmfileSettings;
  readonly kubeconfig: string;
  readonly releases: readonly ListedRelease[];
}

/** What is known of a HelmfileRelease by the time that a hook is called. */
export interface KnownRelease {
  live?: LiveReleases;
  plan?: HelmfilePlan;
  /** Whether helmfile could not read the helmfile. */
  unreadable?: boolean;
}

/** Runs something that people wait for: with progress, and until an interrupt. */
export async function watched<T>(
  what: string,
  resource: pulumi.Resource | undefined,
  run: (control: RunControl) => Promise<T>,
): Promise<T> {
  const interrupts = watchInterrupts();
  const progress = new RunProgress(what, {
    progress: (text) => programLog.progress(text, resource),
  });
  try {
    return await run({ signal: interrupts.signal, onLine: progress.line });
  } finally {
    progress.stop();
    interrupts.stop();
  }
}

/**
 * The hook that applies a helmfile, before Pulumi writes down that it was applied: if it fails nothing is written down, what
 * depends on it does not begin, and the next `up` tries again. In previews it shows the plan, or why there is none.
 */
export function applyHook(
  name: string,
  known: KnownRelease,
  component: pulumi.Resource,
  event: 'beforeCreate' | 'beforeUpdate',
): pulumi.ResourceHook {
  const what = `the helmfile of HelmfileRelease "${name}"`;
  const say = (text: string): void => programLog.info(text, component);
  return engineHook(what, name, event, async () => {
    const { plan, live } = known;
    if (pulumi.runtime.isDryRun()) {
      showPlan(plan, say);
      return;
    }
    if (live === undefined) {
      throw new Error(`${what} can't be applied: a value of it is not known`);
    }
    await watched('helmfile apply', component, (control) =>
      changeReleases('apply', live.settings, live.kubeconfig, live.releases, control),
    );
    say(
      plan?.kind === 'unchanged'
        ? 'nothing had to be changed'
        : `applied: ${describeReleases(live.releases)}`,
    );
  });
}

/** @throws Error where there is no plan because something is wrong */
function showPlan(plan: HelmfilePlan | undefined, say: (text: string) => void): void {
  switch (plan?.kind) {
    case undefined:
      say(
        'will be installed; what changes can be said when the cluster, and all that this depends on, is there',
      );
      return;
    case 'failed':
      throw new Error(`helmfile diff failed:\n${plan.reason}`);
    case 'unchanged':
      say('nothing has to be changed');
      return;
    case 'changes':
      say([...plan.releases, plan.text].filter((part) => part !== '').join('\n'));
  }
}

interface ProgramReleases {
  readonly hook: pulumi.ResourceHook;
  /** By the URN of the record. */
  readonly known: Map<string, KnownRelease>;
}

const programs = new WeakMap<object, ProgramReleases>();

/**
 * The hook that uninstalls releases, one for the whole program: of a HelmfileRelease that was taken out of the program the
 * engine still wants a hook of the same name.
 */
export function uninstallHook(): ProgramReleases {
  const stack = pulumi.runtime.getStackResource() ?? (pulumi.runtime.getMonitor() as object);
  const made = programs.get(stack) ?? makeUninstallHook();
  programs.set(stack, made);
  return made;
}

/**
 * Lets the releases of a HelmfileRelease be uninstalled by a program that has none any more. A program with one needs no call.
 *
 * @example
 * helmfile.uninstallRemovedReleases();
 */
export function uninstallRemovedReleases(): void {
  if (canBindHooks()) {
    uninstallHook();
  }
}

function makeUninstallHook(): ProgramReleases {
  const known = new Map<string, KnownRelease>();
  const hook = engineHook('uninstalling', 'helmfile', 'beforeDelete', async ({ urn, oldInputs }) => {
    const recorded = recordedReleases(oldInputs);
    const what = `${recorded.file}: ${describeReleases(recorded.releases)}`;
    if (pulumi.runtime.isDryRun()) {
      programLog.info(`will be uninstalled from ${what}`);
      return;
    }
    const live = known.get(urn)?.live;
    await (live
      ? watched('helmfile destroy', undefined, (control) =>
          changeReleases('destroy', live.settings, live.kubeconfig, live.releases, control),
        )
      : watched('helm uninstall', undefined, (control) => uninstallRecorded(recorded, control)));
    programLog.info(`uninstalled from ${what}`);
  });
  return { hook, known };
}
