import { addHistory, drainedBy, dropAnswers, openRecords } from '../../../operate/swap';
import type { CheckedSwapFile, SwapPhase, SwapRecord, SwapStore } from '../../../operate/swap';
import { userOnMachine } from '../../../shift/leases';
import { couldNotRun, writeNotes } from '../../output';
import type { SwapFlags } from './flags';

/** Leaves an answer for the swap that is open, or for the next one. */
export async function answered(
  checked: CheckedSwapFile,
  { approve, refuse, by = userOnMachine() }: SwapFlags,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const phase = (approve ?? refuse)!;
  const agrees = approve !== undefined;
  const { store, answers, plan, close } = await openRecords(checked);
  try {
    const open = await openSwapIn(store, signal);
    const late = open && tooLate(open, phase);
    if (late !== undefined) {
      process.exitCode = couldNotRun;
      return [`${phase} of swap ${open!.id} ${late}. Nothing was written.`];
    }
    const { approval, skip = false } = plan.phases[phase];
    if (approval === undefined || skip) {
      process.exitCode = couldNotRun;
      const why = `The file asks no one before ${phase}: ${agrees ? 'agreeing' : 'a refusal'} would have no effect.`;
      return [`${why}${agrees ? '' : ' --back takes the traffic back.'} Nothing was written.`];
    }
    await answers.give({ phase, agrees, by, at: Date.now(), ...(open && { swap: open.id }) }, signal);
    // A phase that begins while its refusal is written does not go back for that.
    const now = open && !agrees ? await openSwapIn(store, signal) : undefined;
    const missed = now && now.id === open!.id && !now.back ? tooLate(now, phase) : undefined;
    if (missed !== undefined) {
      process.exitCode = couldNotRun;
      return [`The refusal came too late: ${phase} of swap ${now!.id} ${missed}.`];
    }
    const which = open ? `swap ${open.id}` : 'the next swap, within a week';
    const back = open ? 'The swap goes back' : 'That swap will go back';
    const then = agrees
      ? []
      : [`${back} before ${phase}${open ? '; --back takes the traffic back now' : ''}.`];
    return [`${agrees ? 'Agreed to' : 'Refused'}: ${phase} of ${which}, in ${answers.name}.`, ...then];
  } finally {
    close();
  }
}

async function openSwapIn(store: SwapStore, signal: AbortSignal): Promise<SwapRecord | undefined> {
  const { record } = await store.look(signal);
  return record && !record.ended ? record : undefined;
}

/** Why no one asks any more, for a person. */
function tooLate(
  { done, phase: now, phaseStartedAt, back }: SwapRecord,
  phase: SwapPhase,
): string | undefined {
  if (done.some((each) => each.phase === phase && each.verdict === 'passed')) {
    return 'has passed already';
  }
  if (back) {
    return 'is not asked for: the swap goes back';
  }
  const canGoBack = phase === 'delete' ? '' : '; --back takes the traffic back';
  return now === phase && phaseStartedAt !== undefined ? `has begun already${canGoBack}` : undefined;
}

/** Marks the record of an unfinished swap as ended. */
export async function forgotten(checked: CheckedSwapFile, signal: AbortSignal): Promise<readonly string[]> {
  const { store, region, answers, close } = await openRecords(checked);
  try {
    const { record, problem: unreadable } = await store.acquire(signal);
    if (!record || record.ended) {
      await store.release(undefined, signal);
      process.exitCode = unreadable === undefined ? 0 : couldNotRun;
      const why = unreadable === undefined ? 'There is no unfinished swap' : `${store.name}: ${unreadable}`;
      return [`${why}. Nothing was written.`];
    }
    const ended: SwapRecord = { ...record, ended: { at: Date.now(), verdict: 'forgotten' } };
    await store.release(ended, signal);
    const problems = [await addHistory(checked, region, [ended]), await dropAnswers({ answers }, [ended])];
    writeNotes(...problems.flatMap((problem) => (problem === undefined ? [] : [`warning: ${problem}`])));
    return forgottenLines(checked, record);
  } finally {
    close();
  }
}

/** What a person has to know of a swap that is forgotten. */
export function forgottenLines(
  { fleet, program }: Pick<CheckedSwapFile, 'fleet' | 'program'>,
  record: SwapRecord,
): readonly string[] {
  const { id, phase } = record;
  const drained = drainedBy(record);
  const isMerged = 'git' in program && program.git.github !== undefined;
  return [
    `Swap ${id} is forgotten; it was at ${phase}. Clusters, traffic and the configuration are as they were.`,
    ...(isMerged ? ['A pull request of it stays open: close it, or its merge changes the fleet.'] : []),
    ...(drained === undefined ? [] : drainedLines(fleet, drained)),
  ];
}

/** What a forgotten swap leaves behind in a cluster. */
function drainedLines(fleet: string, slot: string): readonly string[] {
  return [
    `${slot} may be drained: Argo CD leaves it alone, and load balancers and target group bindings are missing in it.`,
    `Before it gets traffic: cluster-canary drain ${fleet}-${slot} --hub KUBECONFIG --resume; then refresh the program and deploy it.`,
  ];
}
