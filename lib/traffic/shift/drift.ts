import type { ShiftRunner } from './arguments';
import type { Weights } from '../../shift';
import { describeWeights, equalWeights } from '../../shift';

/** A rule whose live weights were read. */
export interface RuleReading {
  /** `ALB rule arn:aws:…` */
  readonly name: string;
  readonly weights: Weights;
  /** ARNs of target groups without traffic that the program does not have. */
  readonly leftOver: readonly string[];
}

/** Rules whose live weights are not the wanted ones. */
export function drifted(wanted: Weights, rules: readonly RuleReading[]): readonly RuleReading[] {
  return rules.filter(({ weights }) => !equalWeights(wanted, weights));
}

/**
 * What a program fails with when live weights differ although no update is due: Pulumi's state says that all is as wanted,
 * so no hook was called. That is so after a shift that was held and a program that then went back to the old weights, and
 * when somebody else wrote weights.
 *
 * @param what has the weights: `FleetTraffic "apps"`
 */
export function driftError(
  what: string,
  wanted: Weights,
  rules: readonly RuleReading[],
  runBy: ShiftRunner,
): string {
  const lines = rules.map(
    ({ name, weights }) => `  ${name}: live ${describeWeights(weights)}, wanted ${describeWeights(wanted)}`,
  );
  return [
    `${what}: the live weights are not the wanted ones, and Pulumi sees no update that is due.`,
    ...lines,
    ...(runBy === 'pulumi'
      ? [
          'A shift was held or killed, or somebody else wrote weights, or writes them now.',
          'To shift the traffic to the wanted weights: pulumi up --refresh',
          'To stay where it is: write the live weights into the program, then: pulumi up',
        ]
      : [
          'Traffic goes to a slot that the program does not have any more: shift it away before that slot goes,',
          "with the slot still in the program. Then set runBy: 'pulumi' for the up that takes it off the rule.",
        ]),
  ].join('\n');
}

/**
 * What is said of target groups that stand on a rule without traffic: AWS does not delete them there. It is so when a shift to
 * a new slot failed and the slot was taken out of the program again, and where Pulumi does not write the rule.
 */
export function leftOverNotes(
  what: string,
  rules: readonly RuleReading[],
  runBy: ShiftRunner,
): readonly string[] {
  const how = runBy === 'pulumi' ? 'pulumi up --refresh' : "pulumi up --refresh with runBy: 'pulumi'";
  return rules.flatMap(({ name, leftOver }) =>
    leftOver.map(
      (arn) =>
        `${what}: ${name} still has ${arn}, with weight 0, which is of no slot. To take it off: ${how}`,
    ),
  );
}

/** What is only said where somebody else runs the shift. */
export function driftNote(
  what: string,
  wanted: Weights,
  rules: readonly RuleReading[],
  runBy: ShiftRunner,
): string {
  const lines = rules.map(({ name, weights }) => `${name} has ${describeWeights(weights)}`);
  return `${what}: wanted ${describeWeights(wanted)}, live: ${lines.join('; ')}. The shift is run by ${
    runBy === 'workflow' ? 'the workflow' : 'an operator: cluster-canary shift PLAN'
  }.`;
}
