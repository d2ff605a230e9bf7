import type * as pulumi from '@pulumi/pulumi';
import type { CheckSettings, LaterCheckSettings } from '../../checks';
import type { LeaseSettings } from '../../plans';
import { leaseSettingsKeys } from '../../plans';
import type { OptionsOf } from '../../problems';
import { textOr, listOf } from '../../problems';
import type { ShiftSettings } from '../../shift';
import { shiftSettingsKeys } from '../../shift';
import type { SyncWindowArgs } from '../sync-window';
import { syncWindowArgsKeys } from '../sync-window';

/** A value, or an output, at any depth. */
export type DeepInput<T> = pulumi.Input<
  T extends object ? { readonly [Key in keyof T]: DeepInput<T[Key]> } : T
>;

/** How a change of the weights reaches the load balancer. */
export interface TrafficShiftArgs extends ShiftSettings {
  /**
   * What is asked before and after each step. An empty list walks the steps, and nothing but an error stops it.
   *
   * @default - target health and capacity: a step waits until the slot's targets can take it, and one whose targets fail
   * is taken back
   */
  readonly checks?: readonly (DeepInput<CheckSettings> | LaterCheckSettings)[];
  /**
   * Who runs the shift: `pulumi` in `pulumi up`; `workflow` an Argo Workflow in a cluster; `operator` a person or a job
   * with `cluster-canary shift`. With the latter two Pulumi leaves the actions of a rule that exists as they are, says how
   * far its weights are from the wanted ones, and has the plan in `plan`.
   *
   * @default 'pulumi' - an up that succeeds means that the traffic is there. A shift that takes longer than half an hour
   * should not hold a stack's lock, though.
   */
  readonly runBy?: ShiftRunner;
  /**
   * One shift at a time on one rule, and where the record of an unfinished one is kept; `none` does without both.
   *
   * @default - an SSM parameter in the load balancer's region: it outlives whoever runs the shift
   */
  readonly lease?: LeaseSettings;
  /**
   * Place of the last pause, in percent, that a person has let the shift go beyond: set it and run up again.
   * @default - none
   */
  readonly resumedTo?: number;
  /**
   * Makes automated rollouts of applications wait while the shift runs, by a sync window in Argo CD's projects. A hub that
   * can't be reached is a warning and stops nothing.
   *
   * @default - both at once: that applications deploy while traffic moves is the point of several clusters
   */
  readonly syncWindow?: SyncWindowArgs;
  /**
   * ARN of an IAM role that the shift calls AWS with.
   * @default - the program's own credentials. Those of a Pulumi provider are not known to it.
   */
  readonly roleArn?: string;
}

export const trafficShiftArgsKeys: OptionsOf<TrafficShiftArgs> = {
  ...shiftSettingsKeys,
  checks: listOf('open'),
  runBy: 'plain',
  lease: textOr(leaseSettingsKeys),
  resumedTo: 'plain',
  syncWindow: syncWindowArgsKeys,
  roleArn: 'plain',
};

/** Who runs a shift. */
export type ShiftRunner = 'pulumi' | 'workflow' | 'operator';

/** The settings of the shift itself, without what is around it. */
export function shiftSettings(args: TrafficShiftArgs): ShiftSettings {
  const {
    checks: _checks,
    runBy: _runBy,
    lease: _lease,
    resumedTo: _to,
    roleArn: _role,
    syncWindow: _window,
    ...settings
  } = args;
  return settings;
}
