import { formatProblem as inWords } from '../../../lib/core/validation';
import { ClusterFleet } from '../../../lib/pulumi/fleet';
import { markedSlot } from '../../../lib/pulumi/fleet/drain';
import { problemsOf } from '../../../lib/core/validation/schema';
import { fleetWideEntries } from '../../../lib/pulumi/fleet/slot-schema';
import { preview } from '../../../lib/pulumi/preview';

const nodes = { instanceTypes: ['m7i.large'], min: 1, max: 2 };
const fleetOf = (args: any) => () => {
  new ClusterFleet('apps', {
    network: { vpcId: 'vpc-1', privateSubnetIds: ['subnet-1', 'subnet-2'] },
    endpoint: { public: { cidrs: ['203.0.113.0/24'] } },
    slots: { blue: { version: '1.35', nodes }, green: { version: '1.36', nodes } },
    ...args,
  });
};

test('with drain, a ConfigMap that goes before nodes and add-ons carries the hook; another slot can do without', async () => {
  const slots = { blue: { version: '1.35', nodes, drain: false }, green: { version: '1.36', nodes } };
  const { resources } = await preview({ program: fleetOf({ slots, drain: { volumes: 'keep' } }) });
  const marks = resources.filter(({ name }) => name.endsWith('-drain'));
  expect(marks).toMatchObject([
    {
      ...{ type: 'kubernetes:core/v1:ConfigMap', name: 'apps-green-drain' },
      hooks: { beforeDelete: ['cluster-canary:beforeDelete:drain'] },
      inputs: { metadata: { name: 'cluster-canary-drain', namespace: 'kube-system' } },
      deletedWith: expect.stringContaining('::apps-green') as string,
    },
  ]);
  const names = marks[0]!.dependencies.map((urn) => urn.split('::').at(-1));
  expect(names).toEqual(
    expect.arrayContaining(['apps-green-nodes', 'apps-green-coredns', 'apps-green-pod-identity']),
  );
});

test('without drain, or of an adopted cluster, there is none', async () => {
  const adopted = { slots: { blue: { adopt: { clusterName: 'shop' } } }, network: undefined, drain: {} };
  for (const args of [{}, adopted]) {
    const { resources } = await preview({ program: fleetOf(args) });
    expect(resources.filter(({ name }) => name.endsWith('-drain'))).toEqual([]);
  }
});

test('all that is wrong with it at once', () => {
  const drain: any = { volumes: 'burn', within: 'soon', trafficWithin: 'x', leftovers: 'ignore' };
  const problems = (given: unknown) => problemsOf(fleetWideEntries.drain, given);
  expect(problems(drain).map((each) => inWords(each).split(':')[0])).toEqual([
    'volumes',
    'within',
    'trafficWithin',
    'leftovers',
  ]);
  expect(fleetOf({ drain })).toThrow(/drain\.volumes: "burn": must be one of "delete", "keep"/);
  const slots = { blue: { version: '1.35', nodes, drain: { leftovers: 'x' } } };
  expect(fleetOf({ slots })).toThrow(/slots\.blue\.drain\.leftovers: "x"/);
  expect(problems(false)).toEqual([]);
});

test('a mark that was changed by hand empties nothing', () => {
  const marked = { clusterName: 'a', endpoint: 'https://a', drain: {} };
  expect(markedSlot({ data: { slot: JSON.stringify(marked) } })).toEqual(marked);
  for (const slot of [undefined, '', 'null', '{}', '{"clusterName":"a"}']) {
    expect(() => markedSlot({ data: { slot } })).toThrow(/its data has been changed/);
  }
  expect(() => markedSlot(undefined)).toThrow(/can not be read/);
});
