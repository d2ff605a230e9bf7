import { deploymentTitle } from '../../../lib/operate/swap/deployment';
import type { FleetConfiguration } from '../../../lib/operate/swap';

const weights = { slots: { blue: '1.35', green: '1.36' }, weights: { green: 100 } };
const hubs = { slots: weights.slots, active: 'green' };

test.each<['create' | 'shift' | 'delete', boolean, FleetConfiguration, string]>([
  ['create', false, weights, 'Swap 1.35 to 1.36: add slot green (1.36)'],
  ['shift', false, weights, 'Swap 1.35 to 1.36: shift traffic to green'],
  ['shift', true, weights, 'Swap back to 1.35: shift traffic to blue'],
  ['shift', false, hubs, 'Swap 1.35 to 1.36: hand over to green'],
  ['shift', true, hubs, 'Swap back to 1.35: hand over to blue'],
  ['delete', false, hubs, 'Swap 1.35 to 1.36: remove slot blue'],
  ['delete', true, weights, 'Swap back to 1.35: remove slot green'],
])('the title of a deployment of %s, back %p, of %j', (phase, back, configuration, expected) => {
  const [old, fresh] = [
    { name: 'blue', version: '1.35' },
    { name: 'green', version: '1.36' },
  ];
  const action = {
    type: 'deploy',
    phase,
    back,
    configuration,
    expected: [],
    old: old!,
    new: fresh!,
  } as const;
  expect(deploymentTitle({ ...action, until: 0 })).toBe(expected);
});
