import type { KubernetesObject } from '../../../core/kubernetes/api';
import { shortMessage } from '../../../core/redaction';
import { isPlainObject } from '../../../core/validation/problems';

/** A Job, and what is known of it. */
export interface ObservedJob {
  readonly job: KubernetesObject;
  /** Its pods. */
  readonly pods: readonly KubernetesObject[];
  /** Events about the Job. */
  readonly events: readonly KubernetesObject[];
  /** Since when it is wanted, in milliseconds. */
  readonly ageMs: number;
  /** How long it may take, in milliseconds. */
  readonly timeoutMs: number;
}

/** How far a Job is. */
export type JobState =
  | { readonly state: 'complete' }
  | { readonly state: 'failed'; readonly why: string }
  /** It will not run, or has not run in time: that says nothing of what it would have found. */
  | { readonly state: 'stuck'; readonly why: string }
  | {
      readonly state: 'running';
      /** What it waits for. @default - nothing is known to be in its way */
      readonly obstacle?: string;
    };

/** A registry that hiccups and a Secret that is about to come are given this long, in milliseconds. */
export const obstacleGraceMs = 15_000;

/** The controller of Jobs ends one at its deadline; one that no controller looks at is given up a little later. */
export const deadlineGraceMs = 30_000;

/**
 * States of a container in which the kubelet has tried in vain, and those that no try makes better.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/images/types.go
 */
const final = ['ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull'];

/** States of a container that may pass. @see https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/kuberuntime/kuberuntime_container.go */
const passing = [
  'ErrImagePull',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
];

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

/**
 * What the conditions of a Job, its pods and its events amount to. A Job that has ended says so in its conditions; before that,
 * what is in its way is named: an image that can't be pulled, a quota, a webhook that refuses its pod, no node with room.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/job/#terminal-job-conditions
 */
export function jobState(observed: ObservedJob): JobState {
  const { job, ageMs, timeoutMs } = observed;
  const conditions = conditionsOf(job);
  if (isTrue(conditions, 'Complete')) {
    return { state: 'complete' };
  }
  // The second one comes before the first: the verdict is made, and pods with their logs are still there.
  const failed = isTrue(conditions, 'Failed') ?? isTrue(conditions, 'FailureTarget');
  if (failed) {
    return { state: 'failed', why: saying(failed) };
  }
  const found = obstacleIn(observed, conditions);
  if (found && (found.isFinal || (found.passes && ageMs >= obstacleGraceMs))) {
    return { state: 'stuck', why: found.text };
  }
  if (ageMs >= timeoutMs + deadlineGraceMs) {
    return { state: 'stuck', why: found?.text ?? 'it has not ended, and nothing has ended it' };
  }
  return { state: 'running', ...(found && { obstacle: found.text }) };
}

interface Obstacle {
  readonly text: string;
  /** Whether waiting is of no use. */
  readonly isFinal?: boolean;
  /** Whether it may pass soon, if ever. */
  readonly passes?: boolean;
}

function obstacleIn({ pods, events }: ObservedJob, conditions: readonly Condition[]): Obstacle | undefined {
  if (isTrue(conditions, 'Suspended')) {
    return { text: 'it is suspended' };
  }
  for (const pod of pods) {
    const found = containerObstacle(pod) ?? schedulingObstacle(pod);
    if (found) {
      return found;
    }
  }
  const refusal = pods.length === 0 ? newestRefusal(events) : undefined;
  return refusal === undefined ? undefined : { text: `no pod can be created: ${refusal}`, passes: true };
}

function containerObstacle(pod: KubernetesObject): Obstacle | undefined {
  for (const { name, state } of containersOf(pod)) {
    const { reason = '', message } = (state?.waiting ?? {}) as Condition;
    const isFinal = final.includes(reason);
    if (isFinal || passing.includes(reason)) {
      return {
        text: `container ${shown(name)}: ${saying({ reason, message: message ?? '' })}`,
        isFinal,
        passes: true,
      };
    }
  }
  return undefined;
}

function schedulingObstacle(pod: KubernetesObject): Obstacle | undefined {
  const condition = conditionsOf(pod).find(
    ({ type, status, reason }) => type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable',
  );
  return condition && { text: `no node takes its pod: ${saying(condition)}` };
}

/** The controller of Jobs tells of a pod that it can't create by an event alone. */
function newestRefusal(events: readonly KubernetesObject[]): string | undefined {
  const refusals = events
    .filter(({ reason }) => reason === 'FailedCreate')
    .sort((a, b) => timeOf(b) - timeOf(a));
  const message = refusals[0]?.message;
  return typeof message === 'string' ? shown(message) : undefined;
}

function timeOf({ metadata, lastTimestamp, eventTime }: KubernetesObject): number {
  const text = [lastTimestamp, eventTime, metadata.creationTimestamp].find(
    (each) => typeof each === 'string',
  );
  return Date.parse(String(text)) || 0;
}

/** What a pod's container has come to, for who looks for a cause. */
export interface EndedContainer {
  /** Name of the pod. */
  readonly pod: string;
  readonly container: string;
  /** `container check ended with 1 (Error)` */
  readonly text: string;
  /** What it left as its termination message. @default - nothing */
  readonly message?: string;
}

/** The container that ended badly last; undefined where none is known to have done so. */
export function failedContainer(pods: readonly KubernetesObject[]): EndedContainer | undefined {
  const ended = pods.flatMap((pod) =>
    containersOf(pod).flatMap(({ name, state }) => {
      const { exitCode, reason, message, finishedAt } = isPlainObject(state?.terminated)
        ? state.terminated
        : {};
      if (typeof exitCode !== 'number' || exitCode === 0) {
        return [];
      }
      const why = typeof reason === 'string' && reason !== 'Error' ? ` (${shown(reason)})` : '';
      const text = `container ${shown(name)} ended with ${exitCode}${why}`;
      const said = typeof message === 'string' && message.trim() !== '' ? { message } : {};
      return [
        { pod: pod.metadata.name, container: name, text, at: Date.parse(String(finishedAt)) || 0, ...said },
      ];
    }),
  );
  const [last] = ended.sort((a, b) => b.at - a.at);
  return last;
}

interface ContainerStatus {
  readonly name: string;
  readonly state?: { readonly waiting?: unknown; readonly terminated?: unknown };
}

function containersOf({ status }: KubernetesObject): readonly ContainerStatus[] {
  const { initContainerStatuses, containerStatuses } = isPlainObject(status) ? status : {};
  return [initContainerStatuses, containerStatuses]
    .flatMap((each): readonly unknown[] => (Array.isArray(each) ? each : []))
    .filter((each): each is ContainerStatus => isPlainObject(each) && typeof each.name === 'string');
}

function conditionsOf({ status }: KubernetesObject): readonly Condition[] {
  const { conditions } = isPlainObject(status) ? status : {};
  return Array.isArray(conditions) ? (conditions as readonly unknown[]).filter(isPlainObject) : [];
}

function isTrue(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find((each) => each.type === type && each.status === 'True');
}

function saying({ reason, message }: Condition): string {
  return [reason, message]
    .filter((each): each is string => typeof each === 'string' && each !== '')
    .map(shown)
    .join(': ');
}

/** Texts of others, on one line and cut, without what looks like a secret. */
function shown(text: string): string {
  return shortMessage(text, 300);
}

/** The most of a log that is asked for, in lines and bytes. */
export const logLimits = { tailLines: 5, limitBytes: 16_384 } as const;

/**
 * The last words of a log, fit to be shown: a few lines as one, cut, and without what looks like a secret. What a program
 * prints otherwise can't be known to be one.
 */
export function lastWordsOf(log: string): string | undefined {
  const lines = log
    .split('\n')
    .map((each) => each.trim())
    .filter(Boolean)
    .slice(-logLimits.tailLines);
  return lines.length > 0 ? shown(lines.join(' | ')) : undefined;
}
