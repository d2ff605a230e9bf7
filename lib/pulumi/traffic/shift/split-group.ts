import * as pulumi from '@pulumi/pulumi';
import { ruleTag } from '../../../core/names';
import { plainLines } from '../../../core/printable-text';
import { Problems } from '../../../core/validation/problems';
import type { KeptWindow } from '../../../operate/argocd';
import type { CapacitySettings, ServiceName } from '../../../shift/capacity';
import type { CheckSettings } from '../../../shift/checks';
import type { ShiftSettings, SlotPreview, Weights } from '../../../shift/engine';
import type { ShiftHistorySettings } from '../../../shift/history';
import type { LeaseSettings } from '../../../shift/leases';
import type { SinkSettings } from '../../../shift/notify';
import { kubeconfigProblems } from '../../../shift/plan-file';
import type { PlanSettings } from '../../../shift/plan-file';
import type { RouteSettings } from '../../../shift/routers';
import { hasEngine, canBindHooks } from '../../hooks';
import { plainValue } from '../../inputs';
import { programLog } from '../../log';
import { knownSyncWindow, labelLiveWeights, withoutSyncWindow } from '../argocd';
import type { KnownTrafficLabels } from '../argocd';
import { knownCapacity, plannedCapacity } from './capacity-args';
import { shiftDependencies } from './dependencies';
import type { ShiftDependencies } from './dependencies';
import type { ShiftLog } from './progress';
import { knownSinks } from './notify';
import { defaultChecks, shiftSettings } from './shift-args';
import type { TrafficShiftArgs } from './shift-args';
import { ruleHooks } from './split-hooks';
import { routeOf, ruleTagValue } from './split-kind';
import type { SplitKind, SplitShift, WantedSplit } from './split-kind';
import { TrafficShift } from './traffic-shift';

/** A rule whose id is known. */
export interface PlannedSplit {
  readonly id: string;
  readonly targets: Readonly<Record<string, string>>;
  /** What leads to each slot past the weights. @default - nothing */
  readonly previews?: Readonly<Record<string, SlotPreview>>;
}

/** What a plan is made of. */
export interface PlanParts {
  readonly kind: SplitKind;
  /** Rules by route. */
  readonly rules: Readonly<Record<string, PlannedSplit>>;
  readonly weights: Weights;
  readonly clusterNames: Readonly<Record<string, string>>;
  readonly settings: ShiftSettings;
  readonly checks: readonly CheckSettings[];
  /** @default - none */
  readonly capacity?: CapacitySettings;
  readonly lease: LeaseSettings | undefined;
  readonly history?: ShiftHistorySettings | undefined;
  /** @default - none */
  readonly notify?: readonly SinkSettings[];
  readonly roleArn: string | undefined;
}

/**
 * The shift of these rules as a plan file has it: several routes move in one wave.
 *
 * @throws InvalidInput where a check has a kubeconfig itself, which stands in no plan
 */
export function planSettings(parts: PlanParts): PlanSettings {
  const { weights, settings, checks, capacity, lease, history, notify = [] } = parts;
  const problems = new Problems('plan');
  problems.addAll(kubeconfigProblems(checks), 'shift');
  problems.throwIfAny();
  const common = {
    weights,
    shift: { ...defined(settings), ...(capacity && { capacity: defined(capacity) }), checks },
    ...(lease !== undefined && { lease }),
    ...(history !== undefined && { history }),
    ...(notify.length > 0 && { notify }),
  };
  const routes = Object.fromEntries(
    Object.entries(parts.rules).map(([route, rule]) => [route, routeSettings(rule, parts)]),
  );
  const [only, ...others] = Object.values(routes);
  return only !== undefined && others.length === 0
    ? { ...only, ...common }
    : { routes, waves: [Object.keys(routes)], ...common };
}

function routeSettings(
  { id, targets, previews }: PlannedSplit,
  { kind, clusterNames, roleArn }: PlanParts,
): RouteSettings {
  const { router, slots } = routeOf(kind, { id }, targets, { roleArn });
  const named = Object.entries(slots).map(([slot, settings]) => {
    const clusterName = clusterNames[slot];
    const preview = previews?.[slot];
    return [
      slot,
      { ...settings, ...(clusterName !== undefined && { clusterName }), ...(preview && { preview }) },
    ];
  });
  return { router, slots: Object.fromEntries(named) as RouteSettings['slots'] };
}

function defined<T extends object>(settings: T): T {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as T;
}

/** What rules that are shifted together have in common. */
export interface SplitGroupOptions {
  readonly kind: SplitKind;
  /** For people: `FleetTraffic "apps"`. */
  readonly what: string;
  /** Name of the resource. @default - as `what` */
  readonly name?: string;
  /** What logs are about: a component, since the URN of a rule is not known while its hook runs. */
  readonly component: pulumi.Resource;
  /** Region of what has none in its name: records. @default - the credentials' own */
  readonly region?: string;
  readonly weights: Weights;
  readonly shift: TrafficShiftArgs | false | undefined;
  /** Name of each slot's EKS cluster. @default - not known */
  readonly clusterNames?: Readonly<Record<string, pulumi.Input<string>>>;
  /** Kubeconfig of each slot's cluster, for capacity. @default - they are in files */
  readonly kubeconfigs?: Readonly<Record<string, pulumi.Input<string>>>;
  /** The Services that take the traffic. @default - not known */
  readonly services?: readonly ServiceName[];
  /** The hubs that are told what part each slot has. @default - none */
  readonly labels?: pulumi.Input<KnownTrafficLabels>;
  /** What leads to slots past the weights, by the names of the rules. @default - nothing */
  readonly previews?: Readonly<Record<string, RulePreviews>>;
  /** @default - AWS and the real thing */
  readonly parts?: ShiftDependencies;
}

/** What leads to the slots of a rule past the weights, by slot. */
export interface RulePreviews {
  /** As a plan file has it: it says where a secret is read from. */
  readonly written: pulumi.Output<Record<string, SlotPreview>>;
  /** With secrets as they are: they stay in memory. */
  readonly known: pulumi.Output<Record<string, SlotPreview>>;
}

/** A rule of the group, as the program gives it. */
export interface GroupedSplit extends Pick<WantedSplit, 'priority'> {
  readonly name: string;
  /** @default - made of project, stack and name */
  readonly tag?: string;
  /** ARN of each slot's target group, or the set identifier of its records. */
  readonly targets: Readonly<Record<string, pulumi.Input<string>>>;
  /** Of records: what each slot's say. @default - none */
  readonly records?: pulumi.Input<WantedSplit['records']>;
}

/** What a rule is registered with, beside what it is. */
export interface SplitBinding {
  readonly tags: Readonly<Record<string, string>>;
  readonly opts: pulumi.CustomResourceOptions;
}

/** Rules of a program whose weights are shifted together. */
export class SplitGroup {
  private readonly rules: GroupedSplit[] = [];
  private readonly shift: TrafficShift | undefined;
  private readonly args: TrafficShiftArgs;

  public constructor(private readonly options: SplitGroupOptions) {
    const { kind, region, shift, parts = shiftDependencies() } = options;
    this.args = shift === false ? {} : (shift ?? {});
    if (shift !== false) {
      this.shift = new TrafficShift({
        kind,
        ...(region !== undefined && { region }),
        shift: () => this.resolved(),
        roleArn: this.args.roleArn,
        parts,
        labels: () => this.labels(),
        window: () => this.window(),
        log: this.log,
      });
    }
  }

  /** Whether a change of the weights is a shift, whoever runs it. */
  public get shifts(): boolean {
    return this.shift !== undefined;
  }

  /** Adds a rule; answers what it has to be registered with. */
  public add(rule: GroupedSplit): SplitBinding {
    this.rules.push(rule);
    return this.bindingOf(rule, rule.name);
  }

  /** What one of the resources of a rule has to be registered with. */
  public bindingOf(rule: GroupedSplit, resource: string): SplitBinding {
    const { shift, options } = this;
    const tag = tagOf(rule);
    // Also without a shift: to turn it on later changes nothing of the rule.
    const tags = { [ruleTag]: tag };
    if (shift === undefined) {
      return { tags, opts: {} };
    }
    const byOthers = (this.args.runBy ?? 'pulumi') !== 'pulumi';
    const { kind, what } = options;
    const hooks = canBindHooks() ? { hooks: ruleHooks({ shift, kind, what, byOthers }, resource, tag) } : {};
    return { tags, opts: byOthers ? { ignoreChanges: [kind.property], ...hooks } : hooks };
  }

  /**
   * The weights, once the engine has every rule as it wants it and the live weights were compared with them.
   *
   * It has to be waited for: a component's outputs are a good place.
   */
  public verified(ids: readonly pulumi.Input<string>[]): pulumi.Input<Weights> {
    const { shift, options, args } = this;
    if ((shift === undefined && options.labels === undefined) || !hasEngine()) {
      return options.weights;
    }
    const inPreview = pulumi.runtime.isDryRun();
    // A preview does not know a rule that it would make, and looks at the others all the same.
    const known = inPreview
      ? pulumi.output(Promise.all(ids.map((id) => plainValue(id))))
      : pulumi.all([...ids]);
    return known.apply(async (found) => {
      const runBy = args.runBy ?? 'pulumi';
      try {
        await shift?.verify(found, { runBy, inPreview });
      } catch (error) {
        // Of this kind of error Pulumi shows the message alone.
        throw new pulumi.RunError(plainLines((error as Error).message));
      }
      if (runBy === 'pulumi' && !inPreview) {
        await this.tellHubs();
      }
      return options.weights;
    });
  }

  /**
   * The shift of these rules as a plan file has it.
   *
   * @param ids of the rules by the names of their routes, in the order in which they were added
   */
  public plan(ids: Readonly<Record<string, pulumi.Input<string>>>): pulumi.Output<PlanSettings> {
    const { kind, weights, clusterNames = {} } = this.options;
    const known = Object.entries(ids).map(([route, id], index) => {
      const { name, targets } = this.rules[index]!;
      const previews = this.options.previews?.[name]?.written;
      return [route, { id, targets, ...(previews && { previews }) }] as const;
    });
    return pulumi
      .all([
        pulumi.output(Object.fromEntries(known)),
        pulumi.output(clusterNames),
        this.checkInputs(),
        this.sinkInputs(),
      ])
      .apply(([planned, clusters, checks, sinks]) =>
        planSettings({
          kind,
          rules: planned,
          weights,
          clusterNames: clusters,
          settings: shiftSettings(this.args),
          checks,
          ...this.planned,
          lease: this.args.lease,
          history: this.args.history,
          notify: knownSinks(sinks),
          roleArn: this.args.roleArn,
        }),
      );
  }

  private get log(): ShiftLog {
    return {
      info: (text) => programLog.info(text, this.options.component),
      warn: (text) => programLog.warn(text, this.options.component),
      progress: (text) => programLog.progress(text, this.options.component),
    };
  }

  private async labels(): Promise<KnownTrafficLabels | undefined> {
    return this.options.labels && plainValue(this.options.labels);
  }

  private async window(): Promise<KeptWindow | undefined> {
    const { syncWindow } = this.args;
    const name = `${pulumi.getProject()}/${pulumi.getStack()}: ${this.options.what}`;
    return syncWindow === undefined ? undefined : plainValue(knownSyncWindow(name, syncWindow));
  }

  /**
   * An update without a shift, the first one for example, has labels to keep, too, and may find the window of one that was
   * killed. What a shift has just told the hubs is not told again.
   */
  private async tellHubs(): Promise<void> {
    const warn = (line: string): void => this.log.warn(line);
    const labels = this.shift?.hubsTold === true ? undefined : await this.labels();
    if (labels) {
      await labelLiveWeights(labels, warn, this.options.weights);
    }
    const window = this.shift?.hasRun === true ? undefined : await this.window();
    if (window) {
      await withoutSyncWindow(window, warn);
    }
  }

  private givenChecks(): readonly unknown[] {
    return this.args.checks ?? (this.options.kind.holdsTargets ? defaultChecks : []);
  }

  private checkInputs(): pulumi.Output<CheckSettings[]> {
    return pulumi.output(this.givenChecks() as CheckSettings[]);
  }

  private sinkInputs(): pulumi.Output<unknown[]> {
    return pulumi.output((this.args.notify ?? []) as unknown[]);
  }

  /** As a plan file has it. */
  private get planned(): { readonly capacity?: CapacitySettings } {
    const { capacity } = this.args;
    return capacity ? { capacity: plannedCapacity(capacity, this.options.services) } : {};
  }

  private async knownPreviews({ name }: GroupedSplit): Promise<Pick<WantedSplit, 'previews'>> {
    const given = this.options.previews?.[name];
    const previews = given && (await plainValue(given.known));
    return previews ? { previews } : {};
  }

  private async resolved(): Promise<SplitShift> {
    const { kind, what, weights, clusterNames = {} } = this.options;
    const rules = await Promise.all(
      this.rules.map(async (rule): Promise<WantedSplit> => ({
        tag: tagOf(rule),
        priority: rule.priority,
        targets: await knownValues(rule.targets),
        ...(rule.records !== undefined && { records: await plainValue(rule.records) }),
        ...(await this.knownPreviews(rule)),
      })),
    );
    const inPreview = pulumi.runtime.isDryRun();
    // A preview asks no check, and may not know all that stands in them.
    const checks = inPreview ? [] : await plainValue(this.checkInputs());
    const sinks = inPreview ? [] : knownSinks(await plainValue(this.sinkInputs()));
    const stack = `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
    const names = await knownValues(clusterNames);
    const { capacity } = this.planned;
    const texts = { ...this.options.kubeconfigs, ...this.args.capacity?.kubeconfigTexts };
    return {
      what,
      kind,
      rules,
      wanted: weights,
      clusterNames: names,
      ...(capacity && { capacity: knownCapacity(capacity, await knownValues(texts), names) }),
      settings: shiftSettings(this.args),
      checks: checks ?? [],
      unchecked: this.givenChecks().length === 0,
      ...(sinks.length > 0 && { notify: { sinks, route: this.options.name ?? what, source: stack } }),
      lease: this.args.lease,
      history: this.args.history,
      holder: `pulumi up of ${stack}`,
      resumedTo: this.args.resumedTo,
      roleArn: this.args.roleArn,
    };
  }
}

function tagOf({ name, tag }: GroupedSplit): string {
  return tag ?? ruleTagValue(pulumi.getProject(), pulumi.getStack(), name);
}

/** Those that are known: a preview does not know what it would make. */
async function knownValues(
  inputs: Readonly<Record<string, pulumi.Input<string>>>,
): Promise<Record<string, string>> {
  const entries = await Promise.all(
    Object.entries(inputs).map(async ([key, input]) => [key, await plainValue(input)] as const),
  );
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
