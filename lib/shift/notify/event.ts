import { formatDuration } from '../../core/durations';
import { formatWeights } from '../engine';
import type { CheckRecord, Verdict, Weights } from '../engine';

/** Where events come from: the same in each event of a process. */
export interface EventOrigin {
  /** Who runs it: user and machine. */
  readonly by: string;
  /** Name of the route in its plan, `traffic` where the plan has one; of a program, name of the resource. */
  readonly route: string;
  /** Name of the fleet. @default - it is not known: a plan file names slots only */
  readonly fleet?: string;
  /** Plan file or Pulumi stack. */
  readonly source: string;
  /**
   * Pages about the run, by what they are: `page`, `report`; of a pause `approve`, which lets whoever has it continue the shift: it
   * is for people, and not to be kept, and `approveExpires`, until when. @default - none
   */
  readonly links?: Readonly<Record<string, string>>;
}

/** What happened in a shift. Times are ISO 8601 in UTC. */
export type FleetEvent = EventOrigin & {
  /** Version of this document. */
  readonly schemaVersion: 1;
  /** Unique; an event that is delivered again has the same. Letters, digits and `-`. */
  readonly id: string;
  /** Id of the shift, the same in each run of it: when it began, and a hash of where. */
  readonly shift: string;
  /** When it happened. */
  readonly at: string;
  /** Live weights, as they were last read or written; `null` until they are known. */
  readonly weights: Weights | null;
  /** Weights that the shift ends at. */
  readonly wanted: Weights;
} & EventContent;

/** What an event says besides. */
export type EventContent =
  /** The live weights are known, and the way to the wanted ones. A run that resumes a shift says so again. */
  | {
      readonly type: 'started';
      /** Weights that were live before. */
      readonly from: Weights;
      /** How many steps there are. */
      readonly steps: number;
      /** The earliest end. @default - it does not go forwards */
      readonly endsAt?: string;
    }
  /** Weights were written. */
  | {
      readonly type: 'stepWritten';
      /** Counted from 1. */
      readonly step: number;
      /** How many steps there are. */
      readonly steps: number;
      /** Whether it took the traffic back. @default false */
      readonly rollback?: boolean;
      /** When the step is over at the earliest. @default - it is the rollback */
      readonly standsUntil?: string;
    }
  /** A check has answered. */
  | {
      readonly type: 'checkAnswered';
      /** The answer. */
      readonly check: CheckRecord;
      /** Whether its status is another one than that of its last answer, or it is its first. */
      readonly changed: boolean;
    }
  /** A step can't begin, or end, since checks have not passed. Once for each set of checks. */
  | {
      readonly type: 'waiting';
      /** Their last answers. */
      readonly checks: readonly CheckRecord[];
    }
  /** It waits for a person. */
  | {
      readonly type: 'paused';
      /** Place of the pause, in percent of the way. */
      readonly place: number;
      /** How a person lets it continue. @default - no way is known: the next run continues */
      readonly how?: string;
      /** Who has asked it to hold there. @default - the plan has a pause */
      readonly heldBy?: string;
    }
  /** It goes beyond a pause. */
  | {
      readonly type: 'resumed';
      /** Place of the pause, in percent of the way. */
      readonly place: number;
      /** Who agreed, and how. @default - it is not known */
      readonly by?: string;
    }
  /** The traffic goes back. */
  | {
      readonly type: 'rollingBack';
      /** Why, for a person. */
      readonly reason: string;
      /** Checks that failed. */
      readonly failed: readonly CheckRecord[];
    }
  | EndedContent;

/** The run has ended. */
export interface EndedContent {
  /** What the event is about. */
  readonly type: 'ended';
  /** How it ended. */
  readonly verdict: Verdict;
  /** One or more lines for a person. */
  readonly reason: string;
  /** Weights before the shift; `null` if they could not be read. */
  readonly from: Weights | null;
  /** When the run began. */
  readonly startedAt: string;
  /** How often weights were written. */
  readonly writes: number;
  /** Checks that failed last. */
  readonly failed: readonly CheckRecord[];
  /** Place of the pause at which it was held. @default - it was not held at a pause */
  readonly pausedAt?: number;
}

/** Every type of event. */
export const eventTypes = [
  'started',
  'stepWritten',
  'checkAnswered',
  'waiting',
  'paused',
  'resumed',
  'rollingBack',
  'ended',
] as const satisfies readonly EventContent['type'][];

/** One type of event. */
export type EventType = (typeof eventTypes)[number];

const verdictWords: Readonly<Record<Verdict, string>> = {
  completed: 'Completed',
  rolledBack: 'Rolled back',
  held: 'Held',
  aborted: 'Aborted',
};

/** What an event says in a line or two, for a person: `Step 2 of 7: blue 98, green 2.` */
export function eventText(event: FleetEvent): string {
  switch (event.type) {
    case 'started': {
      const least = event.endsAt === undefined ? undefined : Date.parse(event.endsAt) - Date.parse(event.at);
      const time = least === undefined || least <= 0 ? '' : `, at least ${rounded(least)}`;
      return `From ${formatWeights(event.from)} to ${formatWeights(event.wanted)} in ${event.steps} steps${time}.`;
    }
    case 'stepWritten':
      return event.rollback === true
        ? `Rolled back: ${weightsText(event)} is written.`
        : `Step ${event.step} of ${event.steps}: ${weightsText(event)}.`;
    case 'checkAnswered':
      return `${event.check.name}: ${event.check.status}: ${event.check.reason}`;
    case 'waiting':
      return `Waits for ${event.checks.map(({ name, reason }) => `${name} (${reason})`).join('; ')}.`;
    case 'paused':
      return pausedText(event);
    case 'resumed':
      return `Continues beyond ${event.place} % of the way${event.by === undefined ? '' : `: ${event.by} agrees`}.`;
    case 'rollingBack':
      return `Rolls back: ${event.reason}`;
    case 'ended':
      return `${verdictWords[event.verdict]}: ${event.reason}`;
  }
}

function pausedText({ place, heldBy, ...event }: Extract<FleetEvent, { readonly type: 'paused' }>): string {
  const what = heldBy === undefined ? 'Paused' : `${heldBy} holds it`;
  const how = howToContinue(event);
  return `${what} at ${place} % of the way${how === undefined ? '' : `. To continue: ${how}`}.`;
}

/** Who reads a notification may have its link alone: no other way is named beside it. */
function howToContinue({
  how,
  links: { approve, approveExpires } = {},
}: Pick<Extract<FleetEvent, { readonly type: 'paused' }>, 'how' | 'links'>): string | undefined {
  if (approve === undefined) {
    return how;
  }
  const until = approveExpires?.replace(/^(\S+)T([\d:]+)\S*Z$/, '$1 $2 UTC');
  return `use the approval link${until === undefined ? '' : `, until ${until}`}`;
}

function weightsText({ weights }: FleetEvent): string {
  return weights === null ? 'weights that are not known' : formatWeights(weights);
}

/** Seconds are precise enough for a person. */
function rounded(milliseconds: number): string {
  return formatDuration(Math.round(milliseconds / 1_000) * 1_000);
}
