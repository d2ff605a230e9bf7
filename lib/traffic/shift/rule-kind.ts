import type { AwsClients } from '../../aws';
import type { RouterSettings, SlotSettings } from '../../plans';
import type { AwsRouter, AwsRouterSettings } from '../../routers';
import type { Router, ShiftSubject, Weights } from '../../shift';
import type { HookedResource } from './hooked-resource';
import type { LiveRule, LiveRules } from './live-rules';
import type { RuleChange } from './rule-change';
import type { WeightsByArn } from './rule-weights';
import type { WantedRule } from './wanted-rule';

/** What the engine is about to do; with a resource whose shift somebody else runs, or not. */
export type RuleDeed = 'create' | 'createByOthers' | 'updateByOthers';

/**
 * One kind of what holds weights: rules of a listener, listeners with their default actions, weighted records. Each of them is
 * called a rule here, and is one resource or, of records, several.
 */
export interface RuleKind {
  /** For people: `rule`. */
  readonly word: string;
  /** Property of the resource that has the weights. */
  readonly property: string;
  /** Whether a rule is several resources. */
  readonly hasParts: boolean;
  /** Whether AWS does not delete what stands on a rule: so it is with target groups. */
  readonly holdsTargets: boolean;

  /** Where a resource stands that a hook is about; `undefined` where a preview does not know it. */
  placeIn(resource: HookedResource): string | undefined;
  /** Which live rule the resource is, or is a part of. */
  idOf(resource: HookedResource): string;
  /** Where a live rule stands. */
  placeOf(id: string): string;
  /** What is about to happen to the weights. */
  change(resource: HookedResource): Promise<RuleChange>;
  /** Why the engine must not do what it is about to do, beside what is said of every rule. @default - never */
  readonly refusal?: (
    deed: RuleDeed,
    resource: HookedResource,
    clients: AwsClients,
    signal?: AbortSignal,
  ) => Promise<string | undefined>;
  /** Weights before, in whole percent of the slots, as far as Pulumi's state tells. */
  origin(before: WeightsByArn, targets: Readonly<Record<string, string>>): Weights | undefined;

  /** What AWS says of rules of this kind. */
  live(clients: AwsClients): LiveRules;
  layer(place: string): ShiftSubject['layer'];
  /** @param access `region` is for what has none of its own */
  router(
    rule: LiveRule,
    targets: Readonly<Record<string, string>>,
    access: { readonly region?: string; readonly roleArn?: string },
  ): AwsRouterSettings;
  /** The same router, whose first look puts slots that are not on the rule yet there, with weight 0. */
  attaching(
    router: AwsRouter,
    rule: LiveRule,
    wanted: WantedRule,
    weights: Weights,
    clients: AwsClients,
  ): Router;

  /** Router and slot in the words of a plan file. */
  planned(id: string, roleArn?: string): RouterSettings;
  plannedSlot(target: string): SlotSettings;
}
