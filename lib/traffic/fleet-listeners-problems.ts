import { checkTags, loadBalancerArn, securityGroupId } from '../aws';
import { checkInput, checkInputs } from '../bridge';
import type { FleetRef } from '../fleet';
import { mostSlots } from '../fleet';
import type { Problem } from '../problems';
import { dnsLabel, Problems } from '../problems';
import { weightProblems } from '../shift';
import type { FleetListenersArgs } from './fleet-listeners-arguments';
import { entryProblems, needsGroupStickiness, slotProblems } from './fleet-traffic-problems';
import { layerOf, listenerSettingsProblems } from './listener-settings';
import { trafficShiftProblems } from './shift/problems';
import { trafficLabelsProblems } from './traffic-labels';

const noGroupStickiness =
  "one of a Network Load Balancer: the fleet's target groups keep a client with one target by a cookie " +
  '(targetGroupArgs.stickiness), which AWS refuses behind a listener without stickiness. Use FleetTraffic with stickinessSeconds';

/** What is wrong with the plain values of `FleetListeners`. */
export function fleetListenersProblems(fleet: FleetRef, args: FleetListenersArgs): readonly Problem[] {
  const problems = new Problems('listeners');
  const slots = Object.keys(fleet.slots);
  if (slots.length < 1 || slots.length > mostSlots) {
    problems.add(
      'fleet.slots',
      slots,
      `1 to ${mostSlots} slots: a listener forwards to at most ${mostSlots} target groups`,
    );
  }
  problems.addAll(weightProblems(slots, args.weights));
  problems.addAll(trafficLabelsProblems(args.labels));
  checkTags(problems, 'tags', args.tags);
  checkInput(problems, 'loadBalancerArn', args.loadBalancerArn, loadBalancerArn);
  checkInputs(problems, 'securityGroupIds', args.securityGroupIds, securityGroupId);
  const listeners = Object.entries(args.listeners ?? {});
  if (listeners.length === 0) {
    problems.add('listeners', args.listeners, 'at least one listener');
  }
  const taken = new Map<string, string>();
  for (const [name, listener] of listeners) {
    const path = `listeners.${name}`;
    problems.check(path, name, dnsLabel);
    entryProblems(problems, `${path}.entry`, fleet, listener);
    problems.addAll(listenerSettingsProblems(listener, args.loadBalancerArn), path);
    const isHttp = layerOf([listener]) === 'http';
    if (isHttp && needsGroupStickiness(fleet) && listener.listenerArgs?.defaultActions === undefined) {
      problems.add(`${path}.protocol`, listener.protocol, noGroupStickiness);
    }
    const other = taken.get(String(listener.port));
    if (other !== undefined) {
      problems.add(`${path}.port`, listener.port, `free on the load balancer: ${other} has it`);
    }
    taken.set(String(listener.port), other ?? path);
  }
  const settings = listeners.map(([, listener]) => listener);
  const ownActions = settings.some(({ listenerArgs }) => listenerArgs?.defaultActions !== undefined);
  problems.addAll(trafficShiftProblems(args.shift, slots, ownActions, layerOf(settings)));
  slotProblems(problems, fleet, new Set(settings.map(({ entry }) => entry)));
  return problems.all;
}
