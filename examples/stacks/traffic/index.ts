import * as pulumi from '@pulumi/pulumi';
import { checks, traffic } from 'cluster-canary';
import { fleetFromStacks } from '../apps-fleet';

const config = new pulumi.Config();
const edge = new pulumi.StackReference(config.require('edgeStack')).requireOutput('edge');

new traffic.FleetTraffic('apps', {
  fleet: fleetFromStacks(config),
  edge,
  routes: { web: { entry: 'web', hosts: [config.require('host')], priority: 10 } },
  weights: { blue: 90, green: 10 },
  shift: {
    step: 10,
    every: '2m',
    bake: '10m',
    checks: [
      checks.targetHealth(),
      checks.capacity(),
      // The new slot beside the old one in the same minutes: its share of errors, and of slow requests.
      checks.cloudWatch.comparison({ slowAbove: '500ms' }),
    ],
  },
});
