import * as pulumi from '@pulumi/pulumi';
import { InvalidInput } from '../../../lib/core/validation';
import {
  fleetDestinations,
  rollingSyncForFleet,
  slotLabels,
  subscribeTo,
} from '../../../lib/manifests/argocd';
import type { ManagedArgoCdArgs } from '../../../lib/pulumi/hubs';
import { ManagedArgoCd } from '../../../lib/pulumi/hubs';
import type { Registrations } from '../../pulumi-mocks';
import { register, secret } from '../../pulumi-mocks';
import { fleetOf, namesOf, podinfo, slotRef } from './fleets';

const apps = {
  name: 'apps',
  slots: { blue: slotRef('apps-blue'), green: pulumi.output(slotRef('apps-green')) },
  entries: {},
  labels: { blue: { env: 'production' } },
};
const hub = fleetOf('hub', 'a');
const args: ManagedArgoCdArgs = {
  fleet: hub,
  manages: [apps, hub],
  identityCenter: { instanceArn: 'arn:aws:sso:::instance/ssoins-1234567890abcdef' },
  people: { admins: { groups: ['g-1'] }, viewers: { users: ['u-1'], groups: ['g-2'] } },
  projects: [
    {
      name: 'apps',
      sourceRepos: ['https://github.com/stefanprodan/podinfo'],
      destinations: fleetDestinations([apps], ['podinfo']),
    },
  ],
  applicationSets: [podinfo],
};
const accessPolicies = 'aws:eks/accessPolicyAssociation:AccessPolicyAssociation';

describe('the managed Argo CD', () => {
  let seen: Registrations;
  beforeAll(async () => {
    seen = await register(() => new ManagedArgoCd('managed', args));
  });

  test('is a capability of the cluster, which keeps what was deployed', () => {
    expect(seen.one('aws:eks/capability:Capability').inputs).toEqual({
      clusterName: 'hub-a',
      capabilityName: 'argocd',
      type: 'ARGOCD',
      roleArn: expect.stringContaining('Role/managed'),
      deletePropagationPolicy: 'RETAIN',
      tags: { 'cluster-canary/hub': 'managed' },
      configuration: {
        argoCd: {
          namespace: 'argocd',
          awsIdc: { idcInstanceArn: 'arn:aws:sso:::instance/ssoins-1234567890abcdef' },
          rbacRoleMappings: [
            { role: 'ADMIN', identities: [{ id: 'g-1', type: 'SSO_GROUP' }] },
            {
              role: 'VIEWER',
              identities: [
                { id: 'g-2', type: 'SSO_GROUP' },
                { id: 'u-1', type: 'SSO_USER' },
              ],
            },
          ],
        },
      },
    });
    expect(seen.one('aws:eks/capability:Capability').deleteBeforeReplace).toBe(true);
    expect(seen.ofType('kubernetes:helm.sh/v3:Release')).toEqual([]);
  });

  test('has a role that the service alone may take, without rights in IAM', () => {
    expect(JSON.parse(seen.one('aws:iam/role:Role').inputs.assumeRolePolicy)).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Sid: 'EksCapability',
          Effect: 'Allow',
          Principal: { Service: 'capabilities.eks.amazonaws.com' },
          Action: ['sts:AssumeRole', 'sts:TagSession'],
        },
      ],
    });
    expect(seen.all.filter(({ type }) => /rolePolicy|podIdentity|securityGroup/i.test(type))).toEqual([]);
  });

  test('may write in each managed cluster; in its own the access entry is there already', () => {
    expect(seen.ofType('aws:eks/accessEntry:AccessEntry').map(({ inputs }) => inputs.clusterName)).toEqual([
      'apps-blue',
      'apps-green',
    ]);
    expect(
      seen
        .ofType(accessPolicies)
        .map(({ inputs }) => [
          inputs.clusterName,
          inputs.policyArn.split('/').at(-1),
          inputs.accessScope.type,
        ]),
    ).toEqual(
      ['apps-blue', 'apps-green', 'hub-a'].map((name) => [name, 'AmazonEKSClusterAdminPolicy', 'cluster']),
    );
    const own = seen.one(accessPolicies, 'managed-hub-a-writer').dependencies;
    expect(namesOf(own)).toContain('managed-capability');
  });

  test('knows each cluster by its ARN, without a login', () => {
    const blue = seen.one('kubernetes:core/v1:Secret', 'managed-gitops:argocd/apps-blue').inputs;
    expect(secret(blue.stringData).value).toEqual({
      name: 'apps-blue',
      server: 'arn:aws:eks:eu-west-1:123456789012:cluster/apps-blue',
    });
    expect(blue.metadata.labels).toEqual({
      'argocd.argoproj.io/secret-type': 'cluster',
      'cluster-canary/fleet': 'apps',
      'cluster-canary/slot': 'blue',
      env: 'production',
    });
    expect(seen.ofType('kubernetes:core/v1:Secret')).toHaveLength(3);
  });

  test('has the same projects and ApplicationSets, which come after it and its rights', () => {
    const project = seen.one('kubernetes:argoproj.io/v1alpha1:AppProject').inputs;
    expect(project.spec.sourceNamespaces).toEqual(['argocd']);
    const set = seen.one('kubernetes:argoproj.io/v1alpha1:ApplicationSet');
    expect(set.inputs.spec.template.spec).toEqual(podinfo.template.spec);
    expect(namesOf(set.dependencies)).toEqual(
      expect.arrayContaining(['managed-capability', 'managed-apps-blue-writer', 'managed-hub-a-writer']),
    );
  });
});

test('rights are limited to namespaces, and the server to VPC endpoints, where asked', async () => {
  const seen = await register(
    () =>
      new ManagedArgoCd('managed', {
        ...args,
        fleet: fleetOf('hub', 'a', 'b'),
        slot: 'b',
        manages: [apps],
        namespace: 'gitops',
        targetNamespaces: ['podinfo'],
        vpcEndpointIds: ['vpce-1'],
      }),
  );
  const { clusterName, configuration } = seen.one('aws:eks/capability:Capability').inputs;
  expect(clusterName).toBe('hub-b');
  // Of the other slots nothing is asked.
  expect(seen.ofType('pulumi:providers:kubernetes').map(({ name }) => name)).toEqual(['managed-b']);
  expect(configuration.argoCd).toMatchObject({ namespace: 'gitops', networkAccess: { vpceIds: ['vpce-1'] } });
  expect(seen.ofType(accessPolicies)[0]!.inputs.accessScope).toEqual({
    type: 'namespace',
    namespaces: ['podinfo'],
  });
  expect(seen.one('kubernetes:argoproj.io/v1alpha1:AppProject').inputs.spec.sourceNamespaces).toEqual([
    'gitops',
  ]);
});

describe('refused before anything is registered', () => {
  const problems = (changed: object) => {
    try {
      new ManagedArgoCd('managed', { ...args, ...changed });
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidInput);
      return (error as InvalidInput).problems;
    }
    throw new Error('nothing was refused');
  };

  test.each([
    ['notifications', { services: [] }, 'no notifications controller'],
    ['plugins', ['helmfile'], 'no config management plugins'],
    ['resourceCustomizations', { 'a/b': 'lua' }, 'no custom health checks in Lua'],
    ['sso', {}, 'AWS Identity Center alone'],
    ['values', {}, 'no chart'],
    ['repoCacheExpiration', '1h', "no access to Argo CD's parameters"],
  ])('%s, with the reason', (field, value, reason) => {
    const found = problems({ [field]: value });
    expect(found.map(({ path }) => path)).toEqual([field]);
    expect(found[0]!.allowed).toContain(reason);
  });

  test('what asks for the same in the objects', () => {
    const annotations = subscribeTo({ trigger: 'on-sync-failed', service: 'slack', recipients: ['a'] });
    const { spec } = podinfo.template;
    const withSpec = (changed: object) => ({
      ...podinfo,
      template: { ...podinfo.template, spec: { ...spec, ...changed } },
    });
    const rolling = {
      ...podinfo,
      template: {
        metadata: { ...podinfo.template.metadata, labels: slotLabels(), annotations },
        spec: { ...spec, syncPolicy: {} },
      },
      strategy: rollingSyncForFleet(['blue', 'green'], 'green'),
    };
    expect(
      problems({
        projects: [
          {
            ...args.projects![0]!,
            annotations,
            destinations: [{ server: 'https://a.example.com', namespace: 'a' }],
          },
        ],
        applicationSets: [
          rolling,
          withSpec({ source: { ...spec.source, plugin: { name: 'helmfile' } } }),
          withSpec({ destination: { server: 'https://kubernetes.default.svc', namespace: 'a' } }),
          withSpec({ destination: { name: 'in-cluster', namespace: 'a' } }),
        ],
      }).map(({ path }) => path),
    ).toEqual(
      expect.arrayContaining([
        'applicationSets[0].template.metadata.annotations',
        'applicationSets[0].strategy.type',
        'applicationSets[1].template.spec.source.plugin',
        'applicationSets[2].template.spec.destination.server',
        'applicationSets[3].template.spec.destination.name',
        'projects[0].annotations',
        'projects[0].destinations[0].server',
      ]),
    );
  });

  test('wrong names and places, all at once', () => {
    expect(
      problems({
        fleet: fleetOf('hub', 'a', 'b'),
        manages: [apps, apps],
        identityCenter: { instanceArn: 'ssoins-1' },
        vpcEndpointIds: ['vpc-1'],
        permissionsBoundaryArn: 'boundary',
        namespace: 'Argo',
      }).map(({ path }) => path),
    ).toEqual([
      'namespace',
      'permissionsBoundaryArn',
      'identityCenter.instanceArn',
      'vpcEndpointIds[0]',
      'slot',
      'manages[1]',
    ]);
    expect(problems({ fleet: fleetOf('hub') }).map(({ path }) => path)).toEqual(['fleet']);
  });
});
