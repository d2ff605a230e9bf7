import * as pulumi from '@pulumi/pulumi';
import { addons, checks, fleet, hubs, traffic } from 'cluster-canary';
import { appsProject, podinfo, podinfoRepository } from '../manifests/podinfo';

const config = new pulumi.Config();
const network = {
  vpcId: config.require('vpcId'),
  privateSubnetIds: config.requireObject<string[]>('privateSubnetIds'),
};
const endpoint = { public: { cidrs: config.requireObject<string[]>('adminCidrs') } };

/** A slot for each version that the configuration names. */
const slots = (key: string, max: number): Record<string, fleet.SlotArgs> =>
  Object.fromEntries(
    Object.entries(config.requireObject<Record<string, string>>(key)).map(([slot, version]) => [
      slot,
      { version, nodes: { instanceTypes: ['m7i.large'], min: 2, max } },
    ]),
  );

const edge = new traffic.WeightedAlb('edge', {
  vpcId: network.vpcId,
  subnetIds: config.requireObject<string[]>('publicSubnetIds'),
  certificateArn: config.require('certificateArn'),
});

// The clusters that run the applications. ApplicationSets find them by their label.
const apps = new fleet.ClusterFleet('apps', {
  network,
  endpoint,
  labels: { env: 'production' },
  slots: slots('apps', 6),
  entries: {
    web: { namespace: 'podinfo', service: 'podinfo', port: 9898, healthCheck: { path: '/readyz' } },
  },
  addons: [addons.certManager(), addons.awsLoadBalancerController()],
});

// The clusters that run Argo CD, whose user interface is an entry like any other.
const hubFleet = new fleet.ClusterFleet('hub', {
  network,
  endpoint,
  slots: slots('hubs', 3),
  entries: {
    ui: { namespace: 'argocd', service: 'argocd-server', port: 443, targetPort: 8080 },
  },
  addons: [addons.certManager(), addons.awsLoadBalancerController()],
  // Argo CD's server speaks TLS with a certificate of its own.
  targetGroupArgs: { protocol: 'HTTPS', healthCheck: { protocol: 'HTTPS', path: '/healthz' } },
});

// One of them writes, the other one compares. Another name hands over. Nobody logs in until `sso` and `domain` say how.
const active = config.require('activeHub');
const hub = new hubs.ArgoCdHub('argocd', {
  fleet: hubFleet,
  active,
  manages: [apps],
  repositories: [{ name: 'podinfo', url: podinfoRepository.repoURL }],
  projects: [appsProject(podinfoRepository)],
  applicationSets: [podinfo(podinfoRepository)],
});

// Requests counted by the load balancer, and by the application itself. Datadog's keys come from the environment of who
// runs the shift: DATADOG_API_KEY and DATADOG_APPLICATION_KEY.
const counted = (suffix: string): string =>
  `sum:trace.http.request.${suffix}{kube_cluster_name:{{cluster}},service:podinfo}.as_count().rollup(sum, {{period}})`;

new traffic.FleetTraffic(
  'apps',
  {
    fleet: apps,
    edge,
    routes: { web: { entry: 'web', hosts: ['www.example.com'], priority: 10 } },
    weights: config.requireObject<Record<string, number>>('weights'),
    shift: {
      step: 'geometric',
      every: '2m',
      bake: '10m',
      checks: [
        checks.targetHealth(),
        checks.capacity(),
        // Everything that the old slot runs is there, before the first percent.
        checks.argoApplications(hub),
        // The new slot beside the old one. Each of the two may raise a false alarm in one shift of a hundred.
        checks.cloudWatch.comparison({ slowAbove: '500ms' }),
        checks.datadog.comparison({ requests: counted('hits'), errors: counted('errors') }),
        // A bound beside them, for when nothing is left to compare with.
        checks.cloudWatch.errorShare({ max: 0.02, minRequests: 200 }),
      ],
    },
    // What must run once selects on the labels that these hubs get: see docs/fleet.md, "One slot only".
    labels: { hubs: Object.values(hub.addresses) },
  },
  { dependsOn: [hub] },
);

// People are led to the Argo CD that writes. A standby would show them the same and refuse their syncs.
new traffic.FleetTraffic(
  'argocd',
  {
    fleet: hubFleet,
    edge,
    routes: { ui: { entry: 'ui', hosts: ['argocd.example.com'], priority: 20 } },
    weights: { [active]: 100 },
    shift: { step: 100, bake: '2m' },
  },
  { dependsOn: [hub] },
);

export const loadBalancer = edge.dnsName;
