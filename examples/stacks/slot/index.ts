import * as pulumi from '@pulumi/pulumi';
import { addons, fleet } from 'cluster-canary';
import { entries, fleetName, labels } from '../apps-fleet';

const config = new pulumi.Config();
// The stack is the slot: `pulumi up --stack blue` touches nothing of green.
const name = pulumi.getStack();

const cluster = new fleet.ClusterSlot(`${fleetName}-${name}`, {
  fleet: fleetName,
  slot: name,
  network: {
    vpcId: config.require('vpcId'),
    privateSubnetIds: config.requireObject<string[]>('privateSubnetIds'),
  },
  endpoint: { private: { reachedFrom: 'vpc' } },
  version: config.require('version'),
  nodes: { instanceTypes: ['m7i.large'], min: 2, max: 6 },
  labels,
  entries,
  addons: [addons.certManager(), addons.awsLoadBalancerController()],
});

export const slot = cluster.ref;
