import { Command } from 'commander';
import type { HistoryFlags } from '../actions/history/sources';
import { wholeNumberFlag } from '../options';

/** `cluster-canary history` */
export function historyCommand(): Command {
  return new Command('history')
    .summary('list the swaps of fleets that have ended')
    .description(
      'The swaps of fleets that have ended, the newest first: versions, how long they took, who began them, who agreed, and what ' +
        'the second control plane cost. With a plan, the newest shift of each of its routes, and a swap that still runs, too. ' +
        'Nothing is written.',
    )
    .option('--fleet <name>', 'only this fleet')
    .option(
      '--store <place>',
      'where the history is: ssm, ssm:REGION, kubernetes:NAMESPACE or folder:PATH (default: ssm, or beside the lease of the plan)',
    )
    .option('--plan <file>', 'plan of a shift, or swap file: its lease says where the history is')
    .option('--kubeconfig <file>', 'of the cluster with the history, for kubernetes:NAMESPACE')
    .option('--context <name>', "context of the kubeconfig (default: the kubeconfig's own)")
    .option('--limit <number>', 'ended swaps at most', wholeNumberFlag(1, 10_000), 20)
    .option('--rights', 'print the rights that it needs, as YAML; read nothing')
    .option('--json', 'print the history, or --rights, as one JSON document')
    .addHelpText('after', examples)
    .action(async (flags: HistoryFlags) => {
      const { history } = await import('../actions/history/history');
      await history(flags);
    });
}

const examples = `
Examples:
  cluster-canary history --fleet apps
  cluster-canary history --plan swap.yaml
  cluster-canary history --store kubernetes:argocd --context hub --limit 5
  cluster-canary history --store ssm:eu-west-1 --json | jq .entries[0]
  cluster-canary history --fleet apps --rights

Exit status: 0 it was read, 1 something in it could not be read (it is listed), 2 nothing could be read, 130 interrupted.`;
