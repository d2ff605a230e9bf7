import * as pulumi from '@pulumi/pulumi';
import { EventEmitter } from 'node:events';
import { ruleTag } from '../../../../lib/core/names';
import { FleetTraffic } from '../../../../lib/pulumi/traffic';
import {
  capacityArgsProblems,
  knownCapacity,
  plannedCapacity,
} from '../../../../lib/pulumi/traffic/shift/capacity-args';
import { shiftDependencies } from '../../../../lib/pulumi/traffic/shift/dependencies';
import { listenerRuleSplits } from '../../../../lib/pulumi/traffic/shift/kinds';
import type { SplitShift } from '../../../../lib/pulumi/traffic/shift/split-kind';
import { planSettings } from '../../../../lib/pulumi/traffic/shift/split-group';
import { kubeconfigs } from '../../../../lib/pulumi/traffic/target-groups';
import { TrafficShift } from '../../../../lib/pulumi/traffic/shift/traffic-shift';
import type { CapacityRecord, ShiftRecord, ShiftSubject } from '../../../../lib/shift/engine';
import { parsePlan } from '../../../../lib/shift/plan-file';
import { register } from '../../../pulumi-mocks';
import { edge, fleetOf, refused, slotRef, value, web } from '../samples';
import { FakeLoadBalancer, fakeClock, groupArn, listenerArn, ruleArn } from './fake-load-balancer';

const targets = (route: string) => ({ blue: groupArn(`blue-${route}`), green: groupArn(`green-${route}`) });
const names = { blue: 'apps-blue', green: 'apps-green' };
const known = { settings: { scale: 'hpa' as const }, kubeconfigs: {} };

/** A shift of two rules to green. */
function setting(shift: Partial<SplitShift>) {
  const balancer = new FakeLoadBalancer();
  // The rule whose id sorts first comes last.
  const rules = ['web', 'api'].map((name, index) => {
    const rule = { tag: `p/dev/${name}`, priority: 10 + index, targets: targets(name) };
    const id = ruleArn(2 - index);
    balancer.add({ id, priority: rule.priority, tags: { [ruleTag]: rule.tag }, targets: [] });
    balancer.set(id, { [rule.targets.blue]: 100, [rule.targets.green]: 0 });
    return rule;
  });
  const lines: string[] = [];
  const say = (text: string): void => void lines.push(text);
  const traffic = new TrafficShift({
    shift: () =>
      Promise.resolve({
        ...{ what: 'FleetTraffic "apps"', kind: listenerRuleSplits, rules },
        ...{ wanted: { blue: 0, green: 100 }, clusterNames: names, checks: [] },
        settings: { step: [50], every: '1m', bake: '1m' },
        ...{ lease: 'none', holder: 'test', resumedTo: undefined, roleArn: undefined },
        ...shift,
      }),
    kind: listenerRuleSplits,
    roleArn: undefined,
    parts: balancer.parts(fakeClock()),
    log: { info: say, warn: say, progress: () => undefined },
    interrupts: new EventEmitter(),
  });
  return { balancer, traffic, lines, due: { tag: 'p/dev/web', id: ruleArn(2), place: listenerArn } };
}

test('rules that are shifted together raise the capacity of their clusters once, before each step', async () => {
  const { balancer, traffic, due } = setting({ capacity: known });
  const asked: unknown[] = [];
  const given: CapacityRecord[] = [];
  const raised: CapacityRecord = { green: { context: 'apps-green', minimums: { a: [2, 0, 5] } } };
  balancer.capacity = {
    prepare: async ({ next, remember }) => {
      asked.push([next, balancer.writes.length]);
      await remember(raised);
      return { status: 'pass', reason: 'enough', figures: [] };
    },
    giveBack: (record) => Promise.resolve(void given.push(record)),
  };
  await traffic.beforeUpdate(due);
  expect(asked).toEqual([
    [{ blue: 50, green: 50 }, 0],
    [{ blue: 0, green: 100 }, 2],
  ]);
  expect(given).toEqual([raised]);
  expect(balancer.capacities).toEqual([
    { known, id: ruleArn(1), subjects: [expect.anything(), expect.anything()] },
  ]);
  expect(balancer.capacities[0]!.subjects.map(({ slots }) => slots)).toEqual(
    ['web', 'api'].map((route) => ({
      blue: { targetGroupArn: targets(route).blue, clusterName: 'apps-blue' },
      green: { targetGroupArn: targets(route).green, clusterName: 'apps-green' },
    })),
  );
});

test.each([
  ['with it', { capacity: known }, [{ capacity: { maxLoad: 1.1, follow: '24h' } }]],
  ['without it', {}, []],
])('a shift that raises capacity waits for healthy targets as well: %s', async (_what, shift, checks) => {
  const { balancer, traffic, due } = setting(shift);
  balancer.capacity = {
    prepare: () => Promise.resolve({ status: 'pass', reason: 'enough', figures: [] }),
    giveBack: () => Promise.resolve(undefined),
  };
  await traffic.beforeUpdate(due);
  expect(balancer.checkSettings[0]).toEqual(checks);
});

describe('what a shift has raised that was interrupted', () => {
  const raised: CapacityRecord = {
    blue: { context: 'apps-blue', minimums: { a: [2, 20, 20] } },
    green: { context: 'apps-green', minimums: { a: [2, 0, 5] } },
  };
  const [origin, wanted] = [
    { blue: 100, green: 0 },
    { blue: 0, green: 100 },
  ];
  const record: ShiftRecord = { ...{ origin, wanted, written: origin, startedAt: 1, before: [] }, raised };
  const verify = async (shift: Partial<SplitShift>, record: ShiftRecord, inPreview = false) => {
    const found = setting({ wanted: origin, ...shift });
    const given: CapacityRecord[] = [];
    found.balancer.record = record;
    found.balancer.capacity = {
      ...found.balancer.capacity,
      giveBack: (each) => Promise.resolve(void given.push(each)),
    };
    await found.traffic.verify([ruleArn(2), ruleArn(1)], { runBy: 'pulumi', inPreview });
    return { ...found, given };
  };

  test.each<[string, Partial<SplitShift>]>([
    ['with the setting', { capacity: known }],
    ['without it by now', {}],
  ])('is given back by an up that has nothing to shift, %s', async (_what, shift) => {
    const { given, balancer, lines } = await verify(shift, record);
    expect(given[0]).toEqual(raised);
    expect(balancer.record).toMatchObject({ ended: { verdict: 'forgotten' } });
    expect(balancer.record).not.toHaveProperty('raised');
    expect([balancer.writes, lines]).toEqual([[], []]);
  });

  test('stays in a preview, and where a slot is evacuated that the program gives traffic', async () => {
    expect((await verify({ capacity: known }, record, true)).given).toEqual([]);
    const evacuation = { ...record, evacuated: { slots: ['blue'], by: 'alex@laptop' } };
    const { given, balancer } = await verify({ capacity: known }, evacuation);
    expect(given).toEqual([]);
    expect(balancer.record).toEqual(evacuation);
  });

  test('is named once where it can not be given back', async () => {
    const { balancer, traffic, lines } = setting({ wanted: origin, capacity: known });
    balancer.record = record;
    balancer.capacity = {
      ...balancer.capacity,
      giveBack: () => Promise.resolve({ problem: 'green: no answer', raised: { green: raised['green']! } }),
    };
    await traffic.verify([ruleArn(2), ruleArn(1)], { runBy: 'pulumi', inPreview: false });
    expect(lines).toEqual([
      expect.stringMatching(/^FleetTraffic "apps": Not all capacity .*green: no answer$/),
    ]);
    expect(Object.keys(balancer.record?.raised ?? {})).toEqual(['green']);
  });

  test('is a warning of a shift that is complete otherwise', async () => {
    const { balancer, traffic, lines, due } = setting({ capacity: known });
    balancer.capacity = {
      prepare: async ({ remember }) => {
        await remember(raised);
        return { status: 'pass', reason: 'enough', figures: [] };
      },
      giveBack: (left) => Promise.resolve({ problem: 'green: no answer', raised: left }),
    };
    await traffic.beforeUpdate(due);
    expect(lines).toContainEqual(expect.stringMatching(/^FleetTraffic "apps": Not all capacity/));
  });
});

test('a shift without the setting opens no cluster', async () => {
  const { balancer, traffic, due } = setting({});
  await traffic.beforeUpdate(due);
  expect(balancer.capacities).toEqual([]);
});

test('a preview names what is raised and held, and asks no cluster', async () => {
  const { balancer, traffic, lines, due } = setting({ capacity: known });
  await traffic.preview(due);
  expect(lines.join('\n')).toContain(
    'capacity (hpa) of green is raised before each step, and that of blue held until the bake is over',
  );
  expect(balancer.capacities).toEqual([]);
  const without = setting({});
  await without.traffic.preview(without.due);
  expect(without.lines.join('\n')).not.toContain('capacity (');
});

describe('the settings of a run', () => {
  test('know each cluster by its name, and one without a name by its slot', () => {
    expect(knownCapacity({}, { blue: 'b', green: 'g' }, { blue: 'apps-blue' })).toEqual({
      settings: { contexts: { green: 'green' } },
      kubeconfigs: { 'apps-blue': 'b', green: 'g' },
    });
  });

  test('take a context that is given from files', () => {
    const own = { scale: 'keda' as const, contexts: { blue: 'old' } };
    expect(knownCapacity(own, { blue: 'b', green: 'g' }, names)).toEqual({
      settings: own,
      kubeconfigs: { 'apps-green': 'g' },
    });
  });

  test('have the Services of the program where none are given', () => {
    const services = [{ namespace: 'podinfo', name: 'frontend' }];
    expect(plannedCapacity({ scale: 'hpa', kubeconfigTexts: { blue: 'b' } }, services)).toEqual({
      scale: 'hpa',
      services,
    });
    const own = [{ namespace: 'shop', name: 'web' }];
    expect(plannedCapacity({ services: own }, services)).toEqual({ services: own });
  });
});

test('clusters are reached by kubeconfigs of the program, others by files', async () => {
  const subject: ShiftSubject = {
    layer: 'http',
    slots: Object.fromEntries(Object.entries(names).map(([slot, clusterName]) => [slot, { clusterName }])),
  };
  const settings = { services: [{ namespace: 'shop', name: 'web' }] };
  const prepare = (configs: Record<string, string>, more = {}) =>
    shiftDependencies()
      .capacity({ settings: { ...settings, ...more }, kubeconfigs: configs }, [subject], 'rule')
      .prepare({
        origin: { blue: 100, green: 0 },
        next: { blue: 50, green: 50 },
        wanted: { blue: 0, green: 100 },
        remember: () => Promise.resolve(),
      });
  const own = { 'apps-blue': 'clusters: none', 'apps-green': 'clusters: none' };
  expect(await prepare(own)).toMatchObject({
    status: 'fail',
    reason: expect.stringMatching(/kubeconfigText/),
  });
  const file = '/nowhere/kubeconfig';
  expect(await prepare(own, { kubeconfig: file })).toMatchObject({
    status: 'fail',
    reason: expect.stringMatching(/\/nowhere\/kubeconfig/),
  });
  expect(await prepare({}, { kubeconfig: file })).toMatchObject({
    status: 'fail',
    reason: expect.stringMatching(/\/nowhere\/kubeconfig/),
  });
});

test('kubeconfigs of a fleet are those of its slots, of plain values those that its endpoints make', async () => {
  const ref = fleetOf('blue', 'green');
  const [plain, own] = [
    kubeconfigs(ref),
    kubeconfigs({ ref, slots: { blue: { kubeconfig: pulumi.output('own') } } } as never),
  ];
  const { clusters, users } = JSON.parse((await value(pulumi.output(plain['green']!))) as string);
  expect(clusters[0].cluster.server).toBe(slotRef('green').endpoint);
  expect(users[0].user.exec.args).toContain('apps-green');
  expect(await value(pulumi.output(own['blue']!))).toBe('own');
  expect(own['green']).toBeDefined();
});

describe('the arguments', () => {
  const subject: ShiftSubject = { layer: 'http', slots: { blue: {}, green: {} } };

  test.each<[string, unknown, string[]]>([
    ['of its defaults', {}, []],
    ['of nothing', undefined, []],
    ['of a context of no slot', { contexts: { red: 'r' } }, ['contexts.red']],
    ['of a kubeconfig of no slot', { kubeconfigTexts: { red: 'r' } }, ['kubeconfigTexts.red']],
  ])('%s', (_what, capacity, paths) => {
    expect(capacityArgsProblems(capacity, subject).map(({ path }) => path)).toEqual(paths);
  });

  test('of names want the Services', () => {
    const found = (capacity: object) => capacityArgsProblems(capacity, { ...subject, layer: 'names' });
    expect(found({}).map(({ path }) => path)).toEqual(['services']);
    expect(found({ services: [{ namespace: 'shop', name: 'web' }] })).toEqual([]);
  });

  test('are refused with those of the component, without a kubeconfig in the message', async () => {
    const make = (capacity: unknown) => () =>
      new FleetTraffic('apps', {
        ...{ fleet: fleetOf('blue', 'green'), edge, routes: { web }, weights: { green: 100 } },
        shift: { capacity } as never,
      });
    expect(await refused(make({ scale: 'vpa', contexts: { red: 'r' } }))).toEqual([
      'shift.capacity.scale',
      'shift.capacity.contexts.red',
    ]);
    expect(await refused(make({ kubeconfigTexts: { blue: 5 } }))).toEqual([
      'shift.capacity.kubeconfigTexts.blue',
    ]);
  });
});

test('a plan has the settings and the Services of the routes, and no kubeconfig', async () => {
  let traffic!: FleetTraffic;
  await register(
    () =>
      (traffic = new FleetTraffic('apps', {
        ...{ fleet: fleetOf('blue', 'green'), edge, routes: { web }, weights: { green: 100 } },
        shift: { capacity: { scale: ['hpa', 'keda'], kubeconfigTexts: { blue: pulumi.output('hidden') } } },
      })),
  );
  const plan = (await value(traffic.plan)) as ReturnType<typeof planSettings>;
  expect(plan.shift?.capacity).toEqual({
    scale: ['hpa', 'keda'],
    services: [{ namespace: 'podinfo', name: 'frontend' }],
  });
  expect(JSON.stringify(plan)).not.toContain('hidden');
});

test('a plan with capacity is a plan file', () => {
  const rule = { id: ruleArn(1), targets: targets('web') };
  const settings = planSettings({
    ...{ kind: listenerRuleSplits, rules: { web: rule }, weights: { blue: 0, green: 100 } },
    ...{ clusterNames: names, settings: {}, checks: [], lease: undefined, roleArn: undefined },
    capacity: { scale: 'hpa', services: [{ namespace: 'shop', name: 'web' }] },
  });
  expect(parsePlan(JSON.stringify(settings), 'plan.json').capacity).toEqual({
    scale: 'hpa',
    services: [{ namespace: 'shop', name: 'web' }],
  });
});
