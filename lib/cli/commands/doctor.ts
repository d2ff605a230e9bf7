import { Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../../core/durations';
import type { DoctorFlags } from '../actions/doctor';
import type { PluginFlags } from '../actions/doctor-plugin';
import type * as Doctor from '../../operate/doctor';
import { oneMore, wholeNumberFlag } from '../options';

/** `cluster-canary doctor plugin` */
function pluginCommand(): Command {
  return new Command('plugin')
    .summary("print the command and environment of an Application's plugin, and run it on a checkout")
    .description(
      'Print the exact command and environment of the config management plugin of an Argo CD Application. With --run it is ' +
        'run on a copy of a checkout, and what it writes to stdout is checked to be Kubernetes objects.\n\n' +
        'The command comes from the cluster, and runs on this machine as you: read it before you run it.',
    )
    .argument('<application>', "the Application; NAMESPACE/NAME where it is not in Argo CD's own namespace")
    .option('--checkout <folder>', 'a checkout of the repository at the revision in question')
    .option('--run', 'run the plugin on the checkout')
    .option('--plugin-file <file>', 'the plugin.yaml, where the cluster does not have it in a ConfigMap')
    .option('--kube-version <version>', 'version of the destination cluster, for KUBE_VERSION: 1.35')
    .option('--api-versions <list>', 'API versions of the destination cluster, for KUBE_API_VERSIONS')
    .option(
      '--pass-env <name>',
      'a variable of this environment that the plugin gets; once for each',
      oneMore,
    )
    .option('--timeout <duration>', 'time for each command (default: 90s)', shortDuration)
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', pluginExamples)
    .action(async (application: string, _flags: object, command: Command) => {
      const { plugin } = await import('../actions/doctor-plugin');
      await plugin(application, command.optsWithGlobals<PluginFlags>());
    });
}

const pluginExamples = `
Examples:
  cluster-canary doctor plugin podinfo
  cluster-canary doctor plugin podinfo --checkout ~/config --run --pass-env HELM_PLUGINS

Exit status: 0 all is well, 1 the plugin failed or wrote something that is no manifest, 2 it could not run, 130 interrupted.`;

function shortDuration(text: string): number {
  const milliseconds = parseDuration(text) ?? 0;
  if (milliseconds < 1 || milliseconds > 3_600_000) {
    throw new InvalidArgumentError('It must be a duration of at most an hour: 90s, 5m.');
  }
  return milliseconds;
}

/** The checks are known to the library, which is loaded for the help and not for the name of the command. */
function checkList(): string {
  const { checkNames } = require('../../operate/doctor') as typeof Doctor;
  return `Checks: ${checkNames.join(', ')}.`;
}

/** `cluster-canary doctor` */
export function doctorCommand(): Command {
  return new Command('doctor')
    .summary('find what is wrong with Argo CD, its clusters and their clocks')
    .description(
      'Inspect the cluster that Argo CD runs in, and print what is wrong with it, what shows it, and the next step, with ' +
        'the most likely cause first. Nothing is changed.',
    )
    .configureHelp({ commandDescription: (command) => `${command.description()}\n\n${checkList()}` })
    .argument('[check...]', 'the checks that are run (default: all)')
    .option('--namespace <name>', 'the namespace of Argo CD', 'argocd')
    .option(
      '--concurrency <number>',
      'calls that a check may have under way at once',
      wholeNumberFlag(1, 999),
      8,
    )
    .option('--json', 'print what was seen as one JSON document')
    .option('--kubeconfig <file>', 'of the cluster (default: KUBECONFIG, ~/.kube/config, or the pod itself)')
    .option('--context <name>', "context of the kubeconfig (default: the kubeconfig's own)")
    .addHelpText('after', examples)
    .addCommand(pluginCommand())
    .action(async (checks: string[], flags: DoctorFlags) => {
      const { doctor } = await import('../actions/doctor');
      await doctor(checks, flags);
    });
}

const examples = `
Examples:
  cluster-canary doctor
  cluster-canary doctor clock --context hub
  cluster-canary doctor --json | jq '.causes[0]'

Exit status: 0 all is well, 1 something is wrong, 2 it could not check everything and found nothing wrong in the rest,
or could not run, 130 interrupted.`;
