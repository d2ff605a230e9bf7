import { Problems } from '../../core/validation/problems';
import { combinedObserver } from '../../shift/engine';
import type { ShiftOutcome } from '../../shift/engine';
import { userOnMachine } from '../../shift/leases';
import { eventText, shiftFeed } from '../../shift/notify';
import type { FleetEvent } from '../../shift/notify';
import { hasLease, openRoute, readPlan } from '../../shift/plan-file';
import type { CheckedPlanFile, OpenRoute } from '../../shift/plan-file';
import type { People } from '../../shift/page';
import { followShift, giveAnswer, readStatus } from '../../shift/watch';
import type { ShiftAnswer, ShiftStatus, WatchStores } from '../../shift/watch';
import { takeInterrupts } from '../interrupts';
import { couldNotRun, interruptedStatus, jsonText, somethingWrong, writeDocument, writeOut } from '../output';
import { chosenRoutes } from './shift/flags';
import { servedPage } from './shift/page';
import { ProgressView, progressStream } from './shift/progress';
import { resultLines } from './shift/result';
import { showRecord } from './watch-record';

/** What `cluster-canary watch` takes beside the plan. */
export interface WatchFlags {
  readonly route?: string;
  readonly serve?: string;
  readonly json?: boolean;
  readonly continue?: boolean;
  readonly hold?: boolean;
  readonly back?: boolean;
}

/**
 * Runs `cluster-canary watch`, and sets the exit status.
 *
 * @throws InvalidInput for a plan without a lease, flags that do not go together, and those that need `watch: true`
 */
export async function watch(file: string, flags: WatchFlags): Promise<void> {
  const plan = chosenRoutes(readPlan(file), flags.route);
  checkWatch(plan, flags);
  const [name] = Object.keys(plan.routes);
  const route = await openRoute(plan, name!);
  const view = new ProgressView(progressStream());
  const interrupts = takeInterrupts(() => view.say('Interrupted: the shift goes on.'));
  try {
    if (!route.watch) {
      await showRecord(plan, route.lease, interrupts.signal);
      return;
    }
    const what = flags.continue ? 'continue' : flags.hold ? 'hold' : flags.back ? 'rollBack' : undefined;
    await (what === undefined
      ? followed(plan, route, route.watch, flags, view, interrupts.signal)
      : asked(what, route.watch, interrupts.signal));
  } finally {
    view.stop();
    interrupts.release();
    route.close();
  }
}

function checkWatch(plan: CheckedPlanFile, flags: WatchFlags): void {
  const problems = new Problems('watch');
  const routes = Object.keys(plan.routes);
  if (routes.length > 1) {
    problems.addSecret('--route', `given: the plan has the routes ${routes.join(', ')}`);
  }
  const acts = { '--continue': flags.continue, '--hold': flags.hold, '--back': flags.back };
  const given = Object.entries(acts).flatMap(([flag, value]) => (value === true ? [flag] : []));
  if (given.length > 1) {
    problems.addSecret(given[0]!, `without ${given.slice(1).join(', ')}`);
  }
  const beside = [
    ...(flags.serve === undefined ? [] : ['--serve']),
    ...(flags.json === true ? ['--json'] : []),
  ];
  if (given.length > 0 && beside.length > 0) {
    problems.addSecret(given[0]!, `without ${beside.join(', ')}: it ends once it has asked`);
  }
  if (!hasLease(plan)) {
    problems.addSecret('lease', 'a lease: without one a shift is known to its own process alone');
  }
  for (const flag of plan.watch ? [] : [...given, ...beside]) {
    problems.addSecret(flag, `left out: it needs "watch: true" in the plan; ${otherWays(plan)[flag]!}`);
  }
  problems.throwIfAny();
}

/** What a person does where the plan lets no other machine answer. */
function otherWays({ shift }: CheckedPlanFile): Readonly<Record<string, string>> {
  const page = 'or use the page of "shift --serve"';
  const once = 'without it, "watch" prints once what the lease knows';
  const interrupt =
    shift.onInterrupt === 'rollback'
      ? 'an interrupt of its process takes the traffic back'
      : 'to hold it, interrupt its process';
  return {
    '--continue': `to continue beyond a pause, run "shift --resumed PLACE" once the process has ended, ${page} or "--resume-file"`,
    '--hold': `${interrupt}, ${page}`,
    '--back': `to take the traffic back, run "shift --roll-back REASON" once the process has ended, ${page}`,
    '--serve': once,
    '--json': once,
  };
}

const said: Readonly<Record<ShiftAnswer['what'], string>> = {
  continue: 'to continue',
  hold: 'a hold',
  rollBack: 'a rollback',
};

const flagOf: Readonly<Record<ShiftAnswer['what'], string>> = {
  continue: 'continue',
  hold: 'hold',
  rollBack: 'back',
};

/** Leaves one answer for a shift that runs. */
async function asked(what: ShiftAnswer['what'], stores: WatchStores, signal: AbortSignal): Promise<void> {
  const seen = await readStatus(stores.status, signal);
  const problem = notNow(what, seen?.holder === undefined ? undefined : seen.status);
  if (problem !== undefined) {
    process.exitCode = couldNotRun;
    await writeOut([`${problem} Nothing was written.`]);
    return;
  }
  const { progress } = seen!.status;
  await giveAnswer(
    stores.answers,
    answerOf(what, progress, `${userOnMachine()} (watch --${flagOf[what]})`),
    signal,
  );
  await writeOut([`Requested ${said[what]}, in ${stores.answers.name}; the run reads it within seconds.`]);
}

function answerOf(what: ShiftAnswer['what'], progress: ShiftStatus['progress'], by: string): ShiftAnswer {
  const { pausedAt, startedAt } = progress;
  return {
    ...{ what, by, at: Date.now(), shift: startedAt ?? 0 },
    ...(what === 'continue' && pausedAt !== null && { place: pausedAt }),
  };
}

/** Why a shift can't be asked for that; `undefined` where it can. */
export function notNow(what: ShiftAnswer['what'], status: ShiftStatus | undefined): string | undefined {
  if (!status || status.ended || status.progress.startedAt === null) {
    return 'No shift runs that could hear it.';
  }
  const { pausedAt, activity } = status.progress;
  if (what === 'continue') {
    return pausedAt === null ? 'It does not wait for a person.' : undefined;
  }
  return activity === 'rollingBack' || activity === 'ending' ? 'The shift ends already.' : undefined;
}

/** Shows a shift until it ends. */
async function followed(
  plan: CheckedPlanFile,
  { name, lease }: OpenRoute,
  stores: WatchStores,
  flags: WatchFlags,
  view: ProgressView,
  signal: AbortSignal,
): Promise<void> {
  const first = await readStatus(stores.status, signal);
  if (first === undefined) {
    await showRecord(plan, lease, signal);
    return;
  }
  if (first.holder === undefined && !first.status.ended) {
    process.exitCode = couldNotRun;
    await writeOut(['No shift runs: the last one was killed.']);
    return;
  }
  const title = `Traffic shift of ${plan.file}`;
  const page = await servedPage(flags, { title }, (line) => view.say(line));
  const served = page?.route(name);
  const answering = served && new Answering(stores, served.people, (line) => view.say(line));
  let last: ShiftStatus | undefined;
  let isJoining = true;
  const onStatus = (status: ShiftStatus): void => {
    isJoining = last === undefined;
    last = status;
    answering?.see(status);
  };
  const events = shiftFeed({
    origin: { by: '', route: name, source: plan.file },
    emit: (event) => {
      if (event.type !== 'checkAnswered' || event.changed) {
        const [line, ...more] = eventText(event).split('\n');
        const at = isJoining ? timeBefore(event, last!) : event.at;
        [`${at?.slice(11, 19) ?? '        '} ${line}`, ...more.map((each) => `         ${each}`)].forEach(
          (each) => view.say(each),
        );
      }
    },
  });
  let outcome: ShiftOutcome | undefined;
  try {
    outcome = await followShift(
      stores.status,
      {
        observer: combinedObserver([view.observer(''), events, served?.observer ?? {}]),
        onStatus,
        say: (line) => view.say(line),
      },
      signal,
    );
    await page?.end(signal);
  } finally {
    answering?.close();
    await page?.close();
  }
  await ended(outcome, flags, signal.aborted, last);
}

/** When something happened that was there before it is watched; `undefined` where that is not known. */
export function timeBefore(event: FleetEvent, { progress, soFar }: ShiftStatus): string | undefined {
  const times: Partial<Record<FleetEvent['type'], number | null | undefined>> = {
    started: progress.startedAt,
    stepWritten: soFar?.writtenAt,
    paused: soFar?.pausedSince,
  };
  const known = times[event.type];
  return event.type === 'checkAnswered' || event.type === 'ended'
    ? event.at
    : typeof known === 'number'
      ? new Date(known).toISOString()
      : undefined;
}

async function ended(
  outcome: ShiftOutcome | undefined,
  { json }: WatchFlags,
  wasEnded: boolean,
  last: ShiftStatus | undefined,
): Promise<void> {
  if (!outcome) {
    process.exitCode = wasEnded ? interruptedStatus : somethingWrong;
    if (!wasEnded) {
      await writeOut([
        'Its process ended without a word. Run the same shift again: it continues where it was.',
      ]);
    }
    return;
  }
  await (json === true
    ? writeDocument(jsonText(outcome))
    : writeOut(resultLines(outcome, { writes: last?.soFar?.writes ?? null })));
  process.exitCode = outcome.verdict === 'completed' ? 0 : somethingWrong;
}

/** Leaves what people do on a page for the run to read. */
class Answering {
  private status: ShiftStatus | undefined;
  private open: AbortController | undefined;
  private readonly unsubscribe: () => void;

  public constructor(
    private readonly stores: WatchStores,
    private readonly people: People,
    private readonly say: (line: string) => void,
  ) {
    this.unsubscribe = people.subscribe(({ what, by }) => void this.give(what, by));
  }

  /** A pause of the run is one of this page. */
  public see(status: ShiftStatus): void {
    const { pausedAt } = status.progress;
    const waits = status.ended ? null : pausedAt;
    this.status = status;
    if (waits === null) {
      this.close(false);
    } else if (this.people.waitsAt !== waits) {
      this.close(false);
      this.open = new AbortController();
      void this.people.resumed(waits, this.open.signal).then((agreed) => {
        if (typeof agreed === 'object') {
          void this.give('continue', agreed.by);
        }
      });
    }
  }

  /** Hears of nothing more. */
  public close(all = true): void {
    this.open?.abort();
    this.open = undefined;
    if (all) {
      this.unsubscribe();
    }
  }

  private async give(what: ShiftAnswer['what'], by: string): Promise<void> {
    try {
      await giveAnswer(this.stores.answers, answerOf(what, this.status!.progress, by));
    } catch (error) {
      this.say(
        `The request ${what === 'continue' ? '' : 'for '}${said[what]} was not written: ${(error as Error).message}`,
      );
    }
  }
}
