import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { namesIn, refuseArguments } from '../../core/validation/arguments';
import { normalizedRecordName } from '../../shift/routers';
import { fleetRef } from '../fleet';
import {
  defaultTypes,
  fleetRecordsProblems,
  fleetRecordsSchema,
  recordImport,
  recordInputs,
  setIdentifiersOf,
  fleetSlotRecords,
} from './fleet-records-args';
import type { FleetRecordsArgs } from './fleet-records-args';
import { recordsId } from './shift/kinds/live-records';
import { weightedRecords } from './shift/kinds';
import type { SplitGroup } from './shift/split-group';
import { kubeconfigs } from './target-groups';
import { FleetSplit, knownFleet } from './traffic-split';

/**
 * Weighted records of Route 53 over the slots of a fleet: a plain `aws.route53.Record` for each name, slot and type. It is for
 * slots with load balancers of their own.
 *
 * A change of the weights is a shift of all of them: the hook of every record waits for the same run, which changes them in
 * one batch. A record of a new slot is made with weight 0 first; a slot that goes is left by the traffic before its record is
 * deleted; never are all weights 0, which Route 53 takes for equal shares.
 *
 * @example
 * new traffic.FleetRecords('apps', {
 *   fleet: apps,
 *   zoneId: zone.zoneId,
 *   names: ['www.example.com'],
 *   targets: {
 *     blue: { alias: { name: blue.dnsName, zoneId: blue.zoneId } },
 *     green: { alias: { name: green.dnsName, zoneId: green.zoneId } },
 *   },
 *   weights: { blue: 90, green: 10 },
 * });
 * @see https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/routing-policy-weighted.html
 */
export class FleetRecords<const Slot extends string = string> extends FleetSplit<Slot> {
  /** The records by name, slot and type: `records['www.example.com'].blue.A`. */
  public readonly records: Readonly<
    Record<string, Readonly<Record<Slot, Readonly<Record<string, aws.route53.Record>>>>>
  >;

  private readonly zoneId: pulumi.Input<string>;

  /** @throws InvalidInput before anything is registered, with every problem of the plain values */
  public constructor(name: string, args: FleetRecordsArgs<Slot>, opts: pulumi.ComponentResourceOptions = {}) {
    refuseArguments(`FleetRecords "${name}"`, fleetRecordsSchema, args, (sound) =>
      fleetRecordsProblems(name, namesIn(args.targets), { ...sound, fleet: args.fleet }),
    );
    const fleet = args.fleet && fleetRef(args.fleet);
    const { names, types = defaultTypes, targets, weights, shift, labels } = args;
    const slots = Object.keys(targets);
    const region = args.region ?? new pulumi.Config('aws').get('region');
    super(
      'FleetRecords',
      name,
      {
        ...{ kind: weightedRecords(names, types), slots, weights, shift },
        ...(region !== undefined && { region }),
        ...(fleet && {
          ...knownFleet({ ...fleet, slots: picked(fleet.slots, slots) }, labels),
          kubeconfigs: picked(kubeconfigs(args.fleet), slots),
        }),
      },
      opts,
    );
    this.zoneId = args.zoneId;
    const setIdentifiers = setIdentifiersOf(fleet?.name ?? name, targets);
    const known = fleetSlotRecords(args);
    this.records = Object.fromEntries(
      names.map((recordName, index) => {
        const rule = {
          name: index === 0 ? name : `${name}-${index + 1}`,
          tag: normalizedRecordName(recordName),
          priority: 0,
          targets: setIdentifiers,
          records: known,
        };
        this.group.add(rule);
        return [recordName, this.ofName(rule, recordName, args, setIdentifiers, known)];
      }),
    );
    this.registerOutputs({ weights: this.verified() });
  }

  private ofName(
    rule: Parameters<SplitGroup['add']>[0],
    recordName: string,
    args: FleetRecordsArgs<Slot>,
    setIdentifiers: Readonly<Record<string, string>>,
    known: pulumi.Output<unknown>,
  ): Record<Slot, Record<string, aws.route53.Record>> {
    const { zoneId, types = defaultTypes, targets, adopt = [] } = args;
    const made = {} as Record<Slot, Record<string, aws.route53.Record>>;
    // Records with traffic come first and go last: while those without are alone, they would get all of it.
    const slots = (Object.keys(targets) as Slot[]).sort(
      (one, other) => this.weights[other] - this.weights[one],
    );
    const carrying: aws.route53.Record[] = [];
    for (const slot of slots) {
      const weight = this.weights[slot];
      const setIdentifier = setIdentifiers[slot]!;
      const byType: Record<string, aws.route53.Record> = {};
      made[slot] = byType;
      for (const type of types) {
        const resource = `${rule.name}-${slot}${types.length > 1 ? `-${type}` : ''}`;
        const binding = this.group.bindingOf(rule, resource);
        const record = new aws.route53.Record(
          resource,
          {
            zoneId,
            name: recordName,
            type,
            setIdentifier,
            // What the first hook has to know of all records, all wait for.
            weightedRoutingPolicies: [{ weight: this.group.shifts ? known.apply(() => weight) : weight }],
            ...recordInputs(targets[slot], type, args.ttlSeconds),
            // The hook makes the records of a new slot, with weight 0; it refuses to overwrite one that points elsewhere.
            ...(this.group.shifts && { allowOverwrite: true }),
            ...args.recordArgs,
          },
          {
            parent: this,
            dependsOn: weight === 0 ? [...carrying] : [],
            ...(adopt.includes(slot) && {
              import: recordImport(zoneId as string, recordName, type, setIdentifier),
            }),
            ...binding.opts,
          },
        );
        byType[type] = record;
        if (weight > 0) {
          carrying.push(record);
        }
      }
    }
    return made;
  }

  /** Known when all of a name's records are there. */
  protected ids(): Record<string, pulumi.Output<string>> {
    return Object.fromEntries(
      Object.entries(this.records).map(([recordName, slots]) => {
        const ids = Object.values<Readonly<Record<string, aws.route53.Record>>>(slots).flatMap((types) =>
          Object.values(types).map(({ id }) => id),
        );
        return [
          recordName,
          pulumi.all([pulumi.output(this.zoneId), ...ids]).apply(([zone]) => recordsId(zone!, recordName)),
        ];
      }),
    );
  }
}

function picked<T>(all: Readonly<Record<string, T>>, keys: readonly string[]): Record<string, T> {
  return Object.fromEntries(keys.map((key) => [key, all[key]!]));
}
