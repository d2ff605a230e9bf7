import * as pulumi from '@pulumi/pulumi';
import { addons, fleet, traffic } from 'cluster-canary';
import { entries, fleetName, host } from '../cells';

const config = new pulumi.Config();
const vpcId = config.require('vpcId');
// The stack is the slot, and the account is that of the credentials it is run with.
const name = pulumi.getStack();

const cluster = new fleet.ClusterSlot(`${fleetName}-${name}`, {
  fleet: fleetName,
  slot: name,
  network: { vpcId, privateSubnetIds: config.requireObject<string[]>('privateSubnetIds') },
  endpoint: { private: { reachedFrom: 'vpc' } },
  version: config.require('version'),
  nodes: { instanceTypes: ['m7i.large'], min: 2, max: 6 },
  entries,
  addons: [addons.certManager(), addons.awsLoadBalancerController()],
  // The records are in another account, where this stack can't read them: for it, its load balancer has all of the traffic.
  // Set it to 100 for one `up` in a region that the records have left.
  maxLiveTraffic: config.getNumber('maxLiveTraffic'),
});

const edge = new traffic.WeightedAlb('edge', {
  vpcId,
  subnetIds: config.requireObject<string[]>('publicSubnetIds'),
  certificateArn: config.require('certificateArn'),
});

// One slot behind this load balancer. Weights between regions are those of the records.
new traffic.FleetTraffic(fleetName, {
  fleet: { name: fleetName, entries, slots: { [name]: cluster.ref } },
  edge,
  routes: { web: { entry: 'web', hosts: [host], priority: 10 } },
});

export const slot = cluster.ref;
export const loadBalancer = { name: edge.dnsName, zoneId: edge.zoneId };
