import type * as pulumi from '@pulumi/pulumi';
import type { InvalidInput } from '../../../lib/core/validation';
import { existingAddon } from '../../../lib/pulumi/addons';
import type { EksAddonVersions, SlotArgs } from '../../../lib/pulumi/fleet';
import { ClusterSlot } from '../../../lib/pulumi/fleet';
import { askedVersions, withAddonVersions } from '../../../lib/pulumi/fleet/eks-addons';
import { madeClusters, noteMadeCluster } from '../../../lib/pulumi/fleet/kubernetes-provider';
import { keepChildren } from '../../../lib/pulumi/fleet/slot-cluster';
import { register } from '../../pulumi-mocks';

const nodes = { instanceTypes: ['m7i.large'], min: 2, max: 6 };
const make = (args: SlotArgs = {}) =>
  new ClusterSlot('apps-blue', {
    fleet: 'apps',
    slot: 'blue',
    network: { vpcId: 'vpc-1', privateSubnetIds: ['subnet-a', 'subnet-b'] },
    endpoint: { private: { reachedFrom: 'vpc' } },
    version: '1.35',
    nodes,
    addons: [existingAddon('aws-load-balancer-controller')],
    ...args,
  });
const addonType = 'aws:eks/addon:Addon';
const all: EksAddonVersions = {
  coredns: 'v1.13.1-eksbuild.1',
  'eks-pod-identity-agent': 'v1.3.10-eksbuild.2',
  'kube-proxy': 'v1.35.0-eksbuild.2',
  'vpc-cni': 'v1.21.1-eksbuild.3',
};

describe("versions of EKS's own add-ons", () => {
  test('stay as they were at creation where the slot asks for none', async () => {
    const seen = await register(() => make());
    const { inputs } = seen.one('eks:index:Cluster');
    expect([inputs.kubeProxyAddonOptions, inputs.vpcCniOptions]).toEqual([undefined, undefined]);
    for (const addon of seen.ofType(addonType)) {
      expect(addon.inputs.addonVersion).toBeUndefined();
      expect(addon.ignoreChanges).toEqual(['addonVersion']);
    }
  });

  test('are those that the slot asks for, of each add-on', async () => {
    const seen = await register(() => make({ eksAddonVersions: all }));
    expect(seen.one('eks:index:Cluster').inputs).toMatchObject({
      kubeProxyAddonOptions: { version: all['kube-proxy'] },
      vpcCniOptions: { addonVersion: all['vpc-cni'] },
    });
    for (const [name, addonName] of [
      ['apps-blue-coredns', 'coredns'],
      ['apps-blue-pod-identity', 'eks-pod-identity-agent'],
    ] as const) {
      const addon = seen.one(addonType, name);
      expect(addon.ignoreChanges).toEqual([]);
      expect(addon.inputs).toMatchObject({
        addonName,
        addonVersion: all[addonName],
        resolveConflictsOnUpdate: 'PRESERVE',
      });
    }
  });

  test('stand beside raw options of the component, which count more', () => {
    const raw = { vpcCniOptions: { enableNetworkPolicy: true }, kubeProxyAddonOptions: { version: 'raw' } };
    expect(withAddonVersions(raw, all)).toEqual({
      vpcCniOptions: { addonVersion: all['vpc-cni'], enableNetworkPolicy: true },
      kubeProxyAddonOptions: { version: 'raw' },
    });
    expect(withAddonVersions(raw)).toEqual(raw);
    expect(askedVersions(raw)).toEqual({ coredns: undefined, 'kube-proxy': 'raw', 'vpc-cni': undefined });
  });

  test.each<[string, SlotArgs, string[]]>([
    ['a range', { eksAddonVersions: { 'vpc-cni': 'latest' } }, ['eksAddonVersions.vpc-cni']],
    ['no build', { eksAddonVersions: { coredns: 'v1.13.1' } }, ['eksAddonVersions.coredns']],
    [
      'another add-on',
      { eksAddonVersions: { 'vpc-cn': 'v1.21.1-eksbuild.3' } as never },
      ['eksAddonVersions.vpc-cn'],
    ],
    [
      'no more than what is said',
      { eksAddonVersions: { coredns: undefined, 'vpc-cni': 'latest' } },
      ['eksAddonVersions.vpc-cni'],
    ],
    ['Auto Mode', { nodes: undefined, autoMode: true, eksAddonVersions: all }, ['eksAddonVersions']],
    [
      'an adopted cluster',
      { nodes: undefined, version: undefined, adopt: { clusterName: 'x' }, eksAddonVersions: all },
      ['eksAddonVersions'],
    ],
    [
      'add-ons that are left out',
      {
        eksAddonVersions: all,
        clusterArgs: { useDefaultVpcCni: true, kubeProxyAddonOptions: { enabled: false } },
      },
      ['eksAddonVersions.kube-proxy', 'eksAddonVersions.vpc-cni'],
    ],
  ])('%s is refused', (_what, args, paths) => {
    let problems: readonly { path: string }[] = [];
    try {
      make(args);
    } catch (error) {
      problems = (error as InvalidInput).problems;
    }
    expect(problems.map(({ path }) => path)).toEqual(paths);
  });
});

describe('what is inside the cluster component', () => {
  const hooks = (name: string) => ({ beforeUpdate: [name as unknown as pulumi.ResourceHook] });
  const transformed = (type: string, props: pulumi.Inputs, opts: pulumi.CustomResourceOptions = {}) =>
    keepChildren({
      clusterHooks: hooks('cluster'),
      addonHooks: { 'vpc-cni': hooks('vpc-cni') },
      askedVersions: { 'kube-proxy': 'v1.35.0-eksbuild.2', 'vpc-cni': undefined },
    })({ custom: true, type, name: 'any', props, opts } as pulumi.ResourceTransformArgs) as
      | { props: pulumi.Inputs; opts: pulumi.CustomResourceOptions }
      | undefined;

  test('an add-on keeps its version, and is behind the guard', () => {
    const props = { addonName: 'vpc-cni', addonVersion: 'the newest of today' };
    const given = { dependsOn: [], ignoreChanges: ['tags'] };
    expect(transformed(addonType, props, given)).toEqual({
      props,
      opts: { dependsOn: [], ignoreChanges: ['tags', 'addonVersion'], hooks: hooks('vpc-cni') },
    });
  });

  test('one of which the slot asks for a version does not keep it', () => {
    expect(transformed(addonType, { addonName: 'kube-proxy' })!.opts.ignoreChanges).toEqual([]);
  });

  test('the cluster is not replaced; anything else stays as it is', () => {
    expect(transformed('aws:eks/cluster:Cluster', {})!.opts).toMatchObject({
      deleteBeforeReplace: false,
      ignoreChanges: expect.arrayContaining(['name', 'roleArn']),
      hooks: hooks('cluster'),
    });
    expect(transformed('aws:iam/role:Role', {})).toBeUndefined();
  });

  test.each<[string, object | undefined, string[]]>([
    ['as EKS chooses it', undefined, ['kubernetesNetworkConfig']],
    ['with another family of addresses', { ipFamily: 'ipv6' }, ['kubernetesNetworkConfig']],
    [
      'of Auto Mode',
      { ipFamily: 'ipv6', elasticLoadBalancing: { enabled: true } },
      ['kubernetesNetworkConfig.ipFamily', 'kubernetesNetworkConfig.serviceIpv4Cidr'],
    ],
  ])(
    'of a network %s, what is fixed is ignored, and no empty block is left',
    (_, kubernetesNetworkConfig, paths) => {
      const { ignoreChanges } = transformed('aws:eks/cluster:Cluster', { kubernetesNetworkConfig })!.opts;
      expect(ignoreChanges!.filter((path: string) => path.startsWith('kubernetesNetworkConfig'))).toEqual(
        paths,
      );
    },
  );
});

test('a cluster that the engine makes is known as one of this run', async () => {
  const arn = 'arn:aws:eks:eu-west-1:123456789012:cluster/apps-blue';
  let known: boolean[] = [];
  await register(async () => {
    const before = madeClusters().has(arn);
    const { callback } = noteMadeCluster('apps-blue-eksCluster');
    await callback({ newOutputs: { arn } } as unknown as pulumi.ResourceHookArgs);
    known = [before, madeClusters().has(arn)];
  });
  expect(known).toEqual([false, true]);
  await register(() => {
    expect(madeClusters().has(arn)).toBe(false);
  });
});
