import * as pulumi from '@pulumi/pulumi';
import type { InvalidInput } from '../../../lib/core/validation';
import { existingAddon } from '../../../lib/pulumi/addons';
import type { SlotArgs } from '../../../lib/pulumi/fleet';
import { ClusterSlot } from '../../../lib/pulumi/fleet';
import { isNitro } from '../../../lib/pulumi/fleet/ip-family';
import { adoptedProblems, ipFamilyOf } from '../../../lib/pulumi/fleet/ip-family-problems';
import type { FixedProperties } from '../../../lib/pulumi/fleet/slot-cluster';
import { replacementProblems, wantedProperties } from '../../../lib/pulumi/fleet/slot-cluster';
import type { Registrations } from '../../pulumi-mocks';
import { register } from '../../pulumi-mocks';

const nodes = { instanceTypes: ['m7i.large'], min: 2, max: 6 };
const web = { namespace: 'podinfo', service: 'frontend', port: 9898 };
const slot = {
  fleet: 'apps',
  slot: 'blue',
  network: { vpcId: 'vpc-1', privateSubnetIds: ['subnet-a', 'subnet-b'] },
  endpoint: { private: { reachedFrom: 'vpc' as const } },
  version: '1.35',
  nodes,
  entries: { web },
  addons: [existingAddon('aws-load-balancer-controller')],
};
const make = (args: Partial<typeof slot> & SlotArgs = {}) =>
  new ClusterSlot('apps-blue', { ...slot, ...args });
const policiesOf = (seen: Registrations) =>
  seen
    .ofType('aws:iam/rolePolicyAttachment:RolePolicyAttachment')
    .map(({ inputs }) => inputs.policyArn.split('/').at(-1));
const binding = 'kubernetes:elbv2.k8s.aws/v1beta1:TargetGroupBinding';

describe('a slot with IPv6', () => {
  let seen: Registrations;
  beforeAll(async () => {
    seen = await register(() => make({ ipFamily: 'ipv6', moreNodes: { spot: nodes } }));
  });

  test('has a cluster, target groups and bindings of it', () => {
    expect(seen.one('eks:index:Cluster').inputs.ipFamily).toBe('ipv6');
    expect(seen.one('aws:lb/targetGroup:TargetGroup').inputs).toMatchObject({
      targetType: 'ip',
      ipAddressType: 'ipv6',
    });
    expect(seen.one(binding).inputs.spec).toEqual({
      serviceRef: { name: 'frontend', port: 9898 },
      targetGroupARN: expect.stringContaining('apps-blue-web'),
      targetType: 'ip',
      ipAddressType: 'ipv6',
    });
  });

  test('has nodes that may assign IPv6 addresses, in place of those of IPv4, before they start', () => {
    expect(policiesOf(seen)).toEqual([
      'AmazonEKSWorkerNodePolicy',
      'AmazonEC2ContainerRegistryPullOnly',
      'AmazonEKSWorkerNodePolicy',
      'AmazonEC2ContainerRegistryPullOnly',
    ]);
    const policy = seen.one('aws:iam/rolePolicy:RolePolicy', 'apps-blue-cni-ipv6');
    expect(JSON.parse(policy.inputs.policy).Statement).toEqual([
      { Effect: 'Allow', Resource: '*', Action: expect.arrayContaining(['ec2:AssignIpv6Addresses']) },
      {
        Effect: 'Allow',
        Resource: 'arn:aws:ec2:*:*:network-interface/*',
        Action: ['ec2:CreateTags'],
      },
    ]);
    expect(seen.one('aws:eks/nodeGroup:NodeGroup', 'apps-blue-nodes').dependencies).toContain(policy.urn);
    seen.one('aws:iam/rolePolicy:RolePolicy', 'apps-blue-spot-cni-ipv6');
  });
});

test('in Auto Mode the binding infers the addresses, and nodes have no role of ours', async () => {
  const seen = await register(() => make({ nodes: undefined, autoMode: true, addons: [], ipFamily: 'ipv6' }));
  expect(seen.one('eks:index:Cluster').inputs.ipFamily).toBe('ipv6');
  expect(seen.one('aws:lb/targetGroup:TargetGroup').inputs.ipAddressType).toBe('ipv6');
  expect(seen.one('kubernetes:eks.amazonaws.com/v1:TargetGroupBinding').inputs.spec).not.toHaveProperty(
    'ipAddressType',
  );
  expect(seen.ofType('aws:iam/rolePolicy:RolePolicy')).toEqual([]);
});

test.each([undefined, 'ipv4' as const])('IPv4 says nothing of it anywhere: %s', async (ipFamily) => {
  const seen = await register(() => make({ ipFamily }));
  expect(seen.one('eks:index:Cluster').inputs).not.toHaveProperty('ipFamily');
  expect(seen.one('aws:lb/targetGroup:TargetGroup').inputs).not.toHaveProperty('ipAddressType');
  expect(seen.one(binding).inputs.spec).not.toHaveProperty('ipAddressType');
  expect(policiesOf(seen)).toContain('AmazonEKS_CNI_Policy');
  expect(seen.ofType('aws:iam/rolePolicy:RolePolicy')).toEqual([]);
});

test('a cluster that was made with IPv6 is not taken for one of IPv4', async () => {
  const wanted = async (args: SlotArgs) =>
    new Promise<FixedProperties>((resolve) => wantedProperties(args.clusterArgs ?? {}, args).apply(resolve));
  const live = { ipFamily: 'ipv6' };
  expect(replacementProblems(live, await wanted({})).map(({ path }) => path)).toEqual(['ipFamily']);
  expect(replacementProblems(live, await wanted({ ipFamily: 'ipv6' }))).toEqual([]);
  expect(replacementProblems(live, await wanted({ clusterArgs: { ipFamily: 'ipv6' } }))).toEqual([]);
});

describe('an adopted cluster', () => {
  const adopt = { clusterName: 'legacy', ipFamily: 'ipv6' as const };

  test('may have IPv6', async () => {
    const seen = await register(
      () =>
        new ClusterSlot('apps-blue', {
          ...{ ...slot, version: undefined, nodes: undefined, network: undefined },
          adopt,
        }),
      {
        calls: ({ inputs }) => ({
          name: inputs.name,
          arn: `arn:aws:eks:eu-west-1:123456789012:cluster/${inputs.name}`,
          endpoint: 'https://legacy.example.com',
          certificateAuthorities: [{ data: 'Y2E=' }],
          vpcConfig: { vpcId: 'vpc-old', clusterSecurityGroupId: 'sg-old' },
          kubernetesNetworkConfigs: [{ ipFamily: 'ipv6' }],
        }),
      },
    );
    expect(seen.one('aws:lb/targetGroup:TargetGroup').inputs.ipAddressType).toBe('ipv6');
    expect(seen.one(binding).inputs.spec.ipAddressType).toBe('ipv6');
  });

  test('is not taken for one with other addresses', () => {
    expect(adoptedProblems({ clusterName: 'legacy' }, 'ipv6')).toEqual([
      { path: 'adopt.ipFamily', value: 'ipv4', allowed: '"ipv6", which the cluster has' },
    ]);
    expect(adoptedProblems(adopt, 'ipv6')).toEqual([]);
    expect(adoptedProblems(adopt, undefined)).toEqual([]);
  });
});

test.each<[Parameters<typeof ipFamilyOf>[0], string]>([
  [{}, 'ipv4'],
  [{ ipFamily: 'ipv6' }, 'ipv6'],
  [{ clusterArgs: { ipFamily: 'ipv6' } }, 'ipv6'],
  [{ adopt: { clusterName: 'x', ipFamily: 'ipv6' } }, 'ipv6'],
  [{ adopt: { clusterName: 'x' }, clusterArgs: { ipFamily: 'ipv6' } }, 'ipv4'],
])('the addresses of %j: %s', (args, family) => {
  expect(ipFamilyOf(args)).toBe(family);
});

test.each([
  ['t3.small', true],
  ['p3dn.24xlarge', true],
  ['i3en.large', true],
  ['i3.metal', true],
  ['u-6tb1.metal', true],
  ['i3.large', false],
  ['t2.micro', false],
  ['m4.16xlarge', false],
  ['p3.2xlarge', false],
])('%s is built on Nitro: %s', (type, nitro) => {
  expect(isNitro(type)).toBe(nitro);
});

test.each<[string, Partial<typeof slot> & SlotArgs, string[]]>([
  ['another family', { ipFamily: 'dual' as never }, ['ipFamily']],
  [
    'an adopted cluster',
    { version: undefined, nodes: undefined, adopt: { clusterName: 'x' }, ipFamily: 'ipv6' } as never,
    ['ipFamily'],
  ],
  [
    'raw arguments that say otherwise',
    { ipFamily: 'ipv4', clusterArgs: { ipFamily: 'ipv6' } },
    ['clusterArgs.ipFamily'],
  ],
  [
    'raw arguments that only a deployment knows',
    { clusterArgs: { ipFamily: pulumi.output('ipv6') } },
    ['clusterArgs.ipFamily'],
  ],
  [
    'what IPv6 does not go with',
    {
      ipFamily: 'ipv6',
      nodes: { ...nodes, instanceTypes: ['m7i.large', 'm4.large'] },
      moreNodes: { windows: { ...nodes, amiType: 'WINDOWS_CORE_2022_x86_64' } },
      entries: { web: { ...web, targetType: 'instance', nodePort: 30080 } } as never,
      clusterArgs: {
        kubernetesServiceIpAddressRange: '10.0.0.0/16',
        vpcCniOptions: { cniCustomNetworkCfg: true },
      },
    },
    [
      'entries.web.targetType',
      'clusterArgs.kubernetesServiceIpAddressRange',
      'clusterArgs.vpcCniOptions.cniCustomNetworkCfg',
      'nodes.instanceTypes',
      'moreNodes.windows.amiType',
    ],
  ],
])('%s is refused', (_what, args, paths) => {
  let found: readonly { path: string }[] = [];
  try {
    make(args);
  } catch (error) {
    found = (error as InvalidInput).problems;
  }
  expect(found.map(({ path }) => path)).toEqual(paths);
});
