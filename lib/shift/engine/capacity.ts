import { within } from '../../core/async';
import { list, object, optional, record } from '../../core/validation/collections';
import { errorLine } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import { orNull, text, that, whole } from '../../core/validation/values';
import type { CheckResult } from './check';
import type { Weights } from './weights';

/** No cluster runs more of one workload. */
const mostPods = 100_000;

/** Name of the check in which capacity is raised. */
export const capacityCheckName = 'shift.capacity';

/**
 * Moves the capacity of slots: before their traffic comes, and as long as it may have to come back. Every method can be
 * called again after a kill, with the record that was remembered last.
 */
export interface Capacity {
  /**
   * Raises the minimums of the slots that gain weight to what the next weights need, and holds those of the slots that lose
   * weight at what they had before the shift. It is called again and again until it passes: `inconclusive` as long as the
   * pods are not ready yet, `fail` where they can't become so.
   *
   * Whatever it changes is remembered before it is changed; where that fails, nothing is changed.
   *
   * @throws SourceError where an API server does not answer
   */
  prepare(request: CapacityRequest, signal?: AbortSignal): Promise<CheckResult>;

  /**
   * Gives back what was raised: each minimum is what it was, unless another process has changed it since.
   *
   * @param live weights that are live now: a workload that nothing scales keeps its pods where it has traffic. @default - any
   * slot may have traffic
   * @returns what is left, where not everything could be given back: `undefined` where nothing is
   */
  giveBack(raised: CapacityRecord, signal?: AbortSignal, live?: Weights): Promise<CapacityLeft | undefined>;
}

/** What `prepare` is to do. */
export interface CapacityRequest {
  /** Weights that were live before the shift. */
  readonly origin: Weights;
  /** Weights that are about to be written. */
  readonly next: Weights;
  /**
   * Weights of the step after that: what they need is raised already, so that it starts while `next` is checked, and is not
   * waited for.
   *
   * @default - there is none
   */
  readonly ahead?: Weights;
  /** Weights that the shift ends at. */
  readonly wanted: Weights;
  /** What was raised so far, in this run or an earlier one of the shift. @default - nothing */
  readonly raised?: CapacityRecord;
  /**
   * Puts on record what is about to be changed, together with everything that was before.
   *
   * @throws Error where it can't be recorded: the lease was lost, or the record does not fit its place
   */
  readonly remember: (raised: CapacityRecord) => Promise<void>;
}

/** What could not be given back. */
export interface CapacityLeft {
  /** Why, for a person: one line. */
  readonly problem: string;
  /** What the next run has to give back. */
  readonly raised: CapacityRecord;
}

/** Traffic is where it belongs by then: what takes longer is left to the next run. */
export const giveBackMs = 60_000;

/** Gives back what was raised; a failure is what is left, and so is what takes too long. */
export async function giveBackRaised(
  capacity: Pick<Capacity, 'giveBack'>,
  raised: CapacityRecord,
  live: Weights | null,
  signal?: AbortSignal,
): Promise<CapacityLeft | undefined> {
  try {
    const ended = await within(giveBackMs, signal, async (own) => ({
      left: await capacity.giveBack(raised, own, live ?? undefined),
    }));
    return ended ? ended.left : { problem: 'interrupted', raised };
  } catch (error) {
    return { problem: errorLine(error), raised };
  }
}

/** Pods that a share of the traffic needs, with as much load for each as at the origin. */
export function podsFor(atOrigin: number, origin: Weights, weight: number): number {
  const all = Object.values(origin).reduce((sum, each) => sum + each, 0);
  return all === 0 ? 0 : Math.ceil((atOrigin * weight) / all);
}

/** For a person: what is left to be given back. */
export function capacityLeftText(problem: string): string {
  return `Not all capacity could be given back, the next run does that: ${problem}`;
}

/** What a shift has raised, by slot. */
export type CapacityRecord = Readonly<Record<string, RaisedSlot>>;

/** What a shift has raised in one slot's cluster. */
export interface RaisedSlot {
  /** Path of the kubeconfig. @default - `KUBECONFIG` or `~/.kube/config` */
  readonly kubeconfig?: string;
  /** Context of the kubeconfig. @default - the current one */
  readonly context?: string;
  /** Which shift it was, as the annotation of raised objects names it. @default - the annotation names none */
  readonly by?: string;
  /**
   * By workload and what scales it: the minimum before the shift (`null` where the object had none), pods at the origin, and
   * the minimum that the shift has written. A workload that was only counted has its minimum twice.
   *
   * Keys are `deployment/NAMESPACE/NAME@hpa/NAME`, `@hpa` where the HorizontalPodAutoscaler has the name of its workload, and
   * without `@` where nothing scales it. Workloads are `deployment`, `statefulset`, `rollout`; autoscalers `hpa`,
   * `scaledobject`.
   */
  readonly minimums: Readonly<Record<string, readonly [number | null, number, number]>>;
}

/** A record of raised capacity, as a program or a lease gives it. */
export const capacityRecord = record(
  object<RaisedSlot>({
    kubeconfig: optional(text('the path of a kubeconfig')),
    context: optional(text('the name of a context')),
    by: optional(text('a text')),
    minimums: record(
      that(
        list(orNull<number | null>(whole(0, mostPods))),
        'the minimum before, pods at the origin, and the minimum that was written',
        ([before, origin, written, ...more]) =>
          before !== undefined &&
          typeof origin === 'number' &&
          typeof written === 'number' &&
          more.length === 0,
      ) as Schema<readonly [number | null, number, number]>,
    ),
  }),
);
