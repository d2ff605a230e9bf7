import type * as aws from '@pulumi/aws';
import type { FleetSource } from '../fleet';
import type { OptionsOf } from '../problems';
import { mapOf } from '../problems';
import type { EdgeSource } from './edge';
import type { RuleSettings } from './rule-settings';
import { ruleSettingsKeys } from './rule-settings';
import type { Weights } from '../shift';
import type { TrafficShiftArgs } from './shift/arguments';
import { trafficShiftArgsKeys } from './shift/arguments';
import type { TrafficLabelsArgs } from './traffic-labels';
import { trafficLabelsArgsKeys } from './traffic-labels';

/** Requests that go to one entry of a fleet. */
export interface RouteArgs extends RuleSettings {
  /** Name of the entry: the same Service in every slot. */
  readonly entry: string;
}

const routeArgsKeys: OptionsOf<RouteArgs> = { ...ruleSettingsKeys, entry: 'plain' };

/** What `FleetTraffic` takes. */
export interface FleetTrafficArgs {
  /** The fleet, or its plain values from another stack. */
  readonly fleet: FleetSource;
  /** The load balancer, or the plain values of one that was made elsewhere. */
  readonly edge: EdgeSource;
  /** Which requests go to which entry, by a name of one's own. */
  readonly routes: Readonly<Record<string, RouteArgs>>;
  /** Whole percents by slot that add up to 100; unset means 0. @default - 100 for a slot that is alone */
  readonly weights?: Weights;
  /**
   * How a change of the weights gets to the load balancer: the rules of all routes move together, under checks. `false`
   * writes it at once.
   *
   * @default - a shift with the default of every setting: nobody meant to move all traffic in one step
   */
  readonly shift?: TrafficShiftArgs | false;
  /**
   * Hubs whose cluster Secrets get the labels `cluster-canary/traffic` and `cluster-canary/active`, kept by the shift.
   * A hub that can't be reached is a warning and stops nothing.
   * @default - none
   */
  readonly labels?: TrafficLabelsArgs;
  /**
   * Whether the security group of each slot's nodes gets rules that let the load balancer in on the ports of the
   * routes' entries. Turn it off where you write those rules yourself.
   * @default true
   */
  readonly openTargetPorts?: boolean;
  /** AWS tags, beside the fleet's name. @default - none */
  readonly tags?: Readonly<Record<string, string>>;
  /** Raw arguments of each security group rule, over everything else. @default - none */
  readonly ingressRuleArgs?: Partial<aws.vpc.SecurityGroupIngressRuleArgs>;
}

export const fleetTrafficArgsKeys: OptionsOf<FleetTrafficArgs> = {
  fleet: 'open',
  edge: 'open',
  routes: mapOf(routeArgsKeys),
  weights: 'plain',
  shift: trafficShiftArgsKeys,
  labels: trafficLabelsArgsKeys,
  openTargetPorts: 'plain',
  tags: 'plain',
  ingressRuleArgs: 'open',
};
