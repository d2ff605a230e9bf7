/** Weights of a rule by the target group's ARN, on the load balancer's own scale. */
export type WeightsByArn = ReadonlyMap<string, number>;

/** One target group on a rule; the ARN is not known yet where a preview makes it. */
export interface WeightedTarget {
  readonly arn: string | undefined;
  readonly weight: number;
}

/**
 * The target groups of a rule's forward action, as Pulumi's AWS provider takes and gives it.
 *
 * The provider keeps target groups as a set, so their order means nothing, and writes a target group that is alone in two
 * ways.
 *
 * @param actions the property `actions` of an `aws.lb.ListenerRule`
 * @see https://www.pulumi.com/registry/packages/aws/api-docs/lb/listenerrule/
 */
export function ruleTargets(actions: unknown): readonly WeightedTarget[] {
  const forward = asList(actions).find((action) => asRecord(action).type === 'forward');
  const given = asList(asRecord(asRecord(forward).forward).targetGroups);
  if (given.length === 0) {
    const { targetGroupArn } = asRecord(forward);
    return typeof targetGroupArn === 'string' ? [{ arn: targetGroupArn, weight: 1 }] : [];
  }
  return given.map((target) => {
    const { arn, weight } = asRecord(target);
    return {
      arn: typeof arn === 'string' ? arn : undefined,
      // What the provider takes where nothing is said.
      weight: typeof weight === 'number' ? weight : 1,
    };
  });
}

/** The weights of target groups whose ARN is known. */
export function weightsByArn(targets: readonly WeightedTarget[]): WeightsByArn {
  return new Map(targets.flatMap(({ arn, weight }) => (arn === undefined ? [] : [[arn, weight] as const])));
}

/** Whether a share of traffic differs, on whatever scale; a target group that is missing has 0. */
export function sharesDiffer(one: WeightsByArn, other: WeightsByArn): boolean {
  const [oneSum, otherSum] = [total(one), total(other)];
  return [...new Set([...one.keys(), ...other.keys()])].some(
    (arn) => (one.get(arn) ?? 0) * otherSum !== (other.get(arn) ?? 0) * oneSum,
  );
}

function total(weights: WeightsByArn): number {
  return [...weights.values()].reduce((sum, weight) => sum + weight, 0);
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
