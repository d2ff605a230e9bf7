import { Command } from 'commander';
import type { DemoFlags } from '../actions/demo';
import { wholeNumberFlag } from '../options';

/** `cluster-canary demo` */
export function demoCommand(): Command {
  return new Command('demo')
    .summary('see a shift with real requests on this machine')
    .description(
      'Start two small fleets of HTTP servers, a weighted proxy and visitors on this machine, and shift the traffic from blue to ' +
        'green in less than a minute: the same shift as in front of clusters, only faster. A fault of green takes the traffic back. ' +
        'A page shows it, with buttons that break green: its address is printed. Ctrl-C ends it. ' +
        'Nothing leaves this machine, and nothing is left running.',
    )
    .option('--fault <fault>', 'what breaks in green: errors, latency, outage or none', 'errors')
    .option('--seed <number>', 'the same seed brings the same visitors', wholeNumberFlag(0, 2 ** 32 - 1), 1)
    .option('--json', 'print what happened as one JSON document')
    .option('--report <folder>', 'write report.html and shift.svg there')
    .addHelpText('after', examples)
    .action(async (flags: DemoFlags) => {
      const { demo } = await import('../actions/demo');
      await demo(flags);
    });
}

const examples = `
Examples:
  cluster-canary demo
  cluster-canary demo --fault none --report out
  cluster-canary demo --fault outage --json > demo.json

errors and latency begin when green has 10 % of the traffic, an outage before the first percent.

Exit status: 0 the shift did what the fault calls for: back, or complete without one; 1 it did not; 2 it could not run;
130 interrupted.`;
