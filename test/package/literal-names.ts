/**
 * Programs that `packed.slow.ts` compiles as users do: a line below `@ts-expect-error` must not compile, all others must.
 * Nothing of it runs.
 */
import * as pulumi from '@pulumi/pulumi';
import { addons, fleet, hubs, pulumiSwap, swap, traffic } from 'cluster-canary';

const nodes = { instanceTypes: ['m7i.large'], min: 2, max: 6 };
const network = { vpcId: 'vpc-1', privateSubnetIds: ['subnet-a', 'subnet-b'] };
const endpoint: fleet.Endpoint = { private: { reachedFrom: 'vpc' } };
const edge: traffic.EdgeRef = { listenerArn: 'arn', securityGroupIds: ['sg-1'] };
const entry: fleet.Entry = { namespace: 'podinfo', service: 'podinfo', port: 9898 };
const rule = { hosts: ['www.example.com'], priority: 10 };

export const apps = new fleet.ClusterFleet('apps', {
  network,
  endpoint,
  slots: { blue: { version: '1.35', nodes }, green: { version: '1.36', nodes } },
  entries: { web: entry },
  addons: [addons.certManager()],
});

export function names() {
  const found: 'blue' | 'green' = null as unknown as keyof typeof apps.slots;
  // @ts-expect-error there is no such slot
  const slot = apps.slots.gren;
  // @ts-expect-error nor in the plain values
  const ref = apps.ref.slots.gren;
  // @ts-expect-error there is no such entry
  const web = apps.ref.entries.wbe;
  return [apps.slots.blue.ref, apps.slots.green.cluster, apps.ref.entries.web.port, found, slot, ref, web];
}

export function trafficOfFleets() {
  const made = new traffic.FleetTraffic('good', {
    fleet: apps,
    edge,
    routes: { web: { entry: 'web', ...rule } },
    weights: { green: 100 },
  });
  // @ts-expect-error there is no such slot
  const weight: number = made.weights.gren;
  // @ts-expect-error there is no such slot
  new traffic.FleetTraffic('bad', { fleet: apps, edge, routes: {}, weights: { gren: 10, blue: 90 } });
  // @ts-expect-error there is no such entry
  new traffic.FleetTraffic('bad', { fleet: apps, edge, routes: { web: { entry: 'wbe', ...rule } } });
  const loadBalancerArn = 'arn';
  const listener = { port: 8883, protocol: 'TCP' } as const;
  new traffic.FleetListeners('good', {
    fleet: apps.ref,
    loadBalancerArn,
    listeners: { mqtt: { entry: 'web', ...listener } },
    weights: { blue: 1 },
  });
  // @ts-expect-error there is no such slot
  new traffic.FleetListeners('bad', { fleet: apps, loadBalancerArn, listeners: {}, weights: { gren: 10 } });
  new traffic.FleetListeners('bad', {
    fleet: apps,
    loadBalancerArn,
    // @ts-expect-error there is no such entry
    listeners: { mqtt: { entry: 'wbe', ...listener } },
  });
  return [made.weights.green, weight];
}

export function splitsAlone() {
  const targetGroupArns = { blue: 'arn', green: pulumi.output('arn') };
  const { weights } = new traffic.WeightedRule('good', {
    edge,
    ...rule,
    targetGroupArns,
    weights: { blue: 100 },
  });
  // @ts-expect-error there is no such slot
  new traffic.WeightedRule('bad', { edge, ...rule, targetGroupArns, weights: { gren: 100 } });
  const listener = { loadBalancerArn: 'arn', port: 443, protocol: 'TCP', targetGroupArns } as const;
  new traffic.WeightedListener('good', { ...listener, weights: { green: 100 } });
  // @ts-expect-error there is no such slot
  new traffic.WeightedListener('bad', { ...listener, weights: { gren: 100 } });
  const values = { values: { A: ['192.0.2.1'] } };
  const records = { zoneId: 'Z1', names: ['www.example.com'], targets: { blue: values, green: values } };
  new traffic.FleetRecords('good', { ...records, weights: { blue: 100 }, adopt: ['blue'] });
  // @ts-expect-error there is no such slot
  new traffic.FleetRecords('bad', { ...records, weights: { gren: 100 } });
  // @ts-expect-error there is no such slot
  new traffic.FleetRecords('bad', { ...records, weights: { blue: 100 }, adopt: ['gren'] });
  return weights.blue + weights.green;
}

export function hub() {
  const made = new hubs.ArgoCdHub('good', {
    fleet: apps,
    manages: [apps, apps.ref],
    active: 'blue',
    lost: ['green'],
  });
  // @ts-expect-error there is no such slot
  new hubs.ArgoCdHub('bad', { fleet: apps, manages: [apps], active: 'gren' });
  // @ts-expect-error there is no such slot
  new hubs.ArgoCdHub('bad', { fleet: apps, manages: [apps], active: 'blue', lost: ['gren'] });
  // @ts-expect-error there is no such slot
  const slot = made.slots.gren;
  const identityCenter = { instanceArn: 'arn' };
  new hubs.ManagedArgoCd('good', { fleet: apps, manages: [apps], slot: 'blue', identityCenter });
  // @ts-expect-error there is no such slot
  new hubs.ManagedArgoCd('bad', { fleet: apps, manages: [apps], slot: 'gren', identityCenter });
  return [made.slots.blue, made.addresses.green, slot];
}

export function addonNames(target: addons.AddonTarget) {
  const { addons: installed } = apps.slots.blue;
  // @ts-expect-error there is no such add-on
  const misspelled = installed['cert-manger'];
  const own = new fleet.ClusterFleet('own', {
    network,
    endpoint,
    slots: {
      blue: { version: '1.35', nodes },
      green: {
        version: '1.36',
        nodes,
        addons: [addons.existingAddon('cert-manager'), addons.awsLoadBalancerController()],
      },
    },
    addons: [
      addons.certManager(),
      addons.Addon.eks({ addonName: 'aws-ebs-csi-driver', name: 'disks' }),
      new addons.EksAddon({ addonName: 'metrics-server' }),
      addons.Addon.helm({
        name: 'keda',
        chart: 'oci://charts.example.com/keda',
        version: '1.2.3',
        namespace: 'keda',
      }),
      new addons.ManifestsAddon({ name: 'priorities', files: [{ path: 'manifests/priorities.yaml' }] }),
      { name: 'own', requires: ['cert-manager'], install: () => ({ resources: [] }) },
    ],
  });
  const { green } = own.slots;
  const names = ['cert-manager', 'disks', 'metrics-server', 'keda', 'priorities', 'own'] as const;
  const known = names.map((name) => green.addons[name].resources);
  // @ts-expect-error EKS's name of an add-on that has another one here
  const eks = green.addons['aws-ebs-csi-driver'];
  const alone = new fleet.ClusterSlot('apps-blue', {
    ...{ fleet: 'apps', slot: 'blue', network, endpoint, version: '1.35', nodes },
    addons: [addons.flagger()],
  });
  // @ts-expect-error there is no such add-on
  const none = alone.addons.flager;
  const made = addons.installAddons([addons.argoEvents(), addons.argoWorkflows()], target);
  // @ts-expect-error there is no such add-on
  const events = made['argo-event'];
  return [
    installed['cert-manager'].resources,
    green.addons['aws-load-balancer-controller'].resources,
    alone.addons.flagger.resources,
    made['argo-events'].resources,
    ...[known, misspelled, eks, none, events],
  ];
}

export async function swaps(own: swap.FleetProgram) {
  const program = pulumiSwap.pulumiProgram({
    stack: 'production',
    slots: 'talk:apps',
    weights: 'talk:weights',
  });
  const settings: swap.SwapFleetSettings = {
    ...{ fleet: 'apps', to: '1.36', program },
    phases: { deliver: { checks: [{ argoApplications: { context: 'hub' } }] }, soak: { for: '24h' } },
  };
  // @ts-expect-error there is no such phase
  await swap.swapFleet({ fleet: 'apps', to: '1.36', program: own, phases: { soka: { for: '24h' } } });
  // @ts-expect-error a shift can't be left out
  await swap.swapFleet({ fleet: 'apps', to: '1.36', program: own, phases: { shift: { skip: true } } });
  // @ts-expect-error there is no such check
  await swap.swapFleet({ ...settings, phases: { try: { checks: [{ httpp: { paths: ['/'] } }] } } });
  // @ts-expect-error there is no such kind of program
  await swap.swapFleet({ fleet: 'apps', to: '1.36', program: { terraform: {} } });
  // @ts-expect-error what deploys has no runner
  await swap.swapFleet(settings, { runners: { create: () => Promise.resolve({ passed: true }) } });
  const { verdict } = await swap.swapFleet(settings, {
    approve: ({ phase }) => Promise.resolve(phase === 'delete' ? { approvedBy: 'kim' } : undefined),
    runners: { try: ({ slot, say }) => (say(slot.name), Promise.resolve({ passed: true })) },
  });
  // @ts-expect-error there is no such verdict
  return verdict === 'complete';
}

/** Names that only the configuration knows. */
export function dynamic(config: pulumi.Config, some: fleet.ClusterFleet, other: fleet.FleetRef) {
  const slots = config.requireObject<Record<string, fleet.SlotArgs>>('slots');
  const weights = config.requireObject<Record<string, number>>('weights');
  const entries = Object.fromEntries(['web', 'api'].map((name) => [name, entry]));
  const made = new fleet.ClusterFleet('apps', { network, endpoint, slots, entries });
  const args: fleet.ClusterFleetArgs = { endpoint, slots };
  const list: addons.Addon[] = [
    addons.certManager(),
    addons.existingAddon(config.require('addon')),
    new addons.HelmAddon({ ...config.requireObject<addons.HelmAddonOptions>('helm') }),
  ];
  const listed = new fleet.ClusterFleet('listed', { network, endpoint, slots, addons: list });
  const anyAddon = [listed.slots['blue']!.addons[config.require('addon')]?.resources];
  const anySlot: fleet.ClusterSlot[] = [apps.slots.blue, listed.slots['blue']!];
  const kept: fleet.ClusterFleet[] = [made, apps, some, listed];
  const again = new fleet.ClusterFleet('again', { ...args, network });
  for (const each of [made, again, other, some, apps]) {
    new traffic.FleetTraffic('apps', {
      fleet: each,
      edge,
      routes: { web: { entry: 'web', ...rule } },
      weights,
    });
  }
  new traffic.FleetTraffic('apps', { fleet: apps, edge, routes: {}, weights });
  new hubs.ArgoCdHub('hub', { fleet: made, manages: kept, active: config.require('active') });
  const targetGroupArns = Object.fromEntries(Object.keys(slots).map((slot) => [slot, 'arn']));
  new traffic.WeightedRule('rule', { edge, ...rule, targetGroupArns, weights });
  const refs: readonly fleet.FleetSource[] = [made, apps, apps.ref, other];
  return [
    made.slots[config.require('slot')]?.ref,
    Object.values(apps.slots).map(({ ref }) => ref),
    ...[refs, anyAddon, anySlot],
  ];
}
