import { Command } from 'commander';
import type { SwapFlags } from '../actions/swap/flags';

/** `cluster-canary swap` */
export function swapCommand(): Command {
  return new Command('swap')
    .summary("change a fleet's cluster, from the new version to the old cluster's end")
    .description(
      'Change the cluster of a fleet as a file describes: ready, create, deliver, try, prescale, shift, soak, drain, delete. ' +
        'A phase that fails takes the traffic back to the old cluster. Of several fleets, a wave begins when the one before has ' +
        'completed. A run that was stopped goes on where it stopped: run the same command again. If nothing is left to do, ' +
        'it reports that and exits with 0.',
    )
    .argument('<file>', 'YAML or JSON file')
    .option(
      '--fleet <name>',
      'of a file with several fleets, this one only, whatever its wave (default: all)',
    )
    .option(
      '--dry-run',
      'show what there is, what each phase does, and what the first deployment would change; write nothing',
    )
    .option(
      '--rights',
      'print the rights that the swap itself needs at AWS and in Kubernetes, as YAML; read and write nothing',
    )
    .option('--json', 'print what happened, --dry-run or --rights, as one JSON document')
    .option('--back', 'take the traffic back to the old cluster, from any phase before delete')
    .option('--delete', 'with --back: delete the new cluster as well (default: it stays for a look)')
    .option('--adopt', 'take over what is live where no record says how it came to be')
    .option('--retry', 'begin again what went back last; without it, a run reports that and changes nothing')
    .option('--no-wait', 'end with status 0 where it would wait for a window, a person or a soak')
    .option('--approve <phase>', 'agree to this phase of the swap that runs, or of the next one; end then')
    .option('--refuse <phase>', 'refuse this phase: the swap goes back; end then')
    .option(
      '--by <name>',
      'with --approve or --refuse: who answers, for the record (default: user and machine)',
    )
    .option(
      '--resume-file <path>',
      'before a phase that needs approval, take the file PATH-PHASE as one, too, if it was written since the swap began',
    )
    .option('--schedule <time>', 'start no earlier than this time: 2026-12-01T22:00:00Z')
    .option('--forget', 'mark the record of an unfinished swap as ended; change nothing else')
    .addHelpText('after', examples)
    .action(async (file: string, flags: SwapFlags) => {
      const { swap } = await import('../actions/swap/swap');
      await swap(file, flags);
    });
}

const examples = `
Examples:
  cluster-canary swap swap.yaml --dry-run
  cluster-canary swap swap.yaml --rights
  cluster-canary swap swap.yaml
  cluster-canary swap swap.yaml --approve delete --by kim@example.com
  cluster-canary swap swap.yaml --no-wait --json > outcome.json
  cluster-canary swap swap.yaml --back --delete      give the new cluster up
  cluster-canary swap waves.yaml --fleet us --approve create

With several fleets, --forget and --adopt need --fleet; --approve and --refuse need it unless exactly one fleet waits before
the phase. --back takes back every fleet with an open swap, the last wave first. --resume-file takes files PATH-FLEET-PHASE.

A first SIGINT, SIGTERM or SIGHUP ends what runs, and the swap is held there; a second one, but SIGHUP, ends it at once.

Exit status: 0 completed, or nothing was to be done (with --back: back; with --no-wait: or it waits for a window, a soak, a
person or --retry), 1 rolled back, held or aborted (with --dry-run: it would be, or has problems), 2 it could not run: bad
input, or record, clusters or program could not be read, 130 interrupted.`;
