import * as pulumi from '@pulumi/pulumi';
import { hostedZoneId } from '../aws';
import { checkInput } from '../bridge';
import type { FleetRef } from '../fleet';
import { mostSlots } from '../fleet';
import type { Problem, Rule } from '../problems';
import { oneOf, Problems, wholeNumber } from '../problems';
import { plainName, route53Problems } from '../routers';
import { weightProblems } from '../shift';
import type { FleetRecordsArgs, RecordTarget } from './fleet-records-arguments';
import { defaultTypes, setIdentifiersOf } from './record-inputs';
import { trafficShiftProblems } from './shift/problems';
import { trafficLabelsProblems } from './traffic-labels';

const setIdentifier: Rule = {
  allowed: 'a set identifier of 1 to 128 characters, without "/"',
  accepts: (value) => typeof value === 'string' && /^[^/]{1,128}$/.test(value),
};

/**
 * TTL of a record, in seconds.
 * @see https://docs.aws.amazon.com/Route53/latest/APIReference/API_ResourceRecordSet.html
 */
const ttl = wholeNumber(0, 2_147_483_647);

const zoneId = 'Z0';

/** What is wrong with the plain values of a `FleetRecords`. */
export function fleetRecordsProblems(
  name: string,
  fleet: FleetRef | undefined,
  args: FleetRecordsArgs,
): readonly Problem[] {
  const problems = new Problems('records');
  const slots = Object.keys(args.targets ?? {});
  if (slots.length < 1 || slots.length > mostSlots) {
    problems.add('targets', slots, `a mapping of 1 to ${mostSlots} slots by name`);
  }
  problems.addAll(weightProblems(slots, args.weights));
  problems.addAll(trafficLabelsProblems(args.labels));
  if (args.labels !== undefined && fleet === undefined) {
    problems.add('fleet', undefined, 'a fleet beside labels: its cluster Secrets are found by its name');
  }
  slots
    .filter((slot) => fleet !== undefined && !(slot in fleet.slots))
    .forEach((slot) =>
      problems.add(
        `targets.${slot}`,
        slot,
        `a slot of the fleet, which has ${Object.keys(fleet!.slots).join(', ')}`,
      ),
    );
  namesProblems(problems, args);
  const types = args.types ?? defaultTypes;
  for (const [slot, target] of Object.entries(args.targets ?? {})) {
    targetProblems(problems, `targets.${slot}`, target, types);
  }
  identifierProblems(problems, setIdentifiersOf(fleet?.name ?? name, args.targets ?? {}));
  if (args.ttlSeconds !== undefined) {
    problems.check('ttlSeconds', args.ttlSeconds, ttl);
  }
  adoptProblems(problems, args, slots);
  const ownWeights = args.recordArgs?.weightedRoutingPolicies !== undefined;
  problems.addAll(trafficShiftProblems(args.shift, slots, ownWeights, 'names'));
  healthProblems(problems, args.shift);
  return problems.all;
}

function namesProblems(
  problems: Problems,
  { names, types = defaultTypes, zoneId: zone, region }: FleetRecordsArgs,
): void {
  if (!Array.isArray(names) || names.length === 0) {
    problems.add('names', names, 'at least one name');
    return;
  }
  const given: readonly string[] = names;
  given.forEach((recordName, index) => {
    // What the router would refuse is refused before anything is made; its slots are judged here.
    const settings = {
      hostedZoneId: typeof zone === 'string' ? zone : zoneId,
      recordName,
      recordType: types,
      setIdentifiers: { blue: 'a', green: 'b' },
      ...(region !== undefined && { region }),
    };
    const paths: Readonly<Record<string, string>> = {
      recordName: `names[${index}]`,
      hostedZoneId: 'zoneId',
      region: 'region',
    };
    for (const { path, value, allowed } of route53Problems(settings)) {
      if (path === 'recordName' || index === 0) {
        problems.add(paths[path] ?? path.replace(/^recordType/, 'types'), value, allowed);
      }
    }
    if (given.findIndex((other) => plainName(String(other)) === plainName(String(recordName))) < index) {
      problems.add(`names[${index}]`, recordName, 'another name than those before');
    }
  });
}

function targetProblems(
  problems: Problems,
  path: string,
  { alias, values }: RecordTarget,
  types: readonly string[],
): void {
  if ((alias === undefined) === (values === undefined)) {
    problems.add(path, undefined, 'an alias or values, and not both');
    return;
  }
  checkInput(problems, `${path}.alias.zoneId`, alias?.zoneId, hostedZoneId);
  const missing = values ? types.filter((type) => !values[type as keyof typeof values]?.length) : [];
  missing.forEach((type) =>
    problems.add(`${path}.values.${type}`, undefined, 'at least one value, as for every type'),
  );
}

function identifierProblems(problems: Problems, identifiers: Readonly<Record<string, string>>): void {
  const seen = new Map<string, string>();
  for (const [slot, identifier] of Object.entries(identifiers)) {
    const path = `targets.${slot}.setIdentifier`;
    const other = seen.get(identifier);
    if (problems.check(path, identifier, setIdentifier) && other !== undefined) {
      problems.add(path, identifier, `another than that of the slot "${other}"`);
    }
    seen.set(identifier, slot);
  }
}

function adoptProblems(
  problems: Problems,
  { adopt, zoneId: zone }: FleetRecordsArgs,
  slots: readonly string[],
): void {
  adopt?.forEach((slot, index) => problems.check(`adopt[${index}]`, slot, oneOf(...slots)));
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
    for (const kind of ['targetHealth', 'capacity']) {
      if (typeof check === 'object' && check !== null && kind in check) {
        problems.add(
          `shift.checks[${index}]`,
          kind,
          'a check that needs no target groups: records have none',
        );
      }
    }
  });
}
