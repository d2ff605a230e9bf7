import * as pulumi from '@pulumi/pulumi';
import type { fleet } from 'cluster-canary';
import { checks, traffic } from 'cluster-canary';
import { cells, entries, fleetName, host } from '../cells';

const config = new pulumi.Config();

const stacks = Object.fromEntries(
  cells.map((cell) => [cell, new pulumi.StackReference(`${config.require('cellStacks')}/${cell}`)]),
);

/** Something for each cell, from what its stack exports. */
const ofCells = <T>(make: (stack: pulumi.StackReference) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(stacks).map(([cell, stack]): [string, T] => [cell, make(stack)]));

// Route 53 counts no requests, so somebody else has to: podinfo's own figures, by cluster.
const counted = (more = ''): string =>
  `sum(increase(http_request_duration_seconds_count{cluster="{{cluster}}",namespace="podinfo"${more}}[{{period}}]))`;

new traffic.FleetRecords(fleetName, {
  fleet: {
    name: fleetName,
    entries,
    slots: ofCells((stack) => stack.requireOutput('slot') as pulumi.Output<fleet.SlotRef>),
  },
  zoneId: config.require('zoneId'),
  names: [host],
  targets: ofCells((stack) => {
    const { name, zoneId } = stack.requireOutput('loadBalancer') as pulumi.Output<{
      name: string;
      zoneId: string;
    }>;
    return { alias: { name, zoneId } };
  }),
  weights: config.requireObject<Record<string, number>>('weights'),
  shift: {
    step: 10,
    // Resolvers keep an alias for a minute, and some clients for longer: each step is given time to arrive.
    every: '5m',
    checks: [
      checks.prometheus.errorShare({
        address: config.require('prometheus'),
        auth: { sigV4: { region: 'eu-west-1' } },
        requests: counted(),
        errors: counted(',status=~"5.."'),
        max: 0.01,
      }),
    ],
  },
});
