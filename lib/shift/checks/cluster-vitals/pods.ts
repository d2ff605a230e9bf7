import type { KubernetesObject } from '../../../core/kubernetes/api';
import {
  aboutOf,
  conditionOf,
  fieldsOf,
  lastSeen,
  mostSaid,
  objectsOf,
  sinceOf,
  textOf,
  timeOf,
} from './objects';
import type { VitalCount, VitalTimes } from './vitals';

/** Vitals of pods. */
type PodVital = 'restarts' | 'oomKills' | 'pendingPods' | 'imagePulls' | 'podNetworks';

/** Counts pods by what is wrong with them. */
export function podVitals(
  pods: readonly KubernetesObject[],
  events: readonly KubernetesObject[],
  times: VitalTimes,
): Readonly<Record<PodVital, VitalCount>> {
  const present = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const running = present.filter((pod) => !/^(Succeeded|Failed)$/.test(textOf(fieldsOf(pod.status).phase)));
  const stuck = running.flatMap((pod) => stuckOf(pod, sandboxFailures(events)));
  const stuckBy = (vital: PodVital): VitalCount => countOf(vital, stuck, running.length, times);
  return {
    restarts: happened(running, restartOf, times),
    // A Job's pod that was killed does not run any more.
    oomKills: happened(present, killOf, times),
    pendingPods: stuckBy('pendingPods'),
    imagePulls: stuckBy('imagePulls'),
    podNetworks: stuckBy('podNetworks'),
  };
}

/**
 * Counts pods that something has happened to. What happens to a pod that starts may pass, as where it waits for another one by
 * ending; what was over by the time that it had to have started does not count.
 */
function happened(
  pods: readonly KubernetesObject[],
  when: (pod: KubernetesObject) => number | undefined,
  { since, to, grace }: VitalTimes,
): VitalCount {
  let waiting = 0;
  const affected = pods.filter((pod) => {
    const at = when(pod) ?? Number.NEGATIVE_INFINITY;
    const started = sinceOf(pod, conditionOf(pod, 'PodScheduled'));
    const isStarting = at - started < grace;
    // The cluster's clock may be ahead, so that there is no upper bound.
    waiting += at >= since && isStarting && to - started < grace ? 1 : 0;
    return at >= since && !isStarting;
  });
  const names = affected.map(({ metadata: { namespace = '', name } }) => `${namespace}/${name}`);
  return {
    ...{ affected: affected.length, waiting, of: pods.length },
    ...(names.length === 0 ? {} : { cause: names.slice(0, 3).join(', ') + (names.length > 3 ? ', …' : '') }),
  };
}

/** A pod that does not start. */
interface StuckPod {
  readonly vital: PodVital;
  readonly since: number;
  readonly cause: string;
}

function countOf(
  vital: PodVital,
  stuck: readonly StuckPod[],
  of: number,
  { to, grace }: VitalTimes,
): VitalCount {
  const all = stuck.filter((each) => each.vital === vital);
  const affected = all.filter(({ since }) => to - since >= grace);
  const cause = mostSaid(all.map((each) => each.cause));
  return {
    affected: affected.length,
    waiting: all.length - affected.length,
    of,
    ...(cause === undefined ? {} : { cause }),
  };
}

/**
 * Reasons of a container that waits because of its image.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/kubelet/images/types.go
 */
const ofImages =
  /^(ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull|ImageInspectError|RegistryUnavailable|SignatureValidationFailed)$/;

function stuckOf(pod: KubernetesObject, sandboxes: ReadonlyMap<string, string>): readonly StuckPod[] {
  const status = fieldsOf(pod.status);
  const waiting = containersOf(pod).map((each) => fieldsOf(fieldsOf(each.state).waiting));
  const image = waiting.find(({ reason }) => ofImages.test(textOf(reason)));
  const scheduled = conditionOf(pod, 'PodScheduled');
  const since = sinceOf(pod, scheduled);
  if (image !== undefined) {
    const message = textOf(image.message);
    return [{ vital: 'imagePulls', since, cause: `${textOf(image.reason)}${message && `: ${message}`}` }];
  }
  if (status.phase !== 'Pending' || textOf(status.podIP) !== '') {
    return [];
  }
  if (scheduled?.status !== 'True' && textOf(fieldsOf(pod.spec).nodeName) === '') {
    // One with a scheduling gate waits for somebody on purpose.
    // See https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/
    return scheduled?.reason === 'SchedulingGated'
      ? []
      : [{ vital: 'pendingPods', since, cause: textOf(scheduled?.message) || 'not scheduled yet' }];
  }
  const failure = sandboxes.get(textOf(pod.metadata.uid));
  return failure === undefined
    ? [{ vital: 'pendingPods', since, cause: 'scheduled, and its containers are not there' }]
    : [{ vital: 'podNetworks', since, cause: failure }];
}

/**
 * What the VPC CNI says to a kubelet where it has no address for a pod; the kubelet puts it into an event.
 *
 * @see https://github.com/aws/amazon-vpc-cni-k8s/issues/1791
 * @see https://docs.aws.amazon.com/eks/latest/best-practices/vpc-cni.html
 */
const noAddress = 'failed to assign an IP address to container';

/** Reason of a kubelet's event where a pod gets no sandbox, which is where its network is made. */
const sandboxFailed = 'FailedCreatePodSandBox';

/** The last such event of each pod, by the pod's `uid`. */
function sandboxFailures(events: readonly KubernetesObject[]): ReadonlyMap<string, string> {
  const newest = new Map<string, { readonly at: number; readonly cause: string }>();
  for (const event of events.filter(({ reason }) => reason === sandboxFailed)) {
    const { uid } = aboutOf(event);
    const at = lastSeen(event) ?? 0;
    if (at >= (newest.get(uid)?.at ?? 0)) {
      newest.set(uid, { at, cause: `${sandboxFailed}: ${sandboxCause(textOf(event.message))}` });
    }
  }
  return new Map([...newest].map(([uid, { cause }]) => [uid, cause]));
}

/** Ids of sandboxes and names of pods differ in every event, and say nothing. */
function sandboxCause(message: string): string {
  if (message.includes(noAddress)) {
    return `aws-cni: ${noAddress}`;
  }
  const [, cause = message] = / failed \(add\): (.*)$/s.exec(message) ?? [];
  return cause.replace(/"[0-9a-f]{64}"/g, '…');
}

function containersOf({ status }: KubernetesObject): readonly Readonly<Record<string, unknown>>[] {
  const { initContainerStatuses, containerStatuses } = fieldsOf(status);
  return [...objectsOf(initContainerStatuses), ...objectsOf(containerStatuses)];
}

/** The counter of restarts has no time, and goes with its pod: the end of the container before this one has one. */
function restartOf(pod: KubernetesObject): number | undefined {
  return latest(
    containersOf(pod)
      .filter(({ restartCount }) => Number(restartCount) > 0)
      .map(({ lastState }) => timeOf(fieldsOf(fieldsOf(lastState).terminated).finishedAt)),
  );
}

function killOf(pod: KubernetesObject): number | undefined {
  return latest(
    containersOf(pod)
      .flatMap(({ state, lastState }) => [state, lastState])
      .map((each) => fieldsOf(fieldsOf(each).terminated))
      .filter(({ reason }) => reason === 'OOMKilled')
      .map(({ finishedAt }) => timeOf(finishedAt)),
  );
}

function latest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
