import type { AwsClients } from '../../../../lib/core/aws/clients';
import type { ReadinessQuestion, ReadinessSubject } from '../../../../lib/core/readiness/report';

/** Answers by action, `eks:DescribeCluster`; what one throws is the call's error. */
export type Answers = Readonly<Record<string, (input: any) => unknown>>;

/** Clients whose calls are written down and answered from a table. */
export class FakeAws {
  /** The actions, as IAM names them. */
  public readonly called: string[] = [];
  /** Inputs by action. */
  public readonly inputs: { readonly action: string; readonly input: any }[] = [];
  /** The most calls that were under way at once. */
  public most = 0;
  private running = 0;

  public constructor(public answers: Answers) {}

  public get clients(): AwsClients {
    const service = (prefix: string) => () => Promise.resolve(this.service(prefix));
    return {
      region: 'eu-west-1',
      eks: service('eks'),
      ec2: service('ec2'),
      elasticLoadBalancing: service('elasticloadbalancing'),
      serviceQuotas: service('servicequotas'),
      close: () => undefined,
    } as unknown as AwsClients;
  }

  /** Actions without repetition, in alphabetical order. */
  public get actions(): string[] {
    return [...new Set(this.called)].sort();
  }

  private service(prefix: string): object {
    return new Proxy(
      {},
      {
        get: (_, method: string) =>
          method === 'then'
            ? undefined
            : (input: any, options: any) => this.call(prefix, method, input, options),
      },
    );
  }

  private async call(prefix: string, method: string, input: any, options: any): Promise<unknown> {
    const action = `${prefix}:${method[0]!.toUpperCase()}${method.slice(1)}`;
    this.called.push(action);
    this.inputs.push({ action, input });
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    try {
      await new Promise((resolve) => setImmediate(resolve));
      options.abortSignal.throwIfAborted();
      const answer = this.answers[action];
      if (!answer) {
        throw new Error(`${action} was not expected`);
      }
      return answer(input);
    } finally {
      this.running -= 1;
    }
  }
}

/** An error as the SDK throws it. */
export function sdkError(name: string, message = name, status = 400): Error {
  return Object.assign(new Error(message), { name, $fault: 'client', $metadata: { httpStatusCode: status } });
}

/** What a call throws that is denied. */
export function denied(): never {
  throw sdkError('AccessDeniedException', 'User: arn:aws:iam::1:user/x is not authorized', 403);
}

/** A moment at which everything below is well. */
export const today = Date.parse('2026-11-23T09:00:00Z');

const ago = (hours: number): Date => new Date(today - hours * 3_600_000);

/** What a cluster without a fault answers to every subject. */
export const wellAnswers: Answers = {
  'eks:DescribeCluster': ({ name }) => ({
    cluster: {
      ...{ name, status: 'ACTIVE', version: '1.35' },
      resourcesVpcConfig: { vpcId: 'vpc-1', subnetIds: ['subnet-a', 'subnet-b'] },
    },
  }),
  'eks:ListClusters': () => ({ clusters: ['apps', 'other'] }),
  'eks:ListNodegroups': () => ({ nodegroups: ['web'] }),
  'eks:DescribeNodegroup': ({ nodegroupName }) => ({
    nodegroup: {
      ...{ nodegroupName, status: 'ACTIVE', version: '1.35', amiType: 'AL2023_x86_64_STANDARD' },
      subnets: ['subnet-a', 'subnet-b'],
    },
  }),
  'eks:ListAddons': () => ({ addons: ['vpc-cni'] }),
  'eks:DescribeAddon': ({ addonName }) => ({
    addon: { addonName, status: 'ACTIVE', addonVersion: 'v1.20.4-eksbuild.2' },
  }),
  'eks:DescribeAddonVersions': ({ addonName, kubernetesVersion }) => ({
    addons: [
      {
        addonName,
        addonVersions: [
          addonVersion('v1.21.0-eksbuild.1', kubernetesVersion),
          addonVersion('v1.20.4-eksbuild.2', kubernetesVersion, true),
        ],
      },
    ],
  }),
  'eks:DescribeClusterVersions': () => ({
    clusterVersions: [
      version('1.36', '2027-08-02', '2028-08-02'),
      version('1.35', '2027-03-27', '2028-03-27'),
      version('1.34', '2026-12-02', '2027-12-02'),
      version('1.33', '2026-07-29', '2027-07-29'),
    ],
  }),
  'eks:ListInsights': () => ({ insights: [insight('1', 'PASSING')] }),
  'eks:DescribeInsight': ({ id }) => ({ insight: insight(id, 'PASSING') }),
  'ec2:DescribeInstances': () => ({
    Reservations: [{ Instances: [instance('m5.large', 'subnet-a'), instance('m5.large', 'subnet-b')] }],
  }),
  'ec2:DescribeSubnets': ({ Filters }) => ({
    Subnets: Filters[0].Values.map((SubnetId: string) => subnet(SubnetId, 200)),
  }),
  'elasticloadbalancing:DescribeTargetGroups': () => ({
    TargetGroups: [{ VpcId: 'vpc-1' }, { VpcId: 'vpc-2' }],
  }),
  'servicequotas:GetServiceQuota': ({ QuotaCode }) => ({ Quota: { QuotaCode, Value: 100 } }),
  // The default counts where nobody has asked for another value.
  'servicequotas:GetAWSDefaultServiceQuota': ({ QuotaCode }) => ({ Quota: { QuotaCode, Value: 100 } }),
};

/** One version of an add-on that fits one of Kubernetes. */
export function addonVersion(addonVersion: string, clusterVersion: string, defaultVersion = false): object {
  return { addonVersion, compatibilities: [{ clusterVersion, defaultVersion, platformVersions: ['*'] }] };
}

export function version(clusterVersion: string, standard: string, extended: string, more: object = {}): any {
  return {
    ...{ clusterVersion, clusterType: 'eks', versionStatus: 'STANDARD_SUPPORT' },
    endOfStandardSupportDate: new Date(standard),
    endOfExtendedSupportDate: new Date(extended),
    ...more,
  };
}

export function insight(id: string, status: string, more: object = {}): any {
  return {
    ...{ id, name: `insight ${id}`, category: 'UPGRADE_READINESS', kubernetesVersion: '1.36' },
    ...{ insightStatus: { status, reason: `reason ${id}` }, lastRefreshTime: ago(3) },
    ...more,
  };
}

/** A node of the cluster `apps` with 10 addresses. */
export function instance(InstanceType: string, SubnetId: string, more: object = {}): any {
  return {
    ...{ InstanceType, CpuOptions: { CoreCount: 1, ThreadsPerCore: 2 } },
    Tags: [{ Key: 'kubernetes.io/cluster/apps', Value: 'owned' }],
    NetworkInterfaces: [{ SubnetId, PrivateIpAddresses: Array.from({ length: 10 }, () => ({})) }],
    ...more,
  };
}

export function subnet(SubnetId: string, AvailableIpAddressCount: number): any {
  return { SubnetId, AvailableIpAddressCount, AvailabilityZone: `eu-west-1${SubnetId.at(-1)}` };
}

/** Asks a subject about the cluster `apps`, whose answers are these beside the well ones. */
export async function inspected(
  subject: ReadinessSubject,
  answers: Answers = {},
  more: Partial<ReadinessQuestion> = {},
) {
  const aws = new FakeAws({ ...wellAnswers, ...answers });
  const report = await subject.inspect({
    ...{ to: '1.36', concurrency: 4, now: today, progress: () => undefined },
    ...{ signal: new AbortController().signal, eks: { clusterName: 'apps', clients: aws.clients } },
    ...more,
  });
  return { aws, ...report };
}
