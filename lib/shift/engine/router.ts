import { oneLine } from '../../core/printable-text';
import { formatWeights } from './format';
import { equalWeights } from './weights';
import type { Weights } from './weights';

/** What holds the weights: a load balancer's rule or listener, DNS records, or a simulation of one. */
export interface Router {
  /** What it is, for logs and errors: `ALB rule arn:aws:…`. */
  readonly name: string;

  /**
   * The live weights, in whole percent of every slot; they add up to 100. Asks the system itself each time.
   *
   * @throws RouterError
   */
  read(signal?: AbortSignal): Promise<Weights>;

  /**
   * Writes weights; all else on the rule stays as it is. Answers when they hold: a router whose system takes
   * its time (Route 53) waits for it.
   *
   * It sends its change once: whoever calls it reads the live weights before each try.
   *
   * @param expected the live weights are one of these. A router looks right before it changes them, and refuses where
   * they are something else: `refuseChanged` compares. @default - it writes whatever is live
   * @throws RouterError, with the live weights where they are known
   */
  write(weights: Weights, signal?: AbortSignal, expected?: readonly Weights[]): Promise<void>;
}

/** Why a router could not do what it was asked to. */
export type RouterFailure =
  /** The system asks for fewer calls; a write was not done. */
  | 'throttled'
  /** The credentials lack a right; the message names it. */
  | 'denied'
  /** The rule, the listener or the records are not there, or no more. */
  | 'notFound'
  /** What is there is not what a shift can work on: a target group of no slot, weights that are no whole percents. */
  | 'unfit'
  /** Somebody else has changed the weights since they were looked at: nothing was written over theirs. */
  | 'changed'
  /** No answer: network, time-out, a fault of the system. Whether a write was done is not known. */
  | 'unreachable';

/** A router's failure; the message says what was asked of what, and what to do. */
export class RouterError extends Error {
  public constructor(
    /** What sort of failure it is: whether another try may help hangs on it. */
    public readonly failure: RouterFailure,
    message: string,
    /** The live weights, where they could be read. */
    public readonly live?: Weights,
    options?: { readonly cause?: unknown },
  ) {
    super(oneLine(message), options);
    this.name = 'RouterError';
  }
}

/**
 * What a router calls with the weights that it has read right before it changes them.
 *
 * @param name of the router
 * @param expected as `Router.write` has them
 * @throws RouterError `changed`, with the live weights, where they are none of these
 */
export function refuseChanged(name: string, live: Weights, expected: readonly Weights[] | undefined): void {
  if (expected && !expected.some((weights) => equalWeights(weights, live))) {
    const left = expected.map(formatWeights).join(' or ');
    const text = `${name} has ${formatWeights(live)} where ${left} was expected; nothing was written over it`;
    throw new RouterError('changed', text, live);
  }
}
