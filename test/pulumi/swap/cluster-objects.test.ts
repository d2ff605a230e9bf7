import { clusterObjects } from '../../../lib/pulumi/swap/cluster-objects';

const urnOf = (type: string, name: string): string => `urn:pulumi:production::talk::${type}::${name}`;
const object = (name: string, cluster: string) => ({
  urn: urnOf('kubernetes:core/v1:ConfigMap', name),
  type: 'kubernetes:core/v1:ConfigMap',
  provider: `${urnOf('pulumi:providers:kubernetes', cluster)}::id`,
});

const found = (deployment: unknown) =>
  clusterObjects({ exportStack: () => Promise.resolve({ version: 3, deployment }) } as never, {
    ...{ fleet: 'apps', slot: 'blue' },
  });

test('objects of the cluster, by its provider; what is no resource is left out', async () => {
  const own = object('settings', 'apps-blue');
  const resources = [null, 'x', { urn: 7 }, own, object('settings', 'apps-green')];
  expect(await found({ resources })).toEqual([own.urn]);
});

test('a slot whose name begins with that of another one', async () => {
  const [own, longer] = [object('settings', 'apps-blue'), object('settings', 'apps-blue-2')];
  expect(await found({ resources: [longer, own] })).toEqual([own.urn]);
});

test.each([null, 'x', [], {}, { resources: {} }])('a state without resources has none: %j', async (state) => {
  expect(await found(state)).toEqual([]);
});
