import { inTurn } from '../../core/async';
import type { AwsClients } from '../../core/aws/clients';
import { LoadBalancingReader, askBalancing, forwardTargets } from '../../core/aws/load-balancing';
import type { TagsByKey } from '../../core/aws/load-balancing';
import { fleetTag, slotTag } from '../../core/names';
import { dnsLabel } from '../../core/validation/formats';
import { InvalidInput, errorLine, formatProblem } from '../../core/validation/problems';
import { routeProblems } from '../../shift/routers';
import type { RouteSettings } from '../../shift/routers';
import { isTestRoute, listenerRules } from './listener-rules';
import type { ListenerRule } from './listener-rules';
import { targetGroupsOfSlot, usedTargetGroups } from './target-groups';
import type { SlotIdentity } from './target-groups';

/** What leads to a slot. */
export interface FoundRoutes {
  /** By ARN of the rule or listener, or by name and types of records. */
  readonly routes: Readonly<Record<string, RouteSettings>>;
  /** What leads to the slot and is no route, and what could not be read, a line each. */
  readonly problems: readonly string[];
}

/** What forwards to a slot. */
export interface SlotRoutes extends SlotIdentity, FoundRoutes {
  /** Problems of load balancers that could not be read. */
  readonly unread: readonly string[];
  /** Target groups of each slot of the fleet that load balancers use. */
  readonly targetGroups: Readonly<Record<string, readonly string[]>>;
}

/** Load balancers that are read at once. */
const balancersAtOnce = 8;

/**
 * Every rule and listener that forwards to a slot, found by the tags of target groups; test routes are left out. A load
 * balancer that can't be read is a problem, and keeps no other from being found.
 *
 * @param given `green`, where one fleet of the region has such a slot, or `FLEET-green`
 * @throws InvalidInput where no fleet has such a slot, or several have
 * @throws AwsError where target groups can't be read
 */
export async function slotRoutes(
  clients: AwsClients,
  given: string,
  fleet: string | undefined,
  signal?: AbortSignal,
): Promise<SlotRoutes> {
  const reader = new LoadBalancingReader(askBalancing(clients, `slot ${given}`));
  const used = await usedTargetGroups(reader, signal);
  const identity = namedSlot(given, fleet, [...used.tags.values()]);
  const { ofFleet, balancers } = targetGroupsOfSlot(used, identity);
  const unread: string[] = [];
  const listeners = await inTurn(
    [...balancers],
    balancersAtOnce,
    async (arn) => {
      try {
        return await listenerRules(reader, arn, ofFleet);
      } catch (error) {
        unread.push(`${arn}: its rules could not be read: ${errorLine(error)}`);
        return [];
      }
    },
    signal,
  );
  const problems = [...unread];
  const routes: Record<string, RouteSettings> = {};
  for (const rules of listeners.flat()) {
    for (const rule of rules.filter((each) => !isTestRoute(each, rules, ofFleet))) {
      const route = checkedRoute(rule.where, routeOf(rule, identity, used.tags));
      if (typeof route === 'string') {
        problems.push(route);
      } else if (route) {
        routes[rule.where] = route;
      }
    }
  }
  return { ...identity, routes, problems, unread, targetGroups: groupsBySlot(used.tags, identity.fleet) };
}

/** A route, or why its router can't write it. */
export function checkedRoute(
  where: string,
  route: RouteSettings | string | undefined,
): RouteSettings | string | undefined {
  if (route === undefined || typeof route === 'string') {
    return route;
  }
  const problems = routeProblems({ ...route });
  return problems.length === 0 ? route : `${where}: ${problems.map(formatProblem).join('; ')}`;
}

function groupsBySlot(tags: ReadonlyMap<string, TagsByKey>, fleet: string): Record<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [arn, { [fleetTag]: of, [slotTag]: slot }] of tags) {
    if (of === fleet && slot !== undefined) {
      found.set(slot, [...(found.get(slot) ?? []), arn]);
    }
  }
  return Object.fromEntries(found);
}

/** The slot that a person named, of those that target groups are tagged with. */
export function namedSlot(
  given: string,
  fleet: string | undefined,
  tags: readonly TagsByKey[],
): SlotIdentity {
  const known = new Map<string, SlotIdentity>();
  for (const { [fleetTag]: of, [slotTag]: slot } of tags) {
    // What is named otherwise is of another tool.
    if (of !== undefined && dnsLabel.accepts(slot) && (fleet === undefined || fleet === of)) {
      known.set(JSON.stringify([of, slot]), { fleet: of, slot: slot! });
    }
  }
  const all = [...known.values()];
  const named = all.filter((each) => given === `${each.fleet}-${each.slot}`);
  const found = named.length > 0 ? named : all.filter(({ slot }) => slot === given);
  if (found.length === 1) {
    return found[0]!;
  }
  const words = (found.length > 1 ? found : all).map((each) => `${each.fleet}-${each.slot}`).sort();
  const where = fleet === undefined ? 'of this region and account' : `of the fleet ${fleet}`;
  const allowed =
    words.length === 0
      ? `a slot whose target groups are on a load balancer; none ${where} is tagged with ${slotTag}`
      : found.length > 1
        ? `one slot, with its fleet: ${words.join(', ')}; --fleet tells them apart, too`
        : `a slot ${where}: ${words.join(', ')}`;
  throw new InvalidInput('evacuate', [{ path: 'slot', value: given, allowed }]);
}

/** What forwards to the slot as a route; a line where a router can't write it. */
function routeOf(
  { where, actions }: ListenerRule,
  { fleet, slot }: SlotIdentity,
  tags: ReadonlyMap<string, TagsByKey>,
): RouteSettings | string | undefined {
  const targets = forwardTargets(actions).map(({ arn }) => {
    const { [fleetTag]: of, [slotTag]: tagged } = tags.get(arn) ?? {};
    return { arn, name: of === fleet ? tagged : undefined };
  });
  const ofSlot = targets.filter(({ name }) => name === slot).length;
  if (ofSlot === 0) {
    return undefined;
  }
  if (targets.length === ofSlot) {
    return `${where}: it forwards to ${slot} alone, and has no other target group`;
  }
  if (ofSlot > 1) {
    return `${where}: it forwards to ${ofSlot} target groups of ${slot}; a route has one of each slot`;
  }
  const router = routerOf(where);
  // One of another fleet, or of none, gets its share of the rest, too.
  const names = slotNames(targets.map(({ name, arn }) => ({ name, other: arn.split('/').at(-2) ?? '' })));
  return router
    ? {
        router,
        slots: Object.fromEntries(targets.map(({ arn }, at) => [names[at]!, { targetGroupArn: arn }])),
      }
    : `${where}: weights of this kind of listener can't be written`;
}

/**
 * Names of slots: their own, else one after what else is known of them. Each is there once, and a name that this library takes.
 *
 * @param given in the order of the answer
 */
export function slotNames(
  given: readonly { readonly name: string | undefined; readonly other: string }[],
): readonly string[] {
  const own = given.map(({ name }, at) =>
    dnsLabel.accepts(name) && given.findIndex((each) => each.name === name) === at ? name : undefined,
  );
  const taken = new Set(own);
  return given.map(({ other }, at) => {
    const known = own[at];
    if (known !== undefined) {
      return known;
    }
    const readable = other
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '');
    const candidates = [readable, ...given.map((_, index) => `other-${index + 1}`)];
    const name = candidates.find((each) => dnsLabel.accepts(each) && !taken.has(each))!;
    taken.add(name);
    return name;
  });
}

function routerOf(where: string): RouteSettings['router'] | undefined {
  if (where.includes(':listener-rule/app/')) {
    return { albRule: { ruleArn: where } };
  }
  if (where.includes(':listener/app/')) {
    return { albDefaultAction: { listenerArn: where } };
  }
  return where.includes(':listener/net/') ? { nlbListener: { listenerArn: where } } : undefined;
}
