import type { KubernetesSettings } from '../kubernetes';
import type { Problem } from '../problems';
import { Problems, dnsLabel } from '../problems';
import type { Check, CheckResult, CheckStatus, CheckWindow } from '../shift';
import { combinedResult, referenceSlots, slotsToJudge, worstStatus } from '../shift';
import type { Application } from './application';
import { isOnlyBehind } from './application';
import type { ApplicationCluster } from './application-cluster';
import { clusterOfSlot, isDeployedTo } from './application-cluster';
import type { HubFindings } from './application-findings';
import { lookUp } from './application-findings';
import type { SlotWords } from './application-match';
import { uncovered } from './application-match';
import { waitsForShift } from './application-window';
import { checkArguments, clustersOf, text } from './argument-rules';
import type { CheckKind, NamedCheck } from './check-kind';
import { askKubernetes, kubernetesRules } from './kubernetes-source';

/** What {@link argoApplications} takes; the kubeconfig is that of the hub. */
export interface ArgoApplicationsArgs extends NamedCheck, KubernetesSettings {
  /** Namespace of Argo CD and its Applications. @default 'argocd' */
  readonly namespace?: string;
  /** Label selector: only these Applications count. @default - all */
  readonly selector?: string;
}

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
export const argoApplications: CheckKind<ArgoApplicationsArgs> = {
  problems: (args: Readonly<Record<string, unknown>>): readonly Problem[] => {
    const problems = new Problems('argoApplications');
    checkArguments(problems, args, { ...kubernetesRules, namespace: dnsLabel, selector: text });
    if (args.kubeconfig !== undefined && args.kubeconfigText !== undefined) {
      problems.addSecret('kubeconfigText', 'left out beside kubeconfig');
    }
    return problems.all;
  },
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
        return judgeApplications(window, clusters, found);
      },
    };
  },
  rights: () => [],
  access: ({ namespace = defaultNamespace }) => [
    {
      cluster: 'hub',
      rule: { apiGroups: ['argoproj.io'], resources: ['applications'], verbs: ['list'], namespace },
    },
    // Only where a cluster has another name in Argo CD than in EKS, or an Application names it by URL alone.
    { cluster: 'hub', rule: { apiGroups: [''], resources: ['secrets'], verbs: ['list'], namespace } },
    // Only where an Application is OutOfSync: a shift may hold it up.
    {
      cluster: 'hub',
      rule: { apiGroups: ['argoproj.io'], resources: ['appprojects'], verbs: ['list'], namespace },
    },
  ],
};

const defaultNamespace = 'argocd';

/**
 * What the Applications of a hub say about the slots of a shift.
 *
 * @param clusters names of the EKS clusters, by slot
 */
function judgeApplications(
  window: CheckWindow,
  clusters: Readonly<Record<string, string>>,
  { applications, registered, projects }: HubFindings,
): CheckResult {
  const clusterOf = (slot: string): ApplicationCluster =>
    clusterOfSlot(slot, clusters[slot] ?? slot, registered);
  const words = (slot: string): SlotWords => ({ slot, clusters: clusterOf(slot).names });
  const of = (slot: string): readonly Application[] =>
    applications.filter((each) => isDeployedTo(each, clusterOf(slot)));
  const findings = slotsToJudge(window).map((slot) => {
    const own = of(slot);
    const lacking = referenceSlots(window).flatMap((old) => uncovered(of(old), words(old), own, words(slot)));
    const hasTraffic = (window.live[slot] ?? 0) > 0;
    return judgeSlot(slot, own, lacking, (each) => hasTraffic && waitsForShift(each, projects, window.to));
  });
  return combinedResult(findings);
}

function judgeSlot(
  slot: string,
  own: readonly Application[],
  lacking: readonly Application[],
  waits: (application: Application) => boolean,
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
  const reasons = [
    own.length === 0
      ? 'no Application'
      : `${well - waiting.length} of ${own.length} Applications Synced and Healthy`,
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
      { name: 'healthy Applications', slot, value: well, unit: 'count', min: own.length + lacking.length },
      { name: 'missing Applications', slot, value: lacking.length, unit: 'count', max: 0 },
    ],
  };
}

function statusOf({ sync, health }: Application): CheckStatus {
  if (health === 'Degraded') {
    return 'fail';
  }
  return sync === 'Synced' && health === 'Healthy' ? 'pass' : 'inconclusive';
}

function stateOf({ sync, health, phase }: Application): string {
  if (sync === undefined && health === undefined) {
    return 'not looked at yet';
  }
  const failed = phase === 'Failed' || phase === 'Error' ? ' (its last sync failed)' : '';
  return [sync, health].filter((each) => each !== undefined).join(' and ') + failed;
}

/** A reason is one line: three names, and how many more there are. */
function few(all: readonly string[]): readonly string[] {
  return all.length <= 3 ? all : [...all.slice(0, 3), `${all.length - 3} more`];
}
