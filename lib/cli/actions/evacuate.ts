import { systemClock } from '../../core/async';
import { awsRegion } from '../../core/aws/arns';
import { awsClients } from '../../core/aws/clients';
import type { AwsClients } from '../../core/aws/clients';
import { InvalidInput, Problems, errorLine } from '../../core/validation/problems';
import { forgetEvacuation, formatWeights } from '../../shift/engine';
import { carryOut, openEvacuation, planEvacuation, refusals } from '../../shift/evacuate';
import type { EvacuationReport, EvacuationSubject, PlannedRoute } from '../../shift/evacuate';
import { readPlan } from '../../shift/plan-file';
import { takeInterrupts } from '../interrupts';
import {
  couldNotRun,
  interruptedStatus,
  jsonText,
  somethingWrong,
  stdoutToStderr,
  writeDocument,
  writeNotes,
  writeOut,
} from '../output';
import { ask } from '../question';
import { chosenRoutes } from './shift/flags';

/** What `cluster-canary evacuate` takes. */
export interface EvacuateFlags {
  readonly plan?: string;
  readonly route?: string;
  readonly fleet?: string;
  readonly region?: string;
  readonly to?: string;
  readonly force?: boolean;
  readonly forget?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** What is to be evacuated. */
interface Found extends EvacuationSubject {
  /** Name of the slot in the routes. */
  readonly slot: string;
  /** What forwards to the slot and can't be written, a line each. */
  readonly problems: readonly string[];
}

/**
 * Runs `cluster-canary evacuate`, and sets the exit status.
 *
 * @throws what keeps it from running: bad input, or AWS that does not answer
 */
export async function evacuate(given: string, flags: EvacuateFlags): Promise<void> {
  const startedAt = systemClock.now();
  checkFlags(flags);
  const planned = flags.plan === undefined ? undefined : ofPlan(given, flags.plan, flags.route);
  const interrupts = takeInterrupts(() => writeNotes('Interrupted: ends after the current calls.'));
  const { signal } = interrupts;
  const undo = stdoutToStderr();
  const own = planned ? undefined : awsClients(flags.region === undefined ? {} : { region: flags.region });
  try {
    const found = planned ?? (await byTags(own!, given, flags.fleet, signal));
    const opened = await openEvacuation(found, own);
    try {
      if (flags.forget === true) {
        undo();
        await forget(found, opened.routes);
        return;
      }
      const request = {
        slot: found.slot,
        ...(flags.to !== undefined && { to: flags.to }),
        force: flags.force === true,
      };
      const control = { say: (line: string) => writeNotes(line), signal };
      const plan = await planEvacuation(opened.routes, request, control);
      if (flags.dryRun === true) {
        undo();
        await showPlan(found, plan, flags);
        return;
      }
      if (!(await isConfirmed(found, plan, flags, signal))) {
        writeNotes('Nothing was written.');
        process.exitCode = couldNotRun;
        return;
      }
      const report = withProblems(await carryOut(plan, request, control, startedAt), found.problems);
      undo();
      await (flags.json === true ? writeDocument(jsonText(report)) : writeOut(reportLines(report)));
      process.exitCode = statusOf(report);
    } finally {
      opened.close();
    }
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  } finally {
    undo();
    own?.close();
    interrupts.release();
    process.exitCode = signal.aborted ? interruptedStatus : process.exitCode;
  }
}

function checkFlags(flags: EvacuateFlags): void {
  const problems = new Problems('evacuate');
  if (flags.region !== undefined) {
    problems.check('--region', flags.region, awsRegion);
  }
  for (const key of ['fleet', 'region'] as const) {
    if (flags.plan !== undefined && flags[key] !== undefined) {
      problems.add(`--${key}`, flags[key], 'left out: the plan names its routes');
    }
  }
  if (flags.plan === undefined && flags.route !== undefined) {
    problems.add('--route', flags.route, 'left out, or given with --plan');
  }
  const excluded = { to: '--to', force: '--force', dryRun: '--dry-run', json: '--json' } as const;
  for (const key of Object.keys(excluded) as (keyof typeof excluded)[]) {
    if (flags.forget === true && flags[key] !== undefined) {
      problems.conflicts(excluded[key], '--forget');
    }
  }
  const asks = flags.dryRun !== true && flags.forget !== true && flags.yes !== true;
  if (asks && !process.stdin.isTTY) {
    problems.require('--yes', 'given where no terminal can be asked');
  }
  problems.throwIfAny();
}

function ofPlan(given: string, file: string, route: string | undefined): Found {
  const plan = chosenRoutes(readPlan(file), route);
  if (!plan.slots.includes(given)) {
    throw new InvalidInput('evacuate', [
      { path: 'slot', value: given, allowed: `a slot of ${file}: ${plan.slots.join(', ')}` },
    ]);
  }
  const { routes, lease } = plan;
  return { slot: given, routes, instance: file, problems: [], ...(lease !== undefined && { lease }) };
}

async function byTags(
  clients: AwsClients,
  given: string,
  fleet: string | undefined,
  signal: AbortSignal,
): Promise<Found> {
  const { slotRoutes } = await import('../../operate/live-traffic');
  return slotRoutes(clients, given, fleet, signal);
}

/** Lets shifts give the slot traffic again, on every route where that can be written. */
async function forget(
  { slot }: Found,
  routes: Awaited<ReturnType<typeof openEvacuation>>['routes'],
): Promise<void> {
  process.exitCode = 0;
  for (const { name, lease } of routes) {
    let said: string;
    try {
      const was = await forgetEvacuation(lease, slot);
      said = was ? `shifts may give ${slot} traffic again` : `there was no evacuation of ${slot}`;
    } catch (error) {
      process.exitCode = somethingWrong;
      said = `the evacuation could not be forgotten: ${errorLine(error)}`;
    }
    await writeOut([`${name}: ${said}.`]);
  }
}

async function showPlan(
  { slot, problems }: Found,
  plan: readonly PlannedRoute[],
  flags: EvacuateFlags,
): Promise<void> {
  const document = {
    schemaVersion: 1,
    dryRun: true,
    slot,
    writes: plan.flatMap(({ route, decision }) =>
      decision.kind === 'write' ? [{ route: route.name, weights: decision.weights }] : [],
    ),
    before: Object.fromEntries(plan.map(({ route, before }) => [route.name, before])),
    problems: [...problems, ...refusals(plan)],
  };
  await (flags.json === true
    ? writeDocument(jsonText(document))
    : writeOut([...planLines(plan), ...document.problems]));
  const isRefused = document.writes.length === 0 && document.problems.length > 0;
  process.exitCode = isRefused ? couldNotRun : document.problems.length > 0 ? somethingWrong : 0;
}

function planLines(plan: readonly PlannedRoute[]): readonly string[] {
  return plan.flatMap(({ route, decision, before }) => {
    const from = before ? formatWeights(before) : 'not known';
    return decision.kind === 'write'
      ? [`${route.name}: ${from} -> ${formatWeights(decision.weights)} (${decision.because})`]
      : decision.kind === 'none'
        ? [`${route.name}: ${from}: it has no traffic`]
        : [];
  });
}

async function isConfirmed(
  { slot, problems }: Found,
  plan: readonly PlannedRoute[],
  flags: EvacuateFlags,
  signal: AbortSignal,
): Promise<boolean> {
  const writes = plan.filter(({ decision }) => decision.kind === 'write');
  if (flags.yes === true || writes.length === 0) {
    return true;
  }
  writeNotes(...planLines(plan), ...problems, ...refusals(plan));
  const answer = await ask(`Take all traffic off ${slot} now? (yes): `, signal);
  return ['y', 'yes'].includes(answer.toLowerCase());
}

function withProblems(report: EvacuationReport, problems: readonly string[]): EvacuationReport {
  return problems.length === 0
    ? report
    : {
        ...report,
        verdict: report.verdict === 'evacuated' ? 'incomplete' : report.verdict,
        problems: [...problems, ...report.problems],
      };
}

function reportLines({
  slot,
  verdict,
  after,
  problems,
  durationSeconds,
  writes,
}: EvacuationReport): readonly string[] {
  const head = {
    evacuated: `${slot} has no traffic: ${writes.length} written in ${durationSeconds} s.`,
    incomplete: `Not all is done: ${writes.length} written in ${durationSeconds} s.`,
    refused: 'Nothing was written.',
  }[verdict];
  const live = Object.entries(after).map(
    ([route, weights]) => `  ${route}: ${weights ? formatWeights(weights) : 'not known'}`,
  );
  return [head, ...live, ...problems.map((problem) => `  problem: ${problem}`)];
}

function statusOf({ verdict }: EvacuationReport): number {
  return verdict === 'evacuated' ? 0 : verdict === 'refused' ? couldNotRun : somethingWrong;
}
