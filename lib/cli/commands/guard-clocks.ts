import { Command } from 'commander';
import type { GuardFlags } from '../actions/guard-clocks';
import { wholeNumberFlag } from '../options';

/** `cluster-canary guard-clocks` */
export function guardClocksCommand(): Command {
  return new Command('guard-clocks')
    .summary('measure the clocks of all nodes again and again')
    .description(
      'Measure the clocks of all nodes until it is interrupted, and offer them as metrics on /metrics. With --gate, take the ' +
        'startup taint cluster-canary/clock away from nodes whose clock is right.',
    )
    .option('--port <number>', 'port of /metrics and /healthz', wholeNumberFlag(0, 65_535), 9464)
    .option('--host <address>', 'address that it listens on (default: all)')
    .option('--gate', 'open nodes whose clock is right')
    .option('--limit <seconds>', 'how far off a clock may be to be right', wholeNumberFlag(1, 3600), 5)
    .option('--samples <number>', 'heartbeats that must show it', wholeNumberFlag(1, 4), 2)
    .option('--interval <seconds>', 'time between two looks', wholeNumberFlag(1, 3600), 10)
    .option('--kubeconfig <file>', 'of the cluster (default: KUBECONFIG, or the pod itself)')
    .option('--context <name>', "context of the kubeconfig (default: the kubeconfig's own)")
    .addHelpText('after', examples)
    .action(async (flags: GuardFlags) => {
      const { runGuard } = await import('../actions/guard-clocks');
      await runGuard(flags);
    });
}

const examples = `
Examples:
  cluster-canary guard-clocks --context hub
  cluster-canary guard-clocks --gate --limit 2 --interval 30

Exit status: 2 it could not run, 130 interrupted: it ends in no other way. An API server that does not answer is tried again.`;
