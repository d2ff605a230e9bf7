import { Command } from 'commander';
import type { ClustersFlags } from '../actions/clusters';

/** `cluster-canary clusters` */
export function clustersCommand(): Command {
  const command = new Command('clusters')
    .summary("keep Argo CD's clusters in step with EKS")
    .description(
      "Keep Argo CD's cluster Secrets in step with EKS clusters that are found by their tags, in several accounts and " +
        'regions. Secrets that the set does not own are never touched.',
    )
    .addHelpText('afterAll', examples);
  command.addCommand(
    common(new Command('plan'))
      .summary('show what would be created, changed and removed')
      .description(
        'Show what a sync would create, change and remove, and why a cluster is left out. Writes nothing.',
      )
      .action(async (flags: ClustersFlags) => (await verbs()).showPlan(flags)),
  );
  command.addCommand(
    common(new Command('sync'))
      .summary('create, change and remove Secrets')
      .description('Look once, or again and again, and make the Secrets so.')
      .option('--watch', "look again and again, at the set's interval, until interrupted")
      .action(async (flags: ClustersFlags) => (await verbs()).sync(flags)),
  );
  return command;
}

const verbs = () => import('../actions/clusters');

function common(command: Command): Command {
  return command
    .requiredOption('--config <file>', 'the set, YAML or JSON')
    .option(
      '--kubeconfig <file>',
      'of the hub (default: KUBECONFIG, ~/.kube/config, the service account of the pod)',
    )
    .option('--context <name>', "context of the kubeconfig (default: the kubeconfig's own)")
    .option('--force', "remove more Secrets at once than the set's share")
    .option(
      '--json',
      'print what was seen and done as one JSON document; with --watch, that of the last look',
    );
}

const examples = `
Examples:
  cluster-canary clusters plan --config clusterset.yaml
  cluster-canary clusters sync --config clusterset.yaml --kubeconfig hub.yaml
  cluster-canary clusters sync --config clusterset.yaml --watch

Exit status: 0 all is well; 1 something needs a look (an account that does not answer, a cluster that is refused, removals
that are held back, a Secret that could not be written); 2 it could not run; 130 interrupted.`;
