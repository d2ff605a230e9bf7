import { Command } from 'commander';
import type { HardenFlags } from '../actions/harden';

/** `cluster-canary harden` */
export function hardenCommand(): Command {
  return new Command('harden')
    .summary('rewrite manifests so that their webhooks and certificates refuse nothing')
    .description(
      'Read manifests from the standard input and write them, hardened, to the standard output: a post-renderer for Helm. ' +
        'Changes are listed on stderr. Where anything is wrong, nothing is written.',
    )
    .option('--check', 'write nothing, list what would be changed')
    .option('--json', 'with --check: print it as one JSON document')
    .option('--strict', 'write nothing where errors are left')
    .option(
      '--config <file>',
      'decisions, suppressions and severities (default: cluster-canary.yaml, if it is there)',
    )
    .option(
      '--context-manifests <file...>',
      'objects of the cluster that are not among the manifests, to read only',
    )
    .option(
      '--cluster <[name=]path...>',
      'files of one cluster, checked separately; - is the manifests (default: sibling folders that hold the same object are clusters)',
    )
    .addHelpText('after', examples)
    .action(async (flags: HardenFlags) => {
      const { runHarden } = await import('../actions/harden');
      await runHarden(flags);
    });
}

const examples = `
Examples:
  helm template web charts/web | cluster-canary harden > web.yaml
  helm template web charts/web | cluster-canary harden --check
  cluster-canary harden --context-manifests rendered --cluster blue=- blue=rendered/blue green=rendered/green < web.yaml
  helm upgrade web charts/web --post-renderer cluster-canary-harden     (Helm 3; Helm 4 wants a plugin)

Exit status: 0 written, or with --check nothing to change; 1 with --check something to change, or errors are left;
2 it could not be read, or a decision is wrong or brings an error; 130 interrupted.`;
