import type { AwsClients } from '../../core/aws/clients';
import { LoadBalancingReader, askBalancing, forwardTargets } from '../../core/aws/load-balancing';
import type { TagsByKey } from '../../core/aws/load-balancing';
import { fleetTag, slotTag } from '../../core/names';
import { InvalidInput } from '../../core/validation/problems';
import type { RouteSettings } from '../../shift/routers';
import { isTestRoute, listenerRules } from './listener-rules';
import type { ListenerRule } from './listener-rules';
import { targetGroupsOfSlot, usedTargetGroups } from './target-groups';
import type { SlotIdentity } from './target-groups';

/** What forwards to a slot. */
export interface SlotRoutes extends SlotIdentity {
  /** By ARN of the rule or listener. */
  readonly routes: Readonly<Record<string, RouteSettings>>;
  /** What forwards to the slot and is no route, a line each. */
  readonly problems: readonly string[];
}

/**
 * Every rule and listener that forwards to a slot, found by the tags of target groups; test routes are left out.
 *
 * @param given `green`, where one fleet of the region has such a slot, or `FLEET-green`
 * @throws InvalidInput where no fleet has such a slot, or several have
 * @throws AwsError
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
  const listeners = await Promise.all([...balancers].map((arn) => listenerRules(reader, arn)));
  const routes: Record<string, RouteSettings> = {};
  const problems: string[] = [];
  for (const rules of listeners.flat()) {
    for (const rule of rules.filter((each) => !isTestRoute(each, rules, ofFleet))) {
      const route = routeOf(rule, identity, used.tags);
      if (typeof route === 'string') {
        problems.push(route);
      } else if (route) {
        routes[rule.where] = route;
      }
    }
  }
  return { ...identity, routes, problems };
}

/** The slot that a person named, of those that target groups are tagged with. */
export function namedSlot(
  given: string,
  fleet: string | undefined,
  tags: readonly TagsByKey[],
): SlotIdentity {
  const known = new Map<string, SlotIdentity>();
  for (const { [fleetTag]: of, [slotTag]: slot } of tags) {
    if (of !== undefined && slot !== undefined && (fleet === undefined || fleet === of)) {
      known.set(JSON.stringify([of, slot]), { fleet: of, slot });
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
  const targets = forwardTargets(actions);
  const slots = new Map<string, { readonly targetGroupArn: string }>();
  let ofSlot = 0;
  for (const { arn } of targets) {
    const { [fleetTag]: of, [slotTag]: tagged } = tags.get(arn) ?? {};
    ofSlot += of === fleet && tagged === slot ? 1 : 0;
    // One of another fleet, or of none, gets its share of the rest, too.
    const name = of === fleet && tagged !== undefined && !slots.has(tagged) ? tagged : arn;
    slots.set(name, { targetGroupArn: arn });
  }
  if (!slots.has(slot)) {
    return undefined;
  }
  if (slots.size <= ofSlot) {
    return `${where}: it forwards to ${slot} alone, and has no other target group`;
  }
  if (ofSlot > 1) {
    return `${where}: it forwards to ${ofSlot} target groups of ${slot}; a route has one of each slot`;
  }
  const router = routerOf(where);
  return router
    ? { router, slots: Object.fromEntries(slots) }
    : `${where}: weights of this kind of listener can't be written`;
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
