import type { AllowStatement } from '../../core/aws/iam';
import { partitionOf } from '../../core/aws/partitions';
import { shiftPermissions, shiftRoles } from '../plan-file';
import type { CheckedPlanFile } from '../plan-file';
import { subjectOf } from '../routers';

/** What an evacuation never calls: it waits neither for targets nor for DNS. */
const neverCalled = new Set(['elasticloadbalancing:DescribeTargetGroupAttributes', 'route53:GetChange']);

/** AWS knows no narrower resource for it. */
const readHealth: AllowStatement = {
  Sid: 'ReadHealth',
  Effect: 'Allow',
  Action: ['elasticloadbalancing:DescribeTargetHealth'],
  Resource: '*',
};

/**
 * The least rights at AWS that the evacuation of a plan's slots needs.
 *
 * @param role ARN of a role that the plan names, for the rights of that one. @default - the identity that runs the command
 */
export function evacuationPermissions(plan: CheckedPlanFile, role?: string): readonly AllowStatement[] {
  const weights = shiftPermissions({ ...plan, checks: [] }, role).flatMap((statement) => {
    const Action = statement.Action.filter((action) => !neverCalled.has(action));
    return Action.length === 0 ? [] : [{ ...statement, Action }];
  });
  const hasTargets = Object.values(plan.routes).some((route) => {
    const { roleArn, slots } = subjectOf(route);
    return (
      roleArn === role && Object.values(slots).some(({ targetGroupArn }) => targetGroupArn !== undefined)
    );
  });
  return hasTargets ? [...weights, readHealth] : weights;
}

/** ARNs of the roles that {@link evacuationPermissions} says the rights of. */
export function evacuationRoles(plan: CheckedPlanFile): readonly string[] {
  return shiftRoles({ ...plan, checks: [] });
}

/** What an evacuation without a plan searches. */
export interface EvacuationScope {
  /** Region of the load balancers. @default - any */
  readonly region?: string;
  /** Ids of the hosted zones. @default - every one of the account */
  readonly hostedZoneIds?: readonly string[];
  /** Whether records of Route 53 are searched. @default true */
  readonly records?: boolean;
}

/**
 * The least rights at AWS of an evacuation that finds what leads to a slot by tags and set identifiers: which rules and
 * records those are is known only then.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancingv2.html
 * @see https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/specifying-rrset-conditions.html
 */
export function searchedEvacuationPermissions({
  region,
  hostedZoneIds,
  records = true,
}: EvacuationScope = {}): readonly AllowStatement[] {
  const { id: partition } = partitionOf(region);
  const place = `${region ?? '*'}:*`;
  const balancing = `arn:${partition}:elasticloadbalancing:${place}`;
  const zone = `arn:${partition}:route53:::hostedzone`;
  const zones = hostedZoneIds?.map((id) => `${zone}/${id.replace(/^\/hostedzone\//, '')}`) ?? [`${zone}/*`];
  const listZones: AllowStatement[] = hostedZoneIds
    ? []
    : [{ Sid: 'FindZones', Effect: 'Allow', Action: ['route53:ListHostedZones'], Resource: '*' }];
  const ofRecords: AllowStatement[] = [
    ...listZones,
    { Sid: 'ReadRecords', Effect: 'Allow', Action: ['route53:ListResourceRecordSets'], Resource: zones },
    {
      Sid: 'WriteRecords',
      Effect: 'Allow',
      Action: ['route53:ChangeResourceRecordSets'],
      Resource: zones,
      Condition: {
        'ForAllValues:StringEquals': {
          'route53:ChangeResourceRecordSetsRecordTypes': ['A', 'AAAA', 'CNAME'],
          'route53:ChangeResourceRecordSetsActions': ['UPSERT'],
        },
      },
    },
  ];
  return [
    {
      Sid: 'FindRules',
      Effect: 'Allow',
      Action: [
        'elasticloadbalancing:DescribeTargetGroups',
        'elasticloadbalancing:DescribeTags',
        'elasticloadbalancing:DescribeListeners',
        'elasticloadbalancing:DescribeRules',
        'elasticloadbalancing:DescribeTargetHealth',
      ],
      Resource: '*',
    },
    {
      Sid: 'WriteRules',
      Effect: 'Allow',
      Action: ['elasticloadbalancing:ModifyRule'],
      Resource: [`${balancing}:listener-rule/app/*`],
    },
    {
      Sid: 'WriteListeners',
      Effect: 'Allow',
      Action: ['elasticloadbalancing:ModifyListener'],
      Resource: [`${balancing}:listener/app/*`, `${balancing}:listener/net/*`],
    },
    {
      Sid: 'NoteEvacuation',
      Effect: 'Allow',
      Action: ['ssm:GetParameter', 'ssm:PutParameter'],
      Resource: [`arn:${partition}:ssm:${place}:parameter/cluster-canary/leases/*`],
    },
    ...(records ? ofRecords : []),
  ];
}
