import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Edit } from './pulumi-example';
import type { Outcome } from './pulumi-outcome';

const example = readFileSync(resolve(__dirname, '../../../examples/fleet/index.ts'), 'utf8');

/** Other weights of `examples/fleet` that are written at once: how a shift gets there has suites of its own. */
export const withWeights = (weights: string): Edit => ({
  from: /  weights: [^]*?\n {2}shift: \{[^]*?\n {2}\},\n/.exec(example)![0],
  to: `  weights: ${weights},\n  shift: false,\n`,
});

/** Another argument of its slot `blue`. */
export const withBlue = (argument: string): Edit => ({
  from: "blue: { version: '1.35', nodes }",
  to: `blue: { version: '1.35', nodes, ${argument} }`,
});

/** What a run of the engine did. */
export const seen = ({ succeeded, errors, operations }: Outcome) => ({
  succeeded,
  errors,
  operations: operations.map(({ op, type, name }) => `${op} ${type} ${name}`),
});

/** What it says where there is nothing to do. */
export const unchanged = { succeeded: true, errors: [], operations: [] };

/** How EKS's refusal of a replacement is foreseen. */
export const refusal =
  /EKS cluster of slot "apps-blue": 1 problem[^]*EKS would replace the cluster, with all that runs on it/;
