import { eksAddresses, eksQuotas } from '../../../../lib/core/readiness/eks';
import { judgeAddresses } from '../../../../lib/core/readiness/eks/addresses';
import { judgeQuotas } from '../../../../lib/core/readiness/eks/quotas';
import { inspected, instance, sdkError, subnet } from './fake-eks';

const ids = (findings: readonly { id: string; severity: string }[]): string[] =>
  findings.map(({ id, severity }) => `${id} ${severity}`);

describe('addresses', () => {
  const judged = (free: Readonly<Record<string, number>>, facts: object = {}) =>
    judgeAddresses({
      ...{ ofCluster: ['subnet-a', 'subnet-b', 'subnet-c'], ofNodes: [], held: {} },
      subnets: Object.entries(free).map(([id, count]) => subnet(id, count)),
      ...facts,
    });

  test.each([
    [[6, 6, 6], []],
    [[5, 6, 6], ['EKS19 warning']],
    [[5, 5, 6], ['EKS19 error']],
    [[0, 0, 0], ['EKS19 error']],
  ])('%j free in the subnets of the control plane', ([a, b, c], expected) => {
    expect(ids(judged({ 'subnet-a': a!, 'subnet-b': b!, 'subnet-c': c! }))).toEqual(expected);
  });

  test('two subnets with room in one zone are one zone', () => {
    const ofCluster = ['subnet-1a', 'subnet-2a', 'subnet-b'];
    const free = { 'subnet-1a': 20, 'subnet-2a': 20, 'subnet-b': 1 };
    expect(ids(judged(free, { ofCluster }))).toEqual(['EKS19 error']);
  });

  test.each([
    [60, []],
    [59, ['EKS20 warning']],
  ])('nodes that hold 60 addresses, %i free', (free, expected) => {
    const facts = {
      ofCluster: [],
      ofNodes: ['subnet-a', 'subnet-b'],
      held: { 'subnet-a': 50, 'subnet-b': 10 },
    };
    expect(ids(judged({ 'subnet-a': free - 10, 'subnet-b': 10 }, facts))).toEqual(expected);
  });

  test('a subnet that is gone is an error', async () => {
    const { findings } = await inspected(eksAddresses, {
      'ec2:DescribeSubnets': () => ({ Subnets: [subnet('subnet-a', 50)] }),
    });
    expect(findings.map(({ id, message }) => `${id} ${message}`)).toEqual([
      'EKS21 there are no subnets subnet-b, which the cluster or its nodes name',
    ]);
  });

  test('what nodes hold is counted by interface: addresses, and 16 for a prefix; other instances are not nodes', async () => {
    const prefixes = [{ SubnetId: 'subnet-n', PrivateIpAddresses: [{}], Ipv4Prefixes: [{}, {}] }, {}];
    const tagged = (Key: string, Value: string) => ({ Tags: [{ Key, Value }] });
    const { findings, looked } = await inspected(eksAddresses, {
      'ec2:DescribeInstances': () => ({
        Reservations: [
          { Instances: [instance('m5.large', 'subnet-n', { NetworkInterfaces: prefixes })] },
          { Instances: [instance('m5.large', 'subnet-n', tagged('eks:cluster-name', 'apps'))] },
          { Instances: [instance('m5.large', 'subnet-n', tagged('eks:eks-cluster-name', 'apps'))] },
          { Instances: [instance('m5.large', 'subnet-x', tagged('eks:cluster-name', 'other'))] },
          { Instances: [instance('m5.large', 'subnet-x', tagged('kubernetes.io/cluster/other', 'owned'))] },
        ],
      }),
      'ec2:DescribeSubnets': ({ Filters }) => ({
        Subnets: Filters[0].Values.map((id: string) => subnet(id, id === 'subnet-n' ? 12 : 20)),
      }),
    });
    expect(looked).toBe('3 subnets, 3 nodes');
    expect(findings.map(({ message }) => message)).toEqual([
      'nodes and pods hold 53 addresses, and their subnets have 52 free: subnet-a (20), subnet-b (20), subnet-n (12)',
    ]);
  });

  test('more subnets than a filter takes are asked for in parts', async () => {
    const subnets = Array.from({ length: 450 }, (_, index) => `subnet-${index}`);
    const { aws, looked, findings } = await inspected(eksAddresses, {
      'eks:DescribeNodegroup': ({ nodegroupName }) => ({ nodegroup: { nodegroupName, subnets } }),
    });
    expect(looked).toBe('452 subnets, 2 nodes');
    expect(findings).toEqual([]);
    expect(aws.called.filter((action) => action === 'ec2:DescribeSubnets')).toHaveLength(3);
  });
});

describe('quotas', () => {
  test.each([
    ['L-1194D53C', 99, 1, []],
    ['L-1194D53C', 100, 1, ['EKS22 error']],
    ['L-1216C47A', 60, 40, []],
    ['L-1216C47A', 60, 41, ['EKS22 warning']],
    ['L-B22855CB', 90, 11, ['EKS22 warning']],
    ['L-UNKNOWN', 999, 1, []],
  ])('of %s, %i are used and %i more wanted of 100', (code, used, more, expected) => {
    expect(ids(judgeQuotas([{ code, used, more }], [{ code, value: 100 }]))).toEqual(expected);
  });

  test('a quota or a use that is not known is not judged', () => {
    expect(judgeQuotas([{ code: 'L-1194D53C', used: 100, more: 1 }], [])).toEqual([]);
    expect(judgeQuotas([], [{ code: 'L-1194D53C', value: 0 }])).toEqual([]);
  });

  test('vCPUs are those of on-demand instances of the families that the quota counts', async () => {
    const { findings } = await inspected(eksQuotas, {
      'ec2:DescribeInstances': () => ({
        Reservations: [
          {
            Instances: [
              instance('m5.large', 'subnet-a', { CpuOptions: { CoreCount: 20, ThreadsPerCore: 2 } }),
              instance('c7g.16xlarge', 'subnet-a', { CpuOptions: { CoreCount: 30 }, Tags: [] }),
              instance('m5.large', 'subnet-a', { InstanceLifecycle: 'spot' }),
              instance('g5.large', 'subnet-a'),
              instance('inf2.large', 'subnet-a'),
              instance('x2idn.large', 'subnet-a'),
            ],
          },
        ],
      }),
    });
    expect(findings.map(({ id, message, fix }) => `${id} ${message} ${fix}`)).toEqual([
      expect.stringContaining(
        '(L-1216C47A) is 100: 70 in use, and 40 more for nodes like those of the first cluster ask for 110',
      ),
    ]);
  });

  test('the default counts where nobody asked for another value; a quota that nobody knows is untried', async () => {
    const unknown = () => {
      throw sdkError('NoSuchResourceException', 'no quota', 404);
    };
    const byDefault = await inspected(eksQuotas, {
      'servicequotas:GetServiceQuota': unknown,
      'servicequotas:GetAWSDefaultServiceQuota': ({ QuotaCode }) => ({ Quota: { QuotaCode, Value: 2 } }),
    });
    expect(ids(byDefault.findings)).toEqual(['EKS22 error', 'EKS22 warning', 'EKS22 warning']);
    const none = await inspected(eksQuotas, {
      'servicequotas:GetServiceQuota': unknown,
      'servicequotas:GetAWSDefaultServiceQuota': unknown,
    });
    expect(none.looked).toBe('0 of 3 quotas');
    expect(none.untried).toEqual(Array(3).fill(expect.stringContaining('Service Quotas does not know it')));
  });

  test('an instance whose vCPUs EC2 does not say is untried', async () => {
    const { untried } = await inspected(eksQuotas, {
      'ec2:DescribeInstances': () => ({
        Reservations: [{ Instances: [instance('m5.large', 'subnet-a', { CpuOptions: undefined })] }],
      }),
    });
    expect(untried).toEqual([
      'vCPUs beside EKS cluster apps in eu-west-1: EC2 does not say how many 1 of its instances have',
    ]);
  });
});
