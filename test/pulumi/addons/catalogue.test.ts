import * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import { formatProblem as line } from '../../../lib/core/validation';
import { ApplicationSet } from '../../../lib/manifests/argocd';
import type { Addon, HelmAddon, HelmValues } from '../../../lib/pulumi/addons';
import {
  Addon as ofOneself,
  argoAddons,
  argoEvents,
  argoRollouts,
  argoWorkflows,
  awsLoadBalancerController,
  certManager,
  checkAddons,
  flagger,
  installAddons,
} from '../../../lib/pulumi/addons';
import type { Registrations } from '../../pulumi-mocks';
import { register } from '../../pulumi-mocks';
import { clusterArn, slot } from './slot';

const cluster = {
  name: 'apps-blue',
  clusterName: 'blue',
  clusterArn,
  region: 'eu-west-1',
  vpcId: 'vpc-1',
  autoMode: false,
};

const release = 'kubernetes:helm.sh/v3:Release';
const namespacePatch = 'kubernetes:core/v1:NamespacePatch';

const valuesOf = (addon: HelmAddon): HelmValues => addon.release(cluster).values;

const seccompProfile = { type: 'RuntimeDefault' };
const pair = { enabled: true, minAvailable: 1 };
const noRouter = {
  istio: false,
  smi: false,
  ambassador: false,
  traefik: false,
  apisix: false,
  contour: false,
  glooPlatform: false,
  gatewayAPI: false,
  awsLoadBalancerController: false,
  awsAppMesh: false,
};

describe('what is set of the values', () => {
  test.each<[string, HelmAddon, HelmValues]>([
    [
      'Argo Rollouts',
      argoRollouts(),
      {
        installCRDs: true,
        keepCRDs: true,
        controller: {
          replicas: 2,
          pdb: pair,
          priorityClassName: 'system-cluster-critical',
          metrics: { enabled: true },
        },
        providerRBAC: { enabled: true, providers: noRouter },
      },
    ],
    [
      'Argo Events',
      argoEvents(),
      {
        crds: { install: true, keep: true },
        global: { securityContext: { runAsNonRoot: true, runAsUser: 9731, seccompProfile } },
        controller: {
          replicas: 2,
          pdb: pair,
          priorityClassName: 'system-cluster-critical',
          metrics: { enabled: true },
          rbac: { namespaced: true },
          containerSecurityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      },
    ],
    [
      'Argo Workflows',
      argoWorkflows(),
      {
        crds: { install: true, keep: true, full: false },
        images: { pullPolicy: 'IfNotPresent' },
        workflow: { serviceAccount: { create: false } },
        controller: {
          replicas: 2,
          pdb: pair,
          priorityClassName: 'system-cluster-critical',
          metricsConfig: { enabled: true },
          workflowNamespaces: [],
          podSecurityContext: { seccompProfile },
        },
        server: { enabled: false, podSecurityContext: { seccompProfile } },
      },
    ],
    [
      'Flagger',
      flagger(),
      {
        meshProvider: 'gatewayapi:v1',
        clusterName: 'blue',
        leaderElection: { enabled: true, replicaCount: 2 },
        podDisruptionBudget: pair,
        podPriorityClassName: 'system-cluster-critical',
        noCrossNamespaceRefs: true,
        securityContext: {
          enabled: true,
          context: {
            readOnlyRootFilesystem: true,
            runAsUser: 10001,
            runAsNonRoot: true,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            seccompProfile,
          },
        },
      },
    ],
  ])('%s', (_, addon, values) => {
    expect(valuesOf(addon)).toEqual(values);
  });

  test.each<[string, HelmAddon, HelmValues]>([
    [
      'one pod has no budget',
      argoRollouts({ replicas: 1 }),
      { controller: { replicas: 1, pdb: { enabled: false } } },
    ],
    [
      'one Flagger elects no leader',
      flagger({ replicas: 1 }),
      {
        leaderElection: { enabled: false, replicaCount: 1 },
        podDisruptionBudget: { enabled: false },
      },
    ],
    [
      'routers of Rollouts',
      argoRollouts({ routers: ['gatewayAPI', 'istio'] }),
      { providerRBAC: { providers: { ...noRouter, gatewayAPI: true, istio: true } } },
    ],
    [
      'target groups are verified in the region of the cluster',
      argoRollouts({ verifiesTargetGroups: true }),
      {
        controller: { awsVerifyTargetGroup: true, extraArgs: ['--aws-region', 'eu-west-1'] },
        providerRBAC: { providers: { ...noRouter, awsLoadBalancerController: true } },
      },
    ],
    [
      'Events everywhere',
      argoEvents({ watches: 'cluster' }),
      { controller: { rbac: { namespaced: false } } },
    ],
    [
      'accounts for workflows',
      argoWorkflows({ workflowNamespaces: ['jobs'], server: true }),
      {
        workflow: { serviceAccount: { create: true } },
        controller: { workflowNamespaces: ['jobs'] },
        server: { enabled: true },
      },
    ],
    [
      'Flagger by its options',
      flagger({
        provider: 'istio',
        metricsServer: 'http://prometheus.monitoring:9090',
        crossNamespaceRefs: true,
      }),
      {
        meshProvider: 'istio',
        metricsServer: 'http://prometheus.monitoring:9090',
        noCrossNamespaceRefs: false,
      },
    ],
    [
      "a user's values over ours",
      argoWorkflows({ values: { crds: { full: true }, controller: { parallelism: 5 } } }),
      { crds: { install: true, full: true }, controller: { parallelism: 5, replicas: 2 } },
    ],
  ])('%s', (_, addon, values) => {
    expect(valuesOf(addon)).toMatchObject(values);
  });
});

describe('where each comes from', () => {
  test.each<[HelmAddon, string, string | undefined, string, string]>([
    [argoRollouts(), 'argo-rollouts', 'https://argoproj.github.io/argo-helm', '2.41.0', 'argo-rollouts'],
    [argoEvents(), 'argo-events', 'https://argoproj.github.io/argo-helm', '2.4.22', 'argo-events'],
    [argoWorkflows(), 'argo-workflows', 'https://argoproj.github.io/argo-helm', '1.0.18', 'argo-workflows'],
    [flagger(), 'flagger', 'https://flagger.app', '1.44.0', 'flagger-system'],
    [certManager(), 'oci://quay.io/jetstack/charts/cert-manager', undefined, 'v1.21.2', 'cert-manager'],
  ])('$name', (addon, chart, repository, version, namespace) => {
    expect(addon.problems).toEqual([]);
    expect(addon.release(cluster)).toMatchObject({
      chart: { chart, repository, version },
      releaseName: addon.name,
      namespace,
      createNamespace: true,
    });
  });

  test('the same for Argo CD, with the options of every chart', () => {
    const list = [argoRollouts({ deliveredBy: 'argocd', version: '2.41.1', state: 'absent' })];
    const found = argoAddons('apps', [{ ...cluster, slot: 'blue', addons: list }], (value) => value)!;
    const chart = new Chart(new App(), 'hub');
    new ApplicationSet(chart, 'set', { ...found.applicationSet, namespace: 'argocd' });
    expect(chart.toJson()[0].spec.generators[0].list.elements).toEqual([
      expect.objectContaining({
        chart: 'argo-rollouts',
        release: 'argo-rollouts',
        namespace: 'argo-rollouts',
        version: '2.41.1',
        absent: true,
      }),
    ]);
  });
});

describe('refusals', () => {
  test.each<[string, HelmAddon, string[]]>([
    ['pods', argoRollouts({ replicas: 0 }), ['replicas: 0: must be a whole number from 1 to 10']],
    [
      'a router',
      argoRollouts({ routers: ['istio', 'awsAppMesh' as 'istio'] }),
      ['routers[1]: "awsAppMesh": must be one of "istio"'],
    ],
    [
      'a budget that blocks drains',
      argoEvents({ values: { controller: { replicas: 1 } } }),
      ['values.controller.replicas: 1: must be 2 or more with a disruption budget'],
    ],
    [
      'the same of Flagger',
      flagger({ values: { leaderElection: { replicaCount: 1 } } }),
      ['values.leaderElection.replicaCount: 1: must be 2 or more'],
    ],
    [
      'a scope',
      argoEvents({ watches: 'all' as 'cluster' }),
      ['watches: "all": must be one of "ownNamespace"'],
    ],
    [
      'a namespace',
      argoWorkflows({ workflowNamespaces: ['Jobs'] }),
      ['workflowNamespaces[0]: "Jobs": must be'],
    ],
    ['a provider', flagger({ provider: 'appmesh' as 'istio' }), ['provider: "appmesh": must be one of']],
    [
      'an URL, which is not shown',
      flagger({ metricsServer: 'http://user:secret@prometheus' }),
      ['metricsServer: must be an http or https URL'],
    ],
    [
      'several at once',
      argoWorkflows({ version: '^1.0.0', replicas: 99, podSecurity: 'strict' as 'baseline' }),
      [
        'version: "^1.0.0": must be an exact version',
        'podSecurity: "strict": must be one of "privileged", "baseline", "restricted"',
        'replicas: 99',
      ],
    ],
  ])('%s', (_, addon, expected) => {
    const found = addon.problems.map(line);
    expect(found).toHaveLength(expected.length);
    expected.forEach((text, position) => expect(found[position]).toContain(text));
    expect(found.join()).not.toContain('secret');
  });
});

describe('options of a program without types', () => {
  test.each<[(options: object) => Addon, object, string[]]>([
    [
      argoRollouts,
      { verifiesTargetGroups: 'yes', routers: 'istio', values: ['a'], timeoutSeconds: 0 },
      [
        'values: must be an object of values, with outputs as leaves',
        'timeoutSeconds: 0: must be a whole number from 1 to 3600',
        'routers: must be a list',
        'verifiesTargetGroups: "yes": must be true or false',
      ],
    ],
    [argoWorkflows, { workflowNamespaces: 5, server: 1 }, ['workflowNamespaces: 5', 'server: 1']],
    [flagger, { crossNamespaceRefs: 'true' }, ['crossNamespaceRefs: "true": must be true or false']],
    [
      certManager,
      { values: null, replicas: { webhook: '3' } },
      ['values: null: must be an object', 'replicas.webhook: "3": must be a whole number from 1 to 10'],
    ],
    [
      awsLoadBalancerController,
      {
        policyStatements: [{ Effect: 'allow', Action: [1], Condition: { Bool: 'x' } }],
        targetGroupArns: [1, pulumi.output('arn')],
        releaseArgs: 'skip',
      },
      [
        'releaseArgs: must be an object of raw arguments',
        'targetGroupArns[0]: 1: must be the ARN of a target group',
        'policyStatements[0].Effect: "allow": must be one of "Allow", "Deny"',
        'policyStatements[0].Action[0]: 1: must be an action',
        'policyStatements[0].Condition.Bool: must be an object',
      ],
    ],
  ])('%o: %j', (make, options, expected) => {
    const found = (make(options).problems ?? []).map(line);
    expect(found).toEqual(expected.map((text) => expect.stringContaining(text) as string));
  });

  test('who brings it, and whether it is to be there, is reported once', () => {
    const list = [certManager({ deliveredBy: 5, state: ['gone'] } as object)];
    expect(checkAddons(list).map(line)).toEqual([
      'addons[0].deliveredBy: 5: must be one of "pulumi", "argocd", "helmfile"',
    ]);
    expect(checkAddons([certManager({ state: ['gone'] } as object)]).map(line)).toEqual([
      'addons[0].state: ["gone"]: must be one of "present", "absent"',
    ]);
    const output = { state: pulumi.output('absent') } as object;
    expect(() => certManager(output)).toThrow('state: an Output, known only during a deployment');
  });

  test('unknown keys and Outputs are refused at once, and no value of an unknown key is shown', () => {
    const options = {
      replicas: { webhok: 'hunter2' },
      verzion: 'hunter2',
      timeoutSeconds: pulumi.output(1),
      harden: [],
    };
    let message = '';
    try {
      certManager(options as object);
    } catch (error) {
      ({ message } = error as Error);
    }
    expect(message.split('\n')).toEqual([
      'certManager: 3 problems',
      expect.stringMatching(
        /^ {2}verzion: unknown key, did you mean "version"\?; known keys: version, deliv/,
      ),
      expect.stringMatching(/^ {2}timeoutSeconds: an Output/),
      '  replicas.webhok: unknown key, did you mean "webhook"?; known keys: controller, webhook, cainjector',
    ]);
  });

  test.each<[string, (options: never) => unknown]>([
    ['HelmAddon', ofOneself.helm],
    ['ManifestsAddon', ofOneself.manifests],
    ['EksAddon', ofOneself.eks],
  ])('%s without any has an error of its own', (kind, make) => {
    expect(() => make(undefined as never)).toThrow(`${kind}: 1 problem\n  args: nothing: must be an object`);
  });
});

describe('on a slot', () => {
  const install = (...list: Addon[]): Promise<Registrations> =>
    register(() => {
      installAddons(list, slot());
    });

  const levels = (registered: Registrations) =>
    Object.fromEntries(
      registered
        .ofType(namespacePatch)
        .map(({ inputs }) => [
          inputs.metadata.name,
          inputs.metadata.labels['pod-security.kubernetes.io/enforce'],
        ]),
    );

  test('each namespace enforces a level before the chart comes, and is never deleted', async () => {
    const registered = await install(certManager(), argoRollouts(), argoEvents(), argoWorkflows(), flagger());
    expect(levels(registered)).toEqual({
      'cert-manager': 'restricted',
      'argo-rollouts': 'restricted',
      'argo-events': 'baseline',
      'argo-workflows': 'restricted',
      'flagger-system': 'restricted',
    });
    for (const patch of registered.ofType(namespacePatch)) {
      expect(patch.retainOnDelete).toBe(true);
      expect(patch.deletedWith).toContain('::blue');
    }
    for (const { name, dependencies } of registered.ofType(release)) {
      expect(dependencies).toContain(registered.one(namespacePatch, `${name}-namespace`).urn);
    }
  });

  test("levels are the user's to set, and to leave alone", async () => {
    const registered = await install(
      argoEvents({ podSecurity: 'privileged' }),
      argoRollouts({ podSecurity: false }),
    );
    expect(levels(registered)).toEqual({ 'argo-events': 'privileged' });
  });

  test('Argo CD finds namespace and role made by Pulumi', async () => {
    const registered = await install(argoRollouts({ deliveredBy: 'argocd', verifiesTargetGroups: true }));
    expect(registered.ofType(release)).toEqual([]);
    expect(levels(registered)).toEqual({ 'argo-rollouts': 'restricted' });
    expect(registered.ofType('aws:eks/podIdentityAssociation:PodIdentityAssociation')).toHaveLength(1);
  });

  test('no role but for the verification of target groups, which may only look', async () => {
    const none = await install(argoRollouts(), argoEvents(), argoWorkflows(), flagger());
    expect(none.ofType('aws:iam/role:Role')).toEqual([]);
    const registered = await install(argoRollouts({ verifiesTargetGroups: true }));
    expect(JSON.parse(registered.one('aws:iam/rolePolicy:RolePolicy').inputs.policy)).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Sid: 'VerifyTargetGroups',
          Effect: 'Allow',
          Action: [
            'elasticloadbalancing:DescribeTargetGroups',
            'elasticloadbalancing:DescribeLoadBalancers',
            'elasticloadbalancing:DescribeListeners',
            'elasticloadbalancing:DescribeRules',
            'elasticloadbalancing:DescribeTags',
            'elasticloadbalancing:DescribeTargetHealth',
          ],
          Resource: '*',
        },
      ],
    });
    const association = registered.one('aws:eks/podIdentityAssociation:PodIdentityAssociation');
    expect(association.inputs).toMatchObject({
      clusterName: 'blue',
      namespace: 'argo-rollouts',
      serviceAccount: 'argo-rollouts',
    });
    expect(registered.one(release).dependencies).toContain(association.urn);
  });

  test('the name of the cluster may be an output', async () => {
    const registered = await register(() => {
      installAddons([flagger()], slot({ clusterName: pulumi.output('green') }));
    });
    expect(registered.one(release).inputs.values.clusterName).toBe('green');
  });
});
