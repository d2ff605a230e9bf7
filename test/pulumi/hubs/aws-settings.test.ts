import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { parse } from 'yaml';
import type { Addon } from '../../../lib/pulumi/addons';
import { awsLoadBalancerController, EksAddon, existingAddon } from '../../../lib/pulumi/addons';
import { ClusterFleet } from '../../../lib/pulumi/fleet';
import { ArgoCdHub, ManagedArgoCd } from '../../../lib/pulumi/hubs';
import {
  FleetListeners,
  FleetRecords,
  FleetTraffic,
  shiftWorkflowRole,
  WeightedAlb,
  WeightedListener,
  WeightedRule,
} from '../../../lib/pulumi/traffic';
import { plainPlan } from '../../shift/plan-file/plans';
import type { Registered, Registrations } from '../../pulumi-mocks';
import { register } from '../../pulumi-mocks';

const tags = { team: 'platform' };
const permissionsBoundaryArn = 'arn:aws:iam::123456789012:policy/boundary';
const ownBoundary = 'arn:aws:iam::123456789012:policy/own';
const everyone = { tags, permissionsBoundaryArn };
const roleType = 'aws:iam/role:Role';
const loadBalancerArn =
  'arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/net/edge/50dc6c495c0c9188';
const targetGroupArn =
  'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/apps-blue-web/73e2d6bc24d8a067';
const nodes = { instanceTypes: ['m7i.large'], min: 1, max: 2 };

/** An add-on of a user's own, with AWS resources and a role that has a boundary and a tag already. */
const queue: Addon = {
  name: 'queue',
  requires: [],
  install: ({ name, parent }) => ({
    resources: [
      new aws.sqs.Queue(`${name}-queue`, {}, { parent }),
      new aws.iam.Role(
        `${name}-own`,
        { assumeRolePolicy: '{}', permissionsBoundary: ownBoundary, tags: { team: 'own', cost: '1' } },
        { parent },
      ),
    ],
  }),
};
const driver = new EksAddon({
  addonName: 'aws-ebs-csi-driver',
  identity: {
    serviceAccounts: ['ebs-csi-controller-sa'],
    policyArns: ['arn:aws:iam::aws:policy/service-role/AmazonEBSCSIDriverPolicy'],
  },
});

/** All components that make AWS resources. */
function program(): void {
  const shared = {
    ...everyone,
    network: { vpcId: 'vpc-1', privateSubnetIds: ['subnet-a', 'subnet-b'] },
    endpoint: { public: { cidrs: ['203.0.113.0/24'] } },
  };
  const entry = { namespace: 'podinfo', service: 'frontend', port: 9898 };
  const apps = new ClusterFleet('apps', {
    ...shared,
    slots: {
      blue: {
        version: '1.35',
        nodes,
        moreNodes: { gpu: { ...nodes, nodeGroupArgs: { tags: { cost: '1' } } } },
        addons: [existingAddon('cert-manager'), awsLoadBalancerController(), driver, queue],
      },
      auto: { version: '1.35', autoMode: true },
      old: {
        adopt: { clusterName: 'old' },
        addons: [existingAddon('cert-manager'), awsLoadBalancerController()],
      },
    },
    entries: { web: entry },
    access: {
      admins: { principalArn: 'arn:aws:iam::123456789012:role/admins' },
      tagged: { principalArn: 'arn:aws:iam::123456789012:role/ci', tags: { team: 'ci' } },
    },
  });
  const edge = new WeightedAlb('edge', {
    tags,
    vpcId: 'vpc-1',
    subnetIds: ['subnet-a', 'subnet-b'],
    certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/main',
    dns: { zoneId: 'Z1', names: ['www.example.com'] },
  });
  const weights = { blue: 100 };
  new FleetTraffic('apps', {
    tags,
    fleet: apps,
    edge,
    routes: { web: { entry: 'web', hosts: ['www.example.com'], priority: 10 } },
    weights,
  });
  new FleetListeners('tcp', {
    tags,
    fleet: apps,
    loadBalancerArn,
    securityGroupIds: ['sg-nlb'],
    listeners: { mqtt: { entry: 'web', port: 8883, protocol: 'TCP' } },
    weights,
  });
  new FleetRecords('names', {
    zoneId: 'Z1',
    names: ['api.example.com'],
    ttlSeconds: 60,
    targets: { blue: { values: { A: ['192.0.2.1'] } }, green: { values: { A: ['192.0.2.2'] } } },
    types: ['A'],
    weights,
  });
  const targetGroupArns = { blue: targetGroupArn };
  new WeightedRule('alone', { tags, edge, priority: 20, hosts: ['a.example.com'], targetGroupArns, weights });
  new WeightedListener('alone', {
    tags: pulumi.output(tags),
    loadBalancerArn,
    port: 8884,
    protocol: 'TCP',
    targetGroupArns,
    weights,
  });
  const hub = new ClusterFleet('hub', {
    ...shared,
    slots: { a: { version: '1.35', nodes }, b: { version: '1.35', nodes } },
  });
  new ArgoCdHub('argocd', { ...everyone, fleet: hub, active: 'a', manages: [apps] });
  new ManagedArgoCd('managed', {
    ...everyone,
    fleet: hub,
    slot: 'a',
    manages: [apps],
    identityCenter: { instanceArn: 'arn:aws:sso:::instance/ssoins-1234567890abcdef' },
  });
  shiftWorkflowRole('shift', {
    ...everyone,
    clusterName: 'hub-a',
    clusterArn: 'arn:aws:eks:eu-west-1:123456789012:cluster/hub-a',
    serviceAccount: { namespace: 'shifts', name: 'apps' },
    plan: parse(plainPlan),
  });
}

/** Whether a class of AWS's provider takes tags, by the types of the SDK. */
function isTaggable(type: string): boolean {
  const [, file] = /^aws:(\w+\/\w+):/.exec(type) ?? [];
  return (
    file !== undefined &&
    readFileSync(require.resolve(`@pulumi/aws/${file}`).replace(/js$/, 'd.ts'), 'utf8').includes('tagsAll')
  );
}

const described = ({ type, name }: Registered) => `${type} ${name}`;
const eksCluster = {
  answers: {
    'aws:eks/nodeGroup:NodeGroup': () => ({ resources: [{ autoscalingGroups: [{ name: 'asg' }] }] }),
  },
  calls: ({ token, inputs }: pulumi.runtime.MockCallArgs) =>
    token === 'aws:eks/getCluster:getCluster'
      ? {
          name: inputs.name,
          arn: `arn:aws:eks:eu-west-1:123456789012:cluster/${inputs.name}`,
          endpoint: 'https://old.example.com',
          certificateAuthorities: [{ data: 'Y2E=' }],
          vpcConfig: { vpcId: 'vpc-1', clusterSecurityGroupId: 'sg-old' },
        }
      : { partition: 'aws', region: 'eu-west-1', accountId: '123456789012', ...inputs },
};

describe('a program of all components, each with tags and a permissions boundary', () => {
  let seen: Registrations;
  beforeAll(async () => {
    seen = await register(program, eksCluster);
  });

  test('has every class of AWS resource that the library makes', () => {
    const lib = resolve(__dirname, '../../../lib');
    const sources = readdirSync(lib, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(lib, file), 'utf8').replace(/^ *(\*|\/\/).*$/gm, ''));
    const made = sources.flatMap((text) =>
      [...text.matchAll(/\bnew aws\.(\w+)\.(\w+)\(/g)].map(([, module, name]) => `${module} ${name}`),
    );
    const registered = new Set(seen.all.map(({ type }) => type.replace(/^aws:(\w+)\/\w+:(\w+)$/, '$1 $2')));
    // Not taggable, and made for entries whose targets are instances, certificates beside the first, and web ACLs.
    const others = ['autoscaling Attachment', 'lb ListenerCertificate', 'wafv2 WebAclAssociation'];
    expect([...new Set(made)].filter((each) => !registered.has(each)).sort()).toEqual(others);
    expect(made.length).toBeGreaterThan(20);
  });

  test('every resource that can be tagged has the tags', () => {
    const taggable = seen.all.filter(({ type }) => isTaggable(type));
    const own = ['apps-blue-own'];
    expect(
      taggable
        .filter(({ inputs, name }) => inputs.tags?.team !== 'platform' && !own.includes(name))
        .map(described),
    ).toEqual([]);
    expect(new Set(taggable.map(({ type }) => type)).size).toBeGreaterThanOrEqual(13);
    expect(taggable.length).toBeGreaterThan(60);
  });

  test('what a component says of its resources is there beside the tags, and wins', () => {
    expect(seen.one(roleType, 'apps-blue-own').inputs.tags).toEqual({
      'cluster-canary/fleet': 'apps',
      'cluster-canary/slot': 'blue',
      team: 'own',
      cost: '1',
    });
    expect(seen.one('aws:eks/nodeGroup:NodeGroup', 'apps-blue-gpu-nodes').inputs.tags).toMatchObject({
      cost: '1',
      team: 'platform',
      'cluster-canary/slot': 'blue',
    });
    expect(seen.one('aws:lb/listenerRule:ListenerRule', 'alone').inputs.tags).toEqual({
      team: 'platform',
      'cluster-canary/rule': 'project/stack/alone',
    });
  });

  test("so have the component's own: the cluster and its access entries", () => {
    const { tags: given, accessEntries } = seen.one('eks:index:Cluster', 'apps-blue').inputs;
    const slot = { 'cluster-canary/fleet': 'apps', 'cluster-canary/slot': 'blue' };
    expect(given).toEqual({ ...slot, team: 'platform' });
    expect(accessEntries.admins.tags).toEqual({ ...slot, team: 'platform' });
    expect(accessEntries.tagged.tags).toEqual({ ...slot, team: 'ci' });
  });

  test('every IAM role has the permissions boundary; its own comes before it', () => {
    const roles = seen.ofType(roleType);
    expect(roles.filter(({ inputs }) => inputs.permissionsBoundary === undefined).map(described)).toEqual([]);
    expect(
      roles.filter(({ inputs }) => inputs.permissionsBoundary !== permissionsBoundaryArn).map(described),
    ).toEqual([`${roleType} apps-blue-own`]);
    expect(seen.one(roleType, 'apps-blue-own').inputs.permissionsBoundary).toBe(ownBoundary);
    expect(roles.length).toBeGreaterThanOrEqual(11);
  });
});

describe('roles inside of the remote component of EKS', () => {
  /** The engine's transforms of the cluster component, as the program asks for them. */
  async function transformsOf(boundary: string | undefined): Promise<pulumi.ResourceTransform[]> {
    const found: pulumi.ResourceTransform[] = [];
    const take: pulumi.ResourceTransformation = ({ type, props, opts }) => {
      if (type === 'eks:index:Cluster') {
        found.push(...((opts as { transforms?: pulumi.ResourceTransform[] }).transforms ?? []));
      }
      // Mocks run no transforms, and refuse them.
      return { props, opts: { ...opts, transforms: [] } as pulumi.ResourceOptions };
    };
    await register(() => {
      // As if there were one, as long as the program makes resources.
      const engine = jest.spyOn(pulumi.runtime, 'getEngine').mockReturnValue({} as never);
      try {
        new ClusterFleet(
          'apps',
          {
            network: { vpcId: 'vpc-1', privateSubnetIds: ['subnet-a', 'subnet-b'] },
            endpoint: { public: { cidrs: ['203.0.113.0/24'] } },
            slots: { auto: { version: '1.35', autoMode: true } },
            maxLiveTraffic: 100,
            permissionsBoundaryArn: boundary,
          },
          { transformations: [take] },
        );
      } finally {
        engine.mockRestore();
      }
    });
    return found;
  }
  const changed = async (transforms: pulumi.ResourceTransform[], type: string, props: object) => {
    let result: any = { props, opts: {} };
    for (const transform of transforms) {
      result = (await transform({ custom: true, type, name: 'inner', ...result })) ?? result;
    }
    return result.props;
  };

  test('have the permissions boundary, and nothing else has', async () => {
    const transforms = await transformsOf(permissionsBoundaryArn);
    expect(await changed(transforms, roleType, { path: '/' })).toEqual({
      path: '/',
      permissionsBoundary: permissionsBoundaryArn,
    });
    expect(await changed(transforms, roleType, { permissionsBoundary: ownBoundary })).toEqual({
      permissionsBoundary: ownBoundary,
    });
    expect(await changed(transforms, 'aws:eks/cluster:Cluster', { name: 'apps' })).toEqual({ name: 'apps' });
  });

  test('have none where none is asked for', async () => {
    expect(await changed(await transformsOf(undefined), roleType, { path: '/' })).toEqual({ path: '/' });
  });
});

const fleet = {
  name: 'apps',
  slots: { blue: {} as never },
  entries: { web: { namespace: 'web', service: 'web', port: 80 } },
};

test.each<[string, (given: object) => unknown]>([
  ['WeightedAlb', (given) => new WeightedAlb('edge', given as never)],
  [
    'FleetTraffic',
    (given) => new FleetTraffic('apps', { fleet, edge: {}, weights: {}, routes: {}, ...given } as never),
  ],
  [
    'FleetListeners',
    (given) => new FleetListeners('apps', { fleet, weights: {}, listeners: {}, ...given } as never),
  ],
  ['ArgoCdHub', (given) => new ArgoCdHub('hub', { fleet, manages: [], ...given } as never)],
  ['ManagedArgoCd', (given) => new ManagedArgoCd('hub', { fleet, manages: [], ...given } as never)],
])('%s refuses tags that say whose a resource is', (_name, make) => {
  expect(() => make({ tags: { 'cluster-canary/fleet': 'other', team: 'x' } })).toThrow(
    /\n {2}tags\.cluster-canary\/fleet: "other": must be left out: tags that begin with "cluster-canary\/"/,
  );
});
