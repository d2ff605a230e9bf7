import { oneLine } from '../../core/printable-text';
import type { Weights } from './weights';

/**
 * Says something about a step. A check holds no state between calls, so that a shift that was killed goes on with the
 * same figures: what it needs of the past, it asks its source for.
 */
export interface Check {
  /** Unique in a plan: `cloudWatch.errorShare`. */
  readonly name: string;
  /** When it runs: before the weights of a step are written, after they have been live for the step's time, or both. */
  readonly stages: readonly CheckStage[];
  /**
   * Whether it may say how far a step goes: a dry run asks it.
   *
   * @default false
   */
  readonly bounds?: boolean;
  /**
   * What it sends to the slots on its own, on one line without secrets: a dry run says so.
   *
   * @default - nothing
   */
  readonly sends?: string;

  /**
   * Evaluates a window.
   *
   * @throws SourceError where the source of the figures fails; that says nothing about the cluster
   */
  evaluate(window: CheckWindow, signal?: AbortSignal): Promise<CheckResult>;
}

/**
 * When a check runs: `before` the weights of a step are written, or `after` they have been live for the step's time.
 */
export type CheckStage = 'before' | 'after';

/** What a check evaluates. Times are milliseconds since 1970. */
export interface CheckWindow {
  /** The stage that the check runs for. */
  readonly stage: CheckStage;
  /** When the weights that are live now were written; of the stage `before` of the first step, when the shift began. */
  readonly from: number;
  /** Now. */
  readonly to: number;
  /** When this run of the shift began. */
  readonly startedAt: number;
  /** Weights that were live before the shift. */
  readonly origin: Weights;
  /** Weights that are live now. */
  readonly live: Weights;
  /** Weights that the shift ends at. */
  readonly wanted: Weights;
  /** Weights that are about to be written; of the stage `before` only. */
  readonly next?: Weights;
  /** Weights of the step after that, if it goes all of its way; of the stage `before` only. @default - `next` are the last */
  readonly ahead?: Weights;
  /** Every write of this shift so far, the oldest first. */
  readonly writes: readonly WeightsWritten[];
  /**
   * What this check answered as its `baseline` before the first write of the shift, in an earlier run perhaps.
   *
   * @default - it is not known
   */
  readonly baseline?: CheckBaseline;
}

/** What a check measured before the first write of a shift: numbers by slot, which the shift's record keeps. */
export type CheckBaseline = Readonly<Record<string, number>>;

/** One write of the weights. */
export interface WeightsWritten {
  /** When it was written, in milliseconds since 1970. */
  readonly at: number;
  /** The weights of every slot from then on. */
  readonly weights: Weights;
}

/** `inconclusive` is no pass: the shift waits and runs the check again, up to the plan's limit. */
export type CheckStatus = 'pass' | 'fail' | 'inconclusive';

/** What a check answers. */
export interface CheckResult {
  /** The check's verdict: only `pass` lets the shift go on, and `fail` ends it. */
  readonly status: CheckStatus;
  /** One line for a person: what was compared with what. No secrets. */
  readonly reason: string;
  /** The figures behind it. */
  readonly figures: readonly Figure[];
  /**
   * The most weight that slots may get now, by slot, of a check that passes before a write: the step goes no further.
   *
   * @default - as much as is about to be written
   */
  readonly upTo?: Weights;
  /** What is to be kept for later windows of the shift; taken before its first write only. @default - nothing */
  readonly baseline?: CheckBaseline;
  /**
   * Whether a failure, or an answer that is inconclusive for too long, says nothing against a slot: where no other check has
   * failed, the traffic stays where it is instead of going back.
   *
   * @default false
   */
  readonly holds?: boolean;
  /** What the reason of a rollback says as well: where the traffic goes back to may not be what it was. @default - nothing */
  readonly rollbackNote?: string;
}

/** One number of a check, with the bounds that it is held against. */
export interface Figure {
  /** `error share` */
  readonly name: string;
  /** The slot that it is of; unset for a figure of the whole. */
  readonly slot?: string;
  /** `null` where the source has none. */
  readonly value: number | null;
  /** `share` (0 to 1), `count`, `seconds`, `perSecond`; unset for a plain number. */
  readonly unit?: 'share' | 'count' | 'seconds' | 'perSecond';
  /** It passes at or above this. */
  readonly min?: number;
  /** It passes at or below this. */
  readonly max?: number;
  /** Whether its check fails by it, where no bound of it says so. @default false */
  readonly failed?: boolean;
  /** What it counts. @default - nothing, or it is not known */
  readonly counts?: FigureCounts;
  /** The same figure of the slots that it is compared with. @default - it is compared with none */
  readonly beside?: {
    /** Names of the slots, taken together. */
    readonly slots: readonly string[];
    /** `null` where the source has none. */
    readonly value: number | null;
  };
}

/** What a figure counts: `1,026 of 1,026 requests failed`. */
export interface FigureCounts {
  /** How many it is true of. */
  readonly counted: number;
  /** How many there are in all. */
  readonly of: number;
  /** What is true of those that are counted: `requests failed`. */
  readonly what: string;
  /** Why that is so, in the words of the source, on one line. @default - it is not known */
  readonly cause?: string;
}

/** Whether a figure is beyond one of its bounds. */
export function isBeyond({ value, min, max }: Pick<Figure, 'value' | 'min' | 'max'>): boolean {
  return value !== null && ((min !== undefined && value < min) || (max !== undefined && value > max));
}

/** A source of figures that fails: no answer, no right to ask, an answer that can't be read. */
export class SourceError extends Error {
  public constructor(message: string, options?: { readonly cause?: unknown }) {
    super(oneLine(message), options);
    this.name = 'SourceError';
  }
}

/** What is shifted, as far as checks have to know it. */
export interface ShiftSubject {
  /** What the router's system can count: an NLB and DNS see no HTTP. */
  readonly layer: 'http' | 'connections' | 'names';
  /** The fleet's slots by name. */
  readonly slots: Readonly<Record<string, ShiftedSlot>>;
  /** ARN of the load balancer. @default - none, or not known */
  readonly loadBalancerArn?: string;
  /** AWS region of the load balancer and its metrics. @default - the credentials' own */
  readonly region?: string;
  /** ARN of an IAM role that every call to AWS is made with. @default - none */
  readonly roleArn?: string;
}

/** One slot, as far as checks have to know it. */
export interface ShiftedSlot {
  /**
   * ARN of the slot's target group.
   * @default - none: the router is not a load balancer
   */
  readonly targetGroupArn?: string;
  /** Name of the EKS cluster, which is its name in Argo CD, too. @default - not known */
  readonly clusterName?: string;
  /** What leads to this slot past the weights. @default - none: nothing can ask the slot alone */
  readonly preview?: SlotPreview;
}

/** A way to one slot past the weights: a rule of the load balancer that takes requests by a header, a cookie or a host. */
export interface SlotPreview {
  /** Where the load balancer answers, with the host that the rule takes: `https://www.example.com`. */
  readonly url: string;
  /**
   * Headers that the rule takes, by name; a cookie is the header `Cookie`. A value may be a secret: then it is said where it
   * is read from.
   *
   * @default - none: the host alone leads to the slot
   */
  readonly headers?: Readonly<Record<string, PreviewValue>>;
}

/** The value of a header that leads to a slot, or where it is read from each time that it is needed. */
export type PreviewValue =
  | string
  | {
      /** Name of an environment variable. */
      readonly env: string;
    }
  | {
      /** Path of a file, as a mounted Kubernetes Secret has one; white space at its ends is cut. */
      readonly file: string;
    };

/**
 * What several statuses amount to: one that fails is enough, and a pass needs all of them.
 *
 * @param ofNone what it means that there is none
 */
export function worstStatus(all: readonly CheckStatus[], ofNone: CheckStatus): CheckStatus {
  const found = all.length === 0 ? [ofNone] : all;
  if (found.includes('fail')) {
    return 'fail';
  }
  return found.includes('inconclusive') ? 'inconclusive' : 'pass';
}

/** What the results of several slots amount to; of none, nothing is known. */
export function combinedResult(results: readonly CheckResult[]): CheckResult {
  return {
    status: worstStatus(
      results.map(({ status }) => status),
      'inconclusive',
    ),
    reason: results.map(({ reason }) => reason).join('; ') || 'no slot has weight',
    figures: results.flatMap(({ figures }) => figures),
  };
}
