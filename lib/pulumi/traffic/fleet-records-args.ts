import type * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { hostedZoneId } from '../../core/aws/identifiers';
import { rawArgs } from '../../core/validation/arguments';
import { across, record, list, object, optional } from '../../core/validation/collections';
import { oneOfWords, nonEmptyText } from '../../core/validation/formats';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import { flag, following, later, text, whole } from '../../core/validation/values';
import { kindOf } from '../../shift/checks';
import { normalizedRecordName, routerSettingsProblems } from '../../shift/routers';
import type { RecordType } from '../../shift/routers';
import { soundFleet, fleetSource } from '../fleet';
import type { FleetSource } from '../fleet';
import { input } from '../input-schemas';
import { trafficLabelsSchema } from './argocd';
import type { TrafficLabelsArgs } from './argocd';
import { bareZone } from './shift/kinds/live-records';
import type { TrafficShiftArgs } from './shift/shift-args';
import type { SlotRecord } from './shift/split-kind';
import { noPreviews } from './slot-previews-args';
import { countProblems, splitProblems, trafficSplitEntries } from './traffic-split';
import type { TrafficSplitArgs } from './traffic-split';

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

/** What `FleetRecords` takes. */
export interface FleetRecordsArgs<Slot extends string = string> extends TrafficSplitArgs<Slot> {
  /** The fleet, or its plain values from another stack: for checks that ask clusters. @default - none */
  readonly fleet?: FleetSource;
  /** Id of the hosted zone. */
  readonly zoneId: pulumi.Input<string>;
  /** Whole names of the records, such as `www.example.com`; all have the same targets and move together. */
  readonly names: readonly string[];
  /** Types of the records; all have the same weights. @default ['A'] - an alias to a load balancer with IPv4 addresses */
  readonly types?: readonly RecordType[];
  /** What the records of each slot say, 1 to 5. */
  readonly targets: Readonly<Record<Slot, RecordTarget>>;
  /**
   * How long resolvers keep values, in seconds, 0 to 2147483647. An alias to a load balancer has 60.
   * @default 60 - every step and a rollback wait for it
   */
  readonly ttlSeconds?: number;
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
  readonly adopt?: readonly NoInfer<Slot>[];
  /** Unset: previews are rules of an Application Load Balancer. */
  readonly previews?: undefined;
  /** Raw arguments of each record, over everything else. @default - none */
  readonly recordArgs?: Partial<aws.route53.RecordArgs>;
}

/** An alias to a load balancer with IPv4 addresses is of this type. */
export const defaultTypes: readonly RecordType[] = ['A'];

const defaultTtl = 60;

/** Set identifier of each slot. */
export function setIdentifiersOf(
  prefix: string,
  targets: Readonly<Record<string, RecordTarget>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(targets).map(([slot, { setIdentifier }]) => [slot, setIdentifier ?? `${prefix}-${slot}`]),
  );
}

/**
 * What a record that exists is imported by.
 * @see https://www.pulumi.com/registry/packages/aws/api-docs/route53/record/#import
 */
export function recordImport(zone: string, name: string, type: RecordType, setIdentifier: string): string {
  return [bareZone(zone), name, type, setIdentifier].join('_');
}

/** What a record says beside its weight, as AWS's provider takes it. */
export function recordInputs(
  { alias, values = {}, healthCheckId }: RecordTarget,
  type: RecordType,
  ttlSeconds = defaultTtl,
): Pick<aws.route53.RecordArgs, 'aliases' | 'records' | 'ttl' | 'healthCheckId'> {
  const says = alias
    ? { aliases: [{ ...alias, evaluateTargetHealth: alias.evaluateTargetHealth ?? false }] }
    : { records: [...(values[type] ?? [])], ttl: ttlSeconds };
  return { ...says, ...(healthCheckId !== undefined && { healthCheckId }) };
}

/** What the records of all slots say, once it is known of all: the first that is changed has to know it of all. */
export function fleetSlotRecords({
  targets,
  ttlSeconds = defaultTtl,
}: FleetRecordsArgs): pulumi.Output<Record<string, SlotRecord>> {
  const plain = Object.entries(targets).map(([slot, { alias, values, healthCheckId }]) => [
    slot,
    {
      ...(alias && { alias: { ...alias, evaluateTargetHealth: alias.evaluateTargetHealth ?? false } }),
      ...(values && { values, ttl: ttlSeconds }),
      ...(healthCheckId !== undefined && { healthCheckId }),
    },
  ]);
  return pulumi.output(Object.fromEntries(plain)) as pulumi.Output<Record<string, SlotRecord>>;
}

const setIdentifier = text('a set identifier of 1 to 128 characters, without "/"', /^[^/]{1,128}$/);

const noZone = 'Z0';

const valuesOfType = optional(list<pulumi.Input<string>>(later(text('a value')), 0, 'a list of values'));

const recordTarget = across(
  object<RecordTarget>({
    alias: optional(
      object<NonNullable<RecordTarget['alias']>>({
        name: later(text('the DNS name of a load balancer')),
        zoneId: input(hostedZoneId),
        evaluateTargetHealth: optional(flag),
      }),
    ),
    values: optional(
      object<NonNullable<RecordTarget['values']>>(
        { A: valuesOfType, AAAA: valuesOfType, CNAME: valuesOfType },
        "values by type: { A: ['192.0.2.1'] }",
      ),
    ),
    healthCheckId: optional(later(text('the id of a health check of Route 53'))),
    setIdentifier: optional(setIdentifier),
  }),
  ({ alias, values }, { mustBeSecretly }) => {
    if ((alias === undefined) === (values === undefined)) {
      mustBeSecretly([], 'an alias or values, and not both');
    }
  },
);

/**
 * TTL of a record, in seconds.
 * @see https://docs.aws.amazon.com/Route53/latest/APIReference/API_ResourceRecordSet.html
 */
const ttl = whole(0, 2_147_483_647);

export const fleetRecordsSchema: Schema<FleetRecordsArgs> = object<FleetRecordsArgs>({
  ...trafficSplitEntries,
  fleet: optional(fleetSource),
  zoneId: later(text('the id of a hosted zone')),
  names: list(text('a whole name, such as www.example.com'), 1, 'at least one name'),
  types: optional(list<RecordType>(following(nonEmptyText))),
  targets: record(recordTarget),
  ttlSeconds: optional(ttl),
  labels: optional(trafficLabelsSchema),
  region: optional(text('the name of an AWS region, such as "eu-west-1"')),
  adopt: optional(list(text('the name of a slot'))),
  previews: optional(noPreviews),
  recordArgs: optional(rawArgs),
});

/** What the schema does not say of the arguments of a `FleetRecords`. */
export function fleetRecordsProblems(
  name: string,
  slots: readonly string[],
  args: Partial<FleetRecordsArgs>,
): readonly Problem[] {
  const problems = new Problems('records');
  const fleet = soundFleet(args.fleet);
  const { targets = {}, types = defaultTypes } = args;
  problems.addAll(countProblems('targets', slots, 'slots by name'));
  const hasOwnWeights = args.recordArgs?.weightedRoutingPolicies !== undefined;
  problems.addAll(splitProblems(args, { slots, hasOwnWeights, layer: 'names' }));
  if (args.labels !== undefined && args.fleet === undefined) {
    problems.require('fleet', 'a fleet beside labels: its cluster Secrets are found by its name');
  }
  for (const slot of slots.filter((each) => fleet !== undefined && !(each in fleet.slots))) {
    const known = Object.keys(fleet!.slots).join(', ');
    problems.add(`targets.${slot}`, slot, `a slot of the fleet, which has ${known}`);
  }
  namesProblems(problems, args);
  for (const [slot, { values }] of Object.entries(targets)) {
    for (const type of values ? types.filter((each) => !values[each]?.length) : []) {
      problems.require(`targets.${slot}.values.${type}`, 'at least one value, as for every type');
    }
  }
  identifierProblems(problems, setIdentifiersOf(fleet?.name ?? name, targets));
  adoptProblems(problems, args, slots);
  healthProblems(problems, args.shift);
  return problems.all;
}

function namesProblems(
  problems: Problems,
  { names: given = [], types = defaultTypes, zoneId: zone, region }: Partial<FleetRecordsArgs>,
): void {
  given.forEach((recordName, index) => {
    // What the router would refuse is refused before anything is made.
    const settings = {
      hostedZoneId: typeof zone === 'string' ? zone : noZone,
      recordName,
      recordType: types,
      ...(region !== undefined && { region }),
    };
    const paths: Readonly<Record<string, string>> = {
      recordName: `names[${index}]`,
      hostedZoneId: 'zoneId',
      region: 'region',
    };
    for (const problem of routerSettingsProblems('route53', settings)) {
      const { path } = problem;
      if (path === 'recordName' || index === 0) {
        problems.addAll([{ ...problem, path: paths[path] ?? path.replace(/^recordType/, 'types') }]);
      }
    }
    if (
      given.findIndex((other) => normalizedRecordName(other) === normalizedRecordName(recordName)) < index
    ) {
      problems.add(`names[${index}]`, recordName, 'another name than those before');
    }
  });
}

function identifierProblems(problems: Problems, identifiers: Readonly<Record<string, string>>): void {
  const seen = new Map<string, string>();
  for (const [slot, identifier] of Object.entries(identifiers)) {
    const path = `targets.${slot}.setIdentifier`;
    const other = seen.get(identifier);
    if (other !== undefined) {
      problems.add(path, identifier, `another than that of the slot "${other}"`);
    }
    seen.set(identifier, slot);
  }
}

function adoptProblems(
  problems: Problems,
  { adopt, zoneId: zone }: Partial<FleetRecordsArgs>,
  slots: readonly string[],
): void {
  adopt?.forEach((slot, index) => problems.check(`adopt[${index}]`, slot, oneOfWords(...slots)));
  if (adopt?.length && (pulumi.Output.isInstance(zone) || typeof zone !== 'string')) {
    problems.add('zoneId', undefined, 'plain text, where records are adopted');
  }
}

/** A record knows no target group: these checks could say nothing. */
function healthProblems(problems: Problems, shift: FleetRecordsArgs['shift']): void {
  const checks = shift ? shift.checks : undefined;
  if (!Array.isArray(checks)) {
    return;
  }
  (checks as readonly unknown[]).forEach((check, index) => {
    const words = typeof check === 'object' && check !== null ? Object.keys(check) : [];
    for (const word of words.filter((each) => kindOf(each)?.needs === 'targetGroups')) {
      problems.add(`shift.checks[${index}]`, word, 'a check that needs no target groups: records have none');
    }
  });
}
