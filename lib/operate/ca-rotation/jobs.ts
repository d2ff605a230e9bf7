import type { KubernetesObject, KubernetesReader, ObjectReference } from '../../core/kubernetes/api';

/** What became of a Job of a CA rotation. */
export interface JobResult {
  /** Name of the Job. */
  readonly name: string;
  /** Whether it runs, and how it ended. */
  readonly state: 'running' | 'succeeded' | 'failed';
  /** What its last pod that ended said, a line each; else what the Job's controller says. */
  readonly message: readonly string[];
}

interface Job extends KubernetesObject {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
}

interface Pod extends KubernetesObject {
  readonly status?: {
    readonly containerStatuses?: readonly {
      readonly state?: {
        readonly terminated?: { readonly message?: string; readonly finishedAt?: string };
      };
    }[];
  };
}

/** Label of the pods of a Job. @see https://kubernetes.io/docs/reference/labels-annotations-taints/ */
const jobNameLabel = 'batch.kubernetes.io/job-name';

/**
 * What became of a Job. Its pods leave their last words in their termination messages, which outlive them as long as the
 * pods are there.
 *
 * @see https://kubernetes.io/docs/tasks/debug/debug-application/determine-reason-pod-failure/
 */
export function jobResult(job: KubernetesObject, pods: readonly KubernetesObject[]): JobResult {
  const { status, metadata } = job as Job;
  const ended = (type: string) =>
    status?.conditions?.find((each) => each.type === type && each.status === 'True');
  const failed = ended('Failed');
  const said = lastMessage(pods) ?? failed?.message ?? '';
  return {
    name: metadata.name,
    state: failed ? 'failed' : ended('Complete') ? 'succeeded' : 'running',
    message: said
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  };
}

function lastMessage(pods: readonly Pod[]): string | undefined {
  return pods
    .flatMap(({ status }) => status?.containerStatuses ?? [])
    .flatMap(({ state }) => state?.terminated ?? [])
    .filter(({ message = '' }) => message.trim() !== '')
    .sort((one, other) => Date.parse(other.finishedAt ?? '') - Date.parse(one.finishedAt ?? ''))[0]?.message;
}

/**
 * Reads what became of a Job.
 *
 * @throws KubernetesError `notFound` where it is not there
 */
export async function readJobResult(
  api: KubernetesReader,
  { name, namespace }: ObjectReference['metadata'],
  signal?: AbortSignal,
): Promise<JobResult> {
  const job = await api.get(
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    },
    signal,
  );
  return jobResult(job, await podsOf(api, job, signal));
}

/** What became of a CA rotation's Jobs, the newest last. */
export interface CaRotationJobs {
  /** Version of this document. */
  readonly schemaVersion: 1;
  /** Whether the newest one has succeeded. */
  readonly passed: boolean;
  /** What became of each of them. */
  readonly jobs: readonly JobResult[];
}

/**
 * Reads what became of every Job of a CA rotation that is there.
 *
 * @param renewed name of the new generation: `NAME-gGENERATION`
 * @throws KubernetesError
 */
export async function readCaRotationJobs(
  api: KubernetesReader,
  { renewed, namespace }: { readonly renewed: string; readonly namespace: string },
  signal?: AbortSignal,
): Promise<CaRotationJobs> {
  const all = await api.list(
    { apiVersion: 'batch/v1', kind: 'Job' },
    { namespace, ...(signal ? { signal } : {}) },
  );
  const own = all
    .filter(({ metadata }) => isRotationJob(metadata.name, renewed))
    .sort((one, other) => createdAt(one) - createdAt(other));
  const jobs = await Promise.all(own.map(async (job) => jobResult(job, await podsOf(api, job, signal))));
  return { schemaVersion: 1, passed: jobs.at(-1)?.state === 'succeeded', jobs };
}

/** As the Jobs of a CA rotation are called: the generation, what the Job does, and a hash of its content. */
function isRotationJob(name: string, renewed: string): boolean {
  return (
    name.startsWith(`${renewed}-`) &&
    /^(bundle|gate|retire)-[0-9a-f]{8}$/.test(name.slice(renewed.length + 1))
  );
}

function createdAt({ metadata }: KubernetesObject): number {
  return Date.parse(metadata.creationTimestamp ?? '');
}

function podsOf(
  api: KubernetesReader,
  { metadata: { name, namespace } }: KubernetesObject,
  signal?: AbortSignal,
): Promise<readonly KubernetesObject[]> {
  return api.list(
    { apiVersion: 'v1', kind: 'Pod' },
    {
      labelSelector: `${jobNameLabel}=${name}`,
      ...(namespace === undefined ? {} : { namespace }),
      ...(signal ? { signal } : {}),
    },
  );
}
