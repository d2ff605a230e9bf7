import { Command } from 'commander';
import type { RestartFlags } from '../actions/restart-rollout';
import { durationFlag, oneMore, wholeNumberFlag } from '../options';

/** `cluster-canary restart-rollout` */
export function restartRolloutCommand(): Command {
  return new Command('restart-rollout')
    .summary('restart Rollouts that are stuck')
    .description(
      'Restart the Rollouts of an Argo CD Application that are Degraded with ProgressDeadlineExceeded while all of their ' +
        'pods are available. Others are left alone, and listed.',
    )
    .requiredOption('--application <name>', 'the Argo CD Application')
    .requiredOption('--namespace <name>', 'the namespace of its Rollouts')
    .requiredOption('--allowed-namespace <name>', 'a namespace that may be touched; once for each', oneMore)
    .option('--cool-down <duration>', 'time between two restarts of a Rollout (default: 30m)', durationFlag)
    .option(
      '--per-day <number>',
      'restarts of a Rollout within 24 hours (default: 3)',
      wholeNumberFlag(1, 9999),
    )
    .option(
      '--min-replicas <number>',
      'how many pods a Rollout must want (default: 2)',
      wholeNumberFlag(1, 9999),
    )
    .option('--wait <duration>', 'how long pods may take to become available (default: 0s)', durationFlag)
    .option('--message <file>', "also write what came of it, in short, for a container's termination message")
    .option('--dry-run', 'print what would be restarted; write nothing')
    .option('--json', 'print what came of it as one JSON document')
    .option('--kubeconfig <file>', 'of the cluster (default: KUBECONFIG, or the pod itself)')
    .option('--context <name>', "context of the kubeconfig (default: the kubeconfig's own)")
    .addHelpText('after', examples)
    .action(async (flags: RestartFlags) => {
      const { restartRollout } = await import('../actions/restart-rollout');
      await restartRollout(flags);
    });
}

const examples = `
Examples:
  cluster-canary restart-rollout --application podinfo --namespace podinfo --allowed-namespace podinfo --dry-run
  cluster-canary restart-rollout --application podinfo --namespace podinfo --allowed-namespace podinfo --wait 5m

Exit status: 0 nothing is left to do, 1 a Rollout is degraded and was left alone, 2 it could not run, 130 interrupted.`;
