import type { KubernetesObject } from '../../../core/kubernetes/api';
import { aboutOf, firstSeen, lastSeen, mostSaid, textOf, timeOf } from './objects';
import { briefGrace } from './vitals';
import type { VitalCount, VitalTimes } from './vitals';

/**
 * The longest pause of a controller that can't create a pod, in milliseconds: so long there is no new event.
 *
 * @see https://github.com/kubernetes/client-go/blob/v0.35.0/util/workqueue/default_rate_limiters.go
 */
const longestPause = 1_000_000;

/**
 * What a ReplicaSet, StatefulSet, DaemonSet or Job says where the API server takes none of its pods: webhooks, quotas,
 * policies.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/controller/controller_utils.go
 */
const refused = 'FailedCreate';

const controllers = /^(ReplicaSet|StatefulSet|DaemonSet|Job|ReplicationController)$/;

/**
 * Counts workloads that get no pods, of those that have tried to. A refusal is over when the workload has got a pod since:
 * controllers of a new cluster are refused pods until its webhooks run.
 */
export function refusalVital(
  pods: readonly KubernetesObject[],
  events: readonly KubernetesObject[],
  times: VitalTimes,
): VitalCount {
  const since = Math.min(times.since, times.to - longestPause);
  const created = newestPods(pods);
  const tried = new Set([...created].filter(([, at]) => at >= since).map(([workload]) => workload));
  const refusals = new Map<string, { from: number; cause: string; at: number }>();
  for (const event of events) {
    const { kind, namespace, name } = aboutOf(event);
    const at = lastSeen(event) ?? Number.NEGATIVE_INFINITY;
    if (event.reason !== refused || !controllers.test(kind) || at < since) {
      continue;
    }
    const workload = workloadOf(namespace, kind, name);
    // Times of objects are whole seconds.
    if ((created.get(workload) ?? Number.NEGATIVE_INFINITY) > at) {
      continue;
    }
    const known = refusals.get(workload);
    const from = Math.min(known?.from ?? at, firstSeen(event) ?? at);
    refusals.set(workload, {
      ...(known !== undefined && known.at > at ? known : { at, cause: causeIn(textOf(event.message)) }),
      from,
    });
  }
  const all = [...refusals.values()];
  const affected = all.filter(({ from }) => times.to - from >= briefGrace(times)).length;
  const cause = mostSaid(all.map((each) => each.cause));
  return {
    affected,
    waiting: all.length - affected,
    of: new Set([...tried, ...refusals.keys()]).size,
    ...(cause === undefined ? {} : { cause }),
  };
}

/** `Error creating: admission webhook …`; a StatefulSet names itself first. */
function causeIn(message: string): string {
  const [, cause = message] = /(?:^Error creating:|failed error:) (.*)$/s.exec(message) ?? [];
  // Names of pods are made anew with each try.
  return `${refused}: ${cause.replace(/^pods "[^"]*" is forbidden: /, 'forbidden: ')}`;
}

/** When each workload got its newest pod. */
function newestPods(pods: readonly KubernetesObject[]): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (const { metadata } of pods) {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller);
    const at = timeOf(metadata.creationTimestamp);
    if (owner !== undefined && at !== undefined) {
      const workload = workloadOf(metadata.namespace ?? '', owner.kind, owner.name);
      newest.set(workload, Math.max(newest.get(workload) ?? at, at));
    }
  }
  return newest;
}

/** A ReplicaSet is one of its Deployment's, and a Job one of its CronJob's: the last part of their names changes. */
function workloadOf(namespace: string, kind: string, name: string): string {
  const stem = kind === 'ReplicaSet' || kind === 'Job' ? name.replace(/-[a-z0-9]+$/, '') : name;
  return `${namespace}/${kind}/${stem}`;
}
