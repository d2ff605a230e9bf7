import * as pulumi from '@pulumi/pulumi';
import { awsAccess } from '../../../core/aws/access-schema';
import { list, object, optional } from '../../../core/validation/collections';
import { Problems, isPlainObject } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import type { Schema, Unevaluated } from '../../../core/validation/schema';
import { anything, later, oneOf, whole } from '../../../core/validation/values';
import { capacity, checkProblems, targetHealth } from '../../../shift/checks';
import type { CheckSettings, DeferredCheckSettings } from '../../../shift/checks';
import { rollbackProblems, shiftSettingsEntries, withStepRules } from '../../../shift/engine';
import type { ShiftSettings, ShiftSubject, ShiftedSlot, SlotPreview } from '../../../shift/engine';
import { shiftHistorySchema } from '../../../shift/history';
import type { ShiftHistorySettings } from '../../../shift/history';
import { leaseSchema } from '../../../shift/leases';
import type { LeaseSettings } from '../../../shift/leases';
import type { SinkSettings } from '../../../shift/notify';
import { syncWindowArgsSchema } from '../argocd';
import type { SyncWindowArgs } from '../argocd';
import { capacityArgsProblems, capacityArgsSchema } from './capacity-args';
import type { TrafficCapacityArgs } from './capacity-args';
import { sinkProblems } from './notify';

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
  readonly checks?: readonly (DeepInput<CheckSettings> | DeferredCheckSettings)[];
  /**
   * Moves the capacity of the slots' clusters before their traffic: the least number of pods of each workload that takes it. A
   * slot has to stay in the program until its traffic has left, since its pods are counted.
   *
   * @default - none: autoscalers follow the traffic, and a step goes as far as the healthy targets can carry
   */
  readonly capacity?: TrafficCapacityArgs;
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
   * Where the outcome of each shift is kept as a whole; the path of a folder starts from that of the program. What can't be kept
   * is a warning and stops nothing.
   *
   * @default - the record of the newest one, in the lease, alone
   */
  readonly history?: ShiftHistorySettings;
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
   * Sinks that the shift notifies of its steps, pauses, checks and end, as `notify` of a plan file has it. Secrets are named by where they are
   * read from, so that none is in Pulumi's state. What a sink does changes nothing of the shift.
   *
   * @default - none
   */
  readonly notify?: readonly DeepInput<SinkSettings>[];
  /**
   * ARN of an IAM role that the shift calls AWS with.
   * @default - the program's own credentials. Those of a Pulumi provider are not known to it.
   */
  readonly roleArn?: string;
}

/** What of the settings of a shift can be evaluated without its slots. */
export const trafficShiftSchema: Schema<TrafficShiftArgs> = withStepRules(
  object<TrafficShiftArgs>({
    ...shiftSettingsEntries,
    checks: optional(later(list(anything))),
    capacity: optional(capacityArgsSchema),
    runBy: optional(oneOf('pulumi', 'workflow', 'operator')),
    lease: optional(leaseSchema),
    history: optional(shiftHistorySchema),
    resumedTo: optional(whole(0, 99)),
    syncWindow: optional(syncWindowArgsSchema),
    notify: optional(later(list(anything, 1))),
    roleArn: awsAccess.roleArn,
  }),
);

/** Who runs a shift. */
export type ShiftRunner = 'pulumi' | 'workflow' | 'operator';

/** The settings of the shift itself, without what is around it. */
export function shiftSettings(args: TrafficShiftArgs): ShiftSettings {
  const {
    checks: _checks,
    capacity: _capacity,
    runBy: _runBy,
    lease: _lease,
    history: _history,
    resumedTo: _to,
    roleArn: _role,
    syncWindow: _window,
    notify: _notify,
    ...settings
  } = args;
  return settings;
}

/** A step waits until the slot's targets can take it, and one whose targets fail is taken back. */
export const defaultChecks: readonly CheckSettings[] = [targetHealth(), capacity()];

/** Whether an output, or a promise, stands anywhere in a value. */
function holdsOutputs(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  return (
    pulumi.Output.isInstance(value) || value instanceof Promise || Object.values(value).some(holdsOutputs)
  );
}

/** What the settings of a shift say together, and with its slots; checks that hold outputs are evaluated when these are known. */
export function trafficShiftProblems(
  args: Unevaluated<TrafficShiftArgs> | false | undefined,
  slots: readonly string[],
  hasOwnActions: boolean,
  layer: ShiftSubject['layer'] = 'http',
  previews: Readonly<Record<string, SlotPreview>> = {},
): readonly Problem[] {
  const problems = new Problems('shift');
  if (args === false) {
    return [];
  }
  if (hasOwnActions) {
    // A kubeconfig may stand in it.
    problems.addSecret(
      'shift',
      'false where ruleArgs has actions of its own: their weights are not known to a shift',
    );
  }
  if (!isPlainObject(args)) {
    return problems.all;
  }
  problems.addAll(rollbackProblems(args, slots), 'shift');
  problems.addAll(checksProblems(args.checks, subjectOf(slots, layer, previews)), 'shift');
  if (Array.isArray(args.notify) && !holdsOutputs(args.notify)) {
    problems.addAll(sinkProblems(args.notify), 'shift');
  }
  problems.addAll(capacityArgsProblems(args.capacity, subjectOf(slots, layer)), 'shift.capacity');
  const byOthers = (args.runBy ?? 'pulumi') !== 'pulumi';
  if (args.syncWindow !== undefined && byOthers) {
    problems.addSecret(
      'shift.syncWindow',
      'left out where somebody else runs the shift: syncWindow of its plan names the hubs by kubeconfig files',
    );
  }
  if (isPlainObject(args.capacity) && args.capacity.kubeconfigTexts !== undefined && byOthers) {
    problems.addSecret(
      'shift.capacity.kubeconfigTexts',
      'left out where somebody else runs the shift: kubeconfig takes the path of a file, for its plan',
    );
  }
  return problems.all;
}

/** What a check needs of the load balancer and the clusters is not known yet. */
function subjectOf(
  slots: readonly string[],
  layer: ShiftSubject['layer'],
  previews: Readonly<Record<string, SlotPreview>> = {},
): ShiftSubject {
  const known = slots.map((slot): [string, ShiftedSlot] => {
    const preview = previews[slot];
    return [slot, preview ? { preview } : {}];
  });
  return { layer, slots: Object.fromEntries(known) };
}

function checksProblems(checks: unknown, subject: ShiftSubject): readonly Problem[] {
  if (checks === undefined) {
    return [];
  }
  return Array.isArray(checks) || !holdsOutputs(checks) ? checkProblems(checks, subject, holdsOutputs) : [];
}
