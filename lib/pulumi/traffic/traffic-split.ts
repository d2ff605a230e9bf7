import * as pulumi from '@pulumi/pulumi';
import { falseOr, optional } from '../../core/validation/collections';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { opaque } from '../../core/validation/arguments';
import { fullWeights, weightProblems } from '../../shift/engine';
import type { ShiftSubject, SlotPreview, Weights } from '../../shift/engine';
import type { PlanSettings } from '../../shift/plan-file';
import { withAwsSettings } from '../aws-settings';
import type { Tags } from '../aws-settings';
import { fleetRef, mostSlots } from '../fleet';
import type { FleetSource } from '../fleet';
import { knownTrafficLabels } from './argocd';
import type { TrafficLabelsArgs } from './argocd';
import { trafficShiftProblems, trafficShiftSchema } from './shift/shift-args';
import type { TrafficShiftArgs } from './shift/shift-args';
import { SplitGroup } from './shift/split-group';
import type { SplitGroupOptions } from './shift/split-group';
import { clusterNames, kubeconfigs } from './target-groups';

/** Whole percents of some slots; of a slot that is left out it is 0. */
export type SlotWeights<Slot extends string = string> = Readonly<Partial<Record<Slot, number>>>;

/** What everything takes that holds the weights of slots. */
export interface TrafficSplitArgs<Slot extends string = string> {
  /** Whole percents by slot that add up to 100; unset means 0. @default - 100 for a slot that is alone */
  readonly weights?: SlotWeights<NoInfer<Slot>>;
  /**
   * How a change of the weights is carried out: step by step, under checks, and all that the component makes moves together.
   * `false` writes it at once.
   *
   * @default - a shift with the default of every setting: nobody meant to move all traffic in one step
   */
  readonly shift?: TrafficShiftArgs | false;
}

/** A schema for each of them; `splitProblems` looks at what is in them. */
export const trafficSplitEntries = {
  weights: optional(opaque('whole percents by slot: { blue: 90, green: 10 }')),
  shift: optional(
    falseOr(trafficShiftSchema, 'the settings of a shift, or false for weights that are written at once'),
  ),
};

/** What of a split is decided by its kind. */
interface SplitFacts {
  /** Names of the slots. */
  readonly slots: readonly string[];
  /** Whether raw arguments replace the weights, which a shift then does not know. */
  readonly hasOwnWeights: boolean;
  readonly layer?: ShiftSubject['layer'];
  /** What leads to slots past the weights, as far as checks ask whether there is something. @default - nothing */
  readonly previews?: Readonly<Record<string, SlotPreview>>;
}

/** What is wrong with weights and how they are to be shifted. */
export function splitProblems(
  { weights, shift }: TrafficSplitArgs,
  { slots, hasOwnWeights, layer, previews }: SplitFacts,
): readonly Problem[] {
  const problems = new Problems('split');
  problems.addAll(weightProblems(slots, weights as Weights | undefined));
  problems.addAll(trafficShiftProblems(shift, slots, hasOwnWeights, layer, previews));
  return problems.all;
}

/** How many slots there may be. */
export function countProblems(path: string, slots: readonly string[], what: string): readonly Problem[] {
  return slots.length >= 1 && slots.length <= mostSlots
    ? []
    : [{ path, value: slots, allowed: `1 to ${mostSlots} ${what}` }];
}

/** What a split is made of. */
export interface TrafficSplitSettings<Slot extends string>
  extends
    TrafficSplitArgs<Slot>,
    Pick<
      SplitGroupOptions,
      'kind' | 'region' | 'clusterNames' | 'kubeconfigs' | 'services' | 'labels' | 'previews'
    > {
  readonly slots: readonly string[];
  /** AWS tags of what it makes. @default - none */
  readonly tags?: Tags;
  /** What shifts it together with others. @default - it is shifted alone */
  readonly group?: SplitGroup;
}

/** Holds the weights of slots: in rules, in listeners, in records. */
export abstract class TrafficSplit<const Slot extends string = string> extends pulumi.ComponentResource {
  /** Weight of every slot, in whole percent. */
  public readonly weights: Readonly<Record<Slot, number>>;
  /** What shifts it. */
  protected readonly group: SplitGroup;

  private readonly isPart: boolean;

  /**
   * @param kind name of the class: the last part of its type, and what it is called in messages
   * @param settings evaluated before
   */
  protected constructor(
    kind: string,
    name: string,
    settings: TrafficSplitSettings<Slot>,
    opts: pulumi.ComponentResourceOptions,
  ) {
    const { slots, weights, shift, tags, group, ...shared } = settings;
    super(`cluster-canary:traffic:${kind}`, name, {}, withAwsSettings(opts, { tags }));
    this.weights = fullWeights(slots, weights as Weights | undefined);
    this.isPart = group !== undefined;
    this.group =
      group ??
      new SplitGroup({
        ...shared,
        shift,
        what: `${kind} "${name}"`,
        name,
        component: this,
        weights: this.weights,
      });
  }

  /** What is known of each thing that holds the weights once it is there, by its name: an ARN, or an id. */
  protected abstract ids(): Readonly<Record<string, pulumi.Output<string>>>;

  /** The weights, once the live ones were compared with them: what shifts several together does that for all. */
  protected verified(): pulumi.Input<Weights> {
    return this.isPart ? this.weights : this.group.verified(Object.values(this.ids()));
  }
}

/** A split over the slots of a fleet. */
export abstract class FleetSplit<const Slot extends string = string> extends TrafficSplit<Slot> {
  /**
   * The shift to these weights as a plan file has it: plain data for `cluster-canary shift` and for the Argo Workflow. Known
   * once all that holds the weights is there.
   */
  public get plan(): pulumi.Output<PlanSettings> {
    return this.group.plan(this.ids());
  }
}

/**
 * What a shift knows of a fleet: the clusters that its checks ask and whose capacity it moves, and the hubs that keep labels
 * of its slots.
 *
 * @param entries names of the entries that take the traffic, as far as known
 */
export function knownFleet(
  source: FleetSource,
  labels: TrafficLabelsArgs | undefined,
  entries: readonly string[] = [],
): Pick<SplitGroupOptions, 'clusterNames' | 'kubeconfigs' | 'services' | 'labels'> {
  const fleet = fleetRef(source);
  const services = [...new Set(entries)].flatMap((name) => {
    const { namespace, service } = fleet.entries[name] ?? {};
    return namespace === undefined || service === undefined ? [] : [{ namespace, name: service }];
  });
  return {
    clusterNames: clusterNames(fleet),
    kubeconfigs: kubeconfigs(source),
    ...(services.length > 0 && { services }),
    ...(labels && { labels: knownTrafficLabels(fleet.name, labels) }),
  };
}
