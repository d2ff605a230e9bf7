import { Command } from 'commander';
import type { ReportFlags } from '../actions/report';

/** `cluster-canary report` */
export function reportCommand(): Command {
  return new Command('report')
    .summary('draw the report of a shift that has ended, once more')
    .description(
      'The report of a shift that has ended, as a page and a picture: of a file that "shift --json" has printed or a history keeps, ' +
        'or by its name in a history.',
    )
    .argument('<shift>', 'file with an outcome; with --store or --plan, the name that "history" lists')
    .option('--out <folder>', 'write report.html and shift.svg there', 'report')
    .option('--route <name>', 'the route, where the file has the outcomes of several')
    .option(
      '--store <place>',
      'where the shift is kept: s3:BUCKET/PREFIX, kubernetes:NAMESPACE or folder:PATH',
    )
    .option('--plan <file>', 'plan of a shift, whose history has it')
    .option('--kubeconfig <file>', 'of the cluster with the history, for kubernetes:NAMESPACE')
    .option('--context <name>', "context of the kubeconfig (default: the kubeconfig's own)")
    .addHelpText('after', examples)
    .action(async (shift: string, flags: ReportFlags) => {
      const { report } = await import('../actions/report');
      await report(shift, flags);
    });
}

const examples = `
Examples:
  cluster-canary report outcome.json --out report
  cluster-canary report waves.json --route eu
  cluster-canary report 20260102t030405z-web-1f0c9a3b --plan plan.yaml
  cluster-canary report 20260102t030405z-web-1f0c9a3b --store s3:records/shifts --out report

Exit status: 0 it was written, 1 it could not be written, 2 there is no such shift, or it can't be read, 130 interrupted.`;
