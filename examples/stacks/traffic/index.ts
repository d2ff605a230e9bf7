import * as pulumi from '@pulumi/pulumi';
import { traffic } from 'cluster-canary';
import { fleetFromStacks } from '../apps-fleet';

const config = new pulumi.Config();
const edge = new pulumi.StackReference(config.require('edgeStack')).requireOutput('edge');

new traffic.FleetTraffic('apps', {
  fleet: fleetFromStacks(config),
  edge,
  routes: { web: { entry: 'web', hosts: [config.require('host')], priority: 10 } },
  weights: { blue: 90, green: 10 },
});
