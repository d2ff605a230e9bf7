import * as k8s from '@pulumi/kubernetes';
import type { PolicyDocument } from '../../../lib/core/aws/iam';
import { InvalidInput } from '../../../lib/core/validation';
import type { Addon } from '../../../lib/pulumi/addons';
import {
  awsLoadBalancerController,
  HelmAddon,
  installAddons,
  PodIdentityRole,
} from '../../../lib/pulumi/addons';
import { register } from '../../pulumi-mocks';
import { clusterArn, slot } from './slot';

const release = 'kubernetes:helm.sh/v3:Release';

describe('bad input', () => {
  test('is told all at once, before anything is registered', async () => {
    let failure: unknown;
    const registered = await register(() => {
      const target = slot({ autoMode: true });
      try {
        installAddons(
          [
            awsLoadBalancerController({
              manages: 'everything' as 'ingresses',
              replicas: 0,
              version: 'latest',
              values: { enableCertManager: false },
            }),
            awsLoadBalancerController({
              manages: 'ingresses',
              targetGroupArns: [],
              managesSecurityGroups: true,
            }),
          ],
          target,
        );
      } catch (error) {
        failure = error;
      }
    });
    expect(failure).toBeInstanceOf(InvalidInput);
    const { message } = failure as InvalidInput;
    for (const expected of [
      'Add-ons of "apps-blue": 11 problems',
      'addons[1].name: "aws-load-balancer-controller": must be a name of its own',
      'addons[0].requires[0]: "cert-manager": must be the name of an add-on in the list',
      'addons[1].requires[0]: "cert-manager": must be',
      'addons[0].manages: "everything": must be one of "targetGroupBindings", "ingresses"',
      'addons[0].replicas: 0: must be a whole number from 1 to 10',
      'addons[0].version: "latest": must be an exact version',
      'addons[0].values.enableCertManager: false: must be left out',
      'addons[1].targetGroupArns: must be left out',
      'addons[1].managesSecurityGroups: true: must be left out',
      'addons[0]: "aws-load-balancer-controller": must be left out on an Auto Mode cluster',
      'addons[1]: "aws-load-balancer-controller": must be left out on an Auto Mode cluster',
    ]) {
      expect(message).toContain(expected);
    }
    expect(registered.all.filter(({ name }) => name.startsWith('apps-blue-'))).toEqual([]);
  });
});

describe("a user's own add-on", () => {
  test('sees the resources of what it requires, and answers its own', async () => {
    const seen: string[] = [];
    let names: string[] = [];
    const own: Addon = {
      name: 'own',
      requires: ['charted'],
      install: (target) => {
        target.dependsOn.forEach((each) => each.urn.apply((urn) => seen.push(urn.split('::').pop()!)));
        return {
          resources: [
            new k8s.core.v1.ConfigMap(
              `${target.name}-own`,
              {},
              { parent: target.parent, provider: target.kubernetes, dependsOn: [...target.dependsOn] },
            ),
          ],
        };
      },
    };
    const charted = new HelmAddon({
      name: 'charted',
      chart: './charts/own',
      version: '1.0.0',
      namespace: 'own',
      createNamespace: false,
      values: (target) => ({ cluster: target.clusterName }),
    });
    const registered = await register(() => {
      const installed = installAddons([own, charted], slot());
      names = Object.keys(installed);
      expect(installed.own!.resources).toHaveLength(1);
    });
    expect(names).toEqual(['charted', 'own']);
    expect(seen).toEqual(['agent', 'apps-blue-charted']);
    expect(registered.one(release).inputs).toEqual({
      name: 'charted',
      chart: './charts/own',
      version: '1.0.0',
      namespace: 'own',
      createNamespace: false,
      timeout: 600,
      atomic: true,
      compat: 'true',
      values: { cluster: 'blue' },
    });
    expect(registered.one('kubernetes:core/v1:ConfigMap').dependencies).toContain(
      registered.one(release).urn,
    );
  });
});

describe('PodIdentityRole', () => {
  const args = {
    clusterName: 'blue',
    clusterArn,
    policy: { Version: '2012-10-17', Statement: [] } as PolicyDocument,
  };

  test('has an association for each service account, with the arguments laid over', async () => {
    const registered = await register(
      () =>
        new PodIdentityRole('argocd', {
          ...args,
          serviceAccounts: [
            { namespace: 'argocd', name: 'server' },
            { namespace: 'argocd', name: 'controller' },
          ],
          associationArgs: { tags: { team: 'platform' } },
        }),
    );
    const type = 'aws:eks/podIdentityAssociation:PodIdentityAssociation';
    expect(registered.ofType(type).map(({ name }) => name)).toEqual([
      'argocd-argocd-server',
      'argocd-argocd-controller',
    ]);
    expect(registered.one(type, 'argocd-argocd-server').inputs.tags).toEqual({ team: 'platform' });
  });

  test.each([
    ['a'.repeat(56), undefined],
    ['a'.repeat(57), `${'a'.repeat(37)}-`],
  ])('a name of any length fits IAM', async (name, namePrefix) => {
    const registered = await register(
      () => new PodIdentityRole(name, { ...args, serviceAccounts: [{ namespace: 'a', name: 'b' }] }),
    );
    expect(registered.one('aws:iam/role:Role').inputs.namePrefix).toBe(namePrefix);
  });

  test('refuses what Kubernetes would, before anything is registered', async () => {
    const registered = await register(() => {
      expect(() => new PodIdentityRole('none', { ...args, serviceAccounts: [] })).toThrow(
        'serviceAccounts: []: must be at least one service account',
      );
      expect(
        () => new PodIdentityRole('bad', { ...args, serviceAccounts: [{ namespace: 'A', name: '' }] }),
      ).toThrow(/serviceAccounts\[0\]\.namespace: "A".*\n.*serviceAccounts\[0\]\.name: ""/);
    });
    expect(registered.ofType('cluster-canary:addons:PodIdentityRole')).toEqual([]);
  });
});
