import { Command } from 'commander';
import type { HistoryFlags } from '../actions/history/sources';
import { wholeNumberFlag } from '../options';

/** `cluster-canary history` */
export function historyCommand(): Command {
  return new Command('history')
    .summary('list the swaps and shifts that have ended')
    .description(
      'The swaps of fleets and the shifts that have ended, the newest first: versions or weights, how long they took, who ran them, ' +
        'who agreed, and what the second control plane of a swap cost. With a plan, the newest shift of each of its routes, and a ' +
        'swap that still runs, too. Nothing is written.',
    )
    .option('--fleet <name>', 'only this fleet')
    .option(
      '--store <place>',
      'where the history is: ssm, ssm:REGION, s3:BUCKET/PREFIX, kubernetes:NAMESPACE or folder:PATH (default: ssm, or what the ' +
        'plan says)',
    )
    .option('--plan <file>', 'plan of a shift, or swap file: its lease and its history say where')
    .option('--kubeconfig <file>', 'of the cluster with the history, for kubernetes:NAMESPACE')
    .option('--context <name>', "context of the kubeconfig (default: the kubeconfig's own)")
    .option('--limit <number>', 'ended swaps and shifts at most', wholeNumberFlag(1, 10_000), 20)
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
  cluster-canary history --store s3:records/shifts --limit 5
  cluster-canary history --store ssm:eu-west-1 --json | jq .entries[0]
  cluster-canary history --fleet apps --rights

Exit status: 0 it was read, 1 something in it could not be read (it is listed), 2 nothing could be read, 130 interrupted.`;
