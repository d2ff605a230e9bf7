import type * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import type { FleetSource } from '../fleet';
import type { OptionsOf } from '../problems';
import { mapOf } from '../problems';
import type { RecordType } from '../routers';
import type { Weights } from '../shift';
import type { TrafficShiftArgs } from './shift/arguments';
import { trafficShiftArgsKeys } from './shift/arguments';
import type { TrafficLabelsArgs } from './traffic-labels';
import { trafficLabelsArgsKeys } from './traffic-labels';

/** What a slot's records say: an alias, or values. */
export interface RecordTarget {
  /** What an alias points at: the slot's own load balancer. @default - none: `values` */
  readonly alias?: {
    /** DNS name of the load balancer. */
    readonly name: pulumi.Input<string>;
    /** Hosted zone of that name: `zoneId` of the load balancer. */
    readonly zoneId: pulumi.Input<string>;
    /**
     * Whether Route 53 leaves the record out while nothing behind the alias is healthy.
     * @default false - it would move traffic beside the weights, and away from a slot that has no targets yet
     */
    readonly evaluateTargetHealth?: boolean;
  };
  /** Values by type, for each of the types: `{ A: ['192.0.2.1'] }`. @default - none: `alias` */
  readonly values?: Readonly<Partial<Record<RecordType, readonly pulumi.Input<string>[]>>>;
  /** Id of a Route 53 health check. @default - none: the record is always answered */
  readonly healthCheckId?: pulumi.Input<string>;
  /**
   * Tells the slot's records from those of other slots.
   * @default - `FLEET-SLOT`, or `NAME-SLOT` without a fleet; the guard of a fleet knows the former
   */
  readonly setIdentifier?: string;
}

const recordTargetKeys: OptionsOf<RecordTarget> = {
  alias: { name: 'open', zoneId: 'open', evaluateTargetHealth: 'plain' },
  values: 'open',
  healthCheckId: 'open',
  setIdentifier: 'plain',
};

/** What `FleetRecords` takes. */
export interface FleetRecordsArgs {
  /** The fleet, or its plain values from another stack: for checks that ask clusters. @default - none */
  readonly fleet?: FleetSource;
  /** Id of the hosted zone. */
  readonly zoneId: pulumi.Input<string>;
  /** Whole names of the records, such as `www.example.com`; all have the same targets and move together. */
  readonly names: readonly string[];
  /** Types of the records; all have the same weights. @default ['A'] - an alias to a load balancer with IPv4 addresses */
  readonly types?: readonly RecordType[];
  /** What the records of each slot say, 1 to 5. */
  readonly targets: Readonly<Record<string, RecordTarget>>;
  /**
   * How long resolvers keep values, in seconds, 0 to 2147483647. An alias to a load balancer has 60.
   * @default 60 - every step and a rollback wait for it
   */
  readonly ttlSeconds?: number;
  /** Whole percents by slot that add up to 100; unset means 0. @default - 100 for a slot that is alone */
  readonly weights?: Weights;
  /**
   * Hubs whose cluster Secrets get the labels `cluster-canary/traffic` and `cluster-canary/active`, kept by the shift; `fleet`
   * has to be given, whose name they are found by. A hub that can't be reached is a warning and stops nothing.
   * @default - none
   */
  readonly labels?: TrafficLabelsArgs;
  /**
   * How a change of the weights gets to Route 53; `false` writes it at once. There are no `checks` by default: a record knows
   * no target group.
   *
   * @default - a shift with the default of every setting: nobody meant to move all traffic in one step
   */
  readonly shift?: TrafficShiftArgs | false;
  /** Region of the lease, and of checks that ask CloudWatch. @default - the program's `aws:region` */
  readonly region?: string;
  /**
   * Slots whose records exist: they are adopted (Pulumi's `import`) with the weights that are live, and then updated to the
   * program's, with a shift if weights differ. May stay in the program. Needs the zone's id as plain text.
   *
   * @default - all records are created
   */
  readonly adopt?: readonly string[];
  /** Raw arguments of each record, over everything else. @default - none */
  readonly recordArgs?: Partial<aws.route53.RecordArgs>;
}

export const fleetRecordsArgsKeys: OptionsOf<FleetRecordsArgs> = {
  fleet: 'open',
  zoneId: 'open',
  names: 'list',
  types: 'list',
  targets: mapOf(recordTargetKeys),
  ttlSeconds: 'plain',
  weights: 'plain',
  labels: trafficLabelsArgsKeys,
  shift: trafficShiftArgsKeys,
  region: 'plain',
  adopt: 'list',
  recordArgs: 'open',
};
