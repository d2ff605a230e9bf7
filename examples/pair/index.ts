import * as pulumi from '@pulumi/pulumi';
import { addons, checks, fleet, traffic } from 'cluster-canary';

const config = new pulumi.Config();
const versions = config.requireObject<{ blue: string; green: string }>('versions');
const weights = config.requireObject<{ blue: number; green: number }>('weights');
const nodes = { instanceTypes: ['m7i.large'], min: 2, max: 6 };

const apps = new fleet.ClusterFleet('apps', {
  network: {
    vpcId: config.require('vpcId'),
    privateSubnetIds: config.requireObject<string[]>('privateSubnetIds'),
  },
  endpoint: { private: { reachedFrom: 'vpc' } },
  slots: {
    blue: { version: versions.blue, nodes },
    green: { version: versions.green, nodes },
  },
  entries: {
    web: { namespace: 'podinfo', service: 'podinfo', port: 9898, healthCheck: { path: '/readyz' } },
  },
  addons: [addons.certManager(), addons.awsLoadBalancerController()],
  // A cluster under live traffic is not changed at all: it takes its turn without any.
  maxLiveTraffic: 0,
  // The pair is permanent: EKS refuses to delete a cluster whose slot leaves the program by mistake.
  deletionProtection: true,
});

new traffic.FleetTraffic('apps', {
  fleet: apps,
  edge: {
    listenerArn: config.require('listenerArn'),
    securityGroupIds: [config.require('loadBalancerSecurityGroup')],
  },
  routes: { web: { entry: 'web', hosts: ['www.example.com'], priority: 10 } },
  weights,
  shift: {
    step: 'geometric',
    every: '2m',
    bake: '15m',
    checks: [
      checks.targetHealth(),
      checks.capacity(),
      // The upgraded cluster beside the one that is still on the old version, in the same minutes.
      checks.cloudWatch.comparison({ slowAbove: '500ms' }),
    ],
  },
});
