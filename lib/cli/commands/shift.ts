import { Command } from 'commander';
import type { ShiftFlags } from '../actions/shift/flags';
import { wholeNumberFlag } from '../options';

/** `cluster-canary shift` */
export function shiftCommand(): Command {
  return new Command('shift')
    .summary('move traffic step by step, as a plan describes')
    .description(
      'Move the live weights to those of a plan, step by step, with checks after each; a failed check takes the traffic ' +
        'back at once. A run that was stopped goes on where it stopped: run the same command again.',
    )
    .argument('<plan>', 'YAML or JSON file')
    .option('--dry-run', 'show every step with its earliest time; write nothing')
    .option(
      '--rights',
      'print the rights that it needs at AWS and in Kubernetes, as YAML; read and write nothing',
    )
    .option('--json', 'print what happened, or --rights, as one JSON document')
    .option('--report <folder>', 'write report.html and shift.svg there')
    .option('--route <name>', 'shift only this route of a plan with several')
    .option(
      '--resume-file <path>',
      'at a pause, wait until the file PATH-PLACE is there (default: end, held)',
    )
    .option(
      '--resumed <place>',
      'go on beyond the pause at this percent of the way',
      wholeNumberFlag(0, 99, 'a whole percent of the way'),
    )
    .option(
      '--serve <address>',
      'show it on a page while it runs, and let people continue, hold and go back there',
    )
    .option('--public-url <url>', 'where people find that page, behind your own TLS')
    .option('--approver-header <name>', 'header in which the proxy before that page names the person')
    .option(
      '--approved-by <text>',
      'with --resumed: who let it go on, for the record; labels of an Argo Workflow as JSON are read',
    )
    .option('--to-pause', 'end with status 0 at the next pause')
    .option(
      '--keep-record',
      'when complete, keep the record (in the lease) of where the route came from, for --roll-back',
    )
    .option(
      '--roll-back <reason>',
      'take an unfinished or kept (--keep-record) shift of the route back to where it came from',
    )
    .option('--if-recorded', 'with --roll-back: end with status 0 where there is no such shift')
    .option(
      '--forget',
      'mark the record of the route as ended, and give back raised capacity; write no weights',
    )
    .addHelpText('after', examples)
    .action(async (plan: string, flags: ShiftFlags) => {
      const { shift } = await import('../actions/shift/shift');
      await shift(plan, flags);
    });
}

const examples = `
Examples:
  cluster-canary shift plan.yaml --dry-run
  cluster-canary shift plan.yaml --rights
  cluster-canary shift plan.yaml --report out
  cluster-canary shift plan.yaml --serve 127.0.0.1:8080
  cluster-canary shift plan.yaml --resumed 50        go on beyond the pause at 50 %
  cluster-canary shift plan.yaml --resumed 50 --approved-by kim@example.com
  cluster-canary shift plan.yaml --json > outcome.json

--serve prints an address with a token, which lets its reader act. With it, a pause waits instead of ending the run.

A first SIGINT, SIGTERM or SIGHUP ends it by the plan's onInterrupt (hold, or roll back); a second one, but SIGHUP, ends it at once.

Exit status: 0 completed (with --to-pause: or at a pause; with --roll-back: back), 1 rolled back, held or aborted, or the
record could not be marked as ended, 2 it could not run (--roll-back: there is no record), 130 interrupted.`;
