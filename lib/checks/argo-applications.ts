import type { KubernetesReader, KubernetesSettings } from '../kubernetes';
import type { Problem } from '../problems';
import { Problems, dnsLabel } from '../problems';
import type { Check, CheckResult, CheckStatus, CheckWindow } from '../shift';
import { combinedResult, referenceSlots, slotsToJudge, worstStatus } from '../shift';
import type { Application } from './application';
import { applicationsOf } from './application';
import type { ClusterServers } from './application-cluster';
import { isDeployedTo, namesOnlyServer, serversIn } from './application-cluster';
import type { SlotWords } from './application-match';
import { uncovered } from './application-match';
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
          lookUp(reader, namespace, selector, signal),
        );
        return judgeApplications(window, clusters, found.applications, found.servers);
      },
    };
  },
  rights: () => [],
  access: ({ namespace = defaultNamespace }) => [
    {
      cluster: 'hub',
      rule: { apiGroups: ['argoproj.io'], resources: ['applications'], verbs: ['list'], namespace },
    },
    // Only where an Application names its cluster by URL alone.
    { cluster: 'hub', rule: { apiGroups: [''], resources: ['secrets'], verbs: ['list'], namespace } },
  ],
};

const defaultNamespace = 'argocd';

interface Found {
  readonly applications: readonly Application[];
  readonly servers: ClusterServers;
}

async function lookUp(
  reader: KubernetesReader,
  namespace: string,
  labelSelector: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Found> {
  const options = { namespace, ...(signal ? { signal } : {}) };
  const applications = applicationsOf(
    await reader.list(
      { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' },
      { ...options, ...(labelSelector === undefined ? {} : { labelSelector }) },
    ),
  );
  if (!applications.some(namesOnlyServer)) {
    return { applications, servers: serversIn([]) };
  }
  const secrets = await reader.list(
    { apiVersion: 'v1', kind: 'Secret' },
    { ...options, labelSelector: 'argocd.argoproj.io/secret-type=cluster' },
  );
  return { applications, servers: serversIn(secrets) };
}

/**
 * What the Applications of a hub say about the slots of a shift.
 *
 * @param clusters their names in Argo CD, by slot
 */
export function judgeApplications(
  window: CheckWindow,
  clusters: Readonly<Record<string, string>>,
  applications: readonly Application[],
  servers: ClusterServers,
): CheckResult {
  const words = (slot: string): SlotWords => ({ slot, cluster: clusters[slot] ?? slot });
  const of = (slot: string): readonly Application[] =>
    applications.filter((each) => isDeployedTo(each, words(slot).cluster, servers));
  const findings = slotsToJudge(window).map((slot) => {
    const own = of(slot);
    const lacking = referenceSlots(window).flatMap((old) => uncovered(of(old), words(old), own, words(slot)));
    return judgeSlot(slot, own, lacking);
  });
  return combinedResult(findings);
}

function judgeSlot(slot: string, own: readonly Application[], lacking: readonly Application[]): CheckResult {
  const states = own.map((each) => ({ name: each.name, status: statusOf(each), state: stateOf(each) }));
  const well = states.filter(({ status }) => status === 'pass').length;
  const trouble = [
    ...states.filter(({ status }) => status === 'fail'),
    ...states.filter(({ status }) => status === 'inconclusive'),
  ].map(({ name, state }) => `${name} is ${state}`);
  const reasons = [
    own.length === 0 ? 'no Application' : `${well} of ${own.length} Applications Synced and Healthy`,
    ...few(trouble),
    ...(lacking.length > 0 ? [`no counterpart of ${few(lacking.map(({ name }) => name)).join(', ')}`] : []),
  ];
  return {
    status: worstStatus([
      ...states.map(({ status }) => status),
      ...(lacking.length > 0 ? ['inconclusive' as const] : []),
    ]),
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
