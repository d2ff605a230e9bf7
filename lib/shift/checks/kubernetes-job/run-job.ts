import { within } from '../../../core/async';
import type { Clock } from '../../../core/async';
import type { KubernetesObject } from '../../../core/kubernetes/api';
import { KubernetesError, isKubernetesError } from '../../../core/kubernetes/errors';
import { shortMessage } from '../../../core/redaction';
import { errorLine } from '../../../core/validation/problems';
import { SourceError } from '../../engine';
import type { CheckResult, CheckStatus } from '../../engine';
import type { JobServer } from '../check-context';
import { jobObject, jobReference, ownershipOf, wantedAt } from './job';
import type { WantedJob } from './job';
import { failedContainer, jobState, lastWordsOf, logLimits } from './job-state';
import type { JobState, ObservedJob } from './job-state';

/** How long one call waits for the end of a Job, in milliseconds; then it says how far the Job is. */
const lookMs = 10_000;

/** Between two looks, in milliseconds. */
const everyMs = 1_000;

/** No log is waited for longer, in milliseconds: a node may be gone. */
const logMs = 4_000;

/** What is remembered of Jobs from one call of a check to the next, by their names; a run that goes on does without. */
export interface JobMemory {
  /** Verdicts: their Jobs are removed. */
  readonly verdicts: Map<string, { readonly at: number; readonly result: CheckResult }>;
  /** Jobs that were there, with what was last in their way. */
  readonly seen: Map<string, string | undefined>;
}

/** What a look at a Job is made with. */
export interface JobLook {
  readonly server: JobServer;
  readonly clock: Clock;
  readonly memory: JobMemory;
  /** When this run of the shift began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts a Job unless it is there, and waits a little for its end. One whose verdict is taken is removed.
 *
 * A signal ends the waiting and leaves the Job as it is, like a kill: the next run finds it.
 *
 * @throws KubernetesError; SourceError where a Job of somebody else has its name
 */
export async function runJob(wanted: WantedJob, look: JobLook): Promise<CheckResult> {
  const { clock, memory, startedAt, signal } = look;
  const { name } = jobReference(wanted).metadata;
  const known = memory.verdicts.get(name);
  if (known && known.at >= startedAt) {
    return known.result;
  }
  const until = clock.now() + lookMs;
  for (;;) {
    signal?.throwIfAborted();
    const obstacle = memory.seen.get(name);
    const found = await lookOnce(wanted, look);
    if (found.status !== 'inconclusive') {
      memory.seen.delete(name);
      memory.verdicts.set(name, { at: clock.now(), result: found });
      return found;
    }
    // What is newly in its way is said at once.
    if (clock.now() + everyMs >= until || memory.seen.get(name) !== obstacle) {
      return found;
    }
    await clock.sleep(everyMs, signal);
  }
}

async function lookOnce(wanted: WantedJob, look: JobLook): Promise<CheckResult> {
  const { server, memory, startedAt, signal } = look;
  const { name } = jobReference(wanted).metadata;
  const answer = answerer(wanted);
  const found = await findOrCreate(wanted, look);
  if ('refused' in found) {
    return answer('fail', found.refused, true);
  }
  const { job } = found;
  const ownership = ownershipOf(job, wanted);
  if (ownership === 'foreign') {
    throw new SourceError(
      `${server.server}: ${title(wanted)} is there already, and is not of this check: its labels or annotations differ`,
    );
  }
  if (job.metadata.deletionTimestamp !== undefined) {
    return answer('inconclusive', 'an earlier one of that name is being removed');
  }
  const observed = await observe(wanted, job, look);
  const state = jobState(observed);
  const isOver = state.state === 'complete' || state.state === 'failed';
  const isOld = isOver && wantedAt(job) < startedAt - wanted.timeoutMs;
  if (ownership === 'otherSpec' || isOld) {
    await remove(job, look);
    return answer('inconclusive', 'an earlier one of that name is removed first');
  }
  if (state.state === 'running') {
    memory.seen.set(name, state.obstacle ?? memory.seen.get(name));
    const seconds = Math.max(0, Math.round(observed.ageMs / 1000));
    const obstacle = state.obstacle === undefined ? '' : `, and ${state.obstacle}`;
    return answer('inconclusive', `has not ended after ${seconds} s${obstacle}`);
  }
  const text = await verdictText(wanted, observed, state, look);
  const problem = await remove(job, look).then(
    () => '',
    (error: unknown) => {
      signal?.throwIfAborted();
      return ` (it could not be removed: ${errorLine(error)})`;
    },
  );
  const status = state.state === 'complete' ? 'pass' : 'fail';
  return answer(status, `${text}${problem}`, state.state === 'stuck');
}

/** The Job as it is there by now, or why there will be none. */
async function findOrCreate(
  wanted: WantedJob,
  { server, clock, memory, signal }: JobLook,
): Promise<{ readonly job: KubernetesObject } | { readonly refused: string }> {
  const reference = jobReference(wanted);
  const { name } = reference.metadata;
  try {
    return { job: await server.get(reference, signal) };
  } catch (error) {
    if (!isKubernetesError(error, 'notFound')) {
      throw error;
    }
  }
  if (memory.seen.has(name)) {
    return { refused: 'was removed by somebody else before it ended' };
  }
  try {
    const job = await server.create(jobObject(wanted, clock.now()), signal ? { signal } : {});
    memory.seen.set(name, undefined);
    return { job };
  } catch (error) {
    if (isKubernetesError(error, 'alreadyExists')) {
      return { job: await server.get(reference, signal) };
    }
    if (error instanceof KubernetesError && isRefusal(error)) {
      return { refused: `can't be created: ${shortMessage(error.message)}` };
    }
    throw error;
  }
}

/** Whether a Job is refused for what it is, and not for who creates it. */
function isRefusal({ reason, message }: KubernetesError): boolean {
  return (
    reason === 'invalid' ||
    (reason === 'denied' &&
      /exceeded quota|failed quota|admission webhook|ValidatingAdmissionPolicy|violates PodSecurity/.test(
        message,
      ))
  );
}

async function observe(wanted: WantedJob, job: KubernetesObject, look: JobLook): Promise<ObservedJob> {
  const { server, clock, signal } = look;
  const { uid, name } = job.metadata;
  const known = {
    job,
    pods: [],
    events: [],
    ageMs: clock.now() - wantedAt(job),
    timeoutMs: wanted.timeoutMs,
  };
  if (jobState(known).state === 'complete') {
    return known;
  }
  const { namespace } = wanted;
  const listed = await server.list(
    { apiVersion: 'v1', kind: 'Pod' },
    { namespace, labelSelector: `job-name=${name}`, ...(signal ? { signal } : {}) },
  );
  const pods = listed.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
  const events =
    pods.length > 0
      ? []
      : await server.list(
          { apiVersion: 'v1', kind: 'Event' },
          { namespace, fieldSelector: `involvedObject.uid=${uid}`, ...(signal ? { signal } : {}) },
        );
  return { ...known, pods, events };
}

async function verdictText(
  wanted: WantedJob,
  { pods, ageMs }: ObservedJob,
  state: Exclude<JobState, { readonly state: 'running' }>,
  look: JobLook,
): Promise<string> {
  if (state.state === 'complete') {
    return `complete after ${Math.max(0, Math.round(ageMs / 1000))} s`;
  }
  if (state.state === 'stuck') {
    return `does not run: ${state.why}`;
  }
  const obstacle = look.memory.seen.get(jobReference(wanted).metadata.name);
  const container = failedContainer(pods);
  const words = container ? await lastWords(wanted, container, look) : undefined;
  return [
    `failed (${state.why})`,
    ...(container ? [container.text] : obstacle === undefined ? [] : [obstacle]),
    ...(words === undefined ? [] : [`its last words: ${words}`]),
  ].join(', ');
}

/** The end of the log, or what the container left instead; nothing where that can't be read. */
async function lastWords(
  { namespace }: WantedJob,
  { pod, container, message }: NonNullable<ReturnType<typeof failedContainer>>,
  { server, signal }: JobLook,
): Promise<string | undefined> {
  const left = message === undefined ? undefined : lastWordsOf(message);
  try {
    const log = await within(logMs, signal, (own) =>
      server.podLog({ namespace, pod, container, ...logLimits, timeout: logMs, signal: own }),
    );
    return lastWordsOf(log ?? '') ?? left;
  } catch (error) {
    signal?.throwIfAborted();
    return left ?? (isKubernetesError(error, 'denied') ? 'not known, the log may not be read' : undefined);
  }
}

/** Removes this very Job, with its pods; one that is gone is removed. */
async function remove(job: KubernetesObject, { server, signal }: JobLook): Promise<void> {
  const { uid } = job.metadata;
  try {
    await server.remove(
      { ...job, apiVersion: 'batch/v1', kind: 'Job' },
      { propagation: 'Background', ...(uid !== undefined && { uid }), ...(signal ? { signal } : {}) },
    );
  } catch (error) {
    if (!isKubernetesError(error, 'notFound', 'conflict')) {
      throw error;
    }
  }
}

function title(wanted: WantedJob): string {
  const { name, namespace } = jobReference(wanted).metadata;
  return `Job ${namespace}/${name}`;
}

function answerer(wanted: WantedJob) {
  return (status: CheckStatus, text: string, holds = false): CheckResult => ({
    status,
    reason: `${wanted.slot}: ${title(wanted)} ${text}`,
    figures: [
      {
        name: 'failed Jobs',
        slot: wanted.slot,
        value: status === 'inconclusive' ? null : status === 'pass' ? 0 : 1,
        unit: 'count',
        max: 0,
      },
    ],
    ...(holds && status === 'fail' && { holds }),
  });
}
