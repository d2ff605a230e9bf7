import type { Skew } from './skew';

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
