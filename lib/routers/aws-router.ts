import type { RightsStatement } from '../aws';
import type { Router, ShiftSubject, Weights } from '../shift';

/** A router whose weights AWS holds. */
export interface AwsRouter extends Router {
  /** What it is about, the same for every run: an ARN, or zone, name and type. A lease's name is made of it. */
  readonly id: string;
  /** What is shifted, for checks. */
  readonly subject: ShiftSubject;
  /** The least rights that its role needs. */
  readonly rights: readonly RightsStatement[];

  /**
   * What stands there now, also where {@link Router.read} refuses it.
   *
   * @throws RouterError
   */
  describe(signal?: AbortSignal): Promise<RouterDescription>;

  /**
   * What a step has to wait for.
   *
   * @throws RouterError
   */
  leastWait(signal?: AbortSignal): Promise<LeastWait>;
}

/** What a router found, in plain data. */
export interface RouterDescription {
  /** The router, as messages name it. */
  readonly name: string;
  /** The live weights; `null` where a shift can't work on them, and the notes say why. */
  readonly weights: Weights | null;
  /**
   * Slots that are not there yet and read as 0. Writing the weights as they are puts them there: a target group's health is
   * `unused` until then.
   */
  readonly missing: readonly string[];
  /** A line each: what every write keeps as it is, what is in the way. */
  readonly notes: readonly string[];
}

/** How long it takes until users see new weights. */
export interface LeastWait {
  /** How long the weights of a step have to stand after they were written, in milliseconds. */
  readonly milliseconds: number;
  /** How long a write itself takes at least before it answers, in milliseconds. */
  readonly writeMilliseconds: number;
  /** A line for each thing that takes time. */
  readonly because: readonly string[];
}
