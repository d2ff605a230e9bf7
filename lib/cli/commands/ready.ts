import { Command, Option } from 'commander';
import type * as Readiness from '../../core/readiness';
import { durationFlag, oneMore, wholeNumberFlag } from '../options';
import type { ReadyFlags } from '../actions/ready/flags';

/** `cluster-canary ready` */
export function readyCommand(): Command {
  return new Command('ready')
    .summary('report what an upgrade of Kubernetes would break, before it')
    .description(
      'Everything that is known before an upgrade of Kubernetes, in one report: what EKS says, what clusters hold and call, ' +
        'what manifests ask for. Folders are searched for .yaml, .yml and .json; - is the standard input. Nothing is changed, ' +
        'and what could not be looked at has not passed.',
    )
    .argument('[path...]', 'manifests that are applied to the cluster: files and folders')
    .requiredOption('--to <version>', 'the Kubernetes version to upgrade to: 1.36')
    .option(
      '--kubeconfig <file>',
      'of the cluster that runs now (with --cluster, default: made of what EKS describes, with aws eks get-token)',
    )
    .option('--context <name>', "context of the kubeconfig (default: the kubeconfig's own)")
    .option('--new-kubeconfig <file>', 'of a cluster of the new version (default: that of --kubeconfig)')
    .option('--new-context <name>', "context of it (default: the kubeconfig's own)")
    .option('--cluster <name>', 'name of the EKS cluster that runs now')
    .option('--region <region>', "AWS region (default: the environment's or the profile's)")
    .option('--role-arn <arn>', 'role that AWS is asked with')
    .option('--helm-releases', "read Helm's release records, which are Secrets with the values of releases")
    .option(
      '--subject <name>',
      'look at these subjects only, and at PATH; with commas, or repeated (default: all)',
      names,
    )
    .option('--timeout <duration>', 'how long everything may take (default: 2m)', durationFlag)
    .option(
      '--concurrency <number>',
      'calls that a subject may have under way at once',
      wholeNumberFlag(1, 999),
      8,
    )
    .addOption(
      new Option('--fail-on <severity>', 'the least severity that is exit status 1')
        .choices(['error', 'warning'])
        .default('error'),
    )
    .addOption(
      new Option('--format <format>', 'how the report is printed')
        .choices(['text', 'json', 'sarif'])
        .default('text'),
    )
    .option(
      '--rights',
      'print the rights that it takes, as policies of IAM and roles of Kubernetes; ask nothing',
    )
    .configureHelp({ commandDescription: (command) => `${command.description()}\n\n${subjectList()}` })
    .addHelpText('after', examples)
    .action(async (paths: readonly string[], flags: ReadyFlags) => {
      const { ready } = await import('../actions/ready/ready');
      await ready(paths, flags);
    });
}

function names(text: string, before: readonly string[] = []): readonly string[] {
  return text.split(',').reduce<readonly string[]>((all, name) => oneMore(name, all), before);
}

/** The subjects are known to the library, which is loaded for the help and not for the name of the command. */
function subjectList(): string {
  const { readinessSubjects } = require('../../core/readiness') as typeof Readiness;
  return `Subjects: ${readinessSubjects.map(({ name }) => name).join(', ')}; manifests, of PATH, asks no cluster.`;
}

const examples = `
Examples:
  cluster-canary ready --to 1.36 rendered/
  cluster-canary ready --to 1.36 --cluster apps-blue --region eu-west-1 rendered/
  cluster-canary ready --to 1.36 --context blue --new-context green --helm-releases
  cluster-canary ready --to 1.36 --cluster apps-blue --format json | jq .summary
  cluster-canary ready --to 1.36 --cluster apps-blue --rights

Exit status: 0 nothing stands in the way, 1 something does, 2 not everything could be looked at and nothing was found in the
rest, or it could not run, 130 interrupted.`;
