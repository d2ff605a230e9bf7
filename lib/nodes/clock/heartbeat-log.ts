import type { KubernetesObject } from '../../kubernetes';
import type { ClockMeasurement } from './clock-measurement';
import type { Heartbeat } from './heartbeat';
import { heartbeatOf } from './heartbeat';
import { skewOf } from './skew';

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
