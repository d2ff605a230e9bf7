import type { ClusterObject, DrainPhase } from './cluster-object';
import { drainPhases, objectText } from './cluster-object';

/** How often an object of one name may come back before somebody else is taken to make it. */
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
export interface DrainStep {
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
  contested: 'somebody makes it anew as often as it is deleted: pause GitOps, or what else makes it',
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
