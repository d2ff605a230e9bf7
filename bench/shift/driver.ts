import type { Check, Router, Weights } from '../../lib/shift/engine';
import { runShift, shiftPlan } from '../../lib/shift/engine';
import { memoryLease } from '../../lib/shift/leases';

/** One real shift on the real clock, with a router and checks that answer at once, and seconds in place of minutes. */
let live: Weights = { blue: 100, green: 0 };
const router: Router = {
  name: 'memory',
  read: () => Promise.resolve(live),
  write: (weights) => {
    live = weights;
    return Promise.resolve();
  },
};
const checks = ['one', 'two', 'three'].map((name): Check => ({
  name,
  stages: ['before', 'after'],
  evaluate: () => Promise.resolve({ status: 'pass', reason: 'at once', figures: [] }),
}));
const plan = shiftPlan(
  ['blue', 'green'],
  { blue: 0, green: 100 },
  { every: '1s', checkEvery: '250ms', bake: '3s' },
);
const waits = plan.places.length * plan.everyMs + plan.bakeMs;

async function main(): Promise<void> {
  const begun = performance.now();
  const cpu = process.cpuUsage();
  const { verdict } = await runShift({ plan, router, checks, lease: memoryLease() });
  const elapsed = performance.now() - begun;
  const { user, system } = process.cpuUsage(cpu);
  if (verdict !== 'completed') {
    throw new Error(`the shift ended ${verdict}`);
  }
  process.stdout.write(JSON.stringify({ elapsed, waits, cpu: (user + system) / 1000 }));
}

void main();
