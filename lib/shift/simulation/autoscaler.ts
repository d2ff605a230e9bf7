import type { AutoscalerConditions } from './conditions';

/** What an autoscaler sees when it looks. */
export interface AutoscalerView {
  /** Pods that it wants so far, ready or not. */
  readonly replicas: number;
  /** Pods of these that were ready all the time that their metrics are of. */
  readonly measured: number;
  /** Mean CPU utilization of those, as a share of what a pod can use. */
  readonly utilization: number;
}

/**
 * The number of pods that the utilization asks for: `current x utilization / target`, rounded up, and no change within
 * the tolerance. Utilization is cut to whole percents. Pods without metrics of their own yet count as idle when it is to
 * scale up, and not at all otherwise.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/podautoscaler/replica_calculator.go GetResourceReplicas
 */
export function recommendedReplicas(
  { targetUtilization, tolerance }: Pick<AutoscalerConditions, 'targetUtilization' | 'tolerance'>,
  { replicas, measured, utilization }: AutoscalerView,
): number {
  if (measured === 0) {
    return replicas;
  }
  const within = (ratio: number): boolean => Math.abs(round(ratio - 1)) <= tolerance;
  const ratio = Math.floor(round(utilization * 100)) / (targetUtilization * 100);
  if (replicas === measured || ratio <= 1) {
    return within(ratio) ? replicas : Math.ceil(round(ratio * measured));
  }
  const damped = (ratio * measured) / replicas;
  return within(damped) || damped < 1 ? replicas : Math.ceil(round(damped * replicas));
}

/**
 * The most pods after one look, of an autoscaler whose `behavior` is not set.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/podautoscaler/horizontal.go calculateScaleUpLimit
 */
function scaleUpLimit(replicas: number): number {
  return Math.max(2 * replicas, 4);
}

/** Takes away what binary fractions add: 0.7 / 0.1 is 7, not a bit less. */
function round(value: number): number {
  return Math.round(value * 1e9) / 1e9;
}

/**
 * The pods of a slot, as its autoscaler wants them. Times are milliseconds since 1970 and only go forward; between two
 * calls nothing but `serve` happens.
 */
export class Workload {
  /** Pods that are ready. */
  public ready: number;
  /** Of all times since the shift began. */
  public readonly seen = { peakUtilization: 0, leastReady: Infinity, mostReady: 0 };
  /** How often the number of ready pods has changed. */
  public changes = 0;
  private readonly settings: AutoscalerConditions;
  private readonly requestsPerMs: number;
  private starting: { readonly readyAt: number; count: number }[] = [];
  private recommendations: { readonly at: number; readonly replicas: number }[];
  private raisedMin = 0;
  private lookedAt: number;
  private looksAt: number;
  private measured: number;
  /** Utilization times milliseconds since the last look. */
  private used = 0;

  /**
   * @param requestsPerPod requests a second that a pod serves
   * @param replicas pods that are ready at the beginning
   * @param firstLook when it looks for the first time
   */
  public constructor(
    settings: AutoscalerConditions,
    private readonly requestsPerPod: number,
    replicas: number,
    now: number,
    firstLook: number,
  ) {
    this.settings = settings;
    this.requestsPerMs = requestsPerPod / 1000;
    this.ready = replicas;
    this.measured = replicas;
    this.lookedAt = now;
    this.looksAt = firstLook;
    this.recommendations = [{ at: now, replicas }];
  }

  /** Requests a second that the ready pods serve. */
  public get capacity(): number {
    return this.ready * this.requestsPerPod;
  }

  /** Pods, ready or not. */
  public get replicas(): number {
    return this.starting.reduce((sum, { count }) => sum + count, this.ready);
  }

  /** Fewest pods: what the autoscaler's own minimum and a raised one say. */
  public get minReplicas(): number {
    return Math.max(this.settings.minReplicas, this.raisedMin);
  }

  public get maxReplicas(): number {
    return this.settings.maxReplicas;
  }

  /** Raises the minimum; the autoscaler's own one holds again after 0. */
  public raise(min: number): void {
    this.raisedMin = min;
  }

  /** When it changes something the next time. */
  public get changesAt(): number {
    return Math.min(this.looksAt, this.starting[0]?.readyAt ?? Infinity);
  }

  /** Share of what the ready pods can serve, at so many requests in a millisecond; above 1, requests fail. */
  public utilization(perMs: number): number {
    return perMs === 0 ? 0 : perMs / (this.ready * this.requestsPerMs);
  }

  /** Takes so many requests, evenly over a time with no change. */
  public serve(requests: number, time: number): void {
    this.used += time > 0 ? Math.min(1, this.utilization(requests / time)) * time : 0;
  }

  /** Notes what is the case for some time. */
  public note(perMs: number): void {
    const { seen, ready } = this;
    seen.peakUtilization = Math.max(seen.peakUtilization, this.utilization(perMs));
    seen.leastReady = Math.min(seen.leastReady, ready);
    seen.mostReady = Math.max(seen.mostReady, ready);
  }

  /** Changes what is due at this time. */
  public change(now: number): void {
    const before = this.ready;
    while (this.starting[0] !== undefined && this.starting[0].readyAt <= now) {
      this.ready += this.starting.shift()!.count;
    }
    if (now >= this.looksAt) {
      this.look(now);
    }
    this.changes += this.ready === before ? 0 : 1;
  }

  private look(now: number): void {
    const time = now - this.lookedAt;
    const utilization = time > 0 ? this.used / time : 0;
    this.scale(this.wanted(now, utilization), now);
    this.lookedAt = now;
    this.looksAt = now + this.settings.syncMs;
    this.used = 0;
    this.measured = this.ready;
  }

  /**
   * A number of pods beyond the limits is changed to the limit at once, whatever the utilization is.
   *
   * @see https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/podautoscaler/horizontal.go reconcileAutoscaler
   */
  private wanted(now: number, utilization: number): number {
    const { replicas, minReplicas: min, settings, measured } = this;
    const { maxReplicas: max, scaleDownWindowMs } = settings;
    if (replicas > max || replicas < min) {
      return replicas > max ? max : min;
    }
    const recommended = recommendedReplicas(settings, { replicas, measured, utilization });
    this.recommendations = [
      ...this.recommendations.filter(({ at }) => at >= now - scaleDownWindowMs),
      { at: now, replicas: recommended },
    ];
    const highest = Math.max(...this.recommendations.map((each) => each.replicas));
    return Math.max(min, Math.min(highest, max, scaleUpLimit(replicas)));
  }

  /** Pods that are not ready go first. */
  private scale(wanted: number, now: number): void {
    let more = wanted - this.replicas;
    if (more > 0) {
      this.starting.push({ readyAt: now + this.settings.podStartMs, count: more });
    }
    for (let last = this.starting.at(-1); more < 0 && last !== undefined; last = this.starting.at(-1)) {
      const removed = Math.min(-more, last.count);
      last.count -= removed;
      more += removed;
      if (last.count === 0) {
        this.starting.pop();
      }
    }
    this.ready += Math.min(0, more);
  }
}
