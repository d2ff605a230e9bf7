import { isUnknownKey } from '../../core/validation/known-keys';
import { InvalidInput, isMapping, laterValue } from '../../core/validation/problems';
import type { Untyped } from '../../core/validation/problems';
import type { ShiftSubject } from '../engine';
import type { ArgoApplicationsArgs } from './argo-applications/argo-applications';
import type { Later } from './check-kind';
import { checkKinds } from './registry';
import type { CheckArguments, LaterArguments, SettingsOf } from './registry';

/** The parameter may be left out where nothing in it is required. */
type Parameters<Args> = object extends Args ? [args?: Args] : [args: Args];

/** Makes the settings of one kind of check; in a Pulumi program outputs may stand in them. */
export interface CheckBuilder<Kind extends keyof CheckArguments> {
  (...given: Parameters<CheckArguments[Kind]>): SettingsOf<Kind>;
  (args: LaterArguments<Kind>): { readonly [Key in Kind]: LaterArguments<Kind> };
}

function builder<Kind extends keyof CheckArguments>(kind: Kind): CheckBuilder<Kind> {
  return ((args: object = {}) => settingsOf(kind, args)) as unknown as CheckBuilder<Kind>;
}

/**
 * The settings of a kind. Keys that it does not know are refused here, where the program has them; the values are judged with
 * what is shifted, and those of a deployment when it knows them.
 */
function settingsOf(kind: keyof CheckArguments, args: object): object {
  const given = Object.entries(args).map(([key, value]: [string, unknown]) => [
    key,
    isLater(value) ? null : value,
  ]);
  const unknown = checkKinds[kind]
    .problems(Object.fromEntries(given) as Untyped, nothingShifted)
    .filter(({ allowed }) => isUnknownKey(allowed));
  if (unknown.length > 0) {
    throw new InvalidInput(`checks.${kind}`, unknown);
  }
  return { [kind]: args };
}

const nothingShifted: ShiftSubject = { layer: 'http', slots: {} };

function isLater(value: unknown): boolean {
  return laterValue(value) !== undefined || (isMapping(value) && typeof value.get === 'function');
}

/** Share of healthy targets of the slots that gain weight. */
export const targetHealth = builder('targetHealth');

/** Enough healthy targets for the weight that a slot is about to get. */
export const capacity = builder('capacity');

/** A hub of the program, as far as a check asks it. */
export interface ApplicationsHub {
  /** Where the hub that writes is asked. */
  readonly address: {
    /** Kubeconfig of the hub, known when the check is asked. */
    readonly kubeconfig: Later<string>;
    /** Namespace of Argo CD. */
    readonly namespace: string;
  };
}

/** Makes the settings of a check that asks Argo CD for its Applications. */
export interface ArgoApplicationsBuilder extends CheckBuilder<'argoApplications'> {
  /** Asks a hub of the program: for shifts that the program runs, since a plan holds no kubeconfig. */
  (
    hub: ApplicationsHub,
    more?: Omit<ArgoApplicationsArgs, 'kubeconfig' | 'kubeconfigText' | 'context' | 'namespace'>,
  ): {
    /** Settings of the check, with the hub in place of a kubeconfig. */
    readonly argoApplications: LaterArguments<'argoApplications'>;
  };
}

/** Argo CD's Applications of the slots that gain weight: Synced, Healthy, and as many as the old slots have. */
export const argoApplications = argoApplicationsOf as ArgoApplicationsBuilder;

function argoApplicationsOf(given?: object, more?: object): object {
  const { address } = (given ?? {}) as Partial<ApplicationsHub>;
  return settingsOf(
    'argoApplications',
    address ? { kubeconfigText: address.kubeconfig, namespace: address.namespace, ...more } : (given ?? {}),
  );
}

/** Pods with some labels, ready within a time, in the slots that gain weight. */
export const kubernetesPods = builder('kubernetesPods');

/** Exit status of a program. */
export const program = builder('program');

/** Alerts of a Prometheus Alertmanager. */
export const alertmanager = builder('alertmanager');

/**
 * Checks on CloudWatch's metrics and alarms.
 *
 * Elastic Load Balancing reports by the minute, and a minute's counts are taken two minutes after its end: a fault shows two
 * to three minutes after it began. The newest minute alone fails no check, but by what was counted as failed. A comparison
 * takes the minute of the write, too. Where seconds matter, count with Prometheus or Datadog and a shorter `period`.
 */
export const cloudWatch = {
  /** Alarms by their names. */
  alarms: (
    names: readonly string[],
    more: Omit<CheckArguments['cloudWatch.alarms'], 'names'> = {},
  ): SettingsOf<'cloudWatch.alarms'> =>
    settingsOf('cloudWatch.alarms', { ...more, names }) as SettingsOf<'cloudWatch.alarms'>,
  /** A metric, or an expression over several, held against bounds. */
  metric: builder('cloudWatch.metric'),
  /** Share of failed requests of an ALB's target group, held against a bound. */
  errorShare: builder('cloudWatch.errorShare'),
  /** Share of slow requests of an ALB's target group, held against a bound. */
  slowShare: builder('cloudWatch.slowShare'),
  /** The target groups that gain weight beside the others. */
  comparison: builder('cloudWatch.comparison'),
};

/** Checks on Datadog's metrics and monitors. */
export const datadog = {
  /** A monitor by its number. */
  monitor: (
    id: number,
    more: Omit<CheckArguments['datadog.monitor'], 'id'> = {},
  ): SettingsOf<'datadog.monitor'> =>
    settingsOf('datadog.monitor', { ...more, id }) as SettingsOf<'datadog.monitor'>,
  /** A query, held against bounds. */
  query: builder('datadog.query'),
  /** Share of failed requests by two queries, held against a bound. */
  errorShare: builder('datadog.errorShare'),
  /** Share of slow requests by two queries, held against a bound. */
  slowShare: builder('datadog.slowShare'),
  /** The slots that gain weight beside the others, by two or three queries. */
  comparison: builder('datadog.comparison'),
};

/** Checks on metrics of Prometheus and of what speaks its API. */
export const prometheus = {
  /** A query, held against bounds. */
  query: builder('prometheus.query'),
  /** Share of failed requests by two queries, held against a bound. */
  errorShare: builder('prometheus.errorShare'),
  /** Share of slow requests by two queries, held against a bound. */
  slowShare: builder('prometheus.slowShare'),
  /** The slots that gain weight beside the others, by two or three queries. */
  comparison: builder('prometheus.comparison'),
};
