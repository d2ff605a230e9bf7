import { sleep } from '../../../core/async';
import {
  addHistory,
  drainedBy,
  leftApprovals,
  openRecords,
  openSwap,
  readSwapFile,
  runOpenSwap,
} from '../../../operate/swap';
import type { CheckedSwapFile, OpenSwap, SwapRecord } from '../../../operate/swap';
import { userOnMachine } from '../../../shift/leases';
import { takeInterrupts } from '../../interrupts';
import { couldNotRun, interruptedStatus, stdoutToStderr, writeNotes, writeOut } from '../../output';
import { manifestsBelow } from './manifests';
import { showDryRun } from './dry-run';
import { checkFlags } from './flags';
import type { SwapFlags } from './flags';
import { isoTime } from './document';
import { noteLine, showOutcome } from './output';
import { showRights } from './rights';

/**
 * Runs `cluster-canary swap`, and sets the exit status.
 *
 * @throws InvalidInput with everything that is wrong with flags, or with the file
 */
export async function swap(file: string, flags: SwapFlags): Promise<void> {
  const begins = checkFlags(flags, Date.now());
  const checked = readSwapFile(file);
  if (flags.rights === true) {
    await showRights(checked, flags.json === true);
    return;
  }
  const interrupts = takeInterrupts(() => writeNotes('Interrupted: ends after the current call.'));
  const { signal } = interrupts;
  const undo = stdoutToStderr();
  try {
    if (flags.approve !== undefined || flags.refuse !== undefined) {
      const lines = await answered(checked, flags, signal);
      undo();
      await writeOut(lines);
    } else if (flags.forget === true) {
      const lines = await forgotten(checked, signal);
      undo();
      await writeOut(lines);
    } else {
      await opened(checked, flags, begins, { signal, undo });
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

async function opened(
  checked: CheckedSwapFile,
  flags: SwapFlags,
  begins: number,
  process_: Process,
): Promise<void> {
  const open = await openSwap(checked, {
    pulumi: async (settings, base) => {
      const { pulumiProgram } = await import('../../../pulumi/swap');
      return pulumiProgram(settings, { base });
    },
    manifests: manifestsBelow,
    say: (line) => noteLine({ at: Date.now(), text: line }),
  });
  try {
    if (flags.dryRun === true) {
      await showDryRun(open, flags, process_);
      return;
    }
    await run(checked, open, flags, begins, process_);
  } finally {
    open.close();
  }
}

async function run(
  checked: CheckedSwapFile,
  open: OpenSwap,
  flags: SwapFlags,
  begins: number,
  { signal, undo }: Process,
): Promise<void> {
  if (begins > Date.now()) {
    if (flags.wait === false) {
      undo();
      await writeOut([`It is not to begin before ${isoTime(begins)}. Nothing was changed.`]);
      process.exitCode = 0;
      return;
    }
    writeNotes(`Waits until ${isoTime(begins)}.`);
    await until(begins, signal);
    if (signal.aborted) {
      process.exitCode = interruptedStatus;
      return;
    }
  }
  const outcome = await runOpenSwap(checked, open, {
    approvals: leftApprovals({
      store: open.answers,
      command: (phase) => `cluster-canary swap ${checked.file} --approve ${phase} (or --refuse ${phase})`,
      ...(flags.resumeFile !== undefined && { files: flags.resumeFile }),
    }),
    ask: flags.back !== true ? 'forward' : flags.delete === true ? 'backAndDelete' : 'back',
    adopt: flags.adopt === true,
    waits: flags.wait !== false,
    signal,
    say: noteLine,
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

/** Leaves an answer for the swap that is open, or for the next one. */
async function answered(
  checked: CheckedSwapFile,
  { approve, refuse }: SwapFlags,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const phase = (approve ?? refuse)!;
  const agrees = approve !== undefined;
  const { store, answers, plan, close } = await openRecords(checked);
  try {
    const { record } = await store.look(signal);
    const open = record && !record.ended ? record : undefined;
    const isDone = open?.done.some((each) => each.phase === phase && each.verdict === 'passed');
    if (isDone === true) {
      process.exitCode = couldNotRun;
      return [`${phase} of swap ${open!.id} has passed already. Nothing was written.`];
    }
    await answers.give(
      { phase, agrees, by: userOnMachine(), at: Date.now(), ...(open && { swap: open.id }) },
      signal,
    );
    const which = open ? `swap ${open.id}` : 'the next swap, within a week';
    const asks = plan.phases[phase].approval === undefined ? ['The file asks no one before this phase.'] : [];
    return [`${agrees ? 'Agreed to' : 'Refused'}: ${phase} of ${which}, in ${answers.name}.`, ...asks];
  } finally {
    close();
  }
}

/** Marks the record of an unfinished swap as ended. */
async function forgotten(checked: CheckedSwapFile, signal: AbortSignal): Promise<readonly string[]> {
  const { store, region, close } = await openRecords(checked);
  try {
    const { record } = await store.acquire(signal);
    if (!record || record.ended) {
      await store.release(undefined, signal);
      process.exitCode = couldNotRun;
      return ['There is no unfinished swap. Nothing was written.'];
    }
    const ended: SwapRecord = { ...record, ended: { at: Date.now(), verdict: 'forgotten' } };
    await store.release(ended, signal);
    const problem = await addHistory(checked, region, [ended]);
    writeNotes(...(problem === undefined ? [] : [`warning: ${problem}`]));
    const { id, phase } = record;
    const drained = drainedBy(record);
    return [
      `Swap ${id} is forgotten; it was at ${phase}. Clusters, traffic and the configuration are as they were.`,
      ...(drained === undefined ? [] : drainedLines(checked.fleet, drained)),
    ];
  } finally {
    close();
  }
}

/** What a forgotten swap leaves behind in a cluster. */
function drainedLines(fleet: string, slot: string): readonly string[] {
  return [
    `${slot} may be drained: Argo CD leaves it alone, and load balancers and target group bindings are missing in it.`,
    `Before it gets traffic: cluster-canary drain ${fleet}-${slot} --hub KUBECONFIG --resume; then refresh the program and deploy it.`,
  ];
}
