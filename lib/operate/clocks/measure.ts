import { sleep } from '../../core/async';
import { leaseNamespace } from '../../core/kubernetes/api';
import type { KubernetesObject, KubernetesReader } from '../../core/kubernetes/api';
import { isKubernetesError } from '../../core/kubernetes/errors';
import { opaque, refuseArguments } from '../../core/validation/arguments';
import { object, optional } from '../../core/validation/collections';
import type { Format } from '../../core/validation/problems';
import type { Entries } from '../../core/validation/schema';
import { callback, following, number } from '../../core/validation/values';
import { clockLimits, clockTolerances } from '../../manifests/clock-guard';
import type { ClockTolerance } from '../../manifests/clock-guard';

/**
 * The Leases of all nodes.
 *
 * @throws KubernetesError where they can't be read
 */
export function readLeases(
  api: Pick<KubernetesReader, 'list'>,
  signal?: AbortSignal,
): Promise<readonly KubernetesObject[]> {
  return api.list(
    { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
    { namespace: leaseNamespace, ...(signal ? { signal } : {}) },
  );
}

/** One renewal of a node's Lease, as two clocks saw it. */
export interface Heartbeat {
  /** Name of the node. */
  readonly node: string;
  /** Identity (`uid`) of the Lease: a new one belongs to a new node, also where its name is the same. */
  readonly lease: string;
  /** Time of the renewal by the node's clock, in milliseconds since 1970. */
  readonly renewedAt: number;
  /** The whole second in which the API server wrote it, by its own clock, in milliseconds since 1970. */
  readonly writtenAt: number;
  /** How long the Lease holds without another renewal, in milliseconds. */
  readonly holds: number;
}

/** What kubelet asks for unless it is configured otherwise, in seconds. @see https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/ */
const usualDuration = 40;

/**
 * Reads the newest heartbeat out of a Lease of `kube-node-lease`.
 *
 * kubelet puts its own time into `spec.renewTime`. With the write, the API server notes in `metadata.managedFields` who
 * changed the field, and when by its own clock, cut to whole seconds. Who owns the field does not matter, so it works
 * for every program that renews Leases in kubelet's place.
 *
 * @returns a text that says what is missing, where it can't be read
 * @see https://kubernetes.io/docs/concepts/architecture/nodes/#heartbeats
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export function heartbeatOf(lease: KubernetesObject): Heartbeat | string {
  const { name, uid = '', managedFields } = lease.metadata;
  const spec = mappingOf(lease['spec']);
  const renewedAt = timeOf(spec['renewTime']);
  if (renewedAt === undefined) {
    return 'its Lease has no renewTime';
  }
  const writes = (Array.isArray(managedFields) ? managedFields : [])
    .map(mappingOf)
    .filter(ownsRenewTime)
    .map(({ time }) => timeOf(time))
    .filter((time) => time !== undefined);
  if (writes.length === 0) {
    return 'its Lease does not show when renewTime was written (metadata.managedFields)';
  }
  const seconds = spec['leaseDurationSeconds'];
  const duration = typeof seconds === 'number' && seconds > 0 ? seconds : usualDuration;
  // Whoever writes the same value once more owns it as well: the first write is the renewal.
  return { node: name, lease: uid, renewedAt, writtenAt: Math.min(...writes), holds: duration * 1000 };
}

function ownsRenewTime({ fieldsV1 }: Mapping): boolean {
  return 'f:renewTime' in mappingOf(mappingOf(fieldsV1)['f:spec']);
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? undefined : time;
}

type Mapping = Readonly<Record<string, unknown>>;

function mappingOf(value: unknown): Mapping {
  return typeof value === 'object' && value !== null ? (value as Mapping) : {};
}

/** How far a clock is off, with how well that is known. In seconds; below zero it is slow. */
export interface Skew {
  /** The estimate, in seconds. */
  readonly seconds: number;
  /** The true value is within so many seconds of it, if the clock was not set meanwhile. */
  readonly uncertainty: number;
  /** Median of the single estimates. */
  readonly median: number;
  /** Greatest less smallest of the single estimates; up to about 1 comes from times that are whole seconds. */
  readonly spread: number;
  /** How many heartbeats it rests on. */
  readonly samples: number;
}

/** A write takes a while, also where the API server is not busy; in seconds. */
const leastUncertainty = 0.1;

/**
 * Estimates a node's skew against the API server from several heartbeats.
 *
 * The API server's time is cut to whole seconds, so that a single heartbeat tells the skew within a second: with `d` the
 * difference of the two times, it is above `d - 1` and not above `d`, if the write took no time. kubelet's renewals are
 * not in step with the second, so several heartbeats have bounds that overlap, and the skew is in what they have in
 * common. A write that was slow makes its difference smaller than it should be: one that is over a second away from the
 * median is left out.
 *
 * @param heartbeats of one node, at least one
 */
export function skewOf(heartbeats: readonly Pick<Heartbeat, 'renewedAt' | 'writtenAt'>[]): Skew {
  const differences = heartbeats
    .map(({ renewedAt, writtenAt }) => (renewedAt - writtenAt) / 1000)
    .sort((one, other) => one - other);
  const middle = medianOf(differences);
  const near = differences.filter((difference) => Math.abs(difference - middle) <= 1);
  // The middle of two that are far from each other is near to neither.
  const counted = near.length === 0 ? differences : near;
  const [above, notAbove] = [counted.at(-1)! - 1, counted[0]!];
  const spread = differences.at(-1)! - differences[0]!;
  return {
    seconds: rounded((above + notAbove) / 2),
    uncertainty: rounded(
      Math.max(Math.abs(notAbove - above) / 2, leastUncertainty, spread > 2 ? spread / 2 : 0),
    ),
    // Half a second is what cutting takes away on average.
    median: rounded(middle - 0.5),
    spread: rounded(spread),
    samples: heartbeats.length,
  };
}

function medianOf(sorted: readonly number[]): number {
  const half = sorted.length / 2;
  return (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2;
}

/** To milliseconds, as renewTime is read. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000 + 0;
}

/** The heartbeats of all nodes that were seen so far, each once; of each node the newest ones. */
export class HeartbeatLog {
  private readonly seen = new Map<string, Seen>();
  private readonly unreadable = new Map<string, string>();
  /** The API server's time less the time that had passed, in milliseconds; it can only be later than that. */
  private serverTime = -Infinity;
  /** When the last look was. */
  private looked = 0;

  /** @param kept how many heartbeats of a node are kept. Default: all */
  public constructor(private readonly kept = Infinity) {}

  /** How many nodes have a Lease. */
  public get size(): number {
    return this.seen.size + this.unreadable.size;
  }

  /**
   * Takes what a look has found. Nodes whose Lease is gone are forgotten.
   *
   * @param elapsed when that was, in milliseconds of a clock that is never set
   */
  public take(leases: readonly KubernetesObject[], elapsed: number): void {
    this.looked = elapsed;
    const names = new Set(leases.map(({ metadata }) => metadata.name));
    for (const node of [...this.seen.keys()].filter((each) => !names.has(each))) {
      this.seen.delete(node);
    }
    this.unreadable.clear();
    for (const lease of leases) {
      const heartbeat = heartbeatOf(lease);
      if (typeof heartbeat === 'string') {
        this.seen.delete(lease.metadata.name);
        this.unreadable.set(lease.metadata.name, heartbeat);
        continue;
      }
      this.serverTime = Math.max(this.serverTime, heartbeat.writtenAt - elapsed);
      const known = this.seen.get(heartbeat.node)?.heartbeats ?? [];
      const before = known[0]?.lease === heartbeat.lease ? known : [];
      if (before.at(-1)?.renewedAt !== heartbeat.renewedAt) {
        const heartbeats = [...before, heartbeat].slice(-this.kept);
        this.seen.set(heartbeat.node, { heartbeats, at: elapsed });
      }
    }
  }

  /** How many nodes have sent fewer heartbeats than wanted, and may send more. */
  public waitedFor(wanted: number): number {
    return [...this.seen.values()].filter(
      (each) => each.heartbeats.length < wanted && this.silence(each) === undefined,
    ).length;
  }

  /** What the heartbeats say. */
  public measured(): ClockMeasurement {
    const all = [...this.seen].sort(([one], [other]) => (one < other ? -1 : 1));
    const silence = new Map(all.map(([node, seen]) => [node, this.silence(seen)]));
    return {
      nodes: all
        .filter(([node]) => silence.get(node) === undefined)
        .map(([node, { heartbeats }]) => ({ node, lease: heartbeats[0]!.lease, ...skewOf(heartbeats) })),
      silent: all.flatMap(([node]) => {
        const seconds = silence.get(node);
        return seconds === undefined ? [] : [{ node, seconds }];
      }),
      unreadable: [...this.unreadable]
        .map(([node, reason]) => ({ node, reason }))
        .sort((one, other) => (one.node < other.node ? -1 : 1)),
    };
  }

  /**
   * For how many seconds a node is silent, where that is longer than its Lease holds, by the API server's clock. Of several
   * API servers one may be ahead, so a node that was seen to renew is silent only after as long without another renewal.
   */
  private silence({ heartbeats, at }: Seen): number | undefined {
    const { writtenAt, holds } = heartbeats.at(-1)!;
    const since = this.serverTime + this.looked - writtenAt;
    const isRenewed = heartbeats.length > 1 && this.looked - at <= holds;
    return since > holds && !isRenewed ? Math.round(since / 1000) : undefined;
  }
}

interface Seen {
  readonly heartbeats: readonly Heartbeat[];
  /** When the newest one was seen, in milliseconds of a clock that is never set. */
  readonly at: number;
}

/** How clocks are measured. */
export interface ClockMeasurementOptions {
  /** Heartbeats of each node. @default 4 - kubelet sends one every 10 s, so it takes about half a minute */
  readonly samples?: number;
  /** Time between two looks, in milliseconds. @default 5000 - half of the time between two heartbeats */
  readonly interval?: number;
  /** Time after which what there is has to do, in milliseconds. @default 60000 - 1.5 times what a Lease holds */
  readonly deadline?: number;
  /** Says how far it is: so many nodes of so many are measured. */
  readonly progress?: (measured: number, all: number) => void;
  /** Ends it early, with an error. @default - none */
  readonly signal?: AbortSignal;
  /** Waits, in milliseconds. @default - a timer */
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Time that has passed, of a clock that is never set, in milliseconds. @default - performance.now() */
  readonly elapsed?: () => number;
}

/** A time in milliseconds. */
const milliseconds: Format = {
  allowed: 'a number of milliseconds, at least 0',
  // A deadline may be Infinity.
  accepts: (value) => typeof value === 'number' && value >= 0,
};

/** Schemas of `ClockMeasurementOptions`. */
export const clockMeasurementEntries: Entries<ClockMeasurementOptions> = {
  samples: optional(number('a whole number, at least 1', { min: 1, whole: true })),
  interval: optional(following(milliseconds)),
  deadline: optional(following(milliseconds)),
  progress: optional(callback),
  signal: optional(opaque('an AbortSignal')),
  wait: optional(callback),
  elapsed: optional(callback),
};

const clockMeasurementOptions = object(clockMeasurementEntries);

/**
 * Measures the clocks of all nodes from outside, without anything on the nodes: reads their Leases again and again, until
 * each node has sent enough heartbeats or the time is up. Leases are read in pages, one page at a time.
 *
 * All nodes are measured against the API server's clock. Where there are several API servers, each heartbeat is measured
 * against that of the one which took it.
 *
 * @throws KubernetesError where Leases can't be read
 */
export async function measureClocks(
  api: KubernetesReader,
  options: ClockMeasurementOptions = {},
): Promise<ClockMeasurement> {
  refuseArguments('measureClocks', clockMeasurementOptions, options);
  const {
    samples = 4,
    interval = 5_000,
    deadline = 60_000,
    progress,
    signal,
    wait = sleep,
    elapsed = () => performance.now(),
  } = options;
  const log = new HeartbeatLog();
  const end = elapsed() + deadline;
  for (let isFirst = true; ; isFirst = false) {
    try {
      log.take(await readLeases(api, signal), elapsed());
    } catch (error) {
      // What was read before is still good.
      if (isFirst || !isKubernetesError(error)) {
        throw error;
      }
    }
    const waitedFor = log.waitedFor(samples);
    progress?.(log.size - waitedFor, log.size);
    if (waitedFor === 0 || elapsed() + interval > end) {
      return log.measured();
    }
    await wait(interval, signal);
  }
}

/** A node and how far its clock is off. */
export interface NodeClock extends Skew {
  /** Name of the node. */
  readonly node: string;
  /** Identity (`uid`) of its Lease. */
  readonly lease: string;
}

/** What is known of the clocks of a cluster's nodes, against the API server's clock. */
export interface ClockMeasurement {
  /** The nodes that were measured, by name. */
  readonly nodes: readonly NodeClock[];
  /** Nodes that have not renewed their Lease for longer than it holds: they are down or cut off, and may tell any time. */
  readonly silent: readonly {
    /** Name of the node. */
    readonly node: string;
    /** How long ago its last renewal was, in seconds. */
    readonly seconds: number;
  }[];
  /** Nodes whose Lease does not tell what it takes. */
  readonly unreadable: readonly {
    /** Name of the node. */
    readonly node: string;
    /** What is missing or can't be read, for a person. */
    readonly reason: string;
  }[];
}

/** What a skew means. */
export interface ClockVerdict {
  /** How much it matters. */
  readonly level: 'fine' | 'warning' | 'critical';
  /** Whether the clock is behind or ahead. */
  readonly direction: 'slow' | 'fast';
  /** Whether the skew is beyond the limit also where the estimate is off by its uncertainty. */
  readonly certain: boolean;
  /** What does not bear it; empty where the level is `fine`. */
  readonly exceeded: readonly ClockTolerance[];
}

/**
 * Checks a skew.
 *
 * @param limits seconds from which on it is reported. Default: 10 and 25.
 */
export function classifySkew(
  { seconds, uncertainty }: Pick<Skew, 'seconds' | 'uncertainty'>,
  limits: { readonly warning: number; readonly critical: number } = clockLimits,
): ClockVerdict {
  const off = Math.abs(seconds);
  const direction = seconds < 0 ? 'slow' : 'fast';
  const level = off >= limits.critical ? 'critical' : off >= limits.warning ? 'warning' : 'fine';
  const limit = level === 'critical' ? limits.critical : limits.warning;
  return {
    level,
    direction,
    certain: off - uncertainty >= limit,
    exceeded: level === 'fine' ? [] : clockTolerances.filter((each) => off > each[direction]),
  };
}
