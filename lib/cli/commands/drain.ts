import { Command, InvalidArgumentError } from 'commander';
import type { DrainFlags, HubFlag } from '../actions/drain';

/** `cluster-canary drain` */
export function drainCommand(): Command {
  return new Command('drain')
    .summary('empty a slot before it goes, and list what is left of it in AWS')
    .description(
      'Empty a slot before its cluster goes: pause GitOps, delete what controllers make load balancers, nodes and disks for, ' +
        'wait until they are gone, and list what is left in AWS. Where the cluster is gone already, straight to the list.',
    )
    .argument('<slot>', 'FLEET-SLOT: the name of the EKS cluster, unless --cluster-name names another one')
    .option('--cluster-name <name>', 'name of the EKS cluster')
    .option('--fleet <name>', 'name of the fleet, where neither the tags nor the name of the cluster show it')
    .option('--region <region>', "AWS region (default: the environment's or the profile's)")
    .option(
      '--kubeconfig <file>',
      'of the cluster (default: made of what EKS describes, with aws eks get-token)',
    )
    .option('--context <name>', "context of the kubeconfig (default: the kubeconfig's own)")
    .option('--tunnel', "the kubeconfig leads to the cluster by another address than EKS's")
    .option('--hub <kubeconfig[#context]>', 'a hub that is paused for the cluster; once for each', hub, [])
    .option('--hub-namespace <namespace>', 'namespace of Argo CD', 'argocd')
    .option('--volumes <delete|keep>', 'delete PersistentVolumeClaims with their data, or keep the volumes')
    .option('--within <duration>', 'how long controllers may take (default: 15m)')
    .option('--idle-for <duration>', 'how long the slot must have had no traffic (default: 1m)')
    .option(
      '--hosted-zone <id>',
      'hosted zone with records of the fleet; once for each (default: every one of the account)',
      (id: string, before: readonly string[]) => [...before, id],
      [],
    )
    .option('--ignore-traffic', 'do not check its traffic; its TargetGroupBindings stay')
    .option('--dry-run', 'show what would go and what is there; change nothing')
    .option('--sweep', 'delete in AWS what is left, after a question')
    .option('--yes', 'sweep without the question')
    .option(
      '--resume',
      'undo the pause of the hubs: their Argo CD deploys to the cluster again; change nothing else',
    )
    .option('--json', 'print what happened as one JSON document')
    .addHelpText('after', examples)
    .action(async (slot: string, flags: DrainFlags) => {
      const { drain } = await import('../actions/drain');
      await drain(slot, flags);
    });
}

const examples = `
Examples:
  cluster-canary drain apps-green --region eu-west-1 --dry-run
  cluster-canary drain apps-green --region eu-west-1 --hub hub.yaml --volumes delete
  cluster-canary drain apps-green --region eu-west-1 --sweep
  cluster-canary drain apps-green --region eu-west-1 --hub hub.yaml --resume

Exit status: 0 nothing is left, 1 something is left (it is listed), 2 it could not run (the slot has traffic, say),
130 interrupted.`;

function hub(text: string, before: readonly HubFlag[]): readonly HubFlag[] {
  const at = text.indexOf('#');
  const found =
    at < 0 ? { kubeconfig: text } : { kubeconfig: text.slice(0, at), context: text.slice(at + 1) };
  if (found.kubeconfig === '') {
    throw new InvalidArgumentError('It must be a kubeconfig, with "#" and a context behind it where wanted.');
  }
  return [...before, found];
}
