import { InvalidInput } from '../../../lib/core/validation';
import { certManager } from '../../../lib/pulumi/addons';
import type { ClusterFleetArgs } from '../../../lib/pulumi/fleet';
import { ClusterFleet, NodeGroup } from '../../../lib/pulumi/fleet';
import { register } from '../../pulumi-mocks';

const nodes = { instanceTypes: ['m7i.large'], min: 2, max: 6 };
const base: ClusterFleetArgs = {
  network: { vpcId: 'vpc-1', privateSubnetIds: ['subnet-a', 'subnet-b'] },
  endpoint: { public: { cidrs: ['203.0.113.0/24'] } },
  slots: { blue: { version: '1.35', nodes } },
};

test.each<[string, Partial<ClusterFleetArgs>, string[]]>([
  [
    'ARNs and IDs of something else',
    {
      network: { vpcId: 'shop', privateSubnetIds: ['subnet-a', 'vpc-1'] },
      encryptionKeyArn: 'alias/eks',
      permissionsBoundaryArn: 'boundary',
      credentials: { roleArn: 'admin' },
      access: { ci: { principalArn: 'ci' } },
      slots: {
        blue: {
          version: '1.36',
          nodes: { ...nodes, subnetIds: ['a'], securityGroupIds: ['default'], roleArn: 'nodes' },
        },
        green: {
          version: '1.36',
          nodes,
          network: { vpcId: 'vpc-1', privateSubnetIds: 'subnet-a' as never },
        },
        old: { adopt: { clusterName: 'old', nodeSecurityGroupId: 'nodes' } },
      },
    },
    [
      'network.vpcId',
      'network.privateSubnetIds[1]',
      'access.ci.principalArn',
      'encryptionKeyArn',
      'permissionsBoundaryArn',
      'credentials.roleArn',
      'slots.blue.nodes.subnetIds[0]',
      'slots.blue.nodes.roleArn',
      'slots.blue.nodes.securityGroupIds[0]',
      'slots.green.network.privateSubnetIds',
      'slots.old.adopt.nodeSecurityGroupId',
    ],
  ],
  [
    'tags that say whose a resource is',
    { tags: { 'cluster-canary/slot': 'green', 'Aws:team': 'x', team: 'x', 'awsome:x': 'x' } },
    ['tags.cluster-canary/slot', 'tags.Aws:team'],
  ],
  [
    'texts in place of lists',
    { hostedZoneIds: 'Z0123456789ABC' as never, controlPlaneLogs: 'api' as never },
    ['controlPlaneLogs', 'hostedZoneIds'],
  ],
  [
    'values of another kind',
    {
      hostedZoneIds: [5 as never],
      controlPlaneLogs: ['apis' as never],
      tags: null as never,
      slots: {
        blue: { version: '1.36', ipFamily: 'ipv6', nodes: { ...nodes, min: -1, amiType: 5 as never } },
      },
    },
    ['controlPlaneLogs[0]', 'hostedZoneIds[0]', 'tags', 'slots.blue.nodes.min', 'slots.blue.nodes.amiType'],
  ],
  ['a slot that is nothing', { slots: { ...base.slots, green: undefined as never } }, ['slots.green']],
  ...['1.3', '1.30', '1.40', '1.99', '1.035', '1.35.1', 'latest', 1.35].map(
    (version): [string, Partial<ClusterFleetArgs>, string[]] => [
      `the version ${version}`,
      { slots: { blue: { version: version as string, nodes } } },
      ['slots.blue.version'],
    ],
  ),
  [
    'accelerators of different kinds',
    {
      slots: {
        blue: {
          version: '1.36',
          nodes: { ...nodes, instanceTypes: ['g5.xlarge', 'm7i.large'] },
          moreNodes: {
            amd: { ...nodes, instanceTypes: ['g4ad.xlarge'] },
            both: { ...nodes, instanceTypes: ['g5.xlarge', 'trn1.2xlarge'] },
            chosen: { ...nodes, instanceTypes: ['g4ad.xlarge'], amiType: 'CUSTOM' },
          },
        },
      },
    },
    [
      'slots.blue.nodes.instanceTypes',
      'slots.blue.moreNodes.amd.instanceTypes',
      'slots.blue.moreNodes.both.instanceTypes',
    ],
  ],
  [
    'the whole internet by its numbers',
    { endpoint: { public: { cidrs: ['203.0.113.0/24', '0.0.0.0/0', '::/0'] } } },
    ['endpoint.public.cidrs[1]', 'endpoint.public.cidrs[2]'],
  ],
  [
    'another word for it',
    { endpoint: { public: { cidrs: 'everywhere' as 'anywhere' } } },
    ['endpoint.public.cidrs'],
  ],
])('a fleet is refused with %s', (_, args, paths) => {
  let found: unknown;
  try {
    new ClusterFleet('apps', { ...base, ...args });
  } catch (error) {
    found = error;
  }
  expect(found).toBeInstanceOf(InvalidInput);
  expect((found as InvalidInput).problems.map(({ path }) => path)).toEqual(paths);
});

test('the whole internet by its word, and versions that EKS will have, are taken', async () => {
  const seen = await register(
    () =>
      new ClusterFleet('apps', {
        ...base,
        endpoint: { public: { cidrs: 'anywhere' } },
        slots: Object.fromEntries(
          ['1.31', '1.34', '1.36', '1.39'].map((version) => [
            `v${version.replace('.', '-')}`,
            { version, nodes },
          ]),
        ),
      }),
  );
  const clusters = seen.ofType('eks:index:Cluster').map(({ inputs }) => inputs);
  expect(clusters.map(({ version }) => version)).toEqual(['1.31', '1.34', '1.36', '1.39']);
  expect(clusters.map(({ publicAccessCidrs }) => publicAccessCidrs)).toEqual(
    clusters.map(() => ['0.0.0.0/0']),
  );
});

test('a node group of its own is evaluated as those of slots are', async () => {
  const group = {
    clusterName: 'c',
    clusterArn: 'arn:aws:eks:eu-west-1:123456789012:cluster/c',
    subnetIds: ['subnet-a'],
    securityGroupIds: [],
    tags: {},
  };
  const seen = await register(() => {
    expect(
      () =>
        new NodeGroup('gpu', {
          ...group,
          ...nodes,
          version: '1.2',
          instanceTypes: ['g4ad.xlarge'],
          roleArn: 'x',
        }),
    ).toThrow(/3 problems[^]*roleArn[^]*version[^]*instanceTypes/);
  });
  expect(seen.ofType('cluster-canary:fleet:NodeGroup')).toEqual([]);
});

test('taints, capacity types and tags as AWS does not spell them are refused, and what is no add-on', async () => {
  const wrong = {
    ...base,
    tags: { 'cluster-canary/slot': 'blue' },
    addons: [certManager],
    slots: {
      blue: {
        version: '1.35',
        nodes: { ...nodes, capacityType: 'spot', taints: [{ key: 'gpu', effect: 'NoSchedule' }] },
      },
    },
  };
  await register(() => {
    expect(() => new ClusterFleet('apps', wrong as unknown as ClusterFleetArgs)).toThrow(
      /4 problems[^]*tags.cluster-canary\/slot: [^]*capacityType: "spot"[^]*taints\[0\].effect: "NoSchedule": must be one of "NO_SCHEDULE"[^]*addons\[0\]: a function: must be an add-on, such as addons.certManager\(\)/,
    );
    const misspelled = { ...nodes, taints: [{ kee: 'gpu', effect: 'NO_SCHEDULE' }] };
    const slots = { blue: { version: '1.35', nodes: misspelled } };
    expect(() => new ClusterFleet('apps', { ...base, slots } as unknown as ClusterFleetArgs)).toThrow(
      /slots.blue.nodes.taints\[0\].kee: unknown key, did you mean "key"\?/,
    );
    expect(
      () =>
        new ClusterFleet('apps', {
          ...base,
          labels: ['a'],
          slots: { blue: { version: '1.35', nodes } },
        } as unknown as ClusterFleetArgs),
    ).toThrow(/labels: must be an object of labels/);
  });
});
