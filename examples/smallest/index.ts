import * as pulumi from '@pulumi/pulumi';
import { addons, fleet, traffic } from 'cluster-canary';

const config = new pulumi.Config();
const vpcId = config.require('vpcId');
const nodes = { instanceTypes: ['m7i.large'], min: 2, max: 6 };

const apps = new fleet.ClusterFleet('apps', {
  network: { vpcId, privateSubnetIds: config.requireObject<string[]>('privateSubnetIds') },
  endpoint: { public: { cidrs: ['203.0.113.0/24'] } },
  slots: { blue: { version: '1.35', nodes }, green: { version: '1.36', nodes } },
  entries: { web: { namespace: 'podinfo', service: 'podinfo', port: 9898 } },
  addons: [addons.certManager(), addons.awsLoadBalancerController()],
});
const edge = new traffic.WeightedAlb('edge', {
  vpcId,
  subnetIds: config.requireObject<string[]>('publicSubnetIds'),
  certificateArn: config.require('certificateArn'),
});
new traffic.FleetTraffic('apps', {
  fleet: apps,
  edge,
  routes: { web: { entry: 'web', paths: ['/*'], priority: 10 } },
  weights: { blue: 100, green: 0 },
});
