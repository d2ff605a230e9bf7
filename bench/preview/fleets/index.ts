import * as pulumi from '@pulumi/pulumi';
import { addons, fleet } from 'cluster-canary';

const clusters = Number(pulumi.getStack());
const slot = { version: '1.35', nodes: { instanceTypes: ['m7i.large'], min: 2, max: 6 } };

for (let first = 0; first < clusters; first += fleet.mostSlots) {
  const slots = Math.min(fleet.mostSlots, clusters - first);
  new fleet.ClusterFleet(`apps-${first}`, {
    network: {
      vpcId: 'vpc-0123456789abcdef0',
      privateSubnetIds: ['subnet-0bbbbbbbbbbbbbbb1', 'subnet-0bbbbbbbbbbbbbbb2'],
    },
    endpoint: { public: { cidrs: ['203.0.113.0/24'] } },
    labels: { env: 'production' },
    slots: Object.fromEntries(Array.from({ length: slots }, (_, index) => [`slot-${index}`, slot])),
    entries: {
      web: { namespace: 'podinfo', service: 'podinfo', port: 9898, healthCheck: { path: '/readyz' } },
    },
    addons: [addons.certManager(), addons.awsLoadBalancerController()],
  });
}
