import { sleep } from '../../../core/async';
import { leftApprovals, openSwap, readSwapWavesFile, runOpenSwap, runOpenSwaps } from '../../../operate/swap';
import type { Approvals, CheckedSwapFile, OpenSwap } from '../../../operate/swap';
import { takeInterrupts } from '../../interrupts';
import { interruptedStatus, stdoutToStderr, writeNotes, writeOut } from '../../output';
import { answered, forgotten } from './answers';
import { chosenFleets, fileOf, waitingFleet } from './chosen';
import type { Chosen } from './chosen';
import { showDryRun } from './dry-run';
import { showWavesDryRun } from './dry-run-waves';
import { checkFlags } from './flags';
import type { SwapFlags } from './flags';
import { isoTime } from './document';
import { manifestsBelow } from './manifests';
import { noteLine, showOutcome, showWavesOutcome } from './output';
import { showRights } from './rights';

/**
 * Runs `cluster-canary swap`, and sets the exit status.
 *
 * @throws InvalidInput with everything that is wrong with flags, or with the file
 */
export async function swap(file: string, flags: SwapFlags): Promise<void> {
  const begins = checkFlags(flags, Date.now());
  if (flags.schedule !== undefined && begins < Date.now()) {
    writeNotes(`${isoTime(begins)} (--schedule) is over: it may begin at once.`);
  }
  const chosen = chosenFleets(readSwapWavesFile(file), flags);
  if (flags.rights === true) {
    await showRights(chosen.all, flags.json === true);
    return;
  }
  const interrupts = takeInterrupts(() => writeNotes('Interrupted: ends after the current call.'));
  const { signal } = interrupts;
  const undo = stdoutToStderr();
  try {
    const phase = flags.approve ?? flags.refuse;
    if (phase !== undefined) {
      const lines = await answered(await waitingFleet(chosen.all, phase, signal), flags, signal);
      undo();
      await writeOut(lines);
    } else if (flags.forget === true) {
      const lines = await forgotten(Object.values(chosen.all.fleets)[0]!, signal);
      undo();
      await writeOut(lines);
    } else {
      await opened(chosen, flags, begins, { signal, undo });
    }
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
    process.exitCode = interruptedStatus;
  } finally {
    undo();
    interrupts.release();
  }
}

/** What a run is run with. */
interface Process {
  readonly signal: AbortSignal;
  /** Lets stdout be what it is: until then a program may not write to it. */
  readonly undo: () => void;
}

/** The fleets that were chosen, opened by their names. */
type Opened = Readonly<Record<string, OpenSwap>>;

/** All of them are opened first: what is wrong with the last one must not come up when others have changed. */
async function opened(chosen: Chosen, flags: SwapFlags, begins: number, process_: Process): Promise<void> {
  const { all, alone } = chosen;
  const found: (readonly [string, OpenSwap])[] = [];
  try {
    for (const [name, checked] of Object.entries(all.fleets)) {
      found.push([name, await openOne(checked, alone === undefined ? name : undefined)]);
    }
    const open = Object.fromEntries(found);
    if (flags.dryRun === true) {
      const shown = { ...flags, begins };
      await (alone === undefined
        ? showWavesDryRun(all, open, shown, process_)
        : showDryRun(all.fleets[alone]!, open[alone]!, shown, { ...process_, named: fileOf(all, alone) }));
    } else if (begins > Date.now() && flags.wait === false) {
      const reason = `It is not to begin before ${isoTime(begins)}. Nothing was changed.`;
      await notBegun(chosen, open, flags, { ...process_, reason, again: begins });
    } else if (await hasBegun(begins, process_)) {
      await run(chosen, open, flags, process_);
    } else {
      const reason = 'It was interrupted before it began. Nothing was changed.';
      await notBegun(chosen, open, flags, { ...process_, reason });
    }
  } finally {
    found.forEach(([, { close }]) => close());
  }
}

function openOne(checked: CheckedSwapFile, name: string | undefined): Promise<OpenSwap> {
  return openSwap(checked, {
    pulumi: async (settings, base) => {
      const { pulumiProgram } = await import('../../../pulumi/swap');
      return pulumiProgram(settings, { base });
    },
    manifests: manifestsBelow,
    say: (line) => noteLine({ at: Date.now(), text: line }, name),
  });
}

/** Says why it has not begun. */
async function notBegun(
  { all, alone }: Chosen,
  open: Opened,
  flags: SwapFlags,
  { signal, undo, reason, again }: Process & { readonly reason: string; readonly again?: number },
): Promise<void> {
  if (flags.json !== true) {
    undo();
    await writeOut([reason]);
    process.exitCode = signal.aborted ? interruptedStatus : 0;
    return;
  }
  const now = Date.now();
  const times = { ...(again !== undefined && { again }), startedAt: now, endedAt: now };
  const end = { schemaVersion: 1, verdict: 'held', reason, ...times } as const;
  if (alone === undefined) {
    const swaps = Object.fromEntries(Object.keys(open).map((name) => [name, null]));
    undo();
    await showWavesOutcome({ ...end, waves: all.waves, swaps }, flags, signal.aborted);
    return;
  }
  const { plan, store } = open[alone]!;
  const { record } = signal.aborted ? {} : await store.look(signal);
  undo();
  const outcome = { ...end, fleet: plan.fleet, ...(record && { record }), phases: [], log: [] };
  await showOutcome(outcome, flags, signal.aborted);
}

/** Waits until it may begin. */
async function hasBegun(begins: number, { signal }: Pick<Process, 'signal'>): Promise<boolean> {
  if (begins <= Date.now()) {
    return true;
  }
  writeNotes(`Waits until ${isoTime(begins)}.`);
  await until(begins, signal);
  return !signal.aborted;
}

async function run(
  { all, alone }: Chosen,
  open: Opened,
  flags: SwapFlags,
  { signal, undo }: Process,
): Promise<void> {
  const how = {
    ask: flags.back !== true ? 'forward' : flags.delete === true ? 'backAndDelete' : 'back',
    retry: flags.retry === true,
    waits: flags.wait !== false,
    signal,
  } as const;
  const approvals = (name: string): Approvals =>
    leftApprovals({
      store: open[name]!.answers,
      command: (phase) =>
        `cluster-canary swap ${fileOf(all, name)} --approve ${phase} (or --refuse ${phase})`,
      // Fleets that run side by side must not take each other's answers.
      ...(flags.resumeFile !== undefined && {
        files: all.isSeveral ? `${flags.resumeFile}-${name}` : flags.resumeFile,
      }),
    });
  if (alone === undefined) {
    const outcome = await runOpenSwaps(all, open, { ...how, approvals, say: noteLine });
    undo();
    await showWavesOutcome(outcome, flags, signal.aborted);
    return;
  }
  const outcome = await runOpenSwap(all.fleets[alone]!, open[alone]!, {
    ...how,
    approvals: approvals(alone),
    adopt: flags.adopt === true,
    say: (line) => noteLine(line),
  });
  undo();
  await showOutcome(outcome, flags, signal.aborted);
}

/** The longest that a timer of Node.js takes, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

async function until(begins: number, signal: AbortSignal): Promise<void> {
  while (Date.now() < begins && !signal.aborted) {
    await sleep(Math.min(begins - Date.now(), longestTimer), signal).catch(() => undefined);
  }
}
