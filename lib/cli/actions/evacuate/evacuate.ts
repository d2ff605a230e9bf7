import { steadyClock } from '../../../core/async';
import { carryOut, forgetOnRoutes, planEvacuation, refusals } from '../../../shift/evacuate';
import type {
  EvacuationControl,
  EvacuationRequest,
  LaterRoutes,
  PlannedRoute,
} from '../../../shift/evacuate';
import { takeInterrupts } from '../../interrupts';
import {
  couldNotRun,
  interruptedStatus,
  somethingWrong,
  stdoutToStderr,
  writeNotes,
  writeOut,
} from '../../output';
import { ask } from '../../question';
import { Search } from './find';
import type { Found } from './find';
import { checkFlags } from './flags';
import type { EvacuateFlags } from './flags';
import { planLines, showPlan, showReport } from './output';
import { showRights } from './rights';

/**
 * Runs `cluster-canary evacuate`, and sets the exit status.
 *
 * @throws what keeps it from running: bad input, or AWS that does not answer
 */
export async function evacuate(given: string, flags: EvacuateFlags): Promise<void> {
  const clock = steadyClock();
  const startedAt = clock.now();
  checkFlags(flags);
  if (flags.rights === true) {
    await showRights(flags);
    return;
  }
  const interrupts = takeInterrupts(() => writeNotes('Interrupted: ends after the current calls.'));
  const { signal } = interrupts;
  const undo = stdoutToStderr();
  let search: Search | undefined;
  try {
    search = new Search(given, flags, clock, signal);
    const control = { say: (line: string) => writeNotes(line), signal, clock };
    if (flags.forget === true) {
      undo();
      await forgetAll(search, control);
      return;
    }
    const decided =
      flags.yes === true || flags.dryRun === true
        ? await decide(search, flags, control)
        : await agreed(search, flags, control);
    if (!decided) {
      writeNotes('Nothing was written.');
      process.exitCode = couldNotRun;
      return;
    }
    const { found, request, plan, later } = decided;
    if (flags.dryRun === true) {
      const others = await later;
      undo();
      const problems = [...found.problems, ...(others?.problems ?? [])];
      await showPlan(found.slot, [...plan, ...(others?.plan ?? [])], problems, flags.json === true);
      return;
    }
    const report = await carryOut({ plan, request, startedAt, ...(later && { later }) }, control);
    undo();
    await showReport(report, found.problems, flags.json === true);
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  } finally {
    undo();
    search?.close();
    interrupts.release();
    process.exitCode = signal.aborted ? interruptedStatus : process.exitCode;
  }
}

/** What would be written. */
interface Decided {
  readonly found: Found;
  readonly request: EvacuationRequest;
  readonly plan: readonly PlannedRoute[];
  /** DNS records, once they are found. */
  readonly later?: Promise<LaterRoutes>;
}

async function decide(search: Search, flags: EvacuateFlags, control: EvacuationControl): Promise<Decided> {
  const found = await search.find();
  const request = {
    slot: found.slot,
    ...(flags.to !== undefined && { to: flags.to }),
    force: flags.force === true,
  };
  const { records } = search;
  const later = records?.then(async ({ opened, problems }): Promise<LaterRoutes> => ({
    plan: await planEvacuation(opened.routes, request, control),
    problems,
  }));
  // A failure while a person is asked shows when its result is used.
  later?.catch(() => undefined);
  const plan = await planEvacuation(found.opened.routes, request, control);
  return { found, request, plan, ...(later && { later }) };
}

/** How long the question waits for records, in milliseconds. */
const longestSearch = 5_000;

/** An answer that takes longer is to weights that may have changed, in milliseconds. */
const quickAnswer = 5_000;

/**
 * Asks a person; after an answer that took its time it decides anew, and asks again where that is something else.
 *
 * @returns undefined where the answer is no
 */
async function agreed(
  search: Search,
  flags: EvacuateFlags,
  control: EvacuationControl & { readonly clock: { now(): number } },
): Promise<Decided | undefined> {
  let agreedTo: string | undefined;
  for (;;) {
    const decided = await decide(search, flags, control);
    const decidedAt = control.clock.now();
    const hasWrites = decided.plan.some(({ decision }) => decision.kind === 'write');
    const others = await (hasWrites
      ? search.recordsWithin(longestSearch).then((known) => known && decided.later)
      : decided.later);
    const isSearching = decided.later !== undefined && others === undefined;
    const plan = [...decided.plan, ...(others?.plan ?? [])];
    const writes = writesOf(plan);
    if (writes === '[]' && !isSearching) {
      return decided;
    }
    if (writes === agreedTo) {
      return decided;
    }
    const { slot, problems } = decided.found;
    if (agreedTo !== undefined) {
      writeNotes('The weights have changed meanwhile.');
    }
    writeNotes(
      ...planLines(plan, slot),
      ...problems,
      ...(others?.problems ?? []),
      ...refusals(plan),
      ...(isSearching
        ? ['Records of Route 53 are still looked for. Those of the slot are written, too.']
        : []),
    );
    const answer = await ask(`Take all traffic off ${slot} now? (yes): `, control.signal);
    if (!['y', 'yes'].includes(answer.toLowerCase())) {
      return undefined;
    }
    if (control.clock.now() - decidedAt <= quickAnswer) {
      return decided;
    }
    agreedTo = writes;
  }
}

function writesOf(plan: readonly PlannedRoute[]): string {
  const writes = plan.flatMap(({ route, decision }) =>
    decision.kind === 'write' ? [JSON.stringify([route.name, decision.weights])] : [],
  );
  return JSON.stringify(writes.sort((one, other) => (one < other ? -1 : 1)));
}

/** Lets shifts give the slot traffic again, on every route where that can be written. */
async function forgetAll(search: Search, control: EvacuationControl): Promise<void> {
  process.exitCode = 0;
  const found = await search.find();
  const all = [found, ...(search.records ? [await search.records] : [])];
  for (const { slot, opened, problems } of all) {
    await forgetOnRoutes(opened.routes, slot, control, async (name, outcome) => {
      if ('problem' in outcome) {
        process.exitCode = somethingWrong;
      }
      const said =
        'problem' in outcome
          ? `the evacuation could not be forgotten: ${outcome.problem}`
          : outcome.was
            ? `shifts may give ${slot} traffic again`
            : `there was no evacuation of ${slot}`;
      await writeOut([`${name}: ${said}.`]);
    });
    if (problems.length > 0) {
      // What could not be read may be evacuated still.
      process.exitCode = somethingWrong;
      writeNotes(...problems);
    }
  }
}
