import * as pulumi from '@pulumi/pulumi';
import { addons, argocd, checks, fleet, hubs, traffic } from 'cluster-canary';
import { batchApplications, fleetName } from './applications';

const config = new pulumi.Config();
const network = {
  vpcId: config.require('vpcId'),
  privateSubnetIds: config.requireObject<string[]>('privateSubnetIds'),
};
const endpoint: fleet.Endpoint = { private: { reachedFrom: 'vpc' } };
const repository = config.require('repository');

const batch = new fleet.ClusterFleet(fleetName, {
  network,
  endpoint,
  slots: Object.fromEntries(
    Object.entries(config.requireObject<Record<string, string>>('slots')).map(([slot, version]) => [
      slot,
      { version, nodes: { instanceTypes: ['m7i.xlarge'], min: 2, max: 20 } },
    ]),
  ),
  // Where people fetch what the workflows have made. Its weights say which cluster is the active one.
  entries: { reports: { namespace: 'batch', service: 'reports', port: 80, targetPort: 8080 } },
  addons: [
    addons.certManager(),
    addons.awsLoadBalancerController(),
    addons.argoWorkflows(),
    // For alerts about workflows, in its own namespace: elsewhere it could write every Secret.
    addons.argoEvents(),
  ],
});

const hub = new hubs.ArgoCdHub('argocd', {
  fleet: new fleet.ClusterFleet('hub', {
    network,
    endpoint,
    slots: { blue: { version: '1.35', nodes: { instanceTypes: ['m7i.large'], min: 2, max: 3 } } },
  }),
  manages: [batch],
  repositories: [{ name: 'config', url: repository }],
  projects: [
    {
      name: 'batch',
      sourceRepos: [repository],
      destinations: argocd.fleetDestinations([batch.ref], ['batch', 'argo-events']),
    },
  ],
  applicationSets: batchApplications(repository),
});

const edge = new traffic.WeightedAlb('edge', {
  vpcId: network.vpcId,
  subnetIds: config.requireObject<string[]>('publicSubnetIds'),
  certificateArn: config.require('certificateArn'),
});

new traffic.FleetTraffic(
  fleetName,
  {
    fleet: batch,
    edge,
    routes: { reports: { entry: 'reports', hosts: ['reports.example.com'], priority: 10 } },
    weights: config.requireObject<Record<string, number>>('weights'),
    shift: {
      // Schedules are in one cluster or in the other: there is nothing between.
      step: 100,
      bake: '10m',
      checks: [
        checks.targetHealth(),
        checks.capacity(),
        // Without what is active only, which the next cluster does not have yet.
        checks.argoApplications(hub, { selector: 'folder=everywhere' }),
      ],
    },
    // After the bake, the label cluster-canary/active goes to the slot that has the traffic.
    labels: { hubs: Object.values(hub.addresses) },
  },
  { dependsOn: [hub] },
);
