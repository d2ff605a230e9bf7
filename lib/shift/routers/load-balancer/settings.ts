import { arnParts, awsAccessProblems } from '../../../core/aws/arns';
import type { AwsAccess } from '../../../core/aws/arns';
import { dnsLabel } from '../../../core/validation/formats';
import { knownKeys } from '../../../core/validation/known-keys';
import { Problems, isMapping } from '../../../core/validation/problems';
import type { Problem, Rule, Untyped } from '../../../core/validation/problems';
import type { ShiftSubject } from '../../engine';

/** Fewest and most slots that a shift works on: AWS takes five target groups on a rule. */
const fewestSlots = 2;

const mostSlots = 5;

/** The settings if they are a mapping; else there is the one problem. */
export function untyped(settings: unknown, problems: Problems, path: string): Untyped | undefined {
  if (isMapping(settings)) {
    return settings;
  }
  problems.add(path, settings, 'a mapping');
  return undefined;
}

/** Checks a mapping with a value for every slot: 2 to 5, and no two the same. */
export function checkSlots(problems: Problems, path: string, slots: unknown, rule: Rule): void {
  const bySlot = untyped(slots, problems, path);
  if (!bySlot) {
    return;
  }
  const names = Object.keys(bySlot);
  if (names.length < fewestSlots || names.length > mostSlots) {
    problems.add(path, names, `a mapping of ${fewestSlots} to ${mostSlots} slots`);
  }
  for (const [slot, value] of Object.entries(bySlot)) {
    problems.check(`${path}: slot name`, slot, dnsLabel);
    const first = names.find((name) => bySlot[name] === value);
    if (problems.check(`${path}.${slot}`, value, rule) && first !== slot) {
      problems.add(`${path}.${slot}`, value, `another than that of the slot "${first}"`);
    }
  }
}

/** What every router on a load balancer takes. */
export interface TargetGroupSettings extends AwsAccess {
  /** ARN of each slot's target group, 2 to 5. */
  readonly targetGroupArns: Readonly<Record<string, string>>;
}

/** What an ARN of Elastic Load Balancing has to look like. */
export interface ElasticLoadBalancingArn extends Rule {
  /** Path before the names: `listener/app`. */
  readonly kind: string;
}

const partsOf: Readonly<Record<string, readonly [pattern: string, shape: string]>> = {
  'listener-rule/app': [String.raw`[^/\s]+/[0-9a-f]+/[0-9a-f]+/[0-9a-f]+`, 'NAME/ID/ID/ID'],
  'listener/app': [String.raw`[^/\s]+/[0-9a-f]+/[0-9a-f]+`, 'NAME/ID/ID'],
  'listener/net': [String.raw`[^/\s]+/[0-9a-f]+/[0-9a-f]+`, 'NAME/ID/ID'],
  targetgroup: [String.raw`[^/\s]+/[0-9a-f]+`, 'NAME/ID'],
};

/**
 * A rule for one kind of ARN.
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancingv2.html
 */
export function elasticLoadBalancingArn(kind: string, words: string): ElasticLoadBalancingArn {
  const [pattern, shape] = partsOf[kind]!;
  const resource = new RegExp(`^${kind}/${pattern}$`);
  return {
    kind,
    allowed: `the ARN of ${words}: arn:aws:elasticloadbalancing:REGION:ACCOUNT:${kind}/${shape}`,
    accepts: (value) => {
      const parts = typeof value === 'string' ? arnParts(value) : undefined;
      return (
        parts?.service === 'elasticloadbalancing' && parts.region !== '' && resource.test(parts.resource)
      );
    },
  };
}

const targetGroupArn = elasticLoadBalancingArn('targetgroup', 'a target group');

/** What is wrong with the settings of a router on a load balancer. */
export function targetGroupSettingsProblems(
  settings: unknown,
  subject: string,
  key: 'ruleArn' | 'listenerArn',
  rule: ElasticLoadBalancingArn,
): readonly Problem[] {
  const problems = new Problems(subject);
  const given = untyped(settings, problems, subject);
  if (given) {
    knownKeys(problems, '', given, [key, 'targetGroupArns', 'region', 'roleArn']);
    const readable = problems.check(key, given[key], rule);
    checkSlots(problems, 'targetGroupArns', given.targetGroupArns, targetGroupArn);
    problems.addAll(awsAccessProblems(given));
    if (readable) {
      checkRegions(problems, given, key);
    }
  }
  return problems.all;
}

/** A load balancer forwards to target groups of its own region only. */
function checkRegions(problems: Problems, given: Readonly<Record<string, unknown>>, key: string): void {
  const region = regionOf(given[key] as string);
  if (given.region !== undefined && given.region !== region) {
    problems.add('region', given.region, `"${region}", as in \`${key}\`, or left out`);
  }
  for (const [slot, arn] of Object.entries(given.targetGroupArns ?? {})) {
    if (targetGroupArn.accepts(arn) && regionOf(arn as string) !== region) {
      problems.add(
        `targetGroupArns.${slot}`,
        arn,
        `a target group in "${region}", where the load balancer is`,
      );
    }
  }
}

/** The region of an ARN. */
export function regionOf(arn: string): string {
  return arnParts(arn)?.region ?? '';
}

/** What checks have to know of a shift on a load balancer. */
export function loadBalancerSubject(
  layer: ShiftSubject['layer'],
  arn: string,
  { targetGroupArns, roleArn }: TargetGroupSettings,
): ShiftSubject {
  const slots = Object.entries(targetGroupArns).map(([slot, of]) => [slot, { targetGroupArn: of }]);
  return {
    layer,
    slots: Object.fromEntries(slots) as ShiftSubject['slots'],
    loadBalancerArn: loadBalancerOf(arn),
    region: regionOf(arn),
    ...(roleArn !== undefined && { roleArn }),
  };
}

/** A listener's and a rule's ARN begin with that of their load balancer, but for the first word. */
function loadBalancerOf(arn: string): string {
  const [, head, rest] = /^(.*:)listener(?:-rule)?\/([^/]+\/[^/]+\/[^/]+)/.exec(arn) as unknown as [
    string,
    string,
    string,
  ];
  return `${head}loadbalancer/${rest}`;
}
