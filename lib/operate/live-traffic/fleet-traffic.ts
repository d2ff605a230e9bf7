import { inTurn, systemClock } from '../../core/async';
import type { Clock } from '../../core/async';
import type { AwsClients } from '../../core/aws/clients';
import { LoadBalancingReader, askBalancing } from '../../core/aws/load-balancing';
import { fleetTag, slotTag } from '../../core/names';
import { forwardedTo, isTestRoute, listenerRules } from './listener-rules';
import type { ListenerRule } from './listener-rules';
import { recordsOfSlot, zoneRecords } from './live-traffic';
import { usedTargetGroups } from './target-groups';

/** How the traffic of a fleet is split at one place. */
export interface FleetSplit {
  /** ARN of the rule or listener, or the record. */
  readonly where: string;
  /** Share by slot, in percent of what the fleet gets there. A slot that is there without weight has 0. */
  readonly percents: Readonly<Record<string, number>>;
}

/** Where the traffic of a fleet is looked for. */
export interface FleetTrafficSearch {
  /** Ids of the hosted zones that may have records of the fleet. @default - every one of the account, where they matter */
  readonly hostedZoneIds?: readonly string[];
  /** Waits between two calls of Route 53. @default - by this machine's clock */
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/** Load balancers that are read at once. */
const balancersAtOnce = 8;

/**
 * How every rule and listener splits a fleet's traffic, found by the tags of target groups; test routes are left out, and
 * what is without weight. Where each slot has a load balancer of its own, records of Route 53 decide: then their weights
 * count, and what the load balancers do is left out.
 *
 * @throws AwsError for what can't be read: a part of the traffic is no answer
 */
export async function fleetTraffic(
  clients: AwsClients,
  fleet: string,
  search: FleetTrafficSearch = {},
): Promise<readonly FleetSplit[]> {
  const { signal } = search;
  const reader = new LoadBalancingReader(askBalancing(clients, `fleet ${fleet}`));
  const used = await usedTargetGroups(reader, signal);
  const slots = new Map(
    [...used.tags].flatMap(([arn, { [fleetTag]: of, [slotTag]: slot }]) =>
      of === fleet && slot !== undefined ? [[arn, slot] as const] : [],
    ),
  );
  const ofFleet = new Set(slots.keys());
  const balancers = new Set([...ofFleet].flatMap((arn) => used.balancers.get(arn) ?? []));
  const read = await inTurn(
    [...balancers],
    balancersAtOnce,
    (arn) => listenerRules(reader, arn, ofFleet),
    signal,
  );
  const splits = read
    .flat()
    .flatMap((rules) => rules.filter((rule) => !isTestRoute(rule, rules, ofFleet)))
    .flatMap((rule) => splitOf(rule, slots) ?? []);
  const names = new Set(slots.values());
  if (!areApart(splits)) {
    return splits;
  }
  const records = await recordSplits(clients, fleet, [...names], search);
  return records.length > 0 ? records : splits;
}

/** Undefined where nothing of the fleet gets traffic by it. */
function splitOf(
  { where, actions }: ListenerRule,
  slots: ReadonlyMap<string, string>,
): FleetSplit | undefined {
  const weights: Record<string, number> = {};
  for (const { arn, weight } of forwardedTo(actions)) {
    const slot = slots.get(arn);
    if (slot !== undefined) {
      weights[slot] = (weights[slot] ?? 0) + weight;
    }
  }
  const sum = Object.values(weights).reduce((total, weight) => total + weight, 0);
  return sum === 0 ? undefined : { where, percents: percentsOf(weights, sum) };
}

function percentsOf(weights: Readonly<Record<string, number>>, sum: number): Record<string, number> {
  return Object.fromEntries(Object.entries(weights).map(([slot, weight]) => [slot, (100 * weight) / sum]));
}

/** Whether several slots have traffic, and none shares a place with another one. */
function areApart(splits: readonly FleetSplit[]): boolean {
  const alone = splits.map(({ percents }) => Object.keys(percents));
  return new Set(alone.flat()).size > 1 && alone.every(({ length }) => length === 1);
}

async function recordSplits(
  clients: AwsClients,
  fleet: string,
  slots: readonly string[],
  { hostedZoneIds, clock = systemClock, signal }: FleetTrafficSearch,
): Promise<readonly FleetSplit[]> {
  const [slot = ''] = slots;
  const zones = await zoneRecords(
    clients,
    { fleet, slot },
    {
      ...(hostedZoneIds && { hostedZoneIds }),
      sleep: async (milliseconds) => {
        await clock.sleep(milliseconds, signal);
        signal?.throwIfAborted();
      },
    },
  );
  const sets = zones.map((zone) => zone.sets);
  const weights = new Map<string, Record<string, number>>();
  for (const each of slots) {
    for (const { where, percent } of recordsOfSlot(sets, { fleet, slot: each }).own) {
      weights.set(where, { ...weights.get(where), [each]: percent });
    }
  }
  return [...weights].flatMap(([where, of]) => {
    const sum = Object.values(of).reduce((total, percent) => total + percent, 0);
    return sum === 0 ? [] : { where, percents: percentsOf(of, sum) };
  });
}
