import { join } from 'node:path';
import type { Spread } from './measure';
import { rounds, spread } from './measure';
import { runNode, typescript } from './run-node';

/** How fast one scenario is simulated. */
export interface ShiftSpeed {
  readonly scenario: string;
  /** Whole shifts a second of processor time. */
  readonly perSecond: Spread;
  /** To the same random draws alone. */
  readonly ratio: Spread;
}

/** What the driver of real shifts adds to its waits. */
export interface DriverOverhead {
  readonly waitsMs: number;
  /** Share of the waits. */
  readonly overhead: Spread;
  /** Processor time, in milliseconds. */
  readonly cpuMs: Spread;
}

/** The goal for whole shifts a second on one core. */
export const speedGoal = 1000;
/** The goal for the driver. */
export const overheadGoal = 0.01;

const program = (name: string) => join(__dirname, 'shift', `${name}.ts`);
const sample = (...args: readonly (string | number)[]) =>
  JSON.parse(runNode([...typescript, ...args]).output) as unknown;

/** Measures simulations beside their random draws. */
export function measureSpeed(scenarios: readonly string[], shifts: number, times: number): ShiftSpeed[] {
  const samples = rounds(
    'simulation speed',
    times,
    Object.fromEntries(
      scenarios.map((scenario) => [
        scenario,
        () => sample(program('speed'), scenario, shifts) as { shifts: number; draws: number },
      ]),
    ),
  );
  return scenarios.map((scenario) => ({
    scenario,
    perSecond: spread(samples[scenario]!.map((each) => 1 / each.shifts)),
    ratio: spread(samples[scenario]!.map((each) => each.shifts / each.draws)),
  }));
}

/** Measures shifts on the real clock. */
export function measureDriver(times: number): DriverOverhead {
  const { driver } = rounds('driver', times, {
    driver: () => sample(program('driver')) as { elapsed: number; waits: number; cpu: number },
  });
  return {
    waitsMs: driver[0]!.waits,
    overhead: spread(driver.map(({ elapsed, waits }) => elapsed / waits - 1)),
    cpuMs: spread(driver.map(({ cpu }) => cpu)),
  };
}
