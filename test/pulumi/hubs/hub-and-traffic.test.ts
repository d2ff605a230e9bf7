import * as pulumi from '@pulumi/pulumi';
import { ArgoCdHub } from '../../../lib/pulumi/hubs';
import { FleetTraffic } from '../../../lib/pulumi/traffic';
import { checks, planFile } from 'cluster-canary';
import { register } from '../../pulumi-mocks';
import { fleetOf, podinfo, slotRef } from './fleets';

const slot = (clusterName: string) => ({
  ...slotRef(clusterName),
  targetGroupArns: {
    web: `arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/${clusterName}/1`,
  },
});
const apps = {
  name: 'apps',
  slots: { blue: slot('apps-blue'), green: slot('apps-green') },
  entries: { web: { namespace: 'podinfo', service: 'podinfo', port: 80 } },
};

test('traffic that depends on the hub is asked for when every slot is registered and has its Applications', async () => {
  const seen = await register(() => {
    const hub = new ArgoCdHub('hub', {
      fleet: fleetOf('hub', 'blue', 'green'),
      active: 'green',
      manages: [apps],
      applicationSets: [podinfo],
    });
    new FleetTraffic(
      'apps',
      {
        fleet: apps,
        edge: {
          listenerArn: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener/app/edge/1/2',
          securityGroupIds: ['sg-3'],
        },
        routes: { web: { entry: 'web', hosts: ['www.example.com'], priority: 10 } },
        weights: { blue: 99, green: 1 },
        shift: { checks: [checks.targetHealth(), checks.argoApplications(hub)] },
      },
      { dependsOn: [hub] },
    );
  });
  const names = seen.all.map(({ name }) => name);
  const last = Math.max(...names.flatMap((name, index) => (name.startsWith('hub-') ? [index] : [])));
  const rule = seen.all.findIndex(({ type }) => type === 'aws:lb/listenerRule:ListenerRule');
  expect(names[last]).toBe('hub-green-duty-done');
  expect(rule).toBeGreaterThan(last);
});

test('a hub says where it is asked, and a check of it takes that; a plan takes no kubeconfig', async () => {
  const asked: unknown[] = [];
  await register(() => {
    const hub = new ArgoCdHub('hub', {
      fleet: fleetOf('hub', 'blue', 'green'),
      active: 'green',
      namespace: 'cd',
      manages: [apps],
    });
    const { argoApplications } = checks.argoApplications(hub, { selector: 'team=web' });
    expect(Object.keys(hub.addresses)).toEqual(['blue', 'green']);
    pulumi.output(argoApplications).apply((known) => asked.push(known));
  });
  expect(asked).toEqual([
    { kubeconfigText: expect.stringContaining('https://hub-green'), namespace: 'cd', selector: 'team=web' },
  ]);
  const [{ kubeconfigText }] = asked as [{ kubeconfigText: string }];
  expect(kubeconfigText).not.toMatch(/token:|password|client-key/);
  expect(
    planFile.planProblems({
      ...{ router: { simulated: {} }, slots: { blue: {}, green: {} }, weights: { green: 100 } },
      shift: { checks: [{ argoApplications: { kubeconfigText } }] },
    }),
  ).toEqual([expect.objectContaining({ path: expect.stringMatching(/kubeconfigText$/) })]);
});

test.each([
  [{ applications: 1000 }, 1],
  [{ applications: 3000 }, 2],
  [{ applications: 3000, clusters: 200 }, 4],
])('a hub of %j has %i controllers: it knows how many clusters it manages', async (size, controllers) => {
  const { all } = await register(() => {
    new ArgoCdHub('hub', { fleet: fleetOf('hub', 'blue'), manages: [apps], size });
  });
  const release = all.find(({ type }) => type.endsWith(':Release'))!;
  expect(release.inputs.values.controller.replicas).toBe(controllers);
});
