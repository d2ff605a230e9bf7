import { fleet, hubs } from 'cluster-canary';
import { place, slots } from '../cluster';
import { platform } from '../platform';

// cert-manager at bootstrap, by Pulumi; the rest by Argo CD.
const apps = new fleet.ClusterFleet('apps', { ...place, slots, addons: platform('argocd') });

const hubFleet = new fleet.ClusterFleet('hub', {
  ...place,
  slots: { blue: { version: '1.35', nodes: { instanceTypes: ['m7i.large'], min: 2, max: 3 } } },
});

// The hub finds in the fleet what it is to deliver: a project, registries, and an Application for each add-on and slot.
new hubs.ArgoCdHub('argocd', { fleet: hubFleet, manages: [apps] });
