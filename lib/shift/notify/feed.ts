import { createHash } from 'node:crypto';
import { checksWaitedFor } from '../engine';
import type {
  CheckRecord,
  ShiftObserver,
  ShiftOutcome,
  ShiftProgress,
  Weights,
  WriteRecord,
} from '../engine';
import { linkExpiry } from '../page';
import type { EventContent, EventOrigin, FleetEvent } from './event';

/** What the feed hears of a shift. */
export type FeedInput =
  | { readonly type: 'progress'; readonly progress: ShiftProgress }
  | { readonly type: 'written'; readonly write: WriteRecord }
  | { readonly type: 'checked'; readonly check: CheckRecord }
  | { readonly type: 'ended'; readonly outcome: ShiftOutcome };

/** What the feed remembers. */
export interface FeedState {
  /** Whether the event `started` was given. */
  readonly started: boolean;
  readonly weights: Weights | null;
  readonly wanted: Weights;
  readonly activity: ShiftProgress['activity'];
  /** Place of the pause that it waits at. */
  readonly paused: number | null;
  /** How many approvals were known. */
  readonly approvals: number;
  /** The step, and the checks that it waits for, of the last event `waiting`. */
  readonly waitsFor: string;
  /** A write whose step is known by the progress that follows. */
  readonly write?: WriteRecord;
  /** The last answer of each check. */
  readonly checks: ReadonlyMap<string, CheckRecord>;
}

/** Before the first call of an observer. */
export const initialFeed: FeedState = {
  started: false,
  weights: null,
  wanted: {},
  activity: 'starting',
  paused: null,
  approvals: 0,
  waitsFor: '',
  checks: new Map(),
};

/** An event without its origin and number. */
export type EventDraft = { readonly at: string } & Pick<FleetEvent, 'weights' | 'wanted'> & EventContent;

type FeedAnswer = readonly [FeedState, readonly EventDraft[]];

/**
 * What a call of the observer means: events, in order. It is total and has no clock.
 *
 * @param how how a person lets the shift go beyond a pause. @default - no way is known
 */
export function nextFeed(state: FeedState, input: FeedInput, how?: string): FeedAnswer {
  switch (input.type) {
    case 'written':
      return [{ ...state, write: input.write }, []];
    case 'checked':
      return checked(state, input.check);
    case 'progress':
      return progressed(state, input.progress, how);
    case 'ended':
      return ended(state, input.outcome);
  }
}

function checked(state: FeedState, check: CheckRecord): FeedAnswer {
  const { weights, wanted } = state;
  const changed = state.checks.get(check.name)?.status !== check.status;
  const checks = new Map(state.checks).set(check.name, check);
  return [{ ...state, checks }, [{ type: 'checkAnswered', at: check.at, weights, wanted, check, changed }]];
}

function progressed(
  { write, ...state }: FeedState,
  progress: ShiftProgress,
  how: string | undefined,
): FeedAnswer {
  const { activity, weights, wanted, from, step, steps, pausedAt, rollbackReason, approvals, heldBy } =
    progress;
  const common = { at: iso(progress.at), weights, wanted };
  const drafts: EventDraft[] = [];
  const knowsWay = steps > 0 && from !== null;
  if (!state.started && knowsWay) {
    drafts.push({ type: 'started', ...common, from, steps, ...time('endsAt', progress.endsAt) });
  }
  if (write) {
    const { rollback, at } = write;
    const more = rollback === true ? { rollback } : time('standsUntil', progress.standsUntil);
    drafts.push({ type: 'stepWritten', at, weights: write.weights, wanted, step, steps, ...more });
  }
  const waits = checksWaitedFor(progress, progress.at);
  const waiting = waits.length === 0 ? state.waitsFor : `${step} ${waits.map(({ name }) => name).join(' ')}`;
  if (waiting !== state.waitsFor) {
    drafts.push({ type: 'waiting', ...common, checks: waits });
  }
  if (state.paused !== null && pausedAt === null && activity === 'preparing') {
    const approval = approvals.length > state.approvals ? approvals.at(-1) : undefined;
    drafts.push({ type: 'resumed', ...common, place: state.paused, ...(approval && { by: approval.by }) });
  }
  if (pausedAt !== null && pausedAt !== state.paused) {
    const ways = { ...(how !== undefined && { how }), ...(heldBy !== null && { heldBy }) };
    drafts.push({ type: 'paused', ...common, place: pausedAt, ...ways });
  }
  if (rollbackReason !== null && state.activity !== 'rollingBack') {
    drafts.push({ type: 'rollingBack', ...common, reason: rollbackReason, failed: failedIn(state) });
  }
  const next = { ...state, started: state.started || knowsWay, weights, wanted, activity };
  return [{ ...next, paused: pausedAt, waitsFor: waiting, approvals: approvals.length }, drafts];
}

function ended(state: FeedState, outcome: ShiftOutcome): FeedAnswer {
  const { verdict, reason, from, to, final, startedAt, endedAt, writes, pausedAt } = outcome;
  const draft: EventDraft = {
    type: 'ended',
    ...{ at: endedAt, weights: final, wanted: to },
    ...{ verdict, reason, from, startedAt, writes: writes.length, failed: failedIn(state) },
    ...(pausedAt !== undefined && { pausedAt }),
  };
  // A shift that is taken back later is another run of the same route.
  return [initialFeed, [draft]];
}

function failedIn({ checks }: FeedState): readonly CheckRecord[] {
  return [...checks.values()].filter(({ status }) => status === 'fail');
}

function time<Key extends string>(key: Key, at: number | null): { readonly [K in Key]?: string } {
  return (at === null ? {} : { [key]: iso(at) }) as { readonly [K in Key]?: string };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

/** What a feed is made with. */
export interface FeedOptions {
  /** Where the events come from. */
  readonly origin: EventOrigin;
  /** How a person lets the shift go beyond a pause: that of the run's `resume`. @default - no way is known */
  readonly how?: string;
  /** A link that lets the shift continue beyond a pause. @default - there is none */
  readonly approve?: (shift: string, place: number) => string | undefined;
  /** Gets each event, in order. */
  readonly emit: (event: FleetEvent) => void;
}

/** Id of a shift: `20260101T030000Z-1a2b3c4d`. */
export function shiftId({ source, route }: Pick<EventOrigin, 'source' | 'route'>, startedAt: number): string {
  const time = iso(startedAt).replace(/[-:]|\.\d+/g, '');
  const where = createHash('sha256')
    .update(JSON.stringify([source, route]))
    .digest('hex');
  return `${time}-${where.slice(0, 8)}`;
}

/** An observer that makes events of what it hears of a shift. */
export function shiftFeed({ origin, how, approve, emit }: FeedOptions): ShiftObserver {
  const process = Date.now();
  let shift = shiftId(origin, process);
  let state = initialFeed;
  let count = 0;
  const take = (input: FeedInput): void => {
    if (input.type === 'progress' && input.progress.startedAt !== null) {
      shift = shiftId(origin, input.progress.startedAt);
    }
    const [next, drafts] = nextFeed(state, input, how);
    state = next;
    for (const draft of drafts) {
      count += 1;
      const id = `${shift}-${process.toString(36)}-${count}`;
      const link = draft.type === 'paused' ? approve?.(shift, draft.place) : undefined;
      const expires = link === undefined ? undefined : linkExpiry(link);
      const links =
        link === undefined
          ? origin.links
          : { ...origin.links, approve: link, ...(expires !== undefined && { approveExpires: expires }) };
      emit({ schemaVersion: 1, id, shift, ...origin, ...(links && { links }), ...draft });
    }
  };
  return {
    progress: (progress) => take({ type: 'progress', progress }),
    written: (write) => take({ type: 'written', write }),
    checked: (check) => take({ type: 'checked', check }),
    ended: (outcome) => take({ type: 'ended', outcome }),
  };
}
