import * as pulumi from '@pulumi/pulumi';
import { engineHook, hooksAreKnown, programLog, watchInterrupts } from '../bridge';
import type { HelmfilePlan, ListedRelease } from './plan';
import { RunProgress } from './progress';
import { describeReleases, recordedReleases } from './recorded-releases';
import type { RunControl } from './run-helmfile';
import { changeReleases } from './run-helmfile';
import type { HelmfileSettings } from './settings';
import { uninstallRecorded } from './uninstall-recorded';

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
  if (hooksAreKnown()) {
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
