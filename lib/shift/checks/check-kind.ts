import type { KubernetesSettings } from '../../core/kubernetes/access';
import type { AccessRule } from '../../core/kubernetes/api';
import { object, optional } from '../../core/validation/collections';
import { InvalidInput, Problems, isPlainObject, laterValue } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { problemsOf } from '../../core/validation/schema';
import type { Entries, Schema, Unevaluated } from '../../core/validation/schema';
import type { Check, CheckStage, ShiftSubject } from '../engine';
import type { ComparisonCheckSettings, ShareSettings } from '../evaluation';
import type { CheckContext } from './check-context';
import type { VitalBounds } from './cluster-vitals/compare';
import type { Vital } from './cluster-vitals/vitals';
import { line } from './shared/schemas';

/**
 * A kind of check: all that is its own. A file of a kind, and its line in `registry.ts`, is all that there is to add: plan
 * files, their JSON Schema, `checks.NAME({ … })`, permissions, simulation and the table of kinds in docs/checks.md follow.
 */
export interface CheckKind<Args extends CommonCheckArgs> {
  /** What it asks whom, on one line: `Argo CD: every Application Synced and Healthy?` */
  readonly asks: string;
  /** The stages that it may be asked in. */
  readonly stages: readonly CheckStage[];
  /**
   * Whether its answer is another for each router, as that of a check on target groups is: where several routers shift
   * together it is asked for each of them, and otherwise once.
   */
  readonly perRouter: boolean;
  /** Whether it can say something of a slot that no router knows yet: such checks are asked before a rule is created. */
  readonly beforeTraffic: boolean;
  /**
   * What it can't do without: `targetGroups`, which Route 53 has none of; HTTP `requests` that an ALB counts.
   */
  readonly needs: 'nothing' | 'targetGroups' | 'requests';
  /** Its settings, the same in a plan file and in a program: see {@link checkArgs}. */
  readonly args: Schema<Args>;
  /**
   * Settings that a plan file may not have, each with what it has instead: `left out: a plan holds no …`.
   *
   * @default - a plan file may have all of them
   */
  readonly programOnly?: { readonly [Key in keyof Args]?: string };

  /**
   * What is wrong with settings beside what is shifted: slots that there are not. Paths are those within the settings.
   *
   * @param args their own problems are told apart, so that any of them may be of another type
   * @param subject ARNs and names of clusters may be missing in it: a deployment may not know them yet
   * @default - nothing
   */
  problems?(args: Unevaluated<Args>, subject: ShiftSubject): readonly Problem[];

  /**
   * Makes the check. Asks nobody yet.
   *
   * @param name unique in the plan
   * @param args settings without a problem
   * @throws InvalidInput where the subject lacks what the check needs: an ARN, the name of a cluster
   */
  create(name: string, args: Args, context: CheckContext): Check;

  /** The permissions at AWS that it needs, for the role that a shift runs with. @default - none */
  permissions?(args: Args, subject: ShiftSubject): readonly IamStatement[];

  /** The permissions that it needs on API servers of Kubernetes. @default - none */
  access?(args: Args, subject: ShiftSubject): readonly ClusterAccessRule[];

  /** What a simulation evaluates in its place. @default - it can't be simulated, and passes there */
  simulated?(args: Args): SimulatedCheckSettings;

  /** Word of the kind to take instead where nothing is kept between two questions. @default - it keeps nothing */
  readonly withoutMemory?: string;

  /** What a canary of an application has to know to be evaluated by it. @default - canaries can't use it */
  canaryTimes?(args: Args): CanaryTimes;
}

/** A kind of check that canaries of applications can be evaluated by, too. */
export type MetricKind<Args extends CommonCheckArgs> = CheckKind<Args> &
  Required<Pick<CheckKind<Args>, 'canaryTimes'>>;

/** The times of a check on a metric, in milliseconds. */
export interface CanaryTimes {
  /** How far back it looks. */
  readonly overMs: number;
  /** Length of a period of counts. */
  readonly periodMs: number;
  /** From the end of a period until its figures are taken. */
  readonly delayMs: number;
  /**
   * From a change of the weights until the figures that it looks at are all younger. A shift looks back as far as the
   * change and no farther; a template can't, so it waits.
   */
  readonly settledMs: number;
  /** Whether it adds up whole periods, of which there has to be one. */
  readonly countsPeriods: boolean;
}

/** What a simulation evaluates, by the functions that evaluate real figures. */
export type SimulatedCheckSettings =
  | {
      /** A bound for a share of requests. */
      readonly share: ShareSettings;
      /** How requests are counted. */
      readonly counts: SimulatedCounts;
    }
  | {
      /** A comparison of slots. */
      readonly comparison: ComparisonCheckSettings;
      /** How much of the time before the shift it looks at, in milliseconds. */
      readonly historyMs: number;
      /** How requests are counted. */
      readonly counts: SimulatedCounts;
      /** The shift's own requests. @default - none */
      readonly synthetic?:
        | {
            /** Requests a second to each slot. */
            readonly rate: number;
            /** Requests to each slot before the first write. */
            readonly pairsBefore: number;
            /** Those that take longer are slow, in milliseconds. @default - none is */
            readonly slowAboveMs?: number;
            /** Length of a round, in milliseconds. @default 10000 */
            readonly roundMs?: number;
          }
        | undefined;
    }
  | {
      /** The least share of healthy targets. */
      readonly healthyTargets: number;
    }
  | {
      /** How much traffic targets may get. */
      readonly capacity: {
        /** Most load of a target after a write, relative to before the shift. */
        readonly maxLoad: number;
        /** How long an autoscaler may take to add targets, in milliseconds. */
        readonly followMs: number;
      };
    }
  | {
      /** The new cluster's vitals beside the old one's. */
      readonly vitals: VitalBounds & {
        /** Which of them. */
        readonly looked: readonly Vital[];
      };
    };

/** How a simulated source counts requests. */
export interface SimulatedCounts {
  /** From the end of a period until its figures are taken, in milliseconds. */
  readonly delayMs: number;
  /** Whether answers are counted later than requests, as CloudWatch has them. */
  readonly isSkewed: boolean;
}

/** What every kind of check takes. */
export interface CommonCheckArgs {
  /** Name of the check in reports. @default - its kind, with a number from the second of a kind on */
  readonly name?: string;
}

/**
 * A value that only a deployment knows: an output of Pulumi, told by one of its methods, since nothing of Pulumi is loaded
 * here.
 */
export interface Deferred<T> {
  /** What an output is known by; nothing here calls it. */
  get(): T;
}

/** A value, or one that is known later, at any depth. */
export type DeepDeferred<T> =
  | T
  | Deferred<T>
  | (T extends object ? { readonly [Key in keyof T]: DeepDeferred<T[Key]> } : never);

/** Rights at AWS: a statement of an IAM policy that allows. */
export interface IamStatement {
  /** `cloudwatch:GetMetricData` */
  readonly actions: readonly string[];
  /** ARNs, or `*` where AWS takes nothing narrower for the action. */
  readonly resources: readonly string[];
}

/** A right that a check needs on an API server. */
export interface ClusterAccessRule {
  /** Whose API server: the one of Argo CD, or that of each slot. */
  readonly cluster: 'hub' | 'slots';
  /** The API servers, as the settings name them. */
  readonly at: readonly Pick<KubernetesSettings, 'kubeconfig' | 'context'>[];
  /** What it has to be allowed to do. */
  readonly rule: AccessRule;
}

/**
 * The target group of every slot.
 *
 * @throws InvalidInput where one is not known
 */
export function checkedTargetGroups(subject: ShiftSubject): Readonly<Record<string, string>> {
  return known(
    subject,
    'targetGroupArn',
    'the ARN of the target group that the load balancer has for the slot',
  );
}

/**
 * The cluster of every slot.
 *
 * @throws InvalidInput where one is not known
 */
export function clustersOf(subject: ShiftSubject): Readonly<Record<string, string>> {
  return known(subject, 'clusterName', 'the name of the slot’s cluster');
}

function known(
  { slots }: ShiftSubject,
  field: 'targetGroupArn' | 'clusterName',
  allowed: string,
): Readonly<Record<string, string>> {
  const problems = new Problems('what is shifted');
  const values = Object.entries(slots).map(([slot, each]): [string, string] => {
    const value = each[field];
    if (value === undefined) {
      problems.add(`slots.${slot}.${field}`, value, allowed);
    }
    return [slot, value ?? ''];
  });
  problems.throwIfAny();
  return Object.fromEntries(values);
}

/** The schema of a kind's settings, with what every kind takes. */
export function checkArgs<Args extends CommonCheckArgs>(
  entries: Entries<Omit<Args, keyof CommonCheckArgs>>,
): Schema<Args> {
  return object<Args>({ name: optional(line), ...entries } as unknown as Entries<Args>);
}

/** The parameter may be left out where nothing in it is required. */
type Parameters<Args> = object extends Args ? [args?: Args] : [args: Args];

/** What a kind of check takes, with values that are known later at any depth. */
export type LaterArgs<Args> = { readonly [Key in keyof Args]: DeepDeferred<Args[Key]> };

/** A kind of check, and the word that plans have for it. */
export interface NamedKind<Word extends string, Args extends CommonCheckArgs> {
  /** `datadog.query` */
  readonly word: Word;
  /** All that is its own. */
  readonly kind: CheckKind<Args>;
}

/** Makes the settings of one kind of check; in a Pulumi program outputs may stand in them. */
export interface CheckBuilder<Word extends string, Args extends CommonCheckArgs> extends NamedKind<
  Word,
  Args
> {
  (...given: Parameters<Args>): { readonly [Key in Word]: Args };
  (args: LaterArgs<Args>): { readonly [Key in Word]: LaterArgs<Args> };
}

/** Makes the settings of a check on a metric, which canaries of applications can be evaluated by, too. */
export interface MetricCheckBuilder<Word extends string, Args extends CommonCheckArgs> extends CheckBuilder<
  Word,
  Args
> {
  /** All that is its own. */
  readonly kind: MetricKind<Args>;
}

/**
 * A kind of check under its word, as a function that makes its settings. Keys that the kind does not know are refused
 * there, where the program has them; values are checked with what is shifted, and those of a deployment when it knows them.
 *
 * @param word that of plans: a name, or `SOURCE.NAME`
 * @example
 * export const toy = checkKind('toy', { asks: 'toys', args: checkArgs<ToyArgs>({ … }), … });
 */
export function checkKind<const Word extends string, Args extends CommonCheckArgs>(
  word: Word,
  kind: { readonly args: Schema<Args> } & MetricKind<NoInfer<Args>>,
): MetricCheckBuilder<Word, Args>;
export function checkKind<const Word extends string, Args extends CommonCheckArgs>(
  word: Word,
  kind: { readonly args: Schema<Args> } & CheckKind<NoInfer<Args>>,
): CheckBuilder<Word, Args>;
export function checkKind(
  word: string,
  kind: CheckKind<CommonCheckArgs>,
): CheckBuilder<string, CommonCheckArgs> {
  return named(word, kind, (args: object = {}) => args) as unknown as CheckBuilder<string, CommonCheckArgs>;
}

/**
 * The same for a kind whose settings are made of something else than an object of them.
 *
 * @param argsOf the settings that the parameters say
 */
export function checkKindBy<
  const Word extends string,
  Args extends CommonCheckArgs,
  Given extends readonly unknown[],
>(
  word: Word,
  kind: CheckKind<Args>,
  argsOf: (...given: Given) => Args,
): NamedKind<Word, Args> & ((...parameters: Given) => { readonly [Key in Word]: Args }) {
  return named(word, kind, argsOf) as unknown as ReturnType<typeof checkKindBy<Word, Args, Given>>;
}

function named<Args extends CommonCheckArgs, Given extends readonly unknown[]>(
  word: string,
  kind: CheckKind<Args>,
  argsOf: (...given: Given) => object,
): NamedKind<string, Args> {
  const make = (...given: Given): object => {
    const args = argsOf(...given);
    const known = Object.entries(args).map(([key, value]) => [key, withoutLater(value, [args])]);
    const unknown = problemsOf(kind.args, Object.fromEntries(known)).filter(
      (problem) => problem.kind === 'unknown',
    );
    if (unknown.length > 0) {
      throw new InvalidInput(`checks.${word}`, unknown);
    }
    return { [word]: args };
  };
  return Object.assign(make, { word, kind });
}

/**
 * The same with nothing in place of what is known later, whose keys are none of the settings.
 *
 * @param around what it is within, which it may contain itself
 */
function withoutLater(value: unknown, around: readonly unknown[]): unknown {
  if (laterValue(value) !== undefined || around.includes(value)) {
    return null;
  }
  const within = [...around, value];
  if (Array.isArray(value)) {
    return value.map((each) => withoutLater(each, within));
  }
  if (!isPlainObject(value)) {
    return value;
  }
  return isPlain(value)
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutLater(each, within)]))
    : null;
}

/** Instances of classes are no settings, and what has a method may be known later. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isInstance = prototype !== null && Object.getPrototypeOf(prototype) !== null;
  return !isInstance && typeof (value as { get?: unknown }).get !== 'function';
}
