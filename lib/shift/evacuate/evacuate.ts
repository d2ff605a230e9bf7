import { inTurn, within } from '../../core/async';
import { errorLine } from '../../core/validation/problems';
import { RouterError, formatWeights } from '../engine';
import type { Weights } from '../engine';
import { userOnMachine } from '../leases';
import type { RawWeights } from '../routers';
import { evacuationOf } from './decision';
import type { EvacuatedRoute, EvacuationDecision, EvacuationRequest } from './decision';
import { noteEvacuation } from './note';
import { LeaseCalls, SharedReads, answerOf, clockOf, retried, routerPatience } from './patience';
import type { EvacuationControl } from './patience';
import { byLayer, callsAtOnce, percentsOf, refusals, stickyNotes } from './plan';
import type { EvacuationRoute, PlannedRoute } from './plan';
import { Raising } from './raise';

/** One write of weights. */
export interface EvacuationWrite {
  readonly route: string;
  readonly weights: Weights;
  /** When it held, in seconds from the start. */
  readonly atSeconds: number;
}

/** What an evacuation did. */
export interface EvacuationReport {
  readonly schemaVersion: 1;
  readonly slot: string;
  /** `refused`: no route could be written. `incomplete`: some could not, or could not be noted. */
  readonly verdict: 'evacuated' | 'incomplete' | 'refused';
  readonly writes: readonly EvacuationWrite[];
  /** Weights by route; `null` where they could not be read. */
  readonly before: Readonly<Record<string, Weights | null>>;
  readonly after: Readonly<Record<string, Weights | null>>;
  /** What could not be done, a line each. */
  readonly problems: readonly string[];
  /** What weights do not change, a line each: clients that stay with the slot by their cookie, capacity that is not raised. */
  readonly notes: readonly string[];
  readonly durationSeconds: number;
}

/** Routes that are found while others are written. */
export interface LaterRoutes {
  readonly plan: readonly PlannedRoute[];
  /** What could not be found, a line each. */
  readonly problems: readonly string[];
}

/** What `carryOut` works on. */
export interface Evacuation {
  readonly plan: readonly PlannedRoute[];
  readonly request: EvacuationRequest;
  /** When it began, by the clock of the control. */
  readonly startedAt: number;
  /** DNS records, whose search takes longer. @default - none */
  readonly later?: Promise<LaterRoutes>;
}

/** Parameter Store throttles sooner than load balancers: a call that waits for its turn is no lease that is silent. */
const notesAtOnce = 8;

/** How long leases are waited for that do not answer, in milliseconds. */
const longestNoteSilence = 15_000;

/** How long the notes have until the weights are read for the first time, in milliseconds. */
const beforeConfirmation = 2_000;

/** What is left of one route. */
interface Progress {
  readonly route: EvacuationRoute;
  readonly before: Weights;
  /** What the newest decision was made from. */
  known: EvacuatedRoute;
  /** These weights, where a write can be compared with them. */
  exact: Weights | undefined;
  decision: EvacuationDecision;
  /** What is live, as far as it is known. */
  after: Weights | null;
  /** Problems by what failed: a later success ends each. */
  readonly problems: Map<'write' | 'note' | 'live', string>;
  /** Slots that were evacuated before, and seemed to have traffic when this evacuation was noted. */
  inUse: readonly string[];
  /** Whether another process wrote weights since the decision: it may have noted something, too. */
  isDisturbed: boolean;
}

/**
 * Writes the weights that were decided, notes the evacuation, and reads the weights again: what gave the slot traffic
 * meanwhile is decided and written anew. Where no route can be written, it does nothing. Notes never keep a write waiting.
 *
 * A kill leaves routes that are written and others that are not: a new run finds nothing to do on the first.
 */
export async function carryOut(
  { plan, request, startedAt, later }: Evacuation,
  control: EvacuationControl,
): Promise<EvacuationReport> {
  const clock = clockOf(control);
  const seconds = (): number => Math.round(clock.now() - startedAt) / 1000;
  const run = new Run(request, control, seconds);
  const raising = new Raising(plan, request, control);
  const [own, others] = await Promise.all([run.evacuate(plan), found(later).then((each) => run.later(each))]);
  const routes = [...own, ...others.routes];
  const all = [...plan, ...others.plan];
  const problems = [
    ...refusals(all),
    ...others.problems,
    ...routes.flatMap((each) => [...each.problems.values()].map((text) => `${each.route.name}: ${text}`)),
  ];
  const before = byRoute(all.map(({ route, before: weights }) => [route.name, weights]));
  const isRefused = routes.length === 0 && problems.length > 0;
  return {
    schemaVersion: 1,
    slot: request.slot,
    verdict: isRefused ? 'refused' : problems.length > 0 ? 'incomplete' : 'evacuated',
    writes: run.writes,
    before,
    after: { ...before, ...byRoute(routes.map(({ route, after }) => [route.name, after])) },
    problems,
    notes: [...stickyNotes(all, request.slot), ...(await raising.end())],
    durationSeconds: seconds(),
  };
}

async function found(later: Promise<LaterRoutes> | undefined): Promise<LaterRoutes> {
  try {
    return (await later) ?? { plan: [], problems: [] };
  } catch (error) {
    return { plan: [], problems: [errorLine(error)] };
  }
}

class Run {
  public readonly writes: EvacuationWrite[] = [];

  public constructor(
    private readonly request: EvacuationRequest,
    private readonly control: EvacuationControl,
    private readonly seconds: () => number,
  ) {}

  public async later(routes: LaterRoutes): Promise<LaterRoutes & { readonly routes: readonly Progress[] }> {
    return { ...routes, routes: await this.evacuate(routes.plan) };
  }

  /** @returns what was worked on: nothing where no route can be written, and some are refused */
  public async evacuate(plan: readonly PlannedRoute[]): Promise<readonly Progress[]> {
    const isRefused = plan.some(({ decision }) => decision.kind === 'refused');
    if (isRefused && plan.every(({ decision }) => decision.kind !== 'write')) {
      return [];
    }
    const routes = plan.flatMap(({ route, decision, before, known, exact }): Progress[] =>
      decision.kind === 'refused' || !known || !before
        ? []
        : [
            {
              route,
              before,
              // Where another process gives the slot everything, the others get what they had.
              known: { record: { origin: before, wanted: before, written: before, startedAt: 0 }, ...known },
              exact,
              decision,
              after: before,
              problems: new Map(),
              inUse: [],
              isDisturbed: false,
            },
          ],
    );
    await byLayer(routes, this.control, (route) => this.write(route));
    if (routes.length > callsAtOnce) {
      this.control.say(
        `The weights are written. Notes the evacuation for ${routes.length} routes, which takes longer.`,
      );
    }
    const notes = this.note(routes);
    const isNoted = await within(beforeConfirmation, this.control.signal, () => notes.then(() => true)).catch(
      () => false,
    );
    await this.confirm(routes);
    if (isNoted !== true) {
      await notes;
      await this.confirm(routes);
    }
    // Another evacuation at the same time may not have seen what this one emptied, nor this one what that one did.
    await this.note(
      routes.filter(
        ({ inUse, after, isDisturbed }) => isDisturbed || inUse.some((slot) => after?.[slot] === 0),
      ),
    );
    return routes;
  }

  /** Writes what was decided: over the weights that it was decided from, or else decided anew. */
  private async write(progress: Progress): Promise<void> {
    const { route } = progress;
    for (let tries = 1; progress.decision.kind === 'write'; tries += 1) {
      const { weights } = progress.decision;
      const from = progress.exact;
      // Another process may write all the time: the last try writes over whatever there is.
      const expected = from && tries < mostDecisions ? [from, weights] : undefined;
      try {
        await retried(this.control, routerPatience[route.layer], (signal) =>
          route.router.write(weights, signal, expected),
        );
        progress.after = weights;
        progress.problems.delete('write');
        this.writes.push({ route: route.name, weights, atSeconds: this.seconds() });
        this.control.say(`${route.name}: ${formatWeights(weights)}`);
        return;
      } catch (error) {
        const live = error instanceof RouterError && error.failure === 'changed' ? error.live : undefined;
        if (!live || !expected) {
          progress.problems.set('write', `not written: ${errorLine(error)}`);
          return;
        }
        this.decide(progress, live, live);
      }
    }
  }

  /** Decides from what is live now. */
  private decide(progress: Progress, live: RawWeights, exact: Weights | undefined): void {
    progress.exact = exact;
    progress.known = { ...progress.known, live };
    progress.after = percentsOf(live);
    progress.decision = evacuationOf(progress.known, this.request);
    progress.isDisturbed ||= progress.decision.kind !== 'none';
    if (progress.decision.kind === 'refused') {
      progress.problems.set('write', `not written: ${progress.decision.why}`);
    }
  }

  private async note(routes: readonly Progress[]): Promise<void> {
    const leases = new LeaseCalls(this.control, this.control.leaseSilence ?? longestNoteSilence);
    const clock = clockOf(this.control);
    const { slot } = this.request;
    await inTurn(routes, notesAtOnce, async (progress) => {
      const { route, before, decision, after, problems, inUse } = progress;
      const change = {
        before,
        after: problems.has('write') ? null : after,
        wanted: decision.kind === 'write' ? decision.weights : before,
        at: Math.round(clock.wall?.() ?? clock.now()),
        by: this.control.by ?? userOnMachine(),
      };
      const empty = inUse.filter((each) => after?.[each] === 0);
      const done = await answerOf(() => noteEvacuation(route.lease, [...empty, slot], change, leases));
      if ('problem' in done) {
        problems.set(
          'note',
          `it is not noted that ${slot} was evacuated, so a shift may give it traffic again: ${done.problem}`,
        );
      } else {
        progress.inUse = done.answer;
      }
    });
  }

  /** Reads the weights, and decides and writes anew where the slot has traffic again. */
  private async confirm(routes: readonly Progress[]): Promise<void> {
    const clock = clockOf(this.control);
    let left = routes;
    for (let round = 1; left.length > 0; round += 1) {
      const reads = new SharedReads();
      const live = await byLayer(left, this.control, (progress) => this.look(progress, reads));
      left = left.filter((_, index) => live[index]);
      if (round === confirmations || left.length === 0) {
        break;
      }
      await clock.sleep(betweenConfirmations, this.control.signal);
      await byLayer(left, this.control, (progress) => this.write(progress));
    }
    for (const { route, problems } of left) {
      if (!problems.has('write')) {
        problems.set('live', `${this.request.slot} has traffic: another process writes weights`);
      }
      this.control.say(`${route.name}: ${this.request.slot} has traffic`);
    }
  }

  /** @returns whether the slot has traffic */
  private async look(progress: Progress, reads: SharedReads): Promise<boolean> {
    const { route, problems } = progress;
    const answer = await answerOf(() =>
      retried(this.control, routerPatience[route.layer], (signal) => route.describe(reads, signal)),
    );
    const raw = 'problem' in answer ? undefined : answer.answer.raw;
    if (!raw || !percentsOf(raw)) {
      const why = 'problem' in answer ? answer.problem : answer.answer.notes.join('; ');
      problems.set('live', `the weights could not be read after the write: ${why}`);
      progress.after = null;
      return false;
    }
    problems.delete('live');
    this.decide(progress, raw, 'problem' in answer ? undefined : answer.answer.exact);
    if (progress.decision.kind === 'none') {
      problems.delete('write');
    }
    return progress.decision.kind !== 'none';
  }
}

/** How often it is decided anew because another process writes weights. */
const mostDecisions = 4;

const confirmations = 3;

/** In milliseconds. */
const betweenConfirmations = 500;

function byRoute(entries: readonly (readonly [string, Weights | null])[]): Record<string, Weights | null> {
  return Object.fromEntries(entries);
}
