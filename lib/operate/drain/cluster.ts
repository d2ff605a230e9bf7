import type { Clock } from '../../core/async';
import type { KubernetesApi } from '../../core/kubernetes/api';
import { isKubernetesError } from '../../core/kubernetes/errors';
import { clusterObject, drainPhases, drainedKinds, objectText } from './cluster-objects';
import type { ClusterObject, DrainPhase } from './cluster-objects';
import type { DrainTimes } from './settings';

/** How often an object of one name may come back before another process is taken to create it. */
const mostReturns = 3;

/** What a drain of a cluster knows of what it did. */
export interface DrainState {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The objects that it has acted on, by kind and name: each life of one has a uid of its own. */
  readonly acted: Readonly<Record<string, readonly string[]>>;
}

/** What there is now. */
export interface DrainObservation {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly objects: readonly ClusterObject[];
}

/** What comes next. */
interface DrainStep {
  readonly state: DrainState;
  /** The first phase that has something left; undefined where nothing is. */
  readonly phase?: DrainPhase;
  /** What has to be acted on now. */
  readonly act: readonly ClusterObject[];
  /** What is waited for, with what is acted on. */
  readonly waitsFor: readonly ClusterObject[];
  /** Set at the end. */
  readonly ended?: DrainEnd;
}

export type DrainEnd =
  /** Nothing is left. */
  | 'empty'
  /** Something is left, and the time is over. */
  | 'late'
  /** Something comes back as often as it is deleted. */
  | 'contested';

/** A drain that begins. */
export function beginDrain(now: number): DrainState {
  return { startedAt: now, acted: {} };
}

/**
 * The next step of emptying a cluster: a phase begins when nothing is left of those before it, and what comes back is
 * deleted again, a few times. No clock and no I/O.
 */
export function drainStep(
  state: DrainState,
  { now, objects }: DrainObservation,
  withinMs: number,
): DrainStep {
  const phase = drainPhases.find((each) => objects.some((object) => object.phase === each));
  if (phase === undefined) {
    return { state, act: [], waitsFor: [], ended: 'empty' };
  }
  const waitsFor = objects.filter((object) => object.phase === phase);
  const stop = (ended: DrainEnd): DrainStep => ({ state, phase, act: [], waitsFor, ended });
  if (waitsFor.some((object) => returns(state, object) >= mostReturns)) {
    return stop('contested');
  }
  if (now - state.startedAt >= withinMs) {
    return stop('late');
  }
  const act = waitsFor.filter(({ deleting }) => !deleting);
  return { state: { ...state, acted: remember(state.acted, act) }, phase, act, waitsFor };
}

/** How many earlier lives of this object were acted on. */
function returns({ acted }: DrainState, object: ClusterObject): number {
  return (acted[objectText(object)] ?? []).filter((uid) => uid !== object.uid).length;
}

function remember(acted: DrainState['acted'], objects: readonly ClusterObject[]): DrainState['acted'] {
  const next = { ...acted };
  for (const object of objects) {
    const key = objectText(object);
    next[key] = [...new Set([...(next[key] ?? []), object.uid])];
  }
  return next;
}

const objections: Readonly<Record<Exclude<DrainEnd, 'empty'>, string>> = {
  late: 'the time is over',
  contested: 'it is created again as often as it is deleted: pause GitOps, or what else creates it',
};

/** Why a drain ended with something left, one line an object. */
export function endLines({ ended, waitsFor }: DrainStep): readonly string[] {
  return ended === undefined || ended === 'empty'
    ? []
    : waitsFor.map((object) => {
        const waits = object.deleting && object.finalizers.length > 0;
        const why = waits ? `its deletion waits for ${object.finalizers.join(', ')}` : 'it is still there';
        return `${objectText(object)}: ${why}; ${objections[ended]}`;
      });
}

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
  /** Why the API server could not be reached. */
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
