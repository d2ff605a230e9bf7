import type * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import type { FleetSource } from '../fleet';
import type { OptionsOf } from '../problems';
import { mapOf } from '../problems';
import type { Weights } from '../shift';
import type { ListenerSettings } from './listener-settings';
import { listenerSettingsKeys } from './listener-settings';
import type { TrafficShiftArgs } from './shift/arguments';
import { trafficShiftArgsKeys } from './shift/arguments';
import type { TrafficLabelsArgs } from './traffic-labels';
import { trafficLabelsArgsKeys } from './traffic-labels';

/** A listener that takes what goes to one entry of a fleet. */
export interface FleetListenerSettings extends ListenerSettings {
  /** Name of the entry: the same Service in every slot. */
  readonly entry: string;
}

const fleetListenerSettingsKeys: OptionsOf<FleetListenerSettings> = {
  ...listenerSettingsKeys,
  entry: 'plain',
};

/** What `FleetListeners` takes. */
export interface FleetListenersArgs {
  /**
   * The fleet, or its plain values from another stack. Its target groups have to fit the listeners:
   * `targetGroupArgs: { protocol: 'TCP' }` for a Network Load Balancer.
   */
  readonly fleet: FleetSource;
  /** ARN of the load balancer, network or application. */
  readonly loadBalancerArn: pulumi.Input<string>;
  /** Listeners by a name of one's own. */
  readonly listeners: Readonly<Record<string, FleetListenerSettings>>;
  /** Whole percents by slot that add up to 100; unset means 0. @default - 100 for a slot that is alone */
  readonly weights?: Weights;
  /**
   * How a change of the weights gets to the load balancer: all listeners move together, under checks. `false` writes it at
   * once.
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
   * The load balancer's security groups, which each slot's nodes let in on the ports of the entries.
   *
   * @default - none: the rules are yours. A Network Load Balancer may have no security group, and its targets may see the
   * clients' own addresses.
   */
  readonly securityGroupIds?: pulumi.Input<pulumi.Input<string>[]>;
  /** AWS tags, beside the fleet's name. @default - none */
  readonly tags?: Readonly<Record<string, string>>;
  /** Raw arguments of each security group rule, over everything else. @default - none */
  readonly ingressRuleArgs?: Partial<aws.vpc.SecurityGroupIngressRuleArgs>;
}

export const fleetListenersArgsKeys: OptionsOf<FleetListenersArgs> = {
  fleet: 'open',
  loadBalancerArn: 'open',
  listeners: mapOf(fleetListenerSettingsKeys),
  weights: 'plain',
  shift: trafficShiftArgsKeys,
  labels: trafficLabelsArgsKeys,
  securityGroupIds: 'open',
  tags: 'plain',
  ingressRuleArgs: 'open',
};
