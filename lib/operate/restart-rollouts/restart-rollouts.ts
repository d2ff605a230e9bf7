import { randomBytes } from 'node:crypto';
import { rolloutKind } from '../../core/kubernetes/api';
import type { KubernetesApi, KubernetesObject, ObjectReference } from '../../core/kubernetes/api';
import { KubernetesError, isKubernetesError } from '../../core/kubernetes/errors';
import { restartDecision, restartHistory, rfc3339, withRestart } from './decision';
import type { RestartDecision, RestartLimits } from './decision';
import type { Pod, ObservedRollout } from './rollout';

/** `APPLICATION:GROUP/KIND:NAMESPACE/NAME`. */
const trackingAnnotation = 'argocd.argoproj.io/tracking-id';

const instanceLabel = 'app.kubernetes.io/instance';

/**
 * Whether an object is of an Argo CD Application, by the annotation or the label that Argo CD itself knows it by. An
 * Application outside of Argo CD's own namespace is called `NAMESPACE_NAME` there.
 *
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/
 */
function isOfApplication({ metadata }: KubernetesObject, application: string): boolean {
  const tracking = metadata.annotations?.[trackingAnnotation];
  const name =
    tracking === undefined ? metadata.labels?.[instanceLabel] : tracking.slice(0, tracking.indexOf(':'));
  return name !== undefined && name.slice(name.indexOf('_') + 1) === application;
}

/** Who restarts. */
interface Restarter {
  /** The Argo CD Application that it is about. */
  readonly application: string;
  /** Name of the pod or the machine. */
  readonly host: string;
}

/** The most characters that the API server takes as a note. */
const longestNote = 1024;

const component = 'cluster-canary';

/** An Event on a Rollout, which `kubectl describe` shows. */
function restartEvent(
  rollout: ObservedRollout,
  { application, host }: Restarter,
  told: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly why: string },
  now: Date,
): KubernetesObject {
  const { name, namespace = 'default', uid, resourceVersion } = rollout.metadata;
  const at = rfc3339(now);
  const message = `cluster-canary (${host}), for the Argo CD Application ${application}: ${told.why}`;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name.slice(0, 200)}.${randomBytes(8).toString('hex')}`, namespace },
    involvedObject: {
      apiVersion: rollout.apiVersion,
      kind: rollout.kind,
      name,
      namespace,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    type: told.type,
    reason: told.reason,
    message: message.slice(0, longestNote),
    source: { component },
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
    reportingComponent: component,
    reportingInstance: host.slice(0, 128),
  };
}

/** Says on the Rollouts that were left alone, though they are degraded, why. */
export async function reportSkipped(
  api: RestartApi,
  request: RestartRequest,
  outcomes: readonly RolloutOutcome[],
  signal?: AbortSignal,
): Promise<RolloutOutcome[]> {
  const told: RolloutOutcome[] = [];
  for (const outcome of outcomes) {
    const silent = request.dryRun === true || !isSkipped(outcome);
    const metadata = { name: outcome.name, namespace: request.namespace };
    const text = { type: 'Warning', reason: 'NotRestarted', why: `not restarted: ${outcome.why}` } as const;
    const rollout = silent ? undefined : await found(api, { ...rolloutKind, metadata }, signal);
    const untold = rollout ? await tell(api, rollout, request, text, new Date(), signal) : {};
    told.push({ ...outcome, ...untold });
  }
  return told;
}

/** Whether a Rollout needs attention. */
export function isSkipped({ outcome }: RestartDecision): boolean {
  return outcome === 'broken' || outcome === 'limited';
}

/**
 * The time by the clock of the API server, which compares it with the pods' times: that of an Event that it makes and
 * does not keep.
 */
async function serverTime(
  api: RestartApi,
  rollout: ObservedRollout,
  restarter: Restarter,
  signal?: AbortSignal,
): Promise<{ readonly now: Date; readonly warning?: string }> {
  const event = restartEvent(
    rollout,
    restarter,
    { type: 'Normal', reason: 'Looked', why: 'looked' },
    new Date(),
  );
  try {
    const { metadata } = await api.create(event, { dryRun: true, ...(signal ? { signal } : {}) });
    const now = new Date(metadata.creationTimestamp ?? '');
    if (!Number.isNaN(now.getTime())) {
      return { now };
    }
    return {
      now: new Date(),
      warning: 'the API server did not send its time; the clock of this host counts',
    };
  } catch (error) {
    if (!(error instanceof KubernetesError && isKubernetesError(error, 'denied', 'invalid'))) {
      throw error;
    }
    return { now: new Date(), warning: `the clock of this host counts: ${error.message}` };
  }
}

/** The object, or `undefined` where it has gone meanwhile. */
async function found(
  api: RestartApi,
  reference: ObjectReference,
  signal?: AbortSignal,
): Promise<KubernetesObject | undefined> {
  try {
    return await api.get(reference, signal);
  } catch (error) {
    if (isKubernetesError(error, 'notFound')) {
      return undefined;
    }
    throw error;
  }
}

/** Writes an Event. What was done counts, also where it can't be reported. */
async function tell(
  api: RestartApi,
  rollout: KubernetesObject,
  restarter: Restarter,
  told: Parameters<typeof restartEvent>[2],
  now: Date,
  signal?: AbortSignal,
): Promise<{ readonly warning?: string }> {
  try {
    await api.create(restartEvent(rollout, restarter, told, now), signal ? { signal } : {});
    return {};
  } catch (error) {
    if (!(error instanceof KubernetesError)) {
      throw error;
    }
    return { warning: `no Event: ${error.message}` };
  }
}

/** How often it is decided anew where the Rollout changed between look and write. */
const tries = 5;

/**
 * Looks once at the Rollouts of an Application in a namespace, and restarts those that are stuck: a merge patch of
 * `spec.restartAt`, with the version that was checked, so that two at once make one restart.
 *
 * @throws KubernetesError where the API server can't be reached
 */
export async function restartRollouts(
  api: RestartApi,
  request: RestartRequest,
  signal?: AbortSignal,
): Promise<RolloutOutcome[]> {
  const { namespace, application } = request;
  const options = { namespace, ...(signal ? { signal } : {}) };
  const rollouts = (await api.list(rolloutKind, options)).filter((each) =>
    isOfApplication(each, application),
  );
  const outcomes: RolloutOutcome[] = [];
  for (const rollout of rollouts as ObservedRollout[]) {
    outcomes.push(await treat(api, request, rollout, signal));
  }
  return outcomes;
}

async function treat(
  api: RestartApi,
  request: RestartRequest,
  listed: ObservedRollout,
  signal?: AbortSignal,
): Promise<RolloutOutcome> {
  const { namespace, limits, dryRun = false } = request;
  const { name } = listed.metadata;
  const options = signal ? { signal } : {};
  let rollout = listed;
  for (let left = tries; ; left -= 1) {
    if (rollout.status?.phase !== 'Degraded') {
      return { name, ...restartDecision(rollout, [], undefined, new Date(), limits) };
    }
    const { now, ...warning } = await serverTime(api, rollout, request, signal);
    const pods = (await api.list(
      { apiVersion: 'v1', kind: 'Pod' },
      { namespace, ...options },
    )) as readonly Pod[];
    const history = restartHistory(rollout);
    const decision = restartDecision(rollout, pods, history, now, limits);
    if (decision.outcome !== 'restart' || history === undefined || dryRun) {
      return { name, ...decision, ...warning };
    }
    const restartAt = rfc3339(now);
    try {
      const patched = await api.patch(
        rollout,
        {
          metadata: {
            resourceVersion: rollout.metadata.resourceVersion,
            annotations: withRestart(history, now),
          },
          spec: { restartAt },
        },
        options,
      );
      const why = `restarted: ${decision.why}`;
      const untold = await tell(
        api,
        patched,
        request,
        { type: 'Normal', reason: 'Restarted', why },
        now,
        signal,
      );
      return { name, ...decision, ...warning, ...untold, restartAt };
    } catch (error) {
      if (!isKubernetesError(error, 'conflict') || left <= 1) {
        throw error;
      }
      rollout = await api.get(rollout, signal);
    }
  }
}

/** What the calls need of an API server: to list and patch Rollouts, to list pods, to create Events. */
export type RestartApi = Pick<KubernetesApi, 'get' | 'list' | 'create' | 'patch'>;

/** Which Rollouts are inspected. */
export interface RestartRequest {
  /** The Argo CD Application. */
  readonly application: string;
  /** Namespace of the Application. */
  readonly namespace: string;
  /** How often and how soon a Rollout may be restarted. */
  readonly limits: RestartLimits;
  /** Name of the pod or the machine that asks, for the Event. */
  readonly host: string;
  /** Whether nothing is written. @default false */
  readonly dryRun?: boolean;
}

/** What became of one Rollout. */
export interface RolloutOutcome extends RestartDecision {
  /** Name of the Rollout. */
  readonly name: string;
  /** What `spec.restartAt` was set to, RFC 3339. Unset where it was not. */
  readonly restartAt?: string;
  /** The Event that could not be written, or the clock that could not be read. Unset where both could. */
  readonly warning?: string;
}
