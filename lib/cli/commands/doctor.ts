import { Command } from 'commander';
import type { DoctorFlags } from '../examining/doctor-flags';
import { pluginCommand } from '../examining/plugin-command';
import { wholeNumber } from '../option-values';

/** `cluster-canary doctor` */
export function doctorCommand(): Command {
  return new Command('doctor')
    .summary('find what is wrong with Argo CD, its clusters and their clocks')
    .description(
      'Look at the cluster that Argo CD runs in, and print what is wrong with it, what shows it, and the next step, with ' +
        'the most likely cause first. Nothing is changed.\n\n' +
        'Checks: clock, github, sync, webhooks, clusters.',
    )
    .argument('[check...]', 'the checks that are run (default: all)')
    .option('--namespace <name>', 'the namespace of Argo CD', 'argocd')
    .option('--concurrency <number>', 'calls that a check may have under way at once', wholeNumber(1, 999), 8)
    .option('--json', 'print what was seen as one JSON document')
    .option('--kubeconfig <file>', 'of the cluster (default: KUBECONFIG, ~/.kube/config, or the pod itself)')
    .option('--context <name>', "context of the kubeconfig (default: the kubeconfig's own)")
    .addHelpText('after', examples)
    .addCommand(pluginCommand())
    .action(async (checks: string[], flags: DoctorFlags) => {
      const { runDoctor } = await import('../examining/run-doctor');
      await runDoctor(checks, flags);
    });
}

const examples = `
Examples:
  cluster-canary doctor
  cluster-canary doctor clock --context hub
  cluster-canary doctor --json | jq '.causes[0]'

Exit status: 0 all is well, 1 something is wrong, 2 it could not look at everything and found nothing wrong in the rest,
or could not run, 130 interrupted.`;
