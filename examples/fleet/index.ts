import * as pulumi from '@pulumi/pulumi';
import { App } from 'cdk8s';
import { addons, bridge, checks, fleet, hubs, traffic } from 'cluster-canary';
import { PodDefaultsChart } from '../manifests/pod-defaults-chart';
import { appsProject, podinfo, podinfoRepository } from '../manifests/podinfo';

const config = new pulumi.Config();
const network = {
  vpcId: config.require('vpcId'),
  privateSubnetIds: config.requireObject<string[]>('privateSubnetIds'),
};
const endpoint = { public: { cidrs: config.requireObject<string[]>('adminCidrs') } };
const nodes = { instanceTypes: ['m7i.large'], min: 2, max: 6 };

// One load balancer in front of every cluster of the fleet.
const edge = new traffic.WeightedAlb('edge', {
  vpcId: network.vpcId,
  subnetIds: config.requireObject<string[]>('publicSubnetIds'),
  certificateArn: config.require('certificateArn'),
});

// Two clusters that do the same job: blue serves, green is the next Kubernetes version.
const apps = new fleet.ClusterFleet('apps', {
  network,
  endpoint,
  labels: { env: 'production' },
  slots: {
    blue: { version: '1.35', nodes },
    green: { version: '1.36', nodes },
  },
  entries: {
    web: { namespace: 'podinfo', service: 'podinfo', port: 9898, healthCheck: { path: '/readyz' } },
  },
  addons: [addons.certManager(), addons.awsLoadBalancerController()],
});

// The team's own webhook, on each of them: the same chart that examples/manifests writes for a GitOps repository.
for (const [slot, cluster] of Object.entries(apps.slots)) {
  const app = new App();
  new PodDefaultsChart(app, 'pod-defaults');
  new bridge.Manifests(
    `pod-defaults-${slot}`,
    { chart: app, deletedWith: cluster.cluster },
    { provider: cluster.kubernetes, dependsOn: [...cluster.addons['cert-manager']!.resources] },
  );
}

// Argo CD on a cluster of its own, which is a fleet as well: it is swapped like any other.
const hubFleet = new fleet.ClusterFleet('hub', {
  network,
  endpoint,
  slots: { blue: { version: '1.36', nodes: { instanceTypes: ['m7i.large'], min: 2, max: 3 } } },
});
new hubs.ArgoCdHub('argocd', {
  fleet: hubFleet,
  manages: [apps],
  repositories: [{ name: 'podinfo', url: podinfoRepository.repoURL }],
  projects: [appsProject(podinfoRepository)],
  applicationSets: [podinfo(podinfoRepository)],
});

// Change the weights to move the traffic: step by step, watched, and back where it was when a check fails.
new traffic.FleetTraffic('apps', {
  fleet: apps,
  edge,
  routes: { web: { entry: 'web', hosts: [config.require('host')], priority: 10 } },
  weights: { blue: 100 },
  shift: {
    step: 10,
    every: '2m',
    bake: '10m',
    checks: [
      checks.targetHealth(),
      checks.capacity(),
      // The new slot beside the old one in the same minutes: its share of errors, and of slow requests.
      // It needs 50 requests a look, so about 20 a second at the first percent; with fewer the shift is taken back.
      checks.cloudWatch.comparison({ slowAbove: '500ms' }),
    ],
  },
});

export const loadBalancer = edge.dnsName;
export const kubeconfigs = Object.fromEntries(
  Object.entries({ ...apps.slots, hub: hubFleet.slots.blue! }).map(([name, slot]) => [name, slot.kubeconfig]),
);
