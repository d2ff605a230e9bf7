import type { LeaseContent } from './lease';
import { next } from './machine/next';
import { useOfRecord } from './machine/record-use';
import type { RecordUse } from './machine/record-use';
import type { Verdict } from './outcome';
import type { ShiftPlan } from './plan';
import type { ShiftRun } from './shift-run';
import { schedule } from './schedule';
import type { OnTheWay, Schedule } from './schedule';
import type { Weights } from './weights';

/** What a run would do that began now. */
export interface Outlook {
  /** What it does with the record of the lease. */
  readonly use: RecordUse['use'];
  /** Its steps, where it shifts. */
  readonly schedule: Schedule;
  /** The weights that it writes at once, where it takes the traffic back instead. @default - it does not */
  readonly rollsBackTo?: Weights;
  /** How it ends at once. @default - it does not */
  readonly ends?: {
    /** The outcome in one word. */
    readonly verdict: Verdict;
    /** One or more lines for a person. */
    readonly reason: string;
  };
  /** The first lines of its log. */
  readonly log: readonly string[];
}

/**
 * What a run of this plan would do: the machine's own answer to the record and the live weights.
 *
 * @param at now, in milliseconds since 1970
 * @param start place of the last pause, in percent, that it may go beyond, and what else the run is given
 */
export function outlook(
  plan: ShiftPlan,
  content: LeaseContent,
  live: Weights,
  at: number,
  { resumedTo = -1, takeBack = false }: Pick<ShiftRun, 'resumedTo' | 'takeBack'> = {},
): Outlook {
  const { record, problem } = content;
  const found = { type: 'live', at, weights: live } as const;
  const start = { type: 'started', at, record, unreadable: problem, resumedTo, takeBack } as const;
  const { state, actions } = next(plan, { phase: 'starting', doing: 'read', start, attempt: 0 }, found);
  const log = actions.flatMap((action) => (action.type === 'log' ? [action.text] : []));
  const known = { use: useOfRecord(plan, record, found, { takeBack }).use, log };
  const nothing: OnTheWay = { way: [], index: -1 };
  if (state.phase === 'ended' || state.phase === 'ending') {
    return { ...known, schedule: schedule(live, plan, nothing), ends: state.end };
  }
  if (state.phase === 'returning') {
    return { ...known, schedule: schedule(live, plan, nothing), rollsBackTo: state.target };
  }
  return { ...known, schedule: schedule(live, plan, 'course' in state ? state.course : nothing, resumedTo) };
}
