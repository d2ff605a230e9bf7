import { Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../../durations';
import type { RestartFlags } from '../restarting/restart-flags';

/** `cluster-canary restart-rollout` */
export function restartRolloutCommand(): Command {
  return new Command('restart-rollout')
    .summary('restart Rollouts that are stuck')
    .description(
      'Restart the Rollouts of an Argo CD Application that are Degraded with ProgressDeadlineExceeded while all of their ' +
        'pods are available. Others are left alone, and told of.',
    )
    .requiredOption('--application <name>', 'the Argo CD Application')
    .requiredOption('--namespace <name>', 'the namespace of its Rollouts')
    .requiredOption('--allowed-namespace <name>', 'a namespace that may be touched; once for each', list)
    .option('--cool-down <duration>', 'time between two restarts of a Rollout (default: 30m)', duration)
    .option('--per-day <number>', 'restarts of a Rollout within 24 hours (default: 3)', number)
    .option('--least-replicas <number>', 'how many pods a Rollout must want (default: 2)', number)
    .option('--wait <duration>', 'how long pods may take to become available (default: 0s)', duration)
    .option('--message <file>', "also write what came of it, in short, for a container's termination message")
    .option('--dry-run', 'say what would be restarted; write nothing')
    .option('--json', 'print what came of it as one JSON document')
    .option('--kubeconfig <file>', 'of the cluster (default: KUBECONFIG, or the pod itself)')
    .option('--context <name>', "context of the kubeconfig (default: the kubeconfig's own)")
    .addHelpText('after', examples)
    .action(async (flags: RestartFlags) => {
      const { restartRollout } = await import('../restarting/restart-rollout');
      await restartRollout(flags);
    });
}

const examples = `
Examples:
  cluster-canary restart-rollout --application podinfo --namespace podinfo --allowed-namespace podinfo --dry-run
  cluster-canary restart-rollout --application podinfo --namespace podinfo --allowed-namespace podinfo --wait 5m

Exit status: 0 nothing is left to do, 1 a Rollout is degraded and was left alone, 2 it could not run, 130 interrupted.`;

function list(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) {
    throw new InvalidArgumentError('It must be a duration: 1h, 30m, 90s.');
  }
  return milliseconds;
}

function number(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number from 1 to 9999.');
  }
  return Number(text);
}
