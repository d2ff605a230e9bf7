import { Command } from 'commander';
import type { WatchFlags } from '../actions/watch';

/** `cluster-canary watch` */
export function watchCommand(): Command {
  return new Command('watch')
    .summary('follow a shift of another process, and continue it, hold it or take it back')
    .description(
      'Show where a shift is that runs on another machine, until it ends. With watch: true in the plan, the shift keeps beside its ' +
        'lease where it is, and reads there what people ask. Without it, print once what the lease knows.',
    )
    .argument('<plan>', 'YAML or JSON file of the shift')
    .option('--route <name>', 'follow this route of a plan with several')
    .option('--serve <address>', 'show it on a page, with buttons')
    .option('--continue', 'let it continue beyond the pause at which it waits, and end')
    .option('--hold', 'ask it to hold before its next step, and end')
    .option('--back', 'ask it to take the traffic back, and end')
    .option('--json', 'print how it ended as one JSON document')
    .addHelpText('after', examples)
    .action(async (plan: string, flags: WatchFlags) => {
      const { watch } = await import('../actions/watch');
      await watch(plan, flags);
    });
}

const examples = `
Examples:
  cluster-canary watch plan.yaml
  cluster-canary watch plan.yaml --serve 127.0.0.1:8080
  cluster-canary watch plan.yaml --continue
  cluster-canary watch plan.yaml --json > outcome.json

Exit status: 0 the shift completed, or was asked; 1 it ended in another way, or its process was killed; 2 it could not run, or
there was nothing to show or ask; 130 interrupted, and the shift goes on.`;
