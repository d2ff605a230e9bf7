import { Command } from 'commander';
import type { SimulateFlags } from '../actions/simulate';
import { wholeNumberFlag } from '../options';

/** `cluster-canary simulate` */
export function simulateCommand(): Command {
  return new Command('simulate')
    .summary('try a plan on simulated traffic, or on what has happened')
    .description(
      'Run the shift of a plan many times against a scenario, offline: how often it would roll back, how many requests ' +
        'would fail, how long it takes. It is the same machine that moves real traffic. With --from, run it against what checks ' +
        'have answered in a shift that has ended: what this plan would have decided.',
    )
    .argument('<plan>', 'YAML or JSON file')
    .option('--scenario <file>', 'YAML or JSON file: the traffic, and what goes wrong')
    .option(
      '--from <file>',
      "file with the outcome of a shift, or its name in the plan's history: replay its figures instead of a scenario",
    )
    .option('--route <name>', 'with --from: the route, where the file has the outcomes of several')
    .option(
      '--seed <number>',
      'with --scenario: the same seed gives the same result (default: 1)',
      wholeNumberFlag(0, 2 ** 32 - 1),
    )
    .option('--runs <number>', 'with --scenario: how often (default: 1000)', wholeNumberFlag(1, 1_000_000))
    .option('--json', 'print the result as one JSON document; of a single run with every step')
    .option('--report <folder>', 'draw the first run, or the replay: report.html and shift.svg')
    .addHelpText('after', examples)
    .action(async (plan: string, flags: SimulateFlags) => {
      const { scenario, from } = flags;
      if (scenario === undefined || from !== undefined) {
        const { replayPlan } = await import('../actions/replay');
        await replayPlan(plan, flags);
      } else {
        const { simulatePlan } = await import('../actions/simulate');
        await simulatePlan(plan, scenario, flags);
      }
    });
}

const examples = `
Examples:
  cluster-canary simulate plan.yaml --scenario outage.yaml
  cluster-canary simulate plan.yaml --scenario one-percent.yaml --runs 10000 --seed 7 --json
  cluster-canary simulate plan.yaml --scenario outage.yaml --runs 1 --report out
  cluster-canary simulate plan.yaml --from outcome.json
  cluster-canary simulate plan.yaml --from 20260102t030405z-web-1f0c9a3b --report out

Exit status: 0 it was simulated, whatever came of it; 2 it could not run; 130 interrupted.`;
