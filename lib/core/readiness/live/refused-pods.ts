import type { KubernetesObject } from '../../kubernetes/api';
import { rolloutKind } from '../../kubernetes/api';
import type { ReadinessFinding, ReadinessQuestion, ReadinessReport } from '../report';
import { counted, listed, said } from '../words';
import { triedPods } from './pod-templates';
import type { TriedPod } from './pod-templates';
import type { LiveReader } from './reader';
import { refusalOf } from './refusals';
import type { Refusal } from './refusals';
import { liveSubject, namesOf, placeOf, readerOf } from './subject';

const kinds = [
  ...['Deployment', 'StatefulSet', 'DaemonSet'].map((kind) => ({ apiVersion: 'apps/v1', kind })),
  { apiVersion: 'batch/v1', kind: 'CronJob' },
  rolloutKind,
];

/** Dry runs of one look: each asks all webhooks of pods. */
const mostTried = 2_000;

/**
 * Whether the new cluster takes the pods of the workloads here: each pod template is sent there by a server-side dry run,
 * through its defaults, policies, quotas and webhooks. Nothing is stored; whoever asks needs the right to create pods all the
 * same. Policies that depend on who creates a pod may say something else to the controllers that do.
 */
export const refusedPods = liveSubject({
  name: 'refused-pods',
  title: 'pods that the new cluster refuses, by dry run',
  needs: 'newKubernetes',
  access: [
    { apiGroups: ['apps'], resources: ['daemonsets', 'deployments', 'statefulsets'], verbs: ['list'] },
    { apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['list'] },
    { apiGroups: ['argoproj.io'], resources: ['rollouts'], verbs: ['list'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['create'], at: 'newKubernetes' },
  ],
  look,
});

async function look(fresh: LiveReader, question: ReadinessQuestion): Promise<ReadinessReport> {
  const here = readerOf(question, 'kubernetes');
  if (typeof here === 'string') {
    return { findings: [], looked: 'nothing', untried: [`no pod templates to try: ${here}`] };
  }
  const lists = await Promise.all(kinds.map((kind) => here.list(kind)));
  const all = triedPods(lists.flatMap(({ value }) => value ?? []));
  const tried = all.slice(0, mostTried);
  let done = 0;
  const trials = await Promise.all(
    tried.map(async (pod): Promise<Trial> => {
      const refusal = await tryPod(fresh, pod);
      done += 1;
      question.progress(`pods by dry run: ${done} of ${tried.length}`);
      return { pod, refusal };
    }),
  );
  const { findings, untried } = judgeTrials(trials);
  return {
    findings,
    looked: `${counted(tried.length, 'pod template')} of ${counted(
      tried.reduce((sum, { workloads }) => sum + workloads.length, 0),
      'workload',
    )}`,
    untried: [
      ...lists.flatMap((each) => each.untried),
      ...(all.length > tried.length
        ? [`${all.length - tried.length} more pod templates: ${mostTried} are tried at most`]
        : []),
      ...untried,
    ],
  };
}

/** One dry run. */
export interface Trial {
  readonly pod: TriedPod;
  /** @default - the pod would be taken */
  readonly refusal: Refusal | undefined;
}

/** @throws KubernetesError where the new cluster does not answer, or does not accept the credentials */
async function tryPod(fresh: LiveReader, { pod, secrets }: TriedPod): Promise<Refusal | undefined> {
  try {
    await fresh.call(() => fresh.api.tryCreate(pod, fresh.signal));
    return undefined;
  } catch (error) {
    const tolerated = fresh.tolerated(error);
    // The name is not one of a workload: somebody may have a pod of it.
    return tolerated.reason === 'alreadyExists' ? undefined : refusalOf(tolerated, secrets);
  }
}

/** What dry runs mean: a finding for each template that is refused, one for each namespace that is missing. */
export function judgeTrials(trials: readonly Trial[]): Pick<ReadinessReport, 'findings' | 'untried'> {
  const found: ReadinessFinding[] = [];
  const namespaces = new Map<string, { readonly refusal: Refusal; readonly workloads: KubernetesObject[] }>();
  const untried = new Map<string, string[]>();
  for (const { pod, refusal } of trials) {
    if (refusal?.what === 'refused') {
      found.push(refused(pod, refusal));
    } else if (refusal?.what === 'namespace') {
      const known = namespaces.get(refusal.message) ?? { refusal, workloads: [] };
      known.workloads.push(...pod.workloads);
      namespaces.set(refusal.message, known);
    } else if (refusal !== undefined) {
      untried.set(refusal.message, [...(untried.get(refusal.message) ?? []), ...pod.workloads.map(nameOf)]);
    }
  }
  const missing = [...namespaces.values()].map(({ refusal, workloads }) => ({
    finding: {
      id: 'WRK11',
      severity: 'warning',
      message: `${refusal.message} in the new cluster: pods of ${counted(workloads.length, 'workload')} could not be tried`,
      why: 'what its webhooks, quotas and policies say of these pods is not known yet',
      fix: refusal.fix,
    } satisfies ReadinessFinding,
    line: `pods of ${listed(workloads.map(nameOf))}: ${refusal.message} in the new cluster`,
  }));
  return {
    findings: [...found, ...missing.map(({ finding }) => finding)],
    untried: [
      ...missing.map(({ line }) => line),
      ...[...untried].map(([message, names]) => `pods of ${listed(names)}: ${message}`),
    ],
  };
}

function refused({ workloads }: TriedPod, { message, fix }: Refusal): ReadinessFinding {
  const [first] = workloads;
  return {
    id: 'WRK10',
    severity: 'error',
    message: `the new cluster refuses pods of ${listed(workloads.map(nameOf))}: ${message}`,
    why: 'the workload gets no pods there',
    fix,
    ...(first === undefined
      ? {}
      : { object: { apiVersion: first.apiVersion, kind: first.kind, ...namesOf(first.metadata) } }),
  };
}

const nameOf = ({ kind, metadata }: KubernetesObject): string =>
  `${kind} ${said(placeOf(namesOf(metadata)))}`;
