import { Command } from 'commander';
import type { EvacuateFlags } from '../actions/evacuate/flags';

/** `cluster-canary evacuate` */
export function evacuateCommand(): Command {
  return new Command('evacuate')
    .summary('take all traffic off a slot now')
    .description(
      'Take all traffic off a slot now, on all of its routes, without checks and without Pulumi. The traffic goes to the other ' +
        'slots in proportion; where they have none, to those that had it before. A slot without a healthy target gets nothing. ' +
        'Shifts that run end, and none gives the slot traffic again until a program wants it to have none.',
    )
    .argument('<slot>', 'SLOT of the plan; without a plan FLEET-SLOT, found by the tags of target groups')
    .option(
      '--plan <file>',
      'plan file with the routes, and with the capacity to raise for the other slots (default: every rule, listener and weighted record that leads to the slot)',
    )
    .option('--route <name>', 'only this route of the plan')
    .option('--fleet <name>', 'name of the fleet, where several have such a slot')
    .option('--region <region>', "AWS region (default: the environment's or the profile's)")
    .option('--hosted-zone <id>', 'look for records only in this zone of Route 53; may be repeated', each)
    .option('--no-records', 'leave records of Route 53 out')
    .option('--to <slot>', 'slot that gets all of it')
    .option('--force', 'give traffic also to a slot without a healthy target')
    .option('--forget', 'let shifts give the slot traffic again; write no weights')
    .option('--rights', 'print the rights that it needs, as YAML; read and write nothing')
    .option('--dry-run', 'show what would be written; write nothing')
    .option('--yes', 'without the question')
    .option('--json', 'print what happened, or --rights, as one JSON document')
    .addHelpText('after', examples)
    .action(async (slot: string, flags: EvacuateFlags) => {
      const { evacuate } = await import('../actions/evacuate/evacuate');
      await evacuate(slot, flags);
    });
}

function each(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

const examples = `
Examples:
  cluster-canary evacuate apps-green --region eu-west-1 --dry-run
  cluster-canary evacuate apps-green --region eu-west-1
  cluster-canary evacuate green --plan plan.yaml --to blue --yes
  cluster-canary evacuate apps-green --hosted-zone Z1D633PJN98FT9 --rights
  cluster-canary evacuate apps-green --forget        shifts may give it traffic again

Exit status: 0 the slot has no traffic, 1 some routes could not be written or noted (they are listed), 2 nothing could be
written, 130 interrupted.`;
