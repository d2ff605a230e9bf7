import { checks } from '../../lib';
import { generators } from '../../lib/gitops';
import { ArgoCdHub } from '../../lib/hubs';
import { FleetTraffic } from '../../lib/traffic';
import { register } from '../pulumi-mocks';

const slotRef = (clusterName: string) => ({
  clusterName,
  clusterArn: `arn:aws:eks:eu-west-1:123456789012:cluster/${clusterName}`,
  region: 'eu-west-1',
  endpoint: `https://${clusterName}.example.com`,
  certificateAuthority: 'Y2E=',
  vpcId: 'vpc-1',
  clusterSecurityGroupId: 'sg-1',
  nodeSecurityGroupId: 'sg-2',
  targetGroupArns: {
    web: `arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/${clusterName}/1`,
  },
});
const apps = {
  name: 'apps',
  slots: { blue: slotRef('apps-blue'), green: slotRef('apps-green') },
  entries: { web: { namespace: 'podinfo', service: 'podinfo', port: 80 } },
};

test('traffic that depends on the hub is asked for when every slot is registered and has its Applications', async () => {
  const seen = await register(() => {
    const hub = new ArgoCdHub('hub', {
      fleet: { name: 'hub', slots: { blue: slotRef('hub-blue'), green: slotRef('hub-green') }, entries: {} },
      active: 'green',
      manages: [apps],
      applicationSets: [
        {
          name: 'podinfo',
          generators: [generators.clusters({ selector: { matchLabels: { env: 'production' } } })],
          template: {
            metadata: { name: '{{.nameNormalized}}-podinfo' },
            spec: {
              project: 'apps',
              source: { repoURL: 'https://github.com/example/config', path: 'podinfo' },
              destination: { name: '{{.name}}', namespace: 'podinfo' },
            },
          },
        },
      ],
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
        shift: { checks: [checks.targetHealth(), checks.argoApplications({ context: 'hub-green' })] },
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
