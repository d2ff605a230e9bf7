import { Command, Option } from 'commander';
import type { LintFlags } from '../actions/lint/flags';

/** `cluster-canary lint` */
export function lintCommand(): Command {
  return new Command('lint')
    .summary('find webhooks, certificates, GitOps settings and retries that will refuse pods')
    .description(
      'Check Kubernetes manifests: rendered charts, a cdk8s output folder, Argo CD Applications, Argo Workflows, a dump ' +
        'of a cluster. Folders are searched for .yaml, .yml and .json; - is the standard input.',
    )
    .argument('[path...]', 'files and folders')
    .usage('[options] <path...>')
    .addOption(
      new Option('--format <format>', 'how findings are printed')
        .choices(['text', 'json', 'sarif'])
        .default('text'),
    )
    .addOption(
      new Option('--min-severity <severity>', 'leave out findings below it')
        .choices(['info', 'warning', 'error'])
        .default('info'),
    )
    .option('--fix', 'write copies of all files to --out, fixed where that is safe')
    .option('--out <folder>', 'folder for the copies')
    .option('--baseline <folder or commit>', 'the state before the change, for rules that compare')
    .option('--kubeconfig [file]', 'read what rules need of the cluster (default: where kubectl looks)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option(
      '--cluster <[name=]path...>',
      'files of one cluster, checked separately (default: folders that hold the same object are clusters)',
    )
    .option('--kubernetes-version <version>', 'report APIs that this version does not serve: 1.36')
    .option('--count', 'print how often each rule finds something and where first, not the findings')
    .option('--rule <id>', 'run these rules only; with commas, or repeated', ids)
    .option('--list-rules', 'list the rules, those of --rules too, and check nothing')
    .option('--explain <id...>', 'print what rules look for, why, and what to do; check nothing')
    .option('--rules <file>', 'JavaScript module with rules of your own; may be repeated', each)
    .option('--config <file>', 'suppressions and severities (default: cluster-canary.yaml, if it is there)')
    .option('--no-color', 'no colours, as NO_COLOR')
    .addHelpText('after', examples)
    .action(async (paths: readonly string[], flags: LintFlags) => {
      const { runLint } = await import('../actions/lint/lint');
      await runLint(paths, flags);
    });
}

/** Options that take one value each leave the words after it to the paths. */
function each(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function ids(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...value.split(',')];
}

const examples = `
Examples:
  cluster-canary lint rendered/ app/*.yaml
  helm template web charts/web | cluster-canary lint -
  cluster-canary lint rendered --format sarif > lint.sarif
  cluster-canary lint rendered --baseline origin/main
  cluster-canary lint rendered --fix --out fixed
  cluster-canary lint rendered --cluster eu=rendered/blue --cluster us=rendered/green
  cluster-canary lint charts --cluster charts/* --count
  cluster-canary lint rendered --kubernetes-version 1.36 --rule API01,API02
  cluster-canary lint rendered --rule WH03,WH06
  cluster-canary lint --list-rules
  cluster-canary lint --explain WH06

Exit status: 0 nothing but infos, 1 errors or warnings, 2 something could not be checked, 130 interrupted.`;
