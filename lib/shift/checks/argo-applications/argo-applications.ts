import { parseDuration } from '../../../core/durations';
import { matchesGlob } from '../../../core/glob';
import type { KubernetesSettings } from '../../../core/kubernetes/access';
import type { KubernetesObject } from '../../../core/kubernetes/api';
import { across, optional } from '../../../core/validation/collections';
import { dnsLabelText } from '../../../core/validation/values';
import { combinedResult, worstStatus } from '../../engine';
import type { Check, CheckResult, CheckStatus, CheckWindow } from '../../engine';
import { referenceSlots, slotsToEvaluate } from '../../evaluation';
import { checkArgs, checkKindBy, clustersOf } from '../check-kind';
import type { CheckBuilder, CheckKind, Deferred, LaterArgs, CommonCheckArgs } from '../check-kind';
import { askKubernetes, readKubeconfigText, noKubeconfigInPlans } from '../shared/kubernetes-source';
import { line } from '../shared/schemas';
import { isOnlyBehind, uncovered } from './applications';
import type { ObservedApplication, SlotWords } from './applications';
import { clusterOfSlot, isDeployedTo, lookUp } from './clusters';
import type { ApplicationCluster, HubFindings } from './clusters';

/** How the sync window of a shift begins its description: `shiftWindow` of `manifests/argocd` writes it so. */
const mark = 'cluster-canary: a cluster shift is running';

interface Window {
  readonly kind?: string;
  readonly schedule?: string;
  readonly duration?: string;
  readonly applications?: readonly string[];
  readonly clusters?: readonly string[];
  readonly description?: string;
}

/** Whether an Application can't be up to date, since a shift holds up the rollouts of its project. */
function waitsForShift(
  { name, project = 'default', destination }: ObservedApplication,
  projects: readonly KubernetesObject[],
  now: number,
): boolean {
  const found = projects.find(({ metadata }) => metadata.name === project);
  const { syncWindows: windows = [] } = (found?.spec ?? {}) as { readonly syncWindows?: readonly Window[] };
  const places = [destination.name, destination.server].filter((each) => each !== undefined);
  return windows.some(
    (window) =>
      window.kind === 'deny' &&
      window.description?.startsWith(mark) === true &&
      isOpen(window, now) &&
      (fits(window.applications, [name]) || fits(window.clusters, places)),
  );
}

/** Opens at one minute of one day, UTC. Its schedule has no year: it may have begun before a New Year's Eve. */
function isOpen({ schedule = '', duration = '' }: Window, now: number): boolean {
  const [minute, hour, day, month] = schedule.split(' ').map(Number);
  const lasts = parseDuration(duration) ?? 0;
  const year = new Date(now).getUTCFullYear();
  return [year - 1, year].some((each) => {
    const opened = Date.UTC(each, (month ?? 0) - 1, day, hour, minute);
    return opened <= now && now < opened + lasts;
  });
}

function fits(patterns: readonly string[] | undefined, texts: readonly string[]): boolean {
  return (patterns ?? []).some((pattern) => texts.some((text) => matchesGlob(pattern, text)));
}

/** What {@link argoApplications} takes; the kubeconfig is that of the hub. */
export interface ArgoApplicationsArgs extends CommonCheckArgs, KubernetesSettings {
  /** Namespace of Argo CD and its Applications. @default 'argocd' */
  readonly namespace?: string;
  /** Label selector: only these Applications count. @default - all */
  readonly selector?: string;
}

const kind: CheckKind<ArgoApplicationsArgs> = {
  asks: 'Argo CD: every Application Synced and Healthy?',
  stages: ['before', 'after'],
  perRouter: false,
  beforeTraffic: true,
  needs: 'nothing',
  args: across(
    checkArgs<ArgoApplicationsArgs>({
      kubeconfig: optional(line),
      kubeconfigText: optional(readKubeconfigText),
      context: optional(line),
      namespace: optional(dnsLabelText),
      selector: optional(line),
    }),
    (args, { conflicts }) => {
      if (args.kubeconfig !== undefined && args.kubeconfigText !== undefined) {
        conflicts(['kubeconfigText'], 'kubeconfig: one of them says which API server is asked');
      }
    },
  ),
  programOnly: { kubeconfigText: noKubeconfigInPlans },
  create: (name, settings, { subject, kubernetes }): Check => {
    const clusters = clustersOf(subject);
    const { namespace = defaultNamespace, selector, kubeconfig, kubeconfigText, context } = settings;
    return {
      name,
      stages: ['before', 'after'],
      evaluate: async (window, signal) => {
        const found = await askKubernetes(kubernetes, { kubeconfig, kubeconfigText, context }, (reader) =>
          lookUp(reader, { namespace, selector, clusters: Object.values(clusters) }, signal),
        );
        return evaluateApplications(window, clusters, found);
      },
    };
  },
  access: ({ kubeconfig, context, namespace = defaultNamespace }) =>
    [
      { apiGroups: ['argoproj.io'], resources: ['applications'], verbs: ['list'], namespace },
      // Only where a cluster has another name in Argo CD than in EKS, or an Application names it by URL alone.
      { apiGroups: [''], resources: ['secrets'], verbs: ['list'], namespace },
      // Only where an Application is OutOfSync: a shift may hold it up.
      { apiGroups: ['argoproj.io'], resources: ['appprojects'], verbs: ['list'], namespace },
    ].map((rule) => ({ cluster: 'hub', at: [{ kubeconfig, context }], rule })),
};

/** A hub of the program, as far as a check asks it. */
export interface ApplicationsHub {
  /** Where the hub that writes is asked. */
  readonly address: {
    /** Kubeconfig of the hub, known when the check is asked. */
    readonly kubeconfig: Deferred<string>;
    /** Namespace of Argo CD. */
    readonly namespace: string;
  };
}

/** Makes the settings of a check that asks Argo CD for its Applications. */
export interface ArgoApplicationsBuilder extends CheckBuilder<'argoApplications', ArgoApplicationsArgs> {
  /** Asks a hub of the program: for shifts that the program runs, since a plan holds no kubeconfig. */
  (
    hub: ApplicationsHub,
    more?: Omit<ArgoApplicationsArgs, 'kubeconfig' | 'kubeconfigText' | 'context' | 'namespace'>,
  ): {
    /** Settings of the check, with the hub in place of a kubeconfig. */
    readonly argoApplications: LaterArgs<ArgoApplicationsArgs>;
  };
}

const builder: unknown = checkKindBy('argoApplications', kind, (given?: object, more?: object) => {
  const { address } = (given ?? {}) as Partial<ApplicationsHub>;
  const ofHub = address && { kubeconfigText: address.kubeconfig, namespace: address.namespace, ...more };
  return ofHub ?? given ?? {};
});

/**
 * Argo CD's Applications of each slot that gains weight, before and after every step: all Synced and Healthy, and a
 * counterpart for each Application of the slots that carried the traffic before.
 *
 * Degraded fails. Everything else that is not yet well is inconclusive: Progressing, OutOfSync, Missing, an Application
 * that the slot does not have yet. Argo CD's word is taken: what it has not looked at lately may be out of date.
 *
 * A slot that has some of the traffic is not held back by a sync window of a shift: there a Healthy Application may be
 * OutOfSync. Before its first percent it may not.
 */
export const argoApplications = builder as ArgoApplicationsBuilder;

const defaultNamespace = 'argocd';

/**
 * What the Applications of a hub say about the slots of a shift.
 *
 * @param clusters names of the EKS clusters, by slot
 */
function evaluateApplications(
  window: CheckWindow,
  clusters: Readonly<Record<string, string>>,
  { applications, registered, projects }: HubFindings,
): CheckResult {
  const clusterOf = (slot: string): ApplicationCluster =>
    clusterOfSlot(slot, clusters[slot] ?? slot, registered);
  const words = (slot: string): SlotWords => ({ slot, clusters: clusterOf(slot).names });
  const of = (slot: string): readonly ObservedApplication[] =>
    applications.filter((each) => isDeployedTo(each, clusterOf(slot)));
  const findings = slotsToEvaluate(window).map((slot) => {
    const own = of(slot);
    const lacking = referenceSlots(window).flatMap((old) => uncovered(of(old), words(old), own, words(slot)));
    const hasTraffic = (window.live[slot] ?? 0) > 0;
    return evaluateSlot(slot, own, lacking, (each) => hasTraffic && waitsForShift(each, projects, window.to));
  });
  return combinedResult(findings);
}

function evaluateSlot(
  slot: string,
  own: readonly ObservedApplication[],
  lacking: readonly ObservedApplication[],
  waits: (application: ObservedApplication) => boolean,
): CheckResult {
  const waiting = own.filter((each) => statusOf(each) !== 'pass' && isOnlyBehind(each) && waits(each));
  const states = own.map((each) => ({
    name: each.name,
    status: waiting.includes(each) ? ('pass' as const) : statusOf(each),
    state: stateOf(each),
  }));
  const well = states.filter(({ status }) => status === 'pass').length;
  const trouble = [
    ...states.filter(({ status }) => status === 'fail'),
    ...states.filter(({ status }) => status === 'inconclusive'),
  ].map(({ name, state }) => `${name} is ${state}`);
  const synced = well - waiting.length;
  const reasons = [
    own.length === 0 ? 'no Application' : `${synced} of ${own.length} Applications Synced and Healthy`,
    ...(waiting.length > 0
      ? [
          `${few(waiting.map(({ name }) => name)).join(', ')} Healthy, and waiting for the shift's sync window`,
        ]
      : []),
    ...few(trouble),
    ...(lacking.length > 0 ? [`no counterpart of ${few(lacking.map(({ name }) => name)).join(', ')}`] : []),
  ];
  return {
    status: worstStatus(
      [...states.map(({ status }) => status), ...(lacking.length > 0 ? ['inconclusive' as const] : [])],
      'inconclusive',
    ),
    reason: `${slot}: ${reasons.join(', ')}`,
    figures: [
      {
        ...{ name: 'healthy Applications', slot, value: well, unit: 'count' },
        min: own.length + lacking.length,
        ...(own.length > 0 && {
          counts: {
            ...{ counted: synced, of: own.length, what: 'Applications are Synced and Healthy' },
            ...(trouble.length > 0 && { cause: few(trouble).join(', ') }),
          },
        }),
      },
      { name: 'missing Applications', slot, value: lacking.length, unit: 'count', max: 0 },
    ],
  };
}

function statusOf({ sync, health }: ObservedApplication): CheckStatus {
  if (health === 'Degraded') {
    return 'fail';
  }
  return sync === 'Synced' && health === 'Healthy' ? 'pass' : 'inconclusive';
}

function stateOf({ sync, health, phase, failure }: ObservedApplication): string {
  if (sync === undefined && health === undefined) {
    return 'not looked at yet';
  }
  const isOver = phase === 'Failed' || phase === 'Error';
  const why = failure === undefined ? '' : `: ${failure}`;
  const failed = isOver || why !== '' ? ` (its ${isOver ? 'last ' : ''}sync failed${why})` : '';
  return [sync, health].filter((each) => each !== undefined).join(' and ') + failed;
}

/** A reason is one line: three names, and how many more there are. */
function few(all: readonly string[]): readonly string[] {
  return all.length <= 3 ? all : [...all.slice(0, 3), `${all.length - 3} more`];
}
