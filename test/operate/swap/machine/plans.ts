import { nextSwap } from '../../../../lib/operate/swap';
import type {
  FleetConfiguration,
  PhasePlan,
  SwapAction,
  SwapAnswer,
  SwapEvent,
  SwapPhase,
  SwapPlan,
  SwapSeen,
  SwapStarted,
  SwapState,
} from '../../../../lib/operate/swap';
import { initialSwap, swapPhases } from '../../../../lib/operate/swap';

export const minute = 60_000;
export const hour = 60 * minute;

/** 2026-03-02, a Monday, 10:00 in London. */
export const t0 = Date.UTC(2026, 2, 2, 10);

/** A plan from blue (1.35) to green (1.36), with a minute for each phase. */
export function planOf(
  changes: Partial<Omit<SwapPlan, 'phases'>> = {},
  phases: Partial<Record<SwapPhase, Partial<PhasePlan>>> = {},
): SwapPlan {
  return {
    fleet: 'apps',
    versions: ['1.36'],
    names: ['blue', 'green'],
    moves: 'traffic',
    ...changes,
    phases: Object.fromEntries(
      swapPhases.map((phase) => [phase, { timeoutMs: minute, onFailure: 'keep', ...phases[phase] }]),
    ) as Record<SwapPhase, PhasePlan>,
  };
}

/** What there is of slots with these versions and weights. */
export function seenOf(
  slots: Readonly<Record<string, readonly [version: string, weight: number, status?: string]>>,
  changes: Partial<SwapSeen> = {},
): SwapSeen {
  const all = Object.entries(slots);
  return {
    configuration: {
      slots: Object.fromEntries(all.map(([name, [version]]) => [name, version])),
      weights: Object.fromEntries(all.map(([name, [, weight]]) => [name, weight])),
    },
    clusters: Object.fromEntries(
      all.map(([name, [version, , status]]) => [name, { version, status: status ?? 'ACTIVE' }]),
    ),
    live: Object.fromEntries(
      all.filter(([, [, weight]]) => weight > 0).map(([name, [, weight]]) => [name, weight]),
    ),
    ...changes,
  };
}

export const started: SwapStarted & { readonly at: number } = {
  type: 'started',
  at: t0,
  id: 'swap-1',
  by: 'ana@laptop',
  ask: 'forward',
};

/** What an event is, without its time where it is the last one's. */
export type Fed = SwapEvent extends infer Event
  ? Event extends { at: number }
    ? Omit<Event, 'at'> & { at?: number }
    : never
  : never;

/** Plays events, and keeps what was asked for. */
export class Played {
  public state: SwapState = initialSwap;
  public readonly actions: SwapAction[] = [];
  public last: SwapAction | undefined;
  private at = t0;

  public constructor(private readonly plan: SwapPlan) {}

  public feed(...events: readonly Fed[]): this {
    for (const event of events) {
      this.at = event.at ?? this.at;
      const answer: SwapAnswer = nextSwap(this.plan, this.state, { ...event, at: this.at } as SwapEvent);
      this.state = answer.state;
      this.actions.push(...answer.actions);
      const asked = answer.actions.filter(({ type }) => type !== 'log');
      this.last = asked.length > 0 || this.state.doing === 'ended' ? asked.at(-1) : this.last;
    }
    return this;
  }

  /** The lines of the log. */
  public get log(): readonly string[] {
    return this.actions.flatMap((action) => (action.type === 'log' ? [action.text] : []));
  }
}

/** Plays a whole run in a world where everything goes well; `stop` ends it after so many actions. */
export function playWell(
  plan: SwapPlan,
  seen: SwapSeen,
  start: Partial<SwapStarted> = {},
  answers: (action: SwapAction) => Fed | undefined = () => undefined,
): { readonly played: Played; readonly seen: SwapSeen; readonly done: readonly string[] } {
  const played = new Played(plan).feed({ ...started, ...start });
  const done: string[] = [];
  let now = seen;
  let at = t0;
  for (let count = 0; count < 500 && played.state.doing !== 'ended'; count++) {
    const action = played.last!;
    const given = answers(action);
    if (action.type === 'deploy' && (!given || given.type === 'deployed')) {
      now = deployedOn(now, action.configuration);
    }
    if (action.type === 'wait') {
      at = action.until;
    }
    done.push(textOf(action));
    played.feed({ ...(given ?? wellAnswered(action, now)), at });
  }
  return { played, seen: now, done: done.filter((text) => text !== 'look' && text !== 'record') };
}

function textOf(action: SwapAction): string {
  switch (action.type) {
    case 'deploy':
      return `deploy ${action.phase}${action.back ? ' back' : ''}`;
    case 'run':
      return `run ${action.phase} ${action.slot.name}${action.back ? ' back' : ''}`;
    case 'ask':
      return `ask ${action.phase}`;
    case 'wait':
      return `wait ${action.why}`;
    case 'look':
    case 'record':
    case 'log':
      return action.type;
  }
}

/** What there is once a configuration is deployed. */
export function deployedOn(seen: SwapSeen, configuration: FleetConfiguration): SwapSeen {
  const clusters = Object.entries(configuration.slots).map(([name, setting]) => [
    name,
    seen.clusters[name] ?? {
      version: typeof setting === 'string' ? setting : setting.version,
      status: 'ACTIVE',
    },
  ]);
  const { weights, active } = configuration;
  const live = weights ? Object.entries(weights).filter(([, weight]) => weight > 0) : [[active, 100]];
  return { configuration, clusters: Object.fromEntries(clusters), live: Object.fromEntries(live) };
}

function wellAnswered(action: SwapAction, seen: SwapSeen): Fed {
  switch (action.type) {
    case 'look':
      return { type: 'seen', seen };
    case 'record':
      return { type: 'recorded' };
    case 'deploy':
      return { type: 'deployed' };
    case 'run':
      return { type: 'passed' };
    case 'ask':
      return { type: 'approved', approvedBy: 'bo' };
    case 'wait':
      return { type: 'waited' };
    case 'log':
      throw new Error('a line of the log is not answered');
  }
}
