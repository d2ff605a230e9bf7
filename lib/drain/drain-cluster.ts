import type { KubernetesApi } from '../kubernetes';
import { isKubernetesError } from '../kubernetes';
import type { Clock } from '../shift';
import type { ClusterObject } from './cluster-object';
import { clusterObject, drainedKinds, objectText } from './cluster-object';
import type { DrainTimes } from './drain-settings';
import type { DrainStep } from './drain-machine';
import { beginDrain, drainStep, endLines } from './drain-machine';

/** What emptying a cluster needs. */
export interface ClusterDrain {
  readonly api: KubernetesApi;
  readonly times: DrainTimes;
  readonly clock: Clock;
  /** Whether TargetGroupBindings stay, since traffic comes by them. */
  readonly keepsBindings: boolean;
  /** A line about what goes on. */
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** What became of the objects in a cluster. */
export interface ClusterOutcome {
  /** Whether everything that had to go has gone, or the API server was not there. */
  readonly verdict: 'empty' | 'late' | 'contested' | 'unreachable' | 'interrupted';
  /** What was deleted or scaled to 0: `Ingress shop/web`. */
  readonly acted: readonly string[];
  /** What is left, one line each. */
  readonly left: readonly string[];
  /** Why the API server could not be asked. */
  readonly unreachable?: string;
}

/** Between two looks, in milliseconds. */
const interval = 5_000;

/**
 * Every object that has to go, or to rest.
 *
 * @throws KubernetesError
 */
export async function clusterObjects({
  api,
  times,
  keepsBindings,
  signal,
}: Pick<ClusterDrain, 'api' | 'times' | 'keepsBindings' | 'signal'>): Promise<ClusterObject[]> {
  const kinds = drainedKinds.filter(
    ({ phase }) =>
      !(phase === 'bindings' && keepsBindings) && !(phase === 'volumes' && times.volumes !== 'delete'),
  );
  const found: ClusterObject[] = [];
  for (const kind of kinds) {
    try {
      const objects = await api.list(kind, { signal });
      found.push(
        ...objects.map((object) => clusterObject(kind, object)).filter((each) => each !== undefined),
      );
    } catch (error) {
      if (!isKubernetesError(error, 'unsupported', 'notFound')) {
        throw error;
      }
    }
  }
  return found;
}

/**
 * Empties a cluster, phase by phase, and waits until controllers have removed what they made.
 *
 * @throws KubernetesError where the API server answers, and does not let it
 */
export async function drainCluster(drain: ClusterDrain): Promise<ClusterOutcome> {
  const { api, times, clock, say, signal } = drain;
  const acted = new Set<string>();
  let state = beginDrain(clock.now());
  let told = '';
  const outcome = (rest: Pick<ClusterOutcome, 'verdict' | 'left' | 'unreachable'>): ClusterOutcome => ({
    ...rest,
    acted: [...acted],
  });
  try {
    for (;;) {
      const objects = await clusterObjects(drain);
      const step = drainStep(state, { now: clock.now(), objects }, times.withinMs);
      ({ state } = step);
      if (step.ended !== undefined) {
        return outcome({ verdict: step.ended, left: endLines(step) });
      }
      if (signal?.aborted) {
        return outcome({ verdict: 'interrupted', left: step.waitsFor.map(objectText) });
      }
      for (const object of step.act) {
        await act(api, object, signal);
        acted.add(objectText(object));
      }
      told = tell(step, told, say);
      await clock.sleep(interval, signal);
    }
  } catch (error) {
    if (signal?.aborted) {
      return outcome({ verdict: 'interrupted', left: [] });
    }
    if (isKubernetesError(error, 'unreachable')) {
      return outcome({ verdict: 'unreachable', left: [], unreachable: (error as Error).message });
    }
    throw error;
  }
}

async function act(
  api: KubernetesApi,
  object: ClusterObject,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { apiVersion, kind, name, namespace, uid, action } = object;
  const reference = { apiVersion, kind, metadata: { name, namespace } };
  try {
    await (action === 'delete'
      ? api.remove(reference, { uid, signal })
      : api.patch(reference, { spec: { replicas: 0 } }, { fieldManager: 'cluster-canary-drain', signal }));
  } catch (error) {
    // It went, or another one came in its place: the next look tells.
    if (!isKubernetesError(error, 'notFound', 'conflict')) {
      throw error;
    }
  }
}

const words = {
  entrances: 'Load balancers',
  bindings: 'TargetGroupBindings',
  volumes: 'Volumes',
  nodes: "Karpenter's nodes",
} as const;

/** Says what is waited for where that has changed; answers what was said. */
function tell({ phase, waitsFor }: DrainStep, before: string, say: (line: string) => void): string {
  const line = `${words[phase!]}: waits for ${waitsFor.map(objectText).join(', ')}`;
  if (line !== before) {
    say(line);
  }
  return line;
}
