import * as pulumi from '@pulumi/pulumi';
import { InvalidInput } from '../../../lib/core/validation';
import type { Addon } from '../../../lib/pulumi/addons';
import { awsLoadBalancerController, existingAddon } from '../../../lib/pulumi/addons';
import type { ClusterFleetArgs, SlotRef } from '../../../lib/pulumi/fleet';
import { ClusterFleet, ClusterSlot, connectToCluster } from '../../../lib/pulumi/fleet';
import type { Registrations } from '../../pulumi-mocks';
import { register } from '../../pulumi-mocks';

const nodes = { instanceTypes: ['m7i.large'], min: 2, max: 6 };
const controller = existingAddon('aws-load-balancer-controller');
const base: ClusterFleetArgs = {
  network: { vpcId: 'vpc-1', privateSubnetIds: ['subnet-a', 'subnet-b'] },
  endpoint: { public: { cidrs: ['203.0.113.0/24'] } },
  slots: { blue: { version: '1.35', nodes }, green: { version: '1.36', nodes } },
  entries: { web: { namespace: 'podinfo', service: 'frontend', port: 9898 } },
  addons: [controller],
};
const refused = (args: Partial<ClusterFleetArgs>, name = 'apps'): string[] => {
  try {
    new ClusterFleet(name, { ...base, ...args });
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInput);
    return (error as InvalidInput).problems.map(({ path }) => path);
  }
  throw new Error('nothing was refused');
};
const childrenOf = (seen: Registrations, urn: string) => seen.all.filter((each) => each.parent === urn);

describe('a fleet of two slots', () => {
  let seen: Registrations;
  let fleet: ClusterFleet;
  beforeAll(async () => {
    seen = await register(() => {
      fleet = new ClusterFleet('apps', {
        ...base,
        labels: { env: 'production' },
        tags: { team: 'platform' },
      });
    });
  });

  test('is a tree: fleet, slots, and what each slot is made of', () => {
    const root = seen.one('cluster-canary:fleet:ClusterFleet', 'apps');
    expect(childrenOf(seen, root.urn).map(({ name }) => name)).toEqual(['apps-blue', 'apps-green']);
    const blue = seen.one('cluster-canary:fleet:ClusterSlot', 'apps-blue');
    expect(
      childrenOf(seen, blue.urn)
        .map(({ type, name }) => `${type} ${name}`)
        .sort(),
    ).toEqual([
      'aws:ec2/securityGroup:SecurityGroup apps-blue-nodes',
      'aws:eks/addon:Addon apps-blue-coredns',
      'aws:eks/addon:Addon apps-blue-pod-identity',
      'aws:kms/key:Key apps-blue-secrets',
      'aws:lb/targetGroup:TargetGroup apps-blue-web',
      'cluster-canary:addons:InstalledAddon apps-blue-aws-load-balancer-controller',
      'cluster-canary:bridge:Manifests apps-blue-entries',
      'cluster-canary:fleet:NodeGroup apps-blue',
      'eks:index:Cluster apps-blue',
      'kubernetes:core/v1:Namespace apps-blue-podinfo',
      'pulumi:providers:kubernetes apps-blue',
    ]);
  });

  test('has clusters with access entries, encrypted Secrets, all logs, and no nodes or groups of the component', () => {
    expect(seen.one('eks:index:Cluster', 'apps-green').inputs).toMatchObject({
      name: 'apps-green',
      version: '1.36',
      vpcId: 'vpc-1',
      privateSubnetIds: ['subnet-a', 'subnet-b'],
      authenticationMode: 'API',
      endpointPrivateAccess: true,
      publicAccessCidrs: ['203.0.113.0/24'],
      encryptionConfigKeyArn: expect.stringContaining('apps-green-secrets'),
      enabledClusterLogTypes: ['api', 'audit', 'authenticator', 'controllerManager', 'scheduler'],
      deletionProtection: false,
      skipDefaultNodeGroup: true,
      skipDefaultSecurityGroups: true,
      tags: { 'cluster-canary/fleet': 'apps', 'cluster-canary/slot': 'green', team: 'platform' },
    });
    expect(seen.one('eks:index:Cluster', 'apps-green').inputs.endpointPublicAccess).toBeUndefined();
    expect(seen.one('aws:kms/key:Key', 'apps-blue-secrets').inputs.enableKeyRotation).toBe(true);
    expect(seen.ofType('eks:index:Cluster').every(({ protect }) => !protect)).toBe(true);
  });

  test('has nodes that no pod can take the role of, in the cluster group and their own', () => {
    expect(seen.one('aws:ec2/launchTemplate:LaunchTemplate', 'apps-blue-template').inputs).toMatchObject({
      metadataOptions: { httpEndpoint: 'enabled', httpTokens: 'required', httpPutResponseHopLimit: 1 },
      vpcSecurityGroupIds: ['sg-cluster-apps-blue', 'apps-blue-nodes-id'],
      blockDeviceMappings: [{ ebs: { encrypted: 'true', volumeType: 'gp3', volumeSize: 50 } }],
    });
    const group = seen.one('aws:eks/nodeGroup:NodeGroup', 'apps-blue-nodes');
    expect(group.inputs).toMatchObject({
      clusterName: 'apps-blue',
      version: '1.35',
      amiType: 'AL2023_x86_64_STANDARD',
      scalingConfig: { minSize: 2, maxSize: 6, desiredSize: 2 },
      subnetIds: ['subnet-a', 'subnet-b'],
      launchTemplate: { id: 'apps-blue-template-id' },
    });
    expect(
      JSON.parse(seen.one('aws:iam/role:Role', 'apps-blue-role').inputs.assumeRolePolicy).Statement,
    ).toEqual([{ Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' }]);
    expect(
      seen
        .ofType('aws:iam/rolePolicyAttachment:RolePolicyAttachment')
        .map(({ inputs }) => inputs.policyArn)
        .slice(0, 3),
    ).toEqual(
      ['AmazonEKSWorkerNodePolicy', 'AmazonEKS_CNI_Policy', 'AmazonEC2ContainerRegistryPullOnly'].map(
        (p) => `arn:aws:iam::aws:policy/${p}`,
      ),
    );
  });

  test('has a target group per slot and entry, owned by the program', () => {
    expect(seen.ofType('aws:lb/targetGroup:TargetGroup').map(({ name }) => name)).toEqual([
      'apps-blue-web',
      'apps-green-web',
    ]);
    expect(seen.one('aws:lb/targetGroup:TargetGroup', 'apps-blue-web').inputs).toMatchObject({
      vpcId: 'vpc-1',
      targetType: 'ip',
      protocol: 'HTTP',
      port: 9898,
      deregistrationDelay: 30,
      healthCheck: {
        path: '/',
        port: 'traffic-port',
        matcher: '200',
        interval: 15,
        timeout: 5,
        healthyThreshold: 2,
      },
    });
    const binding = seen.one(
      'kubernetes:elbv2.k8s.aws/v1beta1:TargetGroupBinding',
      'apps-blue-entries:podinfo/web',
    );
    expect(binding.inputs.spec).toEqual({
      serviceRef: { name: 'frontend', port: 9898 },
      targetGroupARN: expect.stringContaining('apps-blue-web'),
      targetType: 'ip',
    });
  });

  test('connects to each cluster without credentials; only another cluster replaces the provider', () => {
    const provider = seen.one('pulumi:providers:kubernetes', 'apps-blue');
    expect(provider.inputs.clusterIdentifier).toBe('arn:aws:eks:eu-west-1:123456789012:cluster/apps-blue');
    const config = JSON.parse(provider.inputs.kubeconfig);
    expect(config.clusters[0].cluster.server).toBe('https://apps-blue.eks.example.com');
    expect(config.users[0].user.exec.args).toContain('get-token');
  });

  test('deletes what is in a cluster together with it', () => {
    for (const slot of ['blue', 'green']) {
      const cluster = seen.one('eks:index:Cluster', `apps-${slot}`);
      for (const type of [
        'kubernetes:core/v1:Namespace',
        'kubernetes:elbv2.k8s.aws/v1beta1:TargetGroupBinding',
      ]) {
        expect(seen.ofType(type).filter(({ deletedWith }) => deletedWith === cluster.urn)).toHaveLength(1);
      }
    }
  });

  test('can be passed on as plain values', async () => {
    expect(fleet.ref.name).toBe('apps');
    expect(Object.keys(fleet.ref.slots)).toEqual(['blue', 'green']);
    expect(fleet.ref.labels).toEqual({ blue: { env: 'production' }, green: { env: 'production' } });
    const ref = await new Promise((resolve) => fleet.slots.blue!.ref.apply(resolve));
    expect(ref).toEqual({
      clusterName: 'apps-blue',
      clusterArn: 'arn:aws:eks:eu-west-1:123456789012:cluster/apps-blue',
      region: 'eu-west-1',
      endpoint: 'https://apps-blue.eks.example.com',
      certificateAuthority: 'Y2E=',
      proxyUrl: undefined,
      vpcId: 'vpc-1',
      clusterSecurityGroupId: 'sg-cluster-apps-blue',
      nodeSecurityGroupId: 'apps-blue-nodes-id',
      targetGroupArns: { web: expect.stringContaining('apps-blue-web') },
    });
  });
});

test('an addon waits for the nodes, the Pod Identity agent and CoreDNS', async () => {
  let waits: string[] = [];
  const spy: Addon = {
    name: 'spy',
    requires: [],
    install: (target) => {
      pulumi
        .all(target.dependsOn.map(({ urn }) => urn))
        .apply((urns) => (waits = urns.map((urn) => urn.split('::').at(-1)!)));
      return { resources: [] };
    },
  };
  await register(
    () => new ClusterFleet('apps', { ...base, addons: [controller, spy], slots: { blue: base.slots.blue! } }),
  );
  expect(waits).toEqual(['apps-blue', 'apps-blue-pod-identity', 'apps-blue-coredns']);
});

test("one slot, private behind a proxy, raw arguments over ours, a key and roles of one's own", async () => {
  const seen = await register(
    () =>
      new ClusterSlot('ops', {
        fleet: 'ops',
        slot: 'only',
        network: { vpcId: 'vpc-1', privateSubnetIds: ['subnet-a'] },
        endpoint: { private: { proxyUrl: 'http://proxy:3128' } },
        version: '1.36',
        encryptionKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/k',
        deletionProtection: true,
        nodes: {
          ...nodes,
          instanceTypes: ['m7g.large'],
          roleArn: 'arn:aws:iam::123456789012:role/nodes',
          subnetIds: ['subnet-n'],
          securityGroupIds: ['sg-extra'],
          nodeGroupArgs: { capacityType: 'SPOT' },
          launchTemplateArgs: { keyName: 'ops' },
        },
        clusterArgs: { ipFamily: 'ipv6' },
        credentials: { profile: 'ops', roleArn: pulumi.output('arn:aws:iam::1:role/admin') },
      }),
  );
  expect(seen.ofType('aws:kms/key:Key')).toEqual([]);
  expect(seen.ofType('aws:iam/role:Role')).toEqual([]);
  expect(seen.one('eks:index:Cluster').inputs).toMatchObject({
    endpointPublicAccess: false,
    encryptionConfigKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/k',
    deletionProtection: true,
    ipFamily: 'ipv6',
  });
  expect(seen.one('aws:eks/nodeGroup:NodeGroup').inputs).toMatchObject({
    nodeRoleArn: 'arn:aws:iam::123456789012:role/nodes',
    subnetIds: ['subnet-n'],
    amiType: 'AL2023_ARM_64_STANDARD',
    capacityType: 'SPOT',
  });
  expect(seen.one('aws:ec2/launchTemplate:LaunchTemplate').inputs).toMatchObject({
    keyName: 'ops',
    vpcSecurityGroupIds: ['sg-cluster-ops', 'ops-nodes-id', 'sg-extra'],
  });
  const config = JSON.parse(seen.one('pulumi:providers:kubernetes').inputs.kubeconfig);
  expect(config.clusters[0].cluster['proxy-url']).toBe('http://proxy:3128');
  expect(config.users[0].user.exec.args).toContain('arn:aws:iam::1:role/admin');
});

test('Auto Mode has its own bindings, no EKS add-ons of ours, and a tag on the target group', async () => {
  const seen = await register(
    () =>
      new ClusterFleet('apps', { ...base, addons: [], slots: { blue: { version: '1.36', autoMode: true } } }),
  );
  expect(seen.one('eks:index:Cluster').inputs.autoMode).toMatchObject({ enabled: true });
  expect(seen.ofType('aws:eks/addon:Addon')).toEqual([]);
  expect(seen.ofType('aws:eks/nodeGroup:NodeGroup')).toEqual([]);
  expect(seen.one('aws:lb/targetGroup:TargetGroup').inputs.tags).toMatchObject({
    'eks:eks-cluster-name': 'apps-blue',
  });
  expect(seen.one('kubernetes:eks.amazonaws.com/v1:TargetGroupBinding').inputs.metadata.name).toBe('web');
});

test('instance targets go through the node group', async () => {
  const seen = await register(
    () =>
      new ClusterFleet('apps', {
        ...base,
        addons: [],
        slots: { blue: base.slots.blue! },
        entries: {
          web: {
            namespace: 'podinfo',
            service: 'frontend',
            port: 80,
            targetType: 'instance',
            nodePort: 30080,
          },
        },
      }),
    {
      answers: {
        'aws:eks/nodeGroup:NodeGroup': () => ({ resources: [{ autoscalingGroups: [{ name: 'eks-asg' }] }] }),
      },
    },
  );
  expect(seen.one('aws:lb/targetGroup:TargetGroup').inputs).toMatchObject({
    targetType: 'instance',
    port: 30080,
  });
  expect(seen.one('aws:autoscaling/attachment:Attachment').inputs).toMatchObject({
    autoscalingGroupName: 'eks-asg',
    lbTargetGroupArn: expect.stringContaining('apps-blue-web'),
  });
  expect(seen.all.filter(({ type }) => type.includes('TargetGroupBinding'))).toEqual([]);
});

test('a slot may adopt a cluster by its name alone', async () => {
  const seen = await register(
    () =>
      new ClusterFleet('apps', {
        endpoint: base.endpoint,
        entries: base.entries,
        addons: [controller],
        slots: { blue: { adopt: { clusterName: 'legacy' } } },
      }),
    {
      calls: ({ token, inputs }) =>
        token === 'aws:eks/getCluster:getCluster'
          ? {
              name: inputs.name,
              arn: `arn:aws:eks:eu-west-1:123456789012:cluster/${inputs.name}`,
              endpoint: 'https://legacy.example.com',
              certificateAuthorities: [{ data: 'Y2E=' }],
              vpcConfig: { vpcId: 'vpc-old', clusterSecurityGroupId: 'sg-old' },
            }
          : {},
    },
  );
  expect(seen.ofType('eks:index:Cluster')).toEqual([]);
  expect(seen.ofType('aws:eks/nodeGroup:NodeGroup')).toEqual([]);
  expect(seen.one('aws:lb/targetGroup:TargetGroup').inputs.vpcId).toBe('vpc-old');
  expect(seen.one('pulumi:providers:kubernetes').inputs.clusterIdentifier).toContain('cluster/legacy');
});

describe('bad input is refused before anything is registered', () => {
  test.each<[string, Partial<ClusterFleetArgs>, string[]]>([
    ['no slot', { slots: {} }, ['slots']],
    ['a name for a hosted zone', { hostedZoneIds: ['Z1', 'example.com'] }, ['hostedZoneIds[1]']],
    [
      'six slots',
      { slots: Object.fromEntries([1, 2, 3, 4, 5, 6].map((i) => [`s${i}`, { version: '1.36', nodes }])) },
      ['slots'],
    ],
    ['a slot name', { slots: { Blue: { version: '1.36', nodes } } }, ['slots.Blue']],
    ['no version', { slots: { blue: { nodes } } }, ['slots.blue.version']],
    ['a patch version', { slots: { blue: { version: '1.35.2', nodes } } }, ['slots.blue.version']],
    ['nothing to run on', { slots: { blue: { version: '1.36' } } }, ['slots.blue.nodes']],
    [
      'bounds',
      { slots: { blue: { version: '1.36', nodes: { ...nodes, min: 7 } } } },
      ['slots.blue.nodes.min'],
    ],
    [
      'desired',
      { slots: { blue: { version: '1.36', nodes: { ...nodes, desired: 7 } } } },
      ['slots.blue.nodes.desired'],
    ],
    [
      'mixed architectures',
      {
        slots: { blue: { version: '1.36', nodes: { ...nodes, instanceTypes: ['m7i.large', 'm7g.large'] } } },
      },
      ['slots.blue.nodes.instanceTypes'],
    ],
    [
      'no instance types',
      { slots: { blue: { version: '1.36', nodes: { ...nodes, instanceTypes: [] } } } },
      ['slots.blue.nodes.instanceTypes'],
    ],
    [
      'a long name',
      { entries: { 'a-rather-long-entry': base.entries!.web! } },
      ['slots.blue.entries.a-rather-long-entry', 'slots.green.entries.a-rather-long-entry'],
    ],
    ['a port', { entries: { web: { ...base.entries!.web!, port: 0 } } }, ['entries.web.port']],
    [
      'instance without node port',
      { entries: { web: { ...base.entries!.web!, targetType: 'instance' } } },
      ['entries.web.nodePort'],
    ],
    [
      'ip with node port',
      { entries: { web: { ...base.entries!.web!, nodePort: 30000 } } },
      ['entries.web.nodePort'],
    ],
    [
      'a health check',
      {
        entries: {
          web: { ...base.entries!.web!, healthCheck: { path: 'health', port: 0, intervalSeconds: 1 } },
        },
      },
      [
        'entries.web.healthCheck.path',
        'entries.web.healthCheck.port',
        'entries.web.healthCheck.intervalSeconds',
      ],
    ],
    ['nobody binds', { addons: [] }, ['slots.blue.addons', 'slots.green.addons']],
    [
      'what binds comes after what is to be bound',
      {
        addons: [existingAddon('cert-manager'), awsLoadBalancerController({ deliveredBy: 'argocd' })],
        slots: { blue: base.slots.blue! },
      },
      ['slots.blue.addons[1].deliveredBy'],
    ],
    ['labels', { labels: { 'a b': 'c d' } }, expect.arrayContaining(['labels.a b'])],
    ['a log', { controlPlaneLogs: ['everything' as never] }, ['controlPlaneLogs[0]']],
    ['a delay', { deregistrationDelaySeconds: 3601 }, ['deregistrationDelaySeconds']],
    ['no network', { network: undefined }, ['slots.blue.network', 'slots.green.network']],
    ['no endpoint', { endpoint: undefined }, ['endpoint']],
    [
      'one cluster twice',
      {
        slots: {
          blue: { version: '1.36', nodes, clusterName: 'x' },
          green: { version: '1.36', nodes, clusterName: 'x' },
        },
      },
      ['slots.green'],
    ],
    [
      'a cluster name in raw arguments',
      { slots: { blue: { version: '1.36', nodes, clusterArgs: { name: 'x' } } } },
      ['slots.blue.clusterArgs.name'],
    ],
    [
      'overlapping target groups',
      {
        slots: { a: { version: '1.36', nodes }, 'a-b': { version: '1.36', nodes } },
        entries: { 'b-c': base.entries!.web!, c: base.entries!.web! },
      },
      ['slots.a-b with entries.c'],
    ],
    [
      'adopted and described',
      { slots: { blue: { adopt: { clusterName: 'x' }, version: '1.36', nodes, clusterName: 'y' } } },
      ['slots.blue.version', 'slots.blue.nodes', 'slots.blue.clusterName'],
    ],
    [
      'instance targets without nodes',
      {
        addons: [],
        slots: { blue: { version: '1.36', autoMode: true } },
        entries: { web: { ...base.entries!.web!, targetType: 'instance', nodePort: 30000 } },
      },
      ['slots.blue.entries.web.targetType'],
    ],
    [
      'a duplicate add-on',
      { addons: [controller, controller], slots: { blue: base.slots.blue! } },
      ['slots.blue.addons[1].name'],
    ],
  ])('%s', (_, args, paths) => {
    expect(refused(args)).toEqual(paths);
  });

  test('all at once', () => {
    expect(
      refused(
        { slots: { blue: { version: '2', nodes: { ...nodes, max: 0 } } }, endpoint: {} as never },
        'Apps',
      ).length,
    ).toBeGreaterThanOrEqual(4);
  });

  test('and nothing is registered', async () => {
    const { slots: _, ...fleetWide } = base;
    const seen = await register(() => {
      expect(() => new ClusterFleet('apps', { ...base, slots: {} })).toThrow(InvalidInput);
      expect(
        () => new ClusterSlot('x', { ...fleetWide, fleet: 'Apps', slot: 'blue', version: '1.36', nodes }),
      ).toThrow(/fleet: "Apps"/);
    });
    expect(seen.all.map(({ type }) => type)).toEqual(['pulumi:pulumi:Stack']);
  });
});

test('a cluster of another stack is reached from its plain values', async () => {
  const seen = await register(() => {
    connectToCluster(
      'other',
      pulumi.output<SlotRef>({
        clusterName: 'c',
        clusterArn: 'arn:aws:eks:r:1:cluster/c',
        region: 'r',
        endpoint: 'https://e',
        certificateAuthority: 'x',
        vpcId: 'v',
        clusterSecurityGroupId: 's',
        nodeSecurityGroupId: 'n',
        targetGroupArns: {},
      }),
      undefined,
      {},
    );
  });
  expect(seen.one('pulumi:providers:kubernetes', 'other').inputs.clusterIdentifier).toBe(
    'arn:aws:eks:r:1:cluster/c',
  );
});
