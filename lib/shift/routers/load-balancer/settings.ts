import { parseArn } from '../../../core/aws/arns';
import type { AwsAccess } from '../../../core/aws/arns';
import { Problems } from '../../../core/validation/problems';
import type { PlainObject } from '../../../core/validation/problems';
import type { Schema } from '../../../core/validation/schema';
import { text } from '../../../core/validation/values';
import type { ShiftSubject } from '../../engine';
import type { SlotField, TogetherProblems } from '../router-kind';

const partsOf: Readonly<Record<string, readonly [pattern: string, shape: string]>> = {
  'listener-rule/app': [String.raw`[^/\s]+/[0-9a-f]+/[0-9a-f]+/[0-9a-f]+`, 'NAME/ID/ID/ID'],
  'listener/app': [String.raw`[^/\s]+/[0-9a-f]+/[0-9a-f]+`, 'NAME/ID/ID'],
  'listener/net': [String.raw`[^/\s]+/[0-9a-f]+/[0-9a-f]+`, 'NAME/ID/ID'],
  targetgroup: [String.raw`[^/\s]+/[0-9a-f]+`, 'NAME/ID'],
};

/**
 * One kind of ARN.
 *
 * @param kind path before the names: `listener/app`
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancingv2.html
 */
export function elasticLoadBalancingArn(kind: string, words: string): Schema<string> {
  const [pattern, shape] = partsOf[kind]!;
  return text(
    `the ARN of ${words}: arn:aws:elasticloadbalancing:REGION:ACCOUNT:${kind}/${shape}`,
    new RegExp(String.raw`^arn:aws[a-z-]*:elasticloadbalancing:[a-z0-9-]+:(\d{12})?:${kind}/${pattern}$`),
  );
}

/** What a plan file says of each slot of a load balancer. */
export const targetGroupField: SlotField<'targetGroupArn'> = {
  field: 'targetGroupArn',
  title: "ARN of the slot's target group, of load balancers",
  value: elasticLoadBalancingArn('targetgroup', 'a target group'),
};

/** A load balancer forwards to target groups of its own region only. */
export function regionProblems(
  key: 'ruleArn' | 'listenerArn',
  { [key]: arn, region: given }: PlainObject,
  slots: PlainObject,
): TogetherProblems {
  const region = typeof arn === 'string' ? regionOf(arn) : '';
  if (region === '') {
    return {};
  }
  const settings = new Problems('settings');
  if (given !== undefined && given !== region) {
    settings.add('region', given, `"${region}", as in \`${key}\`, or left out`);
  }
  const elsewhere = new Problems('slots');
  for (const [slot, group] of Object.entries(slots)) {
    const of = typeof group === 'string' ? regionOf(group) : '';
    if (of !== '' && of !== region) {
      elsewhere.add(slot, group, `a target group in "${region}", where the load balancer is`);
    }
  }
  return { settings: settings.all, slots: elsewhere.all };
}

/** The region of an ARN. */
export function regionOf(arn: string): string {
  return parseArn(arn)?.region ?? '';
}

/** What checks have to know of a shift on a load balancer. */
export function loadBalancerSubject(
  layer: ShiftSubject['layer'],
  arn: string,
  targetGroupArns: Readonly<Record<string, string>>,
  { roleArn }: AwsAccess,
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
