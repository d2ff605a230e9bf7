import * as fc from 'fast-check';
import * as pulumi from '@pulumi/pulumi';
import { generators } from '../../../lib/manifests/argocd';
import { ClusterFleet } from '../../../lib/pulumi/fleet';
import type { ArgoCdHubArgs } from '../../../lib/pulumi/hubs';
import { ArgoCdHub, argoCdValues, standbyApplicationSet } from '../../../lib/pulumi/hubs';
import { chartVersionRule } from '../../../lib/pulumi/hubs/argo-cd/chart';
import type { Registrations } from '../../pulumi-mocks';
import { register, secret } from '../../pulumi-mocks';
import { fleetOf, namesOf, podinfo, slotRef } from './fleets';
import { refusalOf } from './refusal';

const nodes = { instanceTypes: ['m7i.large'], min: 2, max: 6 };
const network = { vpcId: 'vpc-1', privateSubnetIds: ['subnet-a'] };
const endpoint = { private: { reachedFrom: 'vpc' as const } };
const project = {
  name: 'apps',
  sourceRepos: ['https://github.com/stefanprodan/podinfo'],
  destinations: [{ server: '*', namespace: 'podinfo' }],
};
const apps = {
  name: 'apps',
  slots: { blue: slotRef('apps-blue'), green: pulumi.output(slotRef('apps-green')) },
  entries: {},
  labels: { blue: { env: 'production' }, green: { env: 'production' } },
};
const hubs = (...slots: string[]) => fleetOf('hub', ...slots);
const base: ArgoCdHubArgs = {
  fleet: hubs('a'),
  manages: [apps],
  projects: [project],
  applicationSets: [podinfo],
};
const release = 'kubernetes:helm.sh/v3:Release';
const policies = (seen: Registrations) =>
  Object.fromEntries(
    seen
      .ofType('aws:eks/accessPolicyAssociation:AccessPolicyAssociation')
      .map(({ name, inputs }) => [name, inputs.policyArn.split('/').at(-1)]),
  );

describe('one hub over one fleet', () => {
  let seen: Registrations;
  beforeAll(async () => {
    seen = await register(() => {
      new ArgoCdHub('hub', {
        ...base,
        repositories: [
          {
            name: 'config',
            url: 'https://github.com/example/config',
            credential: { username: 'git', password: pulumi.output('s3cret') },
          },
          { name: 'podinfo', url: 'https://github.com/stefanprodan/podinfo' },
        ],
        credentialTemplates: [
          {
            name: 'github',
            url: 'https://github.com/example',
            credential: {
              githubAppID: 1,
              githubAppInstallationID: pulumi.output(2),
              githubAppPrivateKey: pulumi.secret('k3y'),
            },
          },
        ],
      });
    });
  });

  test('installs Argo CD as a Helm release of the pinned chart', () => {
    expect(seen.one(release).inputs).toMatchObject({
      chart: 'argo-cd',
      version: '10.1.1',
      namespace: 'argocd',
      repositoryOpts: { repo: 'https://argoproj.github.io/argo-helm' },
      values: { crds: { install: true, keep: true } },
    });
  });

  test('has one role that only its own three service accounts can take, and that has no rights in IAM', () => {
    const role = seen.one('aws:iam/role:Role');
    expect(JSON.parse(role.inputs.assumeRolePolicy).Statement).toEqual([
      {
        Sid: 'PodIdentity',
        Effect: 'Allow',
        Principal: { Service: 'pods.eks.amazonaws.com' },
        Action: ['sts:AssumeRole', 'sts:TagSession'],
        Condition: {
          StringEquals: {
            'aws:RequestTag/eks-cluster-arn': ['arn:aws:eks:eu-west-1:123456789012:cluster/hub-a'],
            'aws:RequestTag/kubernetes-namespace': ['argocd'],
            'aws:RequestTag/kubernetes-service-account': [
              'argocd-application-controller',
              'argocd-applicationset-controller',
              'argocd-server',
            ],
          },
        },
      },
    ]);
    expect(seen.all.filter(({ type }) => /rolePolicy/i.test(type))).toEqual([]);
    expect(
      seen
        .ofType('aws:eks/podIdentityAssociation:PodIdentityAssociation')
        .map(({ inputs }) => `${inputs.clusterName} ${inputs.serviceAccount}`),
    ).toEqual([
      'hub-a argocd-application-controller',
      'hub-a argocd-applicationset-controller',
      'hub-a argocd-server',
    ]);
  });

  test('is let into each managed cluster: access entry, policy, port 443', () => {
    expect(
      seen.ofType('aws:eks/accessEntry:AccessEntry').map(({ inputs }) => [inputs.clusterName, inputs.type]),
    ).toEqual([
      ['apps-blue', 'STANDARD'],
      ['apps-green', 'STANDARD'],
    ]);
    expect(
      seen
        .ofType('aws:eks/accessPolicyAssociation:AccessPolicyAssociation')
        .map(({ name, inputs }) => [name, inputs]),
    ).toEqual(
      ['apps-blue', 'apps-green'].map((clusterName) => [
        `hub-${clusterName}-writer`,
        {
          clusterName,
          principalArn: 'arn:aws:mock:eu-west-1:123456789012:aws:iam/role:Role/hub-a',
          policyArn: 'arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy',
          accessScope: { type: 'cluster' },
        },
      ]),
    );
    expect(
      seen.ofType('aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule').map(({ inputs }) => inputs),
    ).toEqual([
      expect.objectContaining({
        securityGroupId: 'sg-apps-blue-cluster',
        referencedSecurityGroupId: 'sg-hub-a-nodes',
        fromPort: 443,
        toPort: 443,
        ipProtocol: 'tcp',
      }),
      expect.objectContaining({
        securityGroupId: 'sg-apps-green-cluster',
        referencedSecurityGroupId: 'sg-hub-a-nodes',
      }),
    ]);
  });

  test('registers each slot with the labels that generators select on, without a credential', () => {
    const blue = seen.one('kubernetes:core/v1:Secret', 'hub-a-gitops:argocd/apps-blue').inputs;
    expect(blue.metadata.labels).toEqual({
      'argocd.argoproj.io/secret-type': 'cluster',
      'cluster-canary/fleet': 'apps',
      'cluster-canary/slot': 'blue',
      env: 'production',
    });
    const { value } = secret(blue.stringData);
    expect(value.server).toBe('https://apps-blue.example.com');
    expect(JSON.parse(value.config)).toEqual({
      awsAuthConfig: { clusterName: 'apps-blue' },
      tlsClientConfig: { insecure: false, caData: 'Y2E=' },
    });
  });

  test('keeps credentials secret', () => {
    const config = seen.one('kubernetes:core/v1:Secret', 'hub-a-gitops:argocd/config').inputs;
    expect(secret(config.stringData)).toMatchObject({ secret: true, value: { username: 'git' } });
    const template = secret(
      seen.one('kubernetes:core/v1:Secret', 'hub-a-gitops:argocd/github').inputs.stringData,
    );
    expect(template.secret).toBe(true);
    expect(template.value).toMatchObject({ githubAppID: '1', url: 'https://github.com/example' });
    expect(secret(template.value.githubAppPrivateKey).value).toBe('k3y');
  });

  test('the objects come after Argo CD and its access, and go with its cluster', () => {
    const set = seen.one('kubernetes:argoproj.io/v1alpha1:ApplicationSet');
    expect(set.inputs.spec.template.spec.syncPolicy.automated).toEqual({ prune: true, selfHeal: true });
    expect(seen.one('kubernetes:argoproj.io/v1alpha1:AppProject').inputs.metadata.namespace).toBe('argocd');
    const names = namesOf(set.dependencies);
    expect(names).toEqual(
      expect.arrayContaining(['hub-a-argocd', 'hub-apps-blue-writer', 'hub-apps-green-writer']),
    );
    expect(namesOf(seen.one(release).dependencies)).toEqual(expect.arrayContaining(['hub-a-argocd-server']));
  });
});

describe('several hubs', () => {
  test('with one shared role, a standby has no controller running', async () => {
    const seen = await register(
      () =>
        new ArgoCdHub('hub', {
          ...base,
          fleet: hubs('a', 'b'),
          active: 'a',
          identity: 'shared',
          values: { controller: { replicas: 3 } },
        }),
    );
    expect(policies(seen)).toEqual({
      'hub-apps-blue-writer': 'AmazonEKSClusterAdminPolicy',
      'hub-apps-green-writer': 'AmazonEKSClusterAdminPolicy',
    });
    expect(seen.ofType('aws:iam/role:Role')).toHaveLength(1);
    // A second Argo CD starts when the first one has stopped: a hub that can't be stopped stops the handover.
    const before = namesOf(seen.one(release, 'hub-a-argocd').dependencies);
    expect(before).toEqual(expect.arrayContaining(['hub-b-argocd', 'hub-b-gitops:argocd/podinfo']));
    expect(seen.one(release, 'hub-a-argocd').inputs.values).toMatchObject({ controller: { replicas: 3 } });
    expect(seen.one(release, 'hub-b-argocd').inputs.values).toMatchObject({
      controller: { replicas: 0 },
      applicationSet: { replicas: 0 },
    });
    expect(
      seen
        .ofType('aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule')
        .map(({ inputs }) => inputs.referencedSecurityGroupId),
    ).toEqual(['sg-hub-a-nodes', 'sg-hub-b-nodes', 'sg-hub-a-nodes', 'sg-hub-b-nodes']);
  });

  test('whichever is active, exactly one has the right to write in each cluster', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.nat(4), async (count, pick) => {
        const slots = ['a', 'b', 'c', 'd', 'e'].slice(0, count);
        const seen = await register(
          () => new ArgoCdHub('hub', { ...base, fleet: hubs(...slots), active: slots[pick % count] }),
        );
        for (const target of ['apps-blue', 'apps-green']) {
          const writers = Object.entries(policies(seen)).filter(
            ([name, policy]) => name.includes(target) && policy === 'AmazonEKSClusterAdminPolicy',
          );
          expect(writers.map(([name]) => name)).toEqual([`hub-${target}-writer`]);
          expect(
            seen.one('aws:eks/accessPolicyAssociation:AccessPolicyAssociation', `hub-${target}-writer`).inputs
              .principalArn,
          ).toMatch(new RegExp(`/hub-${slots[pick % count]}$`));
        }
      }),
      { numRuns: 8 },
    );
  });
});

test("limits: namespaces, and a way of one's own", async () => {
  const seen = await register(
    () =>
      new ArgoCdHub('hub', {
        ...base,
        targetNamespaces: ['podinfo'],
        reach: 'own',
        namespace: 'gitops',
        highAvailability: true,
      }),
  );
  expect(
    seen.one('aws:eks/accessPolicyAssociation:AccessPolicyAssociation', 'hub-apps-blue-writer').inputs
      .accessScope,
  ).toEqual({ type: 'namespace', namespaces: ['podinfo'] });
  expect(seen.ofType('aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule')).toEqual([]);
  expect(
    secret(seen.one('kubernetes:core/v1:Secret', 'hub-a-gitops:gitops/apps-blue').inputs.stringData).value
      .namespaces,
  ).toBe('podinfo');
  expect(seen.one(release).inputs).toMatchObject({
    namespace: 'gitops',
    values: { 'redis-ha': { enabled: true } },
  });
});

test('on a fleet of the same program: its providers, after its nodes, gone with its clusters; nothing waits for the whole fleet', async () => {
  const seen = await register(() => {
    const fleet = new ClusterFleet('hub', { network, endpoint, slots: { a: { version: '1.35', nodes } } });
    const managed = new ClusterFleet('apps', {
      network,
      endpoint,
      slots: { blue: { version: '1.35', nodes } },
    });
    new ArgoCdHub('argo', { fleet, manages: [managed] });
  });
  const hubCluster = seen.one('eks:index:Cluster', 'hub-a');
  expect(seen.one(release).deletedWith).toBe(hubCluster.urn);
  expect(seen.one(release).provider).toContain(seen.one('pulumi:providers:kubernetes', 'hub-a').urn);
  expect(namesOf(seen.one(release).dependencies)).toEqual(
    expect.arrayContaining(['hub-a-coredns', 'hub-a-pod-identity']),
  );
  // A pod gets its role when it starts, and EKS takes seconds to know an association: those do not wait for nodes.
  const associations = seen.ofType('aws:eks/podIdentityAssociation:PodIdentityAssociation');
  expect(associations).toHaveLength(3);
  for (const { name, dependencies } of associations) {
    expect(namesOf(seen.one(release).dependencies)).toContain(name);
    expect(namesOf(dependencies)).toContain('hub-a');
    expect(dependencies.filter((urn) => /nodeGroup:NodeGroup::|addon:Addon::/.test(urn))).toEqual([]);
  }
  const fleets = seen.ofType('cluster-canary:fleet:ClusterFleet').map(({ urn }) => urn);
  expect(seen.all.filter(({ dependencies }) => dependencies.some((urn) => fleets.includes(urn)))).toEqual([]);
});

describe('bad input is refused before anything is registered', () => {
  test('fleets that are none, and what is no list of them', async () => {
    const fleet = fleetOf('hub', 'blue');
    const said = async (args: object) =>
      (await refusalOf(() => new ArgoCdHub('hub', args as unknown as ArgoCdHubArgs))).message;
    expect(await said({ fleet })).toContain('manages: is required: a list of fleets');
    expect(await said({ fleet, manages: fleet })).toMatch(/manages: must be a list of fleets/);
    expect(await said({ manages: [] })).toContain('fleet: is required: a ClusterFleet');
  });

  test.each<[string, Partial<ArgoCdHubArgs>, RegExp[]]>([
    ['two slots and nobody active', { fleet: hubs('a', 'b') }, [/active: is required: one of "a", "b"/]],
    ['an unknown slot', { active: 'z' }, [/active: "z"/]],
    ['one fleet twice', { manages: [apps, apps] }, [/manages\[1\]/]],
    [
      'labels of a slot, by the fleet and the slot',
      { manages: [fleetOf('first', 'a', 'b'), { ...apps, labels: { green: { env: 'a b' } } }] },
      [/1 problem\n {2}manages\[1\]\.slots\.green\.labels\.env: "a b"/],
    ],
    [
      'nowhere to run',
      { fleet: hubs() },
      [/1 problem\n {2}fleet: \[\]: must be a fleet with at least one slot/],
    ],
    ['a timeout', { timeoutSeconds: 0 }, [/1 problem\n {2}timeoutSeconds: 0: must be/]],
    ['a range of charts', { chartVersion: '^10' }, [/1 problem\n {2}chartVersion: "\^10"/]],
    ['an old chart', { chartVersion: '9.9.9' }, [/chartVersion: "9.9.9": must be 10.1.1 or newer/]],
    ['a namespace', { namespace: 'Argo' }, [/namespace: "Argo"/]],
    ['an identity', { identity: 'both' as never }, [/identity: "both"/]],
    [
      'names for ARNs',
      { permissionsBoundaryArn: 'boundary', credentials: { roleArn: 'admin' } },
      [/2 problems/, /permissionsBoundaryArn: "boundary"/, /credentials\.roleArn: "admin"/],
    ],
    ['a project', { projects: [{ ...project, name: 'A B' }] }, [/projects\[0\]\.name: "A B"/]],
    [
      'an ApplicationSet',
      { applicationSets: [{ ...podinfo, generators: [] }] },
      [/applicationSets\[0\]\.generators/],
    ],
    [
      'nested too deep',
      {
        applicationSets: [
          {
            ...podinfo,
            generators: [
              generators.matrix([
                generators.matrix([
                  generators.matrix([podinfo.generators[0]!, podinfo.generators[0]!] as never) as never,
                  podinfo.generators[0]!,
                ] as never) as never,
                podinfo.generators[0]!,
              ] as never),
            ],
          },
        ],
      },
      [/applicationSets\[0\]\.generators\[0\]/],
    ],
    [
      'plain credentials',
      {
        repositories: [
          { name: 'r', url: 'https://x.example.com/r', credential: { username: 'u', password: 'hunter2' } },
        ],
      },
      [/repositories\[0\]\.credential\.password: must be exactly one token/],
    ],
    [
      'everything at once',
      { namespace: 'Argo', active: 'z', projects: [{ ...project, name: '' }] },
      [/3 problems/],
    ],
  ])('%s', async (_, args, expected) => {
    const { message, registered } = await refusalOf(() => new ArgoCdHub('hub', { ...base, ...args }));
    expected.forEach((each) => expect(message).toMatch(each));
    expect(message).not.toContain('hunter2');
    expect(registered).toEqual(['pulumi:pulumi:Stack']);
  });
});

test('chart versions', () => {
  const accepted = ['10.1.1', '10.1.2', '10.2.0', '11.0.0'];
  expect(accepted.filter((each) => !chartVersionRule.accepts(each))).toEqual([]);
  expect(
    ['10.1.0', '10.0.9', '9.9.9', '10', 'v10.1.1', 10].filter((each) => chartVersionRule.accepts(each)),
  ).toEqual([]);
});

test("values: the user's over ours, except what keeps an idle Argo CD idle", () => {
  expect(
    argoCdValues(
      { highAvailability: true, values: { server: { autoscaling: { minReplicas: 3 } } } },
      { idle: false, progressiveSyncs: false },
    ),
  ).toMatchObject({
    server: { autoscaling: { enabled: true, minReplicas: 3 } },
    applicationSet: { replicas: 2 },
  });
  expect(
    argoCdValues(
      { values: { controller: { replicas: 2, pdb: { enabled: true } } } },
      { idle: true, progressiveSyncs: false },
    ).controller,
  ).toEqual({ replicas: 0, pdb: { enabled: true } });
});

test('a RollingSync strategy is followed only where the controller is told to', async () => {
  const { automated: _, ...syncPolicy } = podinfo.template.spec.syncPolicy;
  const rolling = {
    ...podinfo,
    template: {
      ...podinfo.template,
      metadata: { ...podinfo.template.metadata, labels: { env: 'production' } },
      spec: { ...podinfo.template.spec, syncPolicy },
    },
    strategy: {
      type: 'RollingSync' as const,
      rollingSync: {
        steps: [{ matchExpressions: [{ key: 'env', operator: 'In' as const, values: ['production'] }] }],
      },
    },
  };
  const seen = await register(() => new ArgoCdHub('hub', { ...base, applicationSets: [rolling] }));
  expect(seen.one(release).inputs.values.configs.params).toMatchObject({
    'applicationsetcontroller.enable.progressive.syncs': true,
  });
});

test('a standby keeps all of an ApplicationSet but what synchronises', () => {
  const standby = standbyApplicationSet({
    ...podinfo,
    templatePatch: 'spec: {}',
    strategy: {
      type: 'RollingSync',
      rollingSync: { steps: [{ matchExpressions: [{ key: 'env', operator: 'In', values: ['dev'] }] }] },
    },
    syncPolicy: { applicationsSync: 'create-update' },
    template: {
      ...podinfo.template,
      metadata: {
        ...podinfo.template.metadata,
        finalizers: ['resources-finalizer.argocd.argoproj.io/background', 'example.com/own'],
      },
    },
  } as never);
  expect(standby).toEqual({
    ...podinfo,
    syncPolicy: { applicationsSync: 'create-update', preserveResourcesOnDeletion: true },
    template: {
      ...podinfo.template,
      metadata: { ...podinfo.template.metadata, finalizers: ['example.com/own'] },
      spec: { ...podinfo.template.spec, syncPolicy: { syncOptions: ['CreateNamespace=true'] } },
    },
  });
});

test('notifications come from the hub that writes alone', async () => {
  const notifications = {
    services: [{ kind: 'webhook' as const, name: 'chat', url: 'https://chat.example.com/hook' }],
    templates: [],
    triggers: [],
  };
  const args = { ...base, fleet: hubs('blue', 'green'), active: 'blue', notifications };
  const seen = await register(() => new ArgoCdHub('hub', args));
  const enabled = seen
    .ofType(release)
    .map(({ name, inputs }) => [name, inputs.values.notifications?.enabled ?? true]);
  expect(enabled).toEqual([
    ['hub-blue-argocd', true],
    ['hub-green-argocd', false],
  ]);
});
