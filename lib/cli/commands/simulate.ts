import { Command } from 'commander';
import type { SimulateFlags } from '../actions/simulate';
import { wholeNumberFlag } from '../options';

/** `cluster-canary simulate` */
export function simulateCommand(): Command {
  return new Command('simulate')
    .summary('try a plan on simulated traffic')
    .description(
      'Run the shift of a plan many times against a scenario, offline: how often it would roll back, how many requests ' +
        'would fail, how long it takes. It is the same machine that moves real traffic.',
    )
    .argument('<plan>', 'YAML or JSON file')
    .requiredOption('--scenario <file>', 'YAML or JSON file: the traffic, and what goes wrong')
    .option('--seed <number>', 'the same seed gives the same result', wholeNumberFlag(0, 2 ** 32 - 1), 1)
    .option('--runs <number>', 'how often', wholeNumberFlag(1, 1_000_000), 1000)
    .option('--json', 'print the result as one JSON document; of a single run with every step')
    .option('--report <folder>', 'draw the first run: report.html and shift.svg')
    .addHelpText('after', examples)
    .action(async (plan: string, flags: SimulateFlags) => {
      const { simulatePlan } = await import('../actions/simulate');
      await simulatePlan(plan, flags);
    });
}

const examples = `
Examples:
  cluster-canary simulate plan.yaml --scenario outage.yaml
  cluster-canary simulate plan.yaml --scenario one-percent.yaml --runs 10000 --seed 7 --json
  cluster-canary simulate plan.yaml --scenario outage.yaml --runs 1 --report out

Exit status: 0 it was simulated, whatever came of it; 2 it could not run; 130 interrupted.`;
