import { Command, InvalidArgumentError } from 'commander';
import type { PreviewFlags } from '../actions/preview';

/** `cluster-canary preview` */
export function previewCommand(): Command {
  return new Command('preview')
    .summary('plan a Pulumi program offline')
    .description(
      'Run a Pulumi program in this process, without a cloud, an engine or a login, and show what it would register.',
    )
    .argument('[program]', 'a folder with Pulumi.yaml, or a .ts or .js file', '.')
    .option('--stack <name>', 'stack whose configuration is used (default: the only one, else dev)')
    .option('--json', 'print the plan as one JSON document')
    .option('--out <folder>', 'write the Kubernetes objects of each cluster there as YAML')
    .option('--answers <file>', 'YAML with results of functions and outputs of other stacks')
    .option('--timeout <seconds>', 'how long the program may take', seconds, 120)
    .option('--no-color', 'no colours, as NO_COLOR')
    .addHelpText('after', examples)
    .action(async (program: string, flags: PreviewFlags) => {
      const { preview } = await import('../actions/preview');
      await preview(program, flags);
    });
}

const examples = `
Examples:
  cluster-canary preview infrastructure --stack production
  cluster-canary preview index.ts --json > plan.json
  cluster-canary preview --out manifests --answers answers.yaml

Exit status: 0 the plan is complete, 2 it could not be made, 130 interrupted.`;

function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0)) {
    throw new InvalidArgumentError('It must be a number of seconds above 0.');
  }
  return value;
}
