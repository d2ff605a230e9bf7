import { Argument, Command, InvalidArgumentError } from 'commander';
import type { CalledService } from '../../core/certificates/ca-bundles';
import type { CaRotationPhase } from '../../core/certificates/ca-rotation';
import type { GateFlags, CaRotationFlags, ResultFlags, RetireFlags } from '../actions/ca-rotation';
import { durationFlag, wholeNumberFlag } from '../options';

type Injected = RetireFlags['injected'];

/** `cluster-canary ca-rotation` */
export function caRotationCommand(): Command {
  const command = new Command('ca-rotation')
    .summary("change the key of a webhook's certificate authority")
    .description(
      'The way from one generation of a certificate authority to the next in three phases (publish, switch, retire), ' +
        'each one change of the manifests. These commands check whether a phase is over, and write what injection cannot.',
    )
    .addHelpText('afterAll', examples);
  command.addCommand(
    common(new Command('check'))
      .summary('check whether a phase is over')
      .description(
        'Check whether a phase is over: of publish and retire by every CA bundle, of switch also by the certificate that ' +
          'each pod serves. Addresses of pods are reached from inside of the cluster.',
      )
      .addArgument(new Argument('<phase>', 'the phase').choices(['publish', 'switch', 'retire']))
      .requiredOption('--service <namespace/name[:port]>', 'Service of the server; once for each', service)
      .option('--settle-time <duration>', 'how long bundles must have held both (default: 1h)', durationFlag)
      .action(async (phase: CaRotationPhase, flags: GateFlags) => (await verbs()).gate(phase, flags)),
  );
  command.addCommand(
    common(new Command('bundle'))
      .summary('write the Secret that both generations are injected from')
      .description('Write the certificates of both generations into the Secret NAME-gGENERATION-bundle.')
      .action(async (flags: CaRotationFlags) => (await verbs()).bundle(flags)),
  );
  command.addCommand(
    common(new Command('retire'))
      .summary('make the new generation the only one that API servers trust')
      .description('Write the new generation alone into CA bundles, if every pod serves what it signed.')
      .requiredOption('--service <namespace/name[:port]>', 'Service of the server; once for each', service)
      .requiredOption('--injected <kind/name>', 'object that is injected into; once for each', injected)
      .action(async (flags: RetireFlags) => (await verbs()).retire(flags)),
  );
  command.addCommand(
    inCluster(new Command('result'))
      .summary('print the results of the Jobs of a CA rotation')
      .description(
        'Print the results of the Jobs of a CA rotation, the newest last, and why a gate was shut. They connect to pods from inside of ' +
          'the cluster; their results can be read from everywhere.',
      )
      .action(async (flags: ResultFlags) => (await verbs()).result(flags)),
  );
  return command;
}

const verbs = () => import('../actions/ca-rotation');

function common(command: Command): Command {
  return inCluster(command)
    .option('--authorities <folder>', "old.crt and renewed.crt (default: the authority's Secrets)")
    .option(
      '--message <file>',
      "also write what came of it, in short, for a container's termination message",
    );
}

function inCluster(command: Command): Command {
  return command
    .requiredOption('--namespace <namespace>', 'namespace of the authority')
    .requiredOption('--name <name>', 'name of the authority, without a generation')
    .requiredOption('--generation <number>', 'the new generation', wholeNumberFlag(2))
    .option(
      '--wait <seconds>',
      'how long to wait until it is so',
      wholeNumberFlag(0, Infinity, 'a whole number of seconds'),
      0,
    )
    .option('--json', 'print what was seen as one JSON document')
    .option('--kubeconfig <file>', 'default: KUBECONFIG, ~/.kube/config, the service account of the pod')
    .option('--context <name>', "context of the kubeconfig (default: the kubeconfig's own)");
}

const examples = `
Examples:
  cluster-canary ca-rotation check publish --namespace platform --name gates --generation 2 --service platform/gate
  cluster-canary ca-rotation check switch --namespace platform --name gates --generation 2 --service platform/gate --wait 300
  cluster-canary ca-rotation bundle --namespace platform --name gates --generation 2
  cluster-canary ca-rotation retire --namespace platform --name gates --generation 2 --service platform/gate \\
    --injected ValidatingWebhookConfiguration/gate
  cluster-canary ca-rotation result --namespace platform --name gates --generation 2

Exit status: 0 the phase is over, it was written, or the newest Job has succeeded; 1 it is not; 2 it could not be
checked; 130 interrupted.`;

function service(text: string, before: readonly CalledService[] = []): readonly CalledService[] {
  const [, namespace, name, port] = /^([a-z0-9-]+)\/([a-z0-9-]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (namespace === undefined || name === undefined) {
    throw new InvalidArgumentError('It must be NAMESPACE/NAME or NAMESPACE/NAME:PORT.');
  }
  return [...before, { namespace, name, ...(port === undefined ? {} : { port: Number(port) }) }];
}

const kinds: readonly string[] = [
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'CustomResourceDefinition',
  'APIService',
];

function injected(text: string, before: Injected = []): Injected {
  const [, kind = '', name] = /^([A-Za-z]+)\/([a-z0-9.-]+)$/.exec(text) ?? [];
  if (!kinds.includes(kind) || name === undefined) {
    throw new InvalidArgumentError(`It must be KIND/NAME; kinds are ${kinds.join(', ')}.`);
  }
  return [...before, { kind: kind as Injected[number]['kind'], name }];
}
