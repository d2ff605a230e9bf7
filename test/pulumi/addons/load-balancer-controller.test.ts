import { join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { unknown as notKnown } from '@pulumi/pulumi/output';
import type { PolicyDocument } from '../../../lib/core/aws/iam';
import type { Addon, AddonTarget, AwsLoadBalancerControllerOptions } from '../../../lib/pulumi/addons';
import {
  awsLoadBalancerController,
  certManager,
  existingAddon,
  installAddons,
} from '../../../lib/pulumi/addons';
import type { Registrations } from '../../pulumi-mocks';
import { register } from '../../pulumi-mocks';
import { clusterArn, slot } from './slot';

const release = 'kubernetes:helm.sh/v3:Release';
/** Without an engine, no folder of the project is known. */
const postRenderer = join(__dirname, '..', '..', '..', 'lib', 'cli', 'harden.js');
const targetGroup = 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/web/0123456789abcdef';

const install = (addons: readonly Addon[], over?: Partial<AddonTarget>) =>
  register(() => installAddons(addons, slot(over)));

function policy(registered: Registrations): PolicyDocument {
  return JSON.parse(registered.one('aws:iam/rolePolicy:RolePolicy').inputs.policy as string);
}

describe('cert-manager and the load balancer controller on a slot', () => {
  let registered: Registrations;
  beforeAll(async () => {
    registered = await install([awsLoadBalancerController(), certManager()], {
      targetGroupArns: [pulumi.output(targetGroup)],
    });
  });
  const one = (type: string, name?: string) => registered.one(type, name);

  test('cert-manager is one release of its official chart', () => {
    expect(one(release, 'apps-blue-cert-manager').inputs).toEqual({
      name: 'cert-manager',
      chart: 'oci://quay.io/jetstack/charts/cert-manager',
      version: 'v1.21.2',
      namespace: 'cert-manager',
      createNamespace: true,
      timeout: 600,
      atomic: true,
      compat: 'true',
      values: {
        crds: { enabled: true, keep: true },
        global: { priorityClassName: 'system-cluster-critical' },
        replicaCount: 2,
        podDisruptionBudget: { enabled: true, minAvailable: 1 },
        webhook: { replicaCount: 3, podDisruptionBudget: { enabled: true, minAvailable: 1 } },
        cainjector: { replicaCount: 2, podDisruptionBudget: { enabled: true, minAvailable: 1 } },
      },
    });
  });

  test('the controller is one release, with safe webhooks and nothing to ask the metadata service for', () => {
    expect(one(release, 'apps-blue-aws-load-balancer-controller').inputs).toEqual({
      name: 'aws-load-balancer-controller',
      chart: 'aws-load-balancer-controller',
      version: '3.5.0',
      repositoryOpts: { repo: 'https://aws.github.io/eks-charts' },
      namespace: 'kube-system',
      createNamespace: false,
      timeout: 600,
      atomic: true,
      postrender: postRenderer,
      compat: 'true',
      values: {
        clusterName: 'blue',
        region: 'eu-west-1',
        vpcId: 'vpc-1',
        replicaCount: 2,
        podDisruptionBudget: { maxUnavailable: 1 },
        serviceAccount: { create: true, name: 'aws-load-balancer-controller' },
        enableCertManager: true,
        certManager: {
          duration: '2160h0m0s',
          renewBefore: '720h0m0s',
          issuerRef: { name: 'aws-load-balancer-webhook-ca-g1', kind: 'Issuer', group: 'cert-manager.io' },
        },
        serviceAnnotations: {
          'cluster-canary/harden':
            '{"injectCaFrom":"kube-system/aws-load-balancer-webhook-ca-g1","timeoutSeconds":5}',
        },
        enableServiceMutatorWebhook: false,
        podMutatorWebhookConfig: { failurePolicy: 'Ignore' },
        webhookConfig: { disableIngressValidation: true },
        createIngressClassResource: false,
      },
    });
  });

  test("the issuer of the webhooks' certificate is there, with a key that stays", () => {
    const issuers = registered.ofType('kubernetes:cert-manager.io/v1:Issuer').map(({ inputs }) => inputs);
    expect(issuers).toContainEqual(
      expect.objectContaining({
        metadata: expect.objectContaining({
          name: 'aws-load-balancer-webhook-ca-g1',
          namespace: 'kube-system',
        }),
      }),
    );
    const authority = one('kubernetes:cert-manager.io/v1:Certificate').inputs;
    expect(authority.metadata.name).toBe('aws-load-balancer-webhook-ca-g1');
    expect(authority.metadata.namespace).toBe('kube-system');
    expect(authority.spec).toMatchObject({ isCA: true, privateKey: { rotationPolicy: 'Never' } });
  });

  test('the role is for the service account of this cluster, and may fill the target groups of the slot', () => {
    const role = one('aws:iam/role:Role');
    expect(JSON.parse(role.inputs.assumeRolePolicy as string).Statement[0].Condition.StringEquals).toEqual({
      'aws:RequestTag/eks-cluster-arn': clusterArn,
      'aws:RequestTag/kubernetes-namespace': ['kube-system'],
      'aws:RequestTag/kubernetes-service-account': ['aws-load-balancer-controller'],
    });
    expect(policy(registered).Statement.map(({ Sid, Resource }) => [Sid, Resource])).toEqual([
      ['ReadTargetGroupsAndNetwork', '*'],
      ['RegisterTargets', [targetGroup]],
    ]);
    expect(one('aws:eks/podIdentityAssociation:PodIdentityAssociation').inputs).toEqual({
      clusterName: 'blue',
      namespace: 'kube-system',
      serviceAccount: 'aws-load-balancer-controller',
      roleArn: 'arn:aws:mock:eu-west-1:123456789012:aws:iam/role:Role/apps-blue-aws-load-balancer-controller',
    });
  });

  test('each waits for what it needs', () => {
    const agent = one('aws:eks/addon:Addon').urn;
    const [certManagerRelease, controller] = ['cert-manager', 'aws-load-balancer-controller'].map((name) =>
      one(release, `apps-blue-${name}`),
    );
    const authority = registered.all.filter(({ type }) => type.startsWith('kubernetes:cert-manager.io/'));
    expect(authority).toHaveLength(3);
    expect(certManagerRelease!.dependencies).toEqual([
      agent,
      one('kubernetes:core/v1:NamespacePatch', 'apps-blue-cert-manager-namespace').urn,
    ]);
    const manifests = one('cluster-canary:bridge:Manifests');
    expect(manifests.dependencies).toEqual(expect.arrayContaining([agent, certManagerRelease!.urn]));
    expect(controller!.dependencies).toEqual(
      expect.arrayContaining([
        agent,
        certManagerRelease!.urn,
        one('aws:eks/podIdentityAssociation:PodIdentityAssociation').urn,
        ...authority.map(({ urn }) => urn),
      ]),
    );
    expect(one('aws:eks/podIdentityAssociation:PodIdentityAssociation').dependencies).toContain(
      one('aws:iam/rolePolicy:RolePolicy').urn,
    );
  });

  test('what is in the cluster goes with the cluster, and is reached through its provider', () => {
    const cluster = one('aws:eks/cluster:Cluster').urn;
    const provider = one('pulumi:providers:kubernetes').urn;
    const inside = registered.all.filter(({ type, custom }) => type.startsWith('kubernetes:') && custom);
    expect(inside).toHaveLength(6);
    for (const each of inside) {
      expect([each.name, each.deletedWith]).toEqual([each.name, cluster]);
      expect(each.provider).toContain(`${provider}::`);
    }
  });

  test('each add-on has a component below the slot, and everything is below its add-on', () => {
    const parent = one('test:Slot').urn;
    const components = registered.ofType('cluster-canary:addons:InstalledAddon');
    expect(components.map(({ name }) => name)).toEqual([
      'apps-blue-cert-manager',
      'apps-blue-aws-load-balancer-controller',
    ]);
    expect(components.map((each) => each.parent)).toEqual([parent, parent]);
    const [certManagerComponent, controllerComponent] = components.map(({ urn }) => urn);
    expect(one(release, 'apps-blue-cert-manager').parent).toBe(certManagerComponent);
    expect(one(release, 'apps-blue-aws-load-balancer-controller').parent).toBe(controllerComponent);
    expect(one('cluster-canary:addons:PodIdentityRole').parent).toBe(controllerComponent);
    expect(one('cluster-canary:bridge:Manifests').parent).toBe(controllerComponent);
  });
});

describe('options of the load balancer controller', () => {
  const controller = (options: AwsLoadBalancerControllerOptions, over?: Partial<AddonTarget>) =>
    install([awsLoadBalancerController(options), existingAddon('cert-manager')], over);
  const sids = (registered: Registrations) => policy(registered).Statement.map(({ Sid }) => Sid);

  test('target groups of its own are added to those of the slot', async () => {
    const own = targetGroup.replace('/web/', '/own/');
    const registered = await controller({ targetGroupArns: [own] }, { targetGroupArns: [targetGroup] });
    expect(policy(registered).Statement[1]!.Resource).toEqual([targetGroup, own]);
  });

  test('a slot that knows no target groups limits it to its account and region', async () => {
    const registered = await controller({});
    expect(policy(registered).Statement[1]!.Resource).toBe(
      'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/*/*',
    );
  });

  test('security group rules and further statements where asked for', async () => {
    const registered = await controller({
      managesSecurityGroups: true,
      policyStatements: [
        { Sid: 'Other', Effect: 'Allow', Action: ['sts:AssumeRole'], Resource: 'arn:aws:iam::1:role/x' },
      ],
    });
    expect(sids(registered)).toEqual([
      'ReadTargetGroupsAndNetwork',
      'RegisterTargets',
      'FindSecurityGroupsOfTargets',
      'WriteSecurityGroupRules',
      'Other',
    ]);
  });

  test('for Ingresses it has the whole policy and an IngressClass, in the partition of the cluster', async () => {
    const registered = await controller(
      { manages: 'ingresses' },
      { clusterArn: pulumi.output('arn:aws-cn:eks:cn-north-1:123456789012:cluster/blue') },
    );
    expect(policy(registered).Statement).toHaveLength(16);
    expect(JSON.stringify(policy(registered))).not.toContain('arn:aws:');
    const { values } = registered.one(release).inputs;
    expect(values).not.toHaveProperty('createIngressClassResource');
    expect(values.webhookConfig).toEqual({ disableIngressValidation: true });
  });

  test("a user's values, release and role arguments are laid over ours", async () => {
    const registered = await controller({
      replicas: 3,
      version: '3.5.1',
      timeoutSeconds: 900,
      values: { logLevel: 'debug', certManager: { revisionHistoryLimit: 2 } },
      releaseArgs: { atomic: false, maxHistory: 5 },
      roleArgs: { path: '/clusters/', permissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary' },
    });
    const { inputs } = registered.one(release);
    expect(inputs).toMatchObject({ version: '3.5.1', timeout: 900, atomic: false, maxHistory: 5 });
    expect(inputs.values).toMatchObject({
      replicaCount: 3,
      logLevel: 'debug',
      certManager: { duration: '2160h0m0s', revisionHistoryLimit: 2 },
    });
    expect(registered.one('aws:iam/role:Role').inputs).toMatchObject({
      path: '/clusters/',
      permissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary',
      assumeRolePolicy: expect.stringContaining('pods.eks.amazonaws.com'),
    });
  });

  test.each<[boolean | string, string | undefined]>([
    [true, postRenderer],
    ['cluster-canary-harden', 'cluster-canary-harden'],
    [false, undefined],
  ])('harden: %j decides what Helm runs over what the chart renders', async (harden, program) => {
    const { inputs } = (await controller({ harden })).one(release);
    expect(inputs.postrender).toBe(program);
  });

  test("a user's annotations of the Service stand beside ours", async () => {
    const registered = await controller({ values: { serviceAnnotations: { 'example.com/team': 'edge' } } });
    expect(Object.keys(registered.one(release).inputs.values.serviceAnnotations).sort()).toEqual([
      'cluster-canary/harden',
      'example.com/team',
    ]);
  });

  test('while the cluster is not known, its values and policy are not either', async () => {
    const unknown = pulumi.output(notKnown as string);
    const registered = await register(
      () =>
        installAddons(
          [awsLoadBalancerController(), existingAddon('cert-manager')],
          slot({ clusterArn: unknown, clusterName: unknown }),
        ),
      { preview: true },
    );
    expect(registered.one('aws:iam/rolePolicy:RolePolicy').inputs.policy).not.toContain('arn:');
    expect(registered.one(release).inputs.values.region).toBe('eu-west-1');
  });
});
