import * as pulumi from '@pulumi/pulumi';
import { isDeepStrictEqual } from 'node:util';
import type { AwsAccess } from '../../../core/aws/arns';
import type { AwsClients } from '../../../core/aws/clients';
import { ruleTag } from '../../../core/names';
import type { CheckSettings } from '../../../shift/checks';
import type { Router, ShiftSettings, SlotPreview, Weights } from '../../../shift/engine';
import type { ShiftHistorySettings } from '../../../shift/history';
import type { LeaseSettings } from '../../../shift/leases';
import { routerFacts } from '../../../shift/routers';
import type {
  RecordType,
  RouteSettings,
  RouterName,
  RouterSettings,
  SlotSettings,
} from '../../../shift/routers';
import { plainValue } from '../../inputs';
import type { KnownCapacity } from './capacity-args';
import type { ProgramNotify } from './notify';
import { ruleTargets, sharesDiffer, weightsByArn } from './weights';
import type { WeightedTarget, WeightsByArn } from './weights';

/** What a program knows of a rule before the engine has told it the rule's ARN. */
interface SplitIdentity {
  /** Value of the tag. */
  readonly tag: string;
  /** Place among the listener's rules. */
  readonly priority: number;
}

/**
 * The value of the tag: project, stack and name of the rule, in characters that AWS takes.
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_Tag.html
 */
export function ruleTagValue(project: string, stack: string, name: string): string {
  return [project, stack, name]
    .join('/')
    .replace(/[^\p{L}\p{Z}\p{N}_.:/=+\-@]/gu, '_')
    .slice(0, 256);
}

/**
 * The live rule behind a rule of a program: the one with its tag; else the one at its priority that has no such tag and
 * forwards to nothing but the program's target groups, which is one from before the tag, or an imported one.
 *
 * @param own ARNs of the rule's target groups
 */
export function findSplit(
  live: readonly LiveSplit[],
  { tag, priority }: SplitIdentity,
  own: ReadonlySet<string>,
): LiveSplit | undefined {
  return (
    live.find(({ tags }) => tags[ruleTag] === tag) ??
    live.find(
      (rule) =>
        rule.priority === priority &&
        rule.tags[ruleTag] === undefined &&
        rule.targets.length > 0 &&
        rule.targets.every(({ arn }) => arn !== undefined && own.has(arn)),
    )
  );
}

/** What holds weights, as it stands in AWS: a listener's rule, a listener, the records of one name. */
export interface LiveSplit {
  /** ARN; of records the zone and the name. */
  readonly id: string;
  /** ARN of the listener, or of the load balancer; of records the zone. */
  readonly place: string;
  /** Of a listener its port; of records 0. */
  readonly priority: number;
  readonly targets: readonly WeightedTarget[];
  readonly tags: Readonly<Record<string, string>>;
  /** Of records the types that are there. */
  readonly types?: readonly RecordType[];
}

/** What AWS says of rules and of what stands on them, beside what a router asks. */
export interface LiveSplits {
  /** What stands at one place: the rules of a listener without its default one, the listeners of a load balancer. */
  at(place: string, signal?: AbortSignal): Promise<readonly LiveSplit[]>;
  /** The same of every load balancer that one of the target groups is used by. */
  around(targets: readonly string[], signal?: AbortSignal): Promise<readonly LiveSplit[]>;
  /** Tags of target groups, by ARN. */
  tagsOf(targets: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, LiveSplit['tags']>>;
}

/**
 * The ARN of the listener that a rule stands on.
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancingv2.html#awselasticloadbalancingv2-resources-for-iam-policies
 */
export function listenerOf(ruleArn: string): string {
  return ruleArn.replace(':listener-rule/', ':listener/').replace(/\/[^/]+$/, '');
}

/** The ARN of the load balancer that a listener stands on. */
export function loadBalancerOf(listenerArn: string): string {
  return listenerArn.replace(':listener/', ':loadbalancer/').replace(/\/[^/]+$/, '');
}

/** What is due to happen to a rule's weights. */
export interface SplitChange {
  /** Whether the provider is going to write weights. */
  readonly writesWeights: boolean;
  /** The weights in Pulumi's state. */
  readonly before: WeightsByArn;
  /** The new target groups; ARNs that a preview does not know are left out. */
  readonly after: readonly WeightedTarget[];
}

/**
 * Reads a hook's arguments, of a rule or a listener. Of actions that have not changed the provider writes nothing. A secret
 * somewhere in a property makes an output of all of it.
 *
 * @param property that has the actions
 */
export async function actionsChange(
  { oldInputs = {}, newInputs = {}, oldOutputs = {} }: Omit<HookedResource, 'id' | 'name'>,
  property: 'actions' | 'defaultActions',
): Promise<SplitChange> {
  const [given, found, wanted] = await Promise.all([
    known(oldInputs[property]),
    known(oldOutputs[property]),
    known(newInputs[property]),
  ]);
  const after = ruleTargets(wanted);
  const before = weightsByArn(ruleTargets(given ?? found));
  // The provider's last look may have found other weights than the program gave.
  const drifted = found !== undefined && sharesDiffer(weightsByArn(ruleTargets(found)), weightsByArn(after));
  return {
    writesWeights: drifted || !isDeepStrictEqual(given, wanted),
    before,
    after,
  };
}

/** The value of a hook's property. */
export function known(property: unknown): Promise<unknown> {
  return pulumi.Output.isInstance(property) ? plainValue(property) : Promise.resolve(property);
}

/** What the engine is about to do; with a resource whose shift somebody else runs, or not. */
export type SplitEvent = 'create' | 'createByOthers' | 'updateByOthers';

/**
 * One kind of what holds weights, as far as the engine's hooks have to know it; all else its router says: rules of a listener, listeners with their default actions, weighted records. Each of them is
 * called a rule here, and is one resource or, of records, several.
 */
export interface SplitKind {
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
  change(resource: HookedResource): Promise<SplitChange>;
  /** Why the engine must not do what it is about to do, beside what is said of every rule. @default - never */
  readonly refusal?: (
    deed: SplitEvent,
    resource: HookedResource,
    clients: AwsClients,
    signal?: AbortSignal,
  ) => Promise<string | undefined>;
  /** Weights before, in whole percent of the slots, as far as Pulumi's state tells. */
  origin(before: WeightsByArn, targets: Readonly<Record<string, string>>): Weights | undefined;

  /** What AWS says of rules of this kind. */
  live(clients: AwsClients): LiveSplits;
  /** Which router has the weights of what stands at a place. */
  routerAt(place: string): RouterName;
  /**
   * That router, as a plan file has it.
   *
   * @param access `region` is for what has none of its own
   */
  router(rule: Pick<LiveSplit, 'id' | 'types'>, access: AwsAccess): RouterSettings;
  /**
   * The router, whose first look makes what a slot lacks there, with weight 0, where only the program knows what that is.
   *
   * @default - the router alone, which puts target groups there
   */
  readonly entering?: (router: Router, rule: LiveSplit, wanted: WantedSplit, clients: AwsClients) => Router;
}

/** A rule and its slots, as a plan file has them. */
export function routeOf(
  kind: SplitKind,
  rule: Pick<LiveSplit, 'id' | 'types'>,
  targets: Readonly<Record<string, string>>,
  access: AwsAccess,
): RouteSettings {
  const slots = Object.entries(targets).map(([slot, target]) => [
    slot,
    slotOf(kind, kind.placeOf(rule.id), target),
  ]);
  return { router: kind.router(rule, access), slots: Object.fromEntries(slots) as RouteSettings['slots'] };
}

/** What a plan file says of a slot whose traffic goes to a target. */
export function slotOf(kind: SplitKind, place: string, target: string): SlotSettings {
  const { slot } = routerFacts(kind.routerAt(place));
  return slot === undefined ? {} : { [slot.field]: target };
}

/** What is shifted to what. */
export interface SplitShift {
  /** For people: `FleetTraffic "apps"`. */
  readonly what: string;
  readonly kind: SplitKind;
  readonly rules: readonly WantedSplit[];
  /** Weights of every slot of the program. */
  readonly wanted: Weights;
  /** Name of each slot's EKS cluster, as far as known. */
  readonly clusterNames: Readonly<Record<string, string>>;
  readonly settings: ShiftSettings;
  readonly checks: readonly CheckSettings[];
  /** Moves capacity before traffic. @default - none */
  readonly capacity?: KnownCapacity;
  /** Sinks that it notifies. @default - none */
  readonly notify?: ProgramNotify;
  /** Whether it is to have no checks, which a preview says. @default false */
  readonly unchecked?: boolean;
  readonly lease: LeaseSettings | undefined;
  /** Where the shift is kept when it has ended. @default - nowhere */
  readonly history?: ShiftHistorySettings | undefined;
  /** Who holds the lease: the engine lets a stack be updated once at a time, so each of its runs may take it over. */
  readonly holder: string;
  readonly resumedTo: number | undefined;
  /** ARN of an IAM role that AWS is called with. */
  readonly roleArn: string | undefined;
}

/** A rule that is to be created. */
export interface NewSplit {
  /** Which of the rules it is. */
  readonly tag: string;
  /** Id of the live rule that a resource is to be a part of: of records. @default - none */
  readonly partOf?: string;
  /** Where it is to stand: ARN of the listener or the load balancer; of records the zone. */
  readonly place: string;
}

/** A rule whose update is due. */
export interface PendingUpdate extends NewSplit {
  readonly id: string;
  /** Its weights in Pulumi's state: where a rollback goes when no record says otherwise. */
  readonly before?: WeightsByArn;
}

/** A rule of the program that takes part in a shift. */
export interface WantedSplit extends SplitIdentity {
  /**
   * What stands on it for each slot: ARN of a target group, set identifier of a record. A preview does not know target groups
   * that it would make.
   */
  readonly targets: Readonly<Record<string, string>>;
  /** Of records: what each slot's say. @default - none */
  readonly records?: Readonly<Record<string, SlotRecord>>;
  /** What leads to each slot past the weights, with secrets as they are: for checks alone. @default - nothing */
  readonly previews?: Readonly<Record<string, SlotPreview>>;
}

/** What a hook says of a resource, as far as a shift asks. */
export type HookedResource = Pick<
  pulumi.ResourceHookArgs,
  'id' | 'name' | 'newInputs' | 'oldInputs' | 'oldOutputs'
>;

/** What the records of a slot say, beside their weight. */
export interface SlotRecord {
  /** What an alias points at. @default - none: `values` */
  readonly alias?: RecordAlias;
  /** Values by the record's type, `{ A: ['192.0.2.1'] }`. @default - none: `alias` */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** How long resolvers keep values, in seconds; an alias has none. */
  readonly ttl?: number;
  /** @default - none */
  readonly healthCheckId?: string;
}

/** What an alias points at. */
export interface RecordAlias {
  /** DNS name of the load balancer. */
  readonly name: string;
  /** Hosted zone of that name: `zoneId` of a load balancer. */
  readonly zoneId: string;
  readonly evaluateTargetHealth: boolean;
}
