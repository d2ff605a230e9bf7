import { parseDuration } from '../../../core/durations';
import { readinessSubjects } from '../../../core/readiness';
import { either, list, object, optional, optionalOrNull } from '../../../core/validation/collections';
import { goDuration } from '../../../core/validation/formats';
import { isPlainObject } from '../../../core/validation/problems';
import type { Entries, OptionalSchema, Schema } from '../../../core/validation/schema';
import { anything, duration, flag, number, oneOf, text, that } from '../../../core/validation/values';
import type { CheckSettings } from '../../../shift/checks';
import { hubsSchema } from '../../../shift/plan-file';
import type { LabelHubSettings } from '../../../shift/plan-file';
import { drainSettingsEntries } from '../../drain';
import { deployingPhases, isAmong } from '../phases';
import type { SwapPhase } from '../phases';
import type { PhasePlan } from '../plan';

/** Who has to agree before a phase begins. */
export interface ApprovalSettings {
  /** How long it waits for an answer. @default '24h' - a day has everybody's working hours in it */
  readonly timeout?: string;
  /**
   * What happens then: `hold` stops there, and the next run asks again; `back` takes the traffic back; `goOn` goes on.
   *
   * @default 'hold' - nobody has agreed, and nothing is worse than before
   */
  readonly onTimeout?: 'hold' | 'back' | 'goOn';
}

/** What every phase takes. Durations are text as Go reads it: `30m`, `1h30m`. */
export interface CommonPhaseSettings {
  /**
   * How long it may take until it has failed.
   *
   * @default - as each phase says, and a day more for one that a pull request has to be merged for
   */
  readonly timeout?: string;
  /** Who has to agree before it begins: `true`, or how long it waits. @default - no one */
  readonly approve?: boolean | ApprovalSettings;
}

/** What becomes of the new cluster where a phase fails. The traffic goes back to the old one in either case. */
export interface FailureSettings {
  /** `keep` leaves the new cluster for a look, `delete` takes it away. @default 'keep' - what went wrong can be seen there */
  readonly onFailure?: 'keep' | 'delete';
}

/** What a phase takes that can be left out. */
export interface OptionalPhaseSettings {
  /** Leaves it out. @default false */
  readonly skip?: boolean;
}

/** What a phase takes that asks checks. */
export interface CheckedPhaseSettings extends CommonPhaseSettings, OptionalPhaseSettings, FailureSettings {
  /** Checks, as in a plan of a shift. */
  readonly checks?: readonly CheckSettings[];
}

/** `ready`: would the new version work? What `cluster-canary ready` asks. Times out after 10 minutes. */
export interface ReadySettings extends CommonPhaseSettings, OptionalPhaseSettings, FailureSettings {
  /** Names of subjects: `eks-insights`. @default - all but Helm's release records, which are Secrets */
  readonly subjects?: readonly string[];
  /** Files and folders of manifests, from the swap file's folder. @default - none: clusters alone are asked */
  readonly manifests?: readonly string[];
  /** Ids of findings that are accepted: `EKS09`. @default - none */
  readonly allow?: readonly string[];
  /** The least severity that fails. @default 'error' */
  readonly failOn?: 'error' | 'warning';
}

/** `shift`: the traffic moves. Times out after 6 hours. */
export interface ShiftPhaseSettings extends CommonPhaseSettings, FailureSettings {
  /**
   * The plan file of a shift, from the swap file's folder, where the program leaves the shift to others: `runBy: 'workflow'` or
   * `'operator'` of `FleetTraffic`. The swap puts the new slot on what holds the weights, runs the plan as `cluster-canary shift`
   * does once the program has deployed the new weights, to these in place of the plan's, and takes the old slot off before it is
   * deleted. The file is read anew each time: a program can write it from its output `plan`.
   *
   * @default - the program moves the traffic itself
   */
  readonly plan?: string;
}

/** `prescale`: targets of the new slot before its first percent. Times out after 15 minutes. */
export interface PrescaleSettings extends CommonPhaseSettings, OptionalPhaseSettings, FailureSettings {
  /** Healthy targets in percent of the old slot's, at least one. @default 50 - the first steps of a shift take less */
  readonly healthy?: number;
}

/** `soak`: both clusters stay, under checks. */
export interface SoakSettings extends CheckedPhaseSettings {
  /** How long. @default '24h' - every hour of a day has been seen */
  readonly for?: string;
  /** How often checks are asked. @default '5m' */
  readonly every?: string;
}

/** `drain`: what controllers of the old cluster made in AWS goes. Times out after 30 minutes. */
export interface DrainPhaseSettings extends CommonPhaseSettings {
  /**
   * What becomes of PersistentVolumeClaims: `delete` deletes them with their data, `keep` leaves the volumes in AWS.
   *
   * @default - a cluster with volumes is not emptied: data goes or stays only on request
   */
  readonly volumes?: 'keep' | 'delete';
  /**
   * How long the slot must have had no traffic before anything is deleted.
   * @default '1m' - clients that know an old DNS answer, and connections that end
   */
  readonly idleFor?: string;
  /** Whether what controllers leave behind in AWS is deleted. @default true - nobody would find it once the cluster is gone */
  readonly sweep?: boolean;
  /** Hubs whose Argo CD deploys to the cluster: they stop first. @default - none: Argo CD may bring back what is deleted */
  readonly hubs?: readonly LabelHubSettings[];
}

/** How each phase goes. */
export interface PhasesSettings {
  /** Would the new version work? Nothing is changed. Default: 10 minutes. */
  readonly ready?: ReadySettings;
  /** The new slot is added to the program without traffic. Default: an hour, for a cluster and two node groups. */
  readonly create?: CommonPhaseSettings & FailureSettings;
  /**
   * Every application is on the new cluster. Default: 30 minutes, and the check `argoApplications` of each of the hubs of
   * `drain`; without hubs, checks or `skip: true` have to be given. Where hubs move, it is left out without checks: a handover
   * itself waits until the new hub has the Applications of the old one.
   */
  readonly deliver?: CheckedPhaseSettings;
  /** Checks that need no visitor. Default: 15 minutes, and no checks. */
  readonly try?: CheckedPhaseSettings;
  /** The new slot has targets enough for the first steps. Default: 15 minutes. A fleet of hubs has none, and leaves it out. */
  readonly prescale?: PrescaleSettings;
  /** The traffic moves, or one hub hands over to another. Default: 6 hours. */
  readonly shift?: ShiftPhaseSettings;
  /** Both clusters stay. Default: 24 hours, no checks; a check may stay inconclusive for 15 minutes. */
  readonly soak?: SoakSettings;
  /** What the old cluster's controllers made in AWS goes. Default: 30 minutes. */
  readonly drain?: DrainPhaseSettings;
  /** The old cluster goes. Default: an hour. */
  readonly delete?: CommonPhaseSettings;
}

const longest = '720h';

const span = that(
  duration,
  `${goDuration.allowed}, more than zero, at most ${longest}`,
  (value) => (parseDuration(value) ?? 0) > 0 && parseDuration(value)! <= parseDuration(longest)!,
);

/** A time that may be none at all. */
export const waitTime: Schema<string> = that(
  duration,
  `${goDuration.allowed}, at most ${longest}`,
  (value) => (parseDuration(value) ?? Infinity) <= parseDuration(longest)!,
);

const approval: Schema<boolean | ApprovalSettings> = either<boolean | ApprovalSettings>(
  'true, false, or an object with timeout, onTimeout',
  { when: (value) => typeof value === 'boolean', schema: flag },
  {
    when: isPlainObject,
    schema: object<ApprovalSettings>({
      timeout: optional(span),
      onTimeout: optional(oneOf('hold', 'back', 'goOn')),
    }),
  },
);

const common: Entries<CommonPhaseSettings> = { timeout: optional(span), approve: optional(approval) };

const failing: Entries<FailureSettings> = { onFailure: optional(oneOf('keep', 'delete')) };

const leftOut: Entries<OptionalPhaseSettings> = { skip: optional(flag) };

/** Checks are evaluated by their kinds. */
const checks: OptionalSchema<readonly CheckSettings[]> = optional(anything);

const checked: Entries<CheckedPhaseSettings> = { ...common, ...leftOut, ...failing, checks };

const path = text('a path', /^[^\0]*[^\s\0][^\0]*$/);

/** Each may be an empty key of YAML. */
const phase = <T extends object>(entries: Entries<T>): OptionalSchema<T> =>
  optionalOrNull(object<T>(entries));

/** What a swap file may say of its phases. */
export const phasesSchema: Schema<PhasesSettings> = object<PhasesSettings>({
  ready: phase<ReadySettings>({
    ...common,
    ...leftOut,
    ...failing,
    subjects: optional(list(oneOf(...readinessSubjects.map(({ name }) => name)), 1)),
    manifests: optional(list(path, 1, 'a list of at least one path')),
    allow: optional(list(text('the id of a finding: EKS09', /^[A-Z]{2,8}\d{1,4}$/))),
    failOn: optional(oneOf('error', 'warning')),
  }),
  create: phase<CommonPhaseSettings & FailureSettings>({ ...common, ...failing }),
  deliver: phase<CheckedPhaseSettings>(checked),
  try: phase<CheckedPhaseSettings>(checked),
  prescale: phase<PrescaleSettings>({
    ...common,
    ...leftOut,
    ...failing,
    healthy: optional(number('a whole percent from 1 to 100', { min: 1, max: 100, whole: true })),
  }),
  shift: phase<ShiftPhaseSettings>({ ...common, ...failing, plan: optional(path) }),
  soak: phase<SoakSettings>({ ...checked, for: optional(waitTime), every: optional(span) }),
  drain: phase<DrainPhaseSettings>({
    ...common,
    volumes: optional(oneOf('keep', 'delete')),
    idleFor: drainSettingsEntries.idleFor,
    sweep: optional(flag),
    hubs: optional(hubsSchema),
  }),
  delete: phase<CommonPhaseSettings>(common),
});

/** Times of phases that do not say their own. */
const defaultTimeouts: Readonly<Record<SwapPhase, string>> = {
  ready: '10m',
  create: '60m',
  deliver: '30m',
  try: '15m',
  prescale: '15m',
  shift: '6h',
  soak: '15m',
  drain: '30m',
  delete: '60m',
};

/** How long a person may take to merge a pull request, where a phase does not say its time: a day has everybody's working hours in it. */
const mergeTime = '24h';

type AnyPhaseSettings = CommonPhaseSettings & OptionalPhaseSettings & FailureSettings;

/**
 * How a phase goes, as the machine has to know it.
 *
 * @param isMerged whether a person merges what is to be deployed
 */
export function phasePlan(name: SwapPhase, settings: PhasesSettings, isMerged = false): PhasePlan {
  const given: AnyPhaseSettings = settings[name] ?? {};
  const usual = parseDuration(defaultTimeouts[name])!;
  const merge = isMerged && isAmong(deployingPhases, name) ? parseDuration(mergeTime)! : 0;
  const { timeout, approve = false, skip = false, onFailure = 'keep' } = given;
  // Without checks nothing is asked before the end.
  const { for: least = '24h', checks, every = checks === undefined ? least : '5m' } = settings.soak ?? {};
  const approval = approve === true ? {} : approve;
  return {
    skip,
    timeoutMs: timeout === undefined ? usual + merge : parseDuration(timeout)!,
    onFailure,
    ...(name === 'soak' && { leastMs: parseDuration(least)!, everyMs: parseDuration(every)! }),
    ...(approval !== false && {
      approval: {
        timeoutMs: parseDuration(approval.timeout ?? '24h')!,
        onTimeout: approval.onTimeout ?? 'hold',
      },
    }),
  };
}
