import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shiftPlan } from '../../lib/shift/engine';
import { readPlan } from '../../lib/shift/plan-file';
import { conditionsOf, readScenario, simulate, World } from '../../lib/shift/simulation';
import { simulatedChecks } from '../../lib/shift/simulation/checks';
import { derivedSeed } from '../../lib/core/random';

/**
 * Whole shifts by `simulate`, and beside them the same random draws alone: worlds of the same seeds whose weights are
 * changed at the same times, without machine and checks. Processor time, since the machine may have other work.
 */
const [, , name, shifts] = process.argv;
const folder = join(__dirname, '..', '..', 'examples', 'shift');
const plan = readPlan(join(folder, 'plan.yaml'));
const file = join(folder, 'scenarios', `${name}.yaml`);
const scenario = readScenario(readFileSync(file, 'utf8'), file, plan.slots);
const simulation = {
  plan: shiftPlan(plan.slots, plan.weights, plan.shift),
  checks: plan.checks,
  scenario,
  seed: 1,
};
const runs = Number(shifts);

const single = simulate({ ...simulation, runs: 1 });
const startedAt = Date.parse(single.outcome!.startedAt);
const end = Date.parse(single.outcome!.endedAt) - startedAt;
const writes = single.steps!.map(({ atSeconds, weights }) => ({ at: atSeconds * 1000, weights }));
const conditions = conditionsOf(scenario, plan.slots);
const { historyMinutes } = simulatedChecks(plan.checks);

function draw(count: number): void {
  for (let run = 0; run < count; run += 1) {
    const world = new World(conditions, single.outcome!.from!, derivedSeed(1, run), historyMinutes);
    for (const { at, weights } of writes) {
      world.advance(world.startedAt + at);
      world.weigh(weights);
    }
    world.advance(world.startedAt + end);
  }
}

function seconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

// Both are compiled before.
simulate({ ...simulation, runs: 500 });
draw(500);
process.stdout.write(
  JSON.stringify({
    shifts: seconds(() => simulate({ ...simulation, runs })) / runs,
    draws: seconds(() => draw(runs)) / runs,
  }),
);
