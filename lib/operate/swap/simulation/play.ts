import type { SwapAction, SwapEvent } from '../machine/events';
import { nextSwap } from '../machine/next';
import { initialSwap } from '../machine/states';
import type { SwapEnd, SwapState } from '../machine/states';
import { drawsFrom } from './scenario';
import type { SwapScenario } from './scenario';
import { SwapWorld } from './world';

/** The machine that is played: `nextSwap`, or one with a mistake that the invariants have to find. */
export type SwapMachine = typeof nextSwap;

/** How a swap was played. */
export interface PlayedSwap {
  readonly world: SwapWorld;
  /** How its runs ended, in order; `killed` where one was. */
  readonly ends: readonly (SwapEnd | 'killed' | 'endless')[];
  /** Whether the way back was asked for in the last run. */
  readonly askedBack: boolean;
}

/** A run that has not ended in so many actions never ends. */
const mostActions = 3_000;

/** Runs that are killed or interrupted are begun again; more than these are no use. */
const mostRuns = 1_000;

/** Plays a swap, run after run, until a run is neither killed nor interrupted. */
export function playSwap(
  scenario: SwapScenario,
  {
    machine = nextSwap,
    isDisturbed = true,
  }: { readonly machine?: SwapMachine; readonly isDisturbed?: boolean } = {},
): PlayedSwap {
  const play = new Play(scenario, machine, isDisturbed);
  const ends: (SwapEnd | 'killed' | 'endless')[] = [];
  let isOver = false;
  while (!isOver && ends.length < mostRuns) {
    const { end, again } = play.run(ends.length + 1);
    ends.push(end);
    isOver = !again;
  }
  return { world: play.world, ends, askedBack: play.asks(ends.length) !== 'forward' };
}

class Play {
  public readonly world: SwapWorld;
  private count = 0;
  private started = 0;
  private readonly draw;

  public constructor(
    private readonly scenario: SwapScenario,
    private readonly machine: SwapMachine,
    private readonly isDisturbed: boolean,
  ) {
    this.world = new SwapWorld(scenario);
    this.draw = drawsFrom(scenario.seed + 1);
  }

  public asks(run: number): 'forward' | 'back' | 'backAndDelete' {
    const { backFrom, backAndDelete } = this.scenario;
    if (!this.isDisturbed || backFrom === undefined || run < backFrom) {
      return 'forward';
    }
    return backAndDelete ? 'backAndDelete' : 'back';
  }

  private get waits(): boolean {
    return !this.isDisturbed || this.scenario.waits;
  }

  /** One run. The lease of one that was killed is over when the next one begins. */
  public run(run: number): { readonly end: SwapEnd | 'killed' | 'endless'; readonly again: boolean } {
    const { world } = this;
    const start = {
      type: 'started',
      id: `swap-${++this.started}`,
      by: 'ana',
      ask: this.asks(run),
      waits: this.waits,
    } as const;
    let answer = this.next(initialSwap, {
      ...start,
      at: world.at,
      ...(world.record && { record: world.record }),
    });
    let isCut = false;
    for (let actions = 0; actions < mostActions; actions++) {
      const { state } = answer;
      if (state.doing === 'ended') {
        const { again } = state.end!;
        world.at = Math.max(world.at, again ?? 0);
        return { end: state.end!, again: isCut || again !== undefined };
      }
      const action = answer.actions.filter(({ type }) => type !== 'log').at(-1);
      if (!action) {
        return { end: 'endless', again: false };
      }
      this.count++;
      this.disturb(action);
      if (this.isNow(this.scenario.kills)) {
        this.cut(action);
        world.at += Math.floor(this.draw() * 3_600_000);
        return { end: 'killed', again: true };
      }
      if (this.isNow(this.scenario.interrupts)) {
        isCut = true;
        answer = this.next(state, { type: 'interrupted', at: world.at });
      } else if (this.isDisturbed && this.count === this.scenario.sleep) {
        // Once it wakes up, the driver does nothing without the lease.
        const other = this.run(run);
        const { state: woken } = this.next(state, this.withoutLease(action));
        return woken.doing === 'ended' ? other : { end: 'endless', again: false };
      } else {
        const event = { ...this.answerTo(action), at: world.at } as SwapEvent;
        isCut ||= event.type === 'notWithdrawn';
        answer = this.next(state, event);
      }
    }
    return { end: 'endless', again: false };
  }

  private next(state: SwapState, event: SwapEvent): ReturnType<SwapMachine> {
    return this.machine(this.scenario.plan, state, event);
  }

  private isNow(places: readonly number[]): boolean {
    return this.isDisturbed && places.includes(this.count);
  }

  /** Somebody else changes something. */
  private disturb(action: SwapAction): void {
    // What is changed between a look and the write after it is the program's to refuse, not the machine's.
    const mayMeddle = action.type !== 'deploy' && action.type !== 'record';
    const meddling = this.scenario.meddling.find(({ before }) => this.isDisturbed && before === this.count);
    if (meddling && (mayMeddle || (meddling.does !== 'moveTraffic' && meddling.does !== 'addCluster'))) {
      this.world.meddle(meddling);
    }
  }

  /** What a kill leaves of an action: a part of a deployment, or a record that was written before anyone knew. */
  private cut(action: SwapAction): void {
    if (action.type === 'deploy') {
      this.world.deploy(action, Math.floor(this.draw() * 5));
    }
    if (action.type === 'record' && this.draw() < 0.5) {
      this.world.record = action.record;
    }
    if (action.type === 'run' && this.draw() < 0.5) {
      this.world.run(action);
    }
  }

  private withoutLease(action: SwapAction): SwapEvent {
    const { at } = this.world;
    return action.type === 'record'
      ? { type: 'notRecorded', reason: 'another run has the lease', at }
      : { type: 'interrupted', at };
  }

  private answerTo(action: SwapAction): object {
    const { world } = this;
    switch (action.type) {
      case 'look':
        return { type: 'seen', seen: world.seen() };
      case 'record':
        // A pull request could not be closed.
        if (this.isDisturbed && action.record.back && action.record.ended && this.draw() < 0.1) {
          return { type: 'notWithdrawn', reason: 'the service is away' };
        }
        world.record = action.record;
        return { type: 'recorded' };
      case 'deploy': {
        const came = world.deploy(action);
        return came === 'deployed'
          ? { type: 'deployed' }
          : { type: 'notDeployed', reason: came, changed: came === 'changed' };
      }
      case 'run': {
        const { passed, final } = world.run(action);
        return passed ? { type: 'passed' } : { type: 'notPassed', reason: 'not yet', final };
      }
      case 'ask': {
        const answer = world.answer(action.phase);
        const said = { agrees: 'approved', refuses: 'refused', silent: 'notAnswered' }[answer];
        return { type: said, approvedBy: 'bo', refusedBy: 'bo' };
      }
      case 'wait':
        world.at = Math.max(world.at, action.until);
        return { type: 'waited' };
      case 'log':
        return {};
    }
  }
}
