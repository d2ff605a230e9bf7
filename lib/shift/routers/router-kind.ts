import type { AwsClients } from '../../core/aws/clients';
import type { RightsStatement } from '../../core/aws/iam';
import type { Problem } from '../../core/validation/problems';
import type { Router, ShiftSubject, ShiftedSlot, Weights } from '../engine';

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

/**
 * A router whose first look puts slots that are to get traffic, and are not on the rule yet, there with weight 0. A target
 * group that is on no rule has no health, so that no check could ever let it have its first percent. It changes no weights,
 * and comes when the shift has its lease.
 *
 * @param wanted weights that the shift ends at
 */
export function attachingRouter(router: AwsRouter, wanted: Weights): Router {
  let isAttached = false;
  return {
    name: router.name,
    read: async (signal) => {
      if (!isAttached) {
        const { weights, missing } = await router.describe(signal);
        if (weights && missing.some((slot) => (wanted[slot] ?? 0) > 0)) {
          await router.write(weights, signal, [weights]);
        }
        isAttached = true;
      }
      return router.read(signal);
    },
    write: (weights, signal, expected) => router.write(weights, signal, expected),
  };
}

export interface RouterKind<Settings> {
  readonly problems: (settings: unknown) => readonly Problem[];
  readonly rights: (settings: Settings) => readonly RightsStatement[];
  readonly make: (settings: Settings, clients?: AwsClients) => AwsRouter;
}

export function kind<Settings>(of: RouterKind<Settings>): RouterKind<Settings> {
  return of;
}

/** One slot. */
export interface SlotSettings {
  /** Of load balancers. @default - none, of Route 53 and simulated routers */
  readonly targetGroupArn?: string;
  /** Of Route 53 records. @default - none, of all others */
  readonly setIdentifier?: string;
  /** Name of the EKS cluster, which is its name in Argo CD, too. @default - not known: checks that need it are refused */
  readonly clusterName?: string;
}

/** A slot as checks have to know it. */
export function shiftedSlot({ targetGroupArn, clusterName }: SlotSettings): ShiftedSlot {
  return {
    ...(targetGroupArn === undefined ? {} : { targetGroupArn }),
    ...(clusterName === undefined ? {} : { clusterName }),
  };
}
