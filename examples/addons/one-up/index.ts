import { fleet } from 'cluster-canary';
import { place, slots } from '../cluster';
import { platform } from '../platform';

// Everything is there and ready when `pulumi up` ends, each after what it requires. No Argo CD is needed.
const apps = new fleet.ClusterFleet('apps', { ...place, slots, addons: platform('pulumi') });

// What needs an add-on depends on its resources.
export const ready = Object.values(apps.slots).flatMap(({ addons }) =>
  Object.values(addons).flatMap(({ resources }) => resources.map(({ urn }) => urn)),
);
