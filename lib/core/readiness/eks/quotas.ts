import { awsFailure, present } from '../../aws/errors';
import { targetGroupPage } from '../../aws/load-balancing';
import { pageOf } from '../../aws/pages';
import type { ReadinessFinding } from '../report';
import { readInstances } from './instances';
import type { SeenInstance } from './instances';
import type { EksReader, Read } from './reader';
import { readCluster } from './resources';
import { eksSubject, mayRead } from './subject';

/**
 * Whether the account's quotas let two clusters run at once. Quotas of one cluster alone, such as its node groups, count anew
 * for each, and are not asked.
 */
export const eksQuotas = eksSubject({
  name: 'eks-quotas',
  title: 'quotas that two clusters at once need',
  permissions: [
    mayRead('ReadCluster', ['eks:DescribeCluster'], 'cluster'),
    mayRead('ReadUse', [
      'ec2:DescribeInstances',
      'eks:ListClusters',
      'elasticloadbalancing:DescribeTargetGroups',
    ]),
    mayRead('ReadQuotas', ['servicequotas:GetAWSDefaultServiceQuota', 'servicequotas:GetServiceQuota']),
  ],
  look: async (reader) => {
    const [clusters, instances, groups, limits] = await Promise.all([
      readClusterNames(reader),
      readInstances(reader),
      readTargetGroups(reader),
      readQuotas(reader),
    ]);
    const uses: readonly (QuotaUse | undefined)[] = [
      clusters.untried.length > 0 ? undefined : { code: 'L-1194D53C', used: clusters.value.length, more: 1 },
      instances.untried.length > 0 ? undefined : { code: 'L-1216C47A', ...standardVcpus(instances.value) },
      groups.untried.length > 0 ? undefined : { code: 'L-B22855CB', ...groups.value },
    ];
    const known = uses.filter((use) => use !== undefined);
    const unsaid = instances.value.filter((each) => counts(each) && each.vcpus === undefined);
    const unknown = quotas.filter(({ code }) => !limits.value.some((limit) => limit.code === code));
    return {
      findings: judgeQuotas(known, limits.value),
      looked: `${known.filter(({ code }) => limits.value.some((limit) => limit.code === code)).length} of ${quotas.length} quotas`,
      untried: [
        ...clusters.untried,
        ...instances.untried,
        ...groups.untried,
        ...limits.untried,
        ...(unsaid.length === 0
          ? []
          : [
              `vCPUs beside ${reader.place}: EC2 does not say how many ${unsaid.length} of its instances have`,
            ]),
        ...(limits.untried.length > 0
          ? []
          : unknown.map(({ name }) => `quota "${name}": Service Quotas does not know it in this region`)),
      ],
    };
  },
});

/** One quota. */
interface Quota {
  readonly service: string;
  readonly code: string;
  /** As Service Quotas calls it. */
  readonly name: string;
  /** What a second cluster needs of it, for people. */
  readonly needs: string;
  /** `error`: what is needed is known. `warning`: it is an estimate. */
  readonly severity: 'error' | 'warning';
}

/**
 * @see https://docs.aws.amazon.com/eks/latest/best-practices/known_limits_and_service_quotas.html
 * @see https://docs.aws.amazon.com/eks/latest/userguide/service-quotas.html
 */
const quotas: readonly Quota[] = [
  {
    ...{ service: 'eks', code: 'L-1194D53C', name: 'Clusters' },
    ...{ needs: 'the second cluster', severity: 'error' },
  },
  {
    ...{ service: 'ec2', code: 'L-1216C47A' },
    name: 'Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances, in vCPUs',
    ...{ needs: 'nodes like those of the first cluster', severity: 'warning' },
  },
  {
    ...{ service: 'elasticloadbalancing', code: 'L-B22855CB', name: 'Target Groups per Region' },
    ...{ needs: 'target groups like those in the VPC of the first cluster, at most', severity: 'warning' },
  },
];

/** What is used of a quota, and what a second cluster adds. */
export interface QuotaUse {
  readonly code: string;
  readonly used: number;
  readonly more: number;
}

/** The value of a quota. */
export interface QuotaLimit {
  readonly code: string;
  readonly value: number;
}

/** Which quotas a second cluster goes beyond. One whose value or use is not known is not judged. */
export function judgeQuotas(
  uses: readonly QuotaUse[],
  limits: readonly QuotaLimit[],
): readonly ReadinessFinding[] {
  return quotas.flatMap(({ service, code, name, needs, severity }): readonly ReadinessFinding[] => {
    const use = uses.find((each) => each.code === code);
    const limit = limits.find((each) => each.code === code);
    return use === undefined || limit === undefined || use.used + use.more <= limit.value
      ? []
      : [
          {
            id: 'EKS22',
            severity,
            message: `quota "${name}" (${code}) is ${limit.value}: ${use.used} in use, and ${use.more} more for ${needs}`,
            why: 'beyond the quota, AWS refuses what the second cluster needs, while the first one still runs',
            fix: `ask for ${use.used + use.more} with \`aws service-quotas request-service-quota-increase --service-code ${service} --quota-code ${code} --desired-value ${use.used + use.more}\`; it may take days`,
          },
        ];
  });
}

/** Families of instances that the quota counts: those of other letters, such as `g`, `p`, `x` or `inf`, have quotas of their own. */
const standard = /^(a|c|d|h|i|m|r|t|z|im|is)\d/;

function counts({ type, onDemand }: SeenInstance): boolean {
  return onDemand && standard.test(type);
}

/** vCPUs of the quota of Standard instances: in use, and those of the cluster's nodes. */
function standardVcpus(instances: readonly SeenInstance[]): Pick<QuotaUse, 'used' | 'more'> {
  const counting = instances.filter(counts);
  const sum = (some: readonly SeenInstance[]) => some.reduce((total, { vcpus = 0 }) => total + vcpus, 0);
  return { used: sum(counting), more: sum(counting.filter(({ ofCluster }) => ofCluster)) };
}

function readQuotas(reader: EksReader<'serviceQuotas'>): Promise<Read<readonly QuotaLimit[]>> {
  const callOf = (code: string) => ({
    action: 'servicequotas:GetServiceQuota',
    subject: `quota "${quotas.find((quota) => quota.code === code)?.name ?? code}"`,
  });
  return reader.each(
    quotas.map(({ code }) => code),
    callOf,
    async (code, options) => {
      const client = await reader.clients.serviceQuotas();
      const input = { ServiceCode: quotas.find((quota) => quota.code === code)!.service, QuotaCode: code };
      const { Quota } = await client.getServiceQuota(input, options).catch((error: unknown) => {
        // Nobody has asked for another value in this account: the default counts.
        if (awsFailure(error).kind !== 'notFound') {
          throw error;
        }
        return client.getAWSDefaultServiceQuota(input, options);
      });
      return { code, value: present(callOf(code), 'a value', Quota?.Value) };
    },
  );
}

function readClusterNames(reader: EksReader<'eks'>): Promise<Read<readonly string[]>> {
  return reader.list(
    { action: 'eks:ListClusters', subject: `clusters beside ${reader.place}` },
    async (nextToken, options) =>
      pageOf('clusters', (await reader.clients.eks()).listClusters({ nextToken }, options)),
  );
}

async function readTargetGroups(
  reader: EksReader<'eks' | 'elasticLoadBalancing'>,
): Promise<Read<Pick<QuotaUse, 'used' | 'more'>>> {
  const [cluster, groups] = await Promise.all([
    readCluster(reader),
    reader.list(
      {
        action: 'elasticloadbalancing:DescribeTargetGroups',
        subject: `target groups beside ${reader.place}`,
      },
      async (marker, options) =>
        targetGroupPage(await reader.clients.elasticLoadBalancing(), marker, options),
    ),
  ]);
  const vpc = cluster.value?.resourcesVpcConfig?.vpcId;
  const more = groups.value.filter(({ VpcId }) => VpcId !== undefined && VpcId === vpc).length;
  return { value: { used: groups.value.length, more }, untried: [...cluster.untried, ...groups.untried] };
}
