import type { SwapAction, SwapEvent } from './machine/events';
import { nextSwap } from './machine/next';
import { initialSwap } from './machine/states';
import type { SwapEnd, SwapState } from './machine/states';
import type { SwapPhase } from './phases';
import type { PhasePlan, SwapPlan } from './plan';
import type { SwapAdoption, SwapRecord, SwapSlot } from './record';
import type { SwapSeen } from './seen';

/** What a swap would do if every phase passed at once and everybody agreed who has not refused: played by the machine itself. */
export interface SwapOutlook {
  /** How it would end. */
  readonly end: SwapEnd;
  /** Each swap that it goes through: one for each version on the way. */
  readonly swaps: readonly OutlookSwap[];
  /** The first deployment. @default - it deploys nothing */
  readonly first?: DeployAction;
}

/** The deployment of a configuration. */
export type DeployAction = Extract<SwapAction, { type: 'deploy' }>;

/** One swap of an outlook. */
export interface OutlookSwap {
  /** The slot that has all traffic at its begin. */
  readonly old: SwapSlot;
  /** The slot that gets it. */
  readonly new: SwapSlot;
  /** That it goes on with what a person began. @default - it does not */
  readonly adopted?: SwapAdoption;
  /** Phases that are left, in their order. */
  readonly phases: readonly OutlookPhase[];
}

/** One phase of an outlook. */
export interface OutlookPhase extends PhasePlan {
  /** The phase. */
  readonly phase: SwapPhase;
  /** When it begins at the earliest, in milliseconds since 1970: windows and soaks are known, what a phase takes is not. */
  readonly from: number;
}

/** What a swap is looked ahead from. */
export interface OutlookStart {
  readonly seen: SwapSeen;
  /** @default - no swap has begun */
  readonly record?: SwapRecord;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly adopt?: boolean;
  readonly retry?: boolean;
  /** Who has refused a phase already. @default - no one has */
  readonly refusals?: Refusals;
}

/** Who has refused a phase. */
export type Refusals = Partial<Readonly<Record<SwapPhase, string>>>;

/** Nothing that a swap asks for comes close to it: it keeps a machine with a mistake from an endless loop. */
const mostEvents = 5_000;

/**
 * What a swap would do from here on. Nothing is asked, and nothing is written.
 *
 * @param start what there is
 */
export function swapOutlook(
  plan: SwapPlan,
  { seen, record, now, adopt = false, retry = false, refusals = {} }: OutlookStart,
): SwapOutlook {
  const swaps = new Map<string, NotedSwap>();
  let first: DeployAction | undefined;
  let world = seen;
  let at = now;
  let state: SwapState = initialSwap;
  let event: SwapEvent | undefined = {
    ...{ type: 'started', at, id: 'next', by: 'you', ask: 'forward', adopt, retry },
    ...(record && { record }),
  };
  for (let count = 0; event !== undefined && count < mostEvents; count += 1) {
    const answer = nextSwap(plan, state, event);
    state = answer.state;
    const asked = answer.actions.filter(({ type }) => type !== 'log').at(-1);
    note(plan, state, at, swaps);
    if (state.end !== undefined || asked === undefined) {
      break;
    }
    if (asked.type === 'deploy') {
      first ??= asked;
      world = deployed(world, asked);
    }
    at = asked.type === 'wait' ? Math.max(at, asked.until) : at;
    event = answerTo(asked, world, at, refusals);
  }
  const end = state.end ?? { verdict: 'aborted', reason: 'What it would do can not be foreseen.' };
  const list = [...swaps.values()].map((each) => ({ ...each, phases: [...each.phases.values()] }));
  return { end, swaps: list, ...(first && { first }) };
}

/** A swap while it is played. */
interface NotedSwap extends Omit<OutlookSwap, 'phases'> {
  readonly phases: Map<SwapPhase, OutlookPhase>;
}

/** A phase is noted when it is first recorded, with what is known of its begin by its last. */
function note(plan: SwapPlan, { record }: SwapState, at: number, swaps: Map<string, NotedSwap>): void {
  if (!record || record.ended) {
    return;
  }
  const key = `${record.old.name} ${record.old.version} ${record.new.name} ${record.new.version}`;
  const { old, new: fresh, adopted } = record;
  const swap = swaps.get(key) ?? {
    ...{ old, new: fresh, ...(adopted && { adopted }) },
    phases: new Map<SwapPhase, OutlookPhase>(),
  };
  swaps.set(key, swap);
  const { phase, phaseStartedAt } = record;
  const known = swap.phases.get(phase);
  if (known === undefined || phaseStartedAt !== undefined) {
    const from = phaseStartedAt ?? at;
    swap.phases.set(phase, {
      phase,
      from: known && phaseStartedAt === undefined ? known.from : from,
      ...plan.phases[phase],
    });
  }
}

function answerTo(asked: SwapAction, seen: SwapSeen, at: number, refusals: Refusals): SwapEvent | undefined {
  switch (asked.type) {
    case 'look':
      return { type: 'seen', at, seen };
    case 'record':
      return { type: 'recorded', at };
    case 'deploy':
      return { type: 'deployed', at };
    case 'run':
      return { type: 'passed', at };
    case 'ask': {
      const { [asked.phase]: refusedBy } = refusals;
      return refusedBy === undefined
        ? { type: 'approved', at, approvedBy: 'a person' }
        : { type: 'refused', at, refusedBy };
    }
    case 'wait':
      return { type: 'waited', at };
    case 'log':
      return undefined;
  }
}

/** What there is after a deployment that did what it was for. */
function deployed(seen: SwapSeen, { configuration, new: fresh, old }: DeployAction): SwapSeen {
  const slots = Object.keys(configuration.slots);
  const versions: Readonly<Record<string, string>> = {
    [fresh.name]: fresh.version,
    [old.name]: old.version,
  };
  const clusters = slots.map((slot) => [
    slot,
    seen.clusters[slot] ?? { version: versions[slot] ?? '', status: 'ACTIVE' },
  ]);
  const live =
    configuration.weights ?? (configuration.active === undefined ? {} : { [configuration.active]: 100 });
  return { configuration, clusters: Object.fromEntries(clusters) as SwapSeen['clusters'], live };
}
