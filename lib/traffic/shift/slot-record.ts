/** What the records of a slot say, beside their weight. */
export interface SlotRecord {
  /** What an alias points at. @default - none: `values` */
  readonly alias?: RecordAlias;
  /** Values by the record's type, `{ A: ['192.0.2.1'] }`. @default - none: `alias` */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** How long resolvers keep values, in seconds; an alias has none. */
  readonly ttl?: number;
  /** @default - none */
  readonly healthCheckId?: string;
}

/** What an alias points at. */
export interface RecordAlias {
  /** DNS name of the load balancer. */
  readonly name: string;
  /** Hosted zone of that name: `zoneId` of a load balancer. */
  readonly zoneId: string;
  readonly evaluateTargetHealth: boolean;
}
