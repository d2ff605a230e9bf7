import * as pulumi from '@pulumi/pulumi';
import { applicationListenerArn, checkTags, securityGroupId } from '../aws';
import { checkInput, checkInputs } from '../bridge';
import type { FleetRef } from '../fleet';
import { mostSlots, trafficPort } from '../fleet';
import type { Problem } from '../problems';
import { dnsLabel, port, Problems } from '../problems';
import { edgeRef } from './edge';
import type { FleetTrafficArgs, RouteArgs } from './fleet-traffic-arguments';
import { ruleSettingsProblems } from './rule-settings';
import { weightProblems } from '../shift';
import { trafficShiftProblems } from './shift/problems';
import { trafficLabelsProblems } from './traffic-labels';

/**
 * What is wrong with the plain values of a `FleetTraffic`.
 *
 * @param taken who has which priority of the listener already
 */
export function fleetTrafficProblems(
  fleet: FleetRef,
  args: FleetTrafficArgs,
  taken: ReadonlyMap<number, string>,
): readonly Problem[] {
  const problems = new Problems('traffic');
  const slots = Object.keys(fleet.slots);
  if (slots.length < 1 || slots.length > mostSlots) {
    problems.add(
      'fleet.slots',
      slots,
      `1 to ${mostSlots} slots: a load balancer rule forwards to at most ${mostSlots} target groups`,
    );
  }
  problems.addAll(weightProblems(slots, args.weights));
  edgeProblems(problems, args);
  const routes = Object.entries(args.routes ?? {});
  if (routes.length === 0) {
    problems.add('routes', args.routes, 'at least one route');
  }
  const priorities = new Map(taken);
  for (const [name, route] of routes) {
    problems.check(`routes.${name}`, name, dnsLabel);
    entryProblems(problems, `routes.${name}.entry`, fleet, route);
    problems.addAll(ruleSettingsProblems(route, priorities), `routes.${name}`);
    const { stickinessSeconds, ruleArgs } = route;
    if (needsGroupStickiness(fleet) && stickinessSeconds === undefined && ruleArgs?.actions === undefined) {
      problems.add(`routes.${name}.stickinessSeconds`, undefined, groupStickiness);
    }
    if (!priorities.has(route.priority)) {
      priorities.set(route.priority, `routes.${name}`);
    }
  }
  const ownActions = routes.some(([, { ruleArgs }]) => ruleArgs?.actions !== undefined);
  problems.addAll(trafficShiftProblems(args.shift, slots, ownActions));
  problems.addAll(trafficLabelsProblems(args.labels));
  checkTags(problems, 'tags', args.tags);
  slotProblems(problems, fleet, new Set(routes.map(([, { entry }]) => entry)));
  return problems.all;
}

function edgeProblems(problems: Problems, { edge, openTargetPorts = true }: FleetTrafficArgs): void {
  const { listenerArn, securityGroupIds } = edgeRef(edge);
  checkInput(problems, 'edge.listenerArn', listenerArn, applicationListenerArn);
  checkInputs(problems, 'edge.securityGroupIds', securityGroupIds, securityGroupId);
  if (openTargetPorts && (securityGroupIds === undefined || isEmptyList(securityGroupIds))) {
    problems.add(
      'edge.securityGroupIds',
      securityGroupIds,
      "at least one of the load balancer's security groups, which the targets let in; or openTargetPorts: false",
    );
  }
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/**
 * Whether AWS takes an action on the fleet's target groups only with stickiness of the group: "You must enable group stickiness
 * before enabling target stickiness". One that is alone needs none.
 *
 * @see https://github.com/kubernetes-sigs/aws-load-balancer-controller/issues/2734
 */
export function needsGroupStickiness({ cookieStickiness, slots }: FleetRef): boolean {
  return cookieStickiness === true && Object.keys(slots).length > 1;
}

const groupStickiness =
  "1 to 604800 seconds: the fleet's target groups keep a client with one target by a cookie (targetGroupArgs.stickiness), which " +
  'AWS refuses behind a rule that does not keep the client with one target group';

/** Adds a problem for an entry that the fleet does not have. */
export function entryProblems(
  problems: Problems,
  path: string,
  fleet: FleetRef,
  route: Pick<RouteArgs, 'entry'>,
): void {
  const names = Object.keys(fleet.entries);
  if (!names.includes(route.entry)) {
    const known = names.length > 0 ? `of which there are ${names.join(', ')}` : 'of which there is none';
    problems.add(path, route.entry, `an entry of the fleet, ${known}`);
  } else {
    problems.check(`fleet.entries.${route.entry}`, trafficPort(fleet.entries[route.entry]!), port);
  }
}

/** Slots that are given as plain values have a target group for each entry that is used. */
export function slotProblems(problems: Problems, fleet: FleetRef, entries: ReadonlySet<string>): void {
  for (const [slot, ref] of Object.entries(fleet.slots)) {
    if (pulumi.Output.isInstance(ref) || ref instanceof Promise) {
      continue;
    }
    const { targetGroupArns } = ref;
    for (const entry of entries) {
      if (entry in fleet.entries && targetGroupArns[entry] === undefined) {
        const path = `fleet.slots.${slot}.targetGroupArns.${entry}`;
        problems.add(path, undefined, 'the ARN of a target group');
      }
    }
  }
}
