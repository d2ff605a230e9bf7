import * as fc from 'fast-check';
import type { InvalidInput } from '../../../lib/core/validation';
import {
  AppProject,
  fleetDestinations,
  rollingSyncForFleet,
  shiftWindow,
  slotLabels,
  withoutShiftWindow,
  withShiftWindow,
} from '../../../lib/manifests/argocd';
import { applicationSet, template } from './podinfo-set';
import { objectOf } from './synth';

const paths = (build: () => unknown) => {
  try {
    build();
  } catch (error) {
    return (error as InvalidInput).problems.map(({ path }) => path);
  }
  return [];
};
/** The first step that selects an Application with a label. */
const stepOf = (strategy: ReturnType<typeof rollingSyncForFleet>, slot: string) =>
  strategy.rollingSync.steps.findIndex(({ matchExpressions }) =>
    matchExpressions.every(({ operator, values }) => values.includes(slot) === (operator === 'In')),
  );

describe('rollingSyncForFleet', () => {
  test('the canary slot goes first, what is in no slot last', () => {
    const strategy = rollingSyncForFleet(['blue', 'green'], 'green', { maxUpdate: 1, prune: true });
    expect(strategy).toEqual({
      type: 'RollingSync',
      rollingSync: {
        steps: [
          {
            matchExpressions: [{ key: 'cluster-canary/slot', operator: 'In', values: ['green'] }],
            maxUpdate: 1,
          },
          {
            matchExpressions: [{ key: 'cluster-canary/slot', operator: 'In', values: ['blue'] }],
            maxUpdate: 1,
          },
          {
            matchExpressions: [{ key: 'cluster-canary/slot', operator: 'NotIn', values: ['blue', 'green'] }],
            maxUpdate: 1,
          },
        ],
        prune: true,
      },
      deletionOrder: 'Reverse',
    });
  });

  test('every slot is in exactly one step, whatever the fleet', () => {
    const slot = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    fc.assert(
      fc.property(fc.uniqueArray(slot, { minLength: 1, maxLength: 5 }), fc.nat(), (slots, at) => {
        const canary = slots[at % slots.length]!;
        const strategy = rollingSyncForFleet(slots, canary);
        expect(stepOf(strategy, canary)).toBe(0);
        expect([...slots.map((each) => stepOf(strategy, each)), stepOf(strategy, 'none')].sort()).toEqual(
          strategy.rollingSync.steps.map((_, position) => position),
        );
      }),
    );
  });

  test('fits a template with the labels of slots, and no other', () => {
    const labelled = { ...template, metadata: { name: '{{.name}}', labels: slotLabels() } };
    const strategy = rollingSyncForFleet(['blue', 'green'], ['green']);
    expect(applicationSet({ template: labelled, strategy }).spec.template.metadata.labels).toEqual({
      'cluster-canary/fleet': '{{ index .metadata.labels "cluster-canary/fleet" }}',
      'cluster-canary/slot': '{{ index .metadata.labels "cluster-canary/slot" }}',
    });
    expect(paths(() => applicationSet({ strategy }))).toHaveLength(3);
  });

  test('refuses a canary that is no slot, and slots that are none', () => {
    expect(paths(() => rollingSyncForFleet(['blue', 'blue', 'A'], 'green'))).toEqual([
      'slots[1]',
      'slots[2]',
      'canaryFirst',
    ]);
    expect(paths(() => rollingSyncForFleet([], []))).toEqual(['slots', 'canaryFirst']);
  });
});

describe('fleetDestinations', () => {
  test('name each slot as the hub registers it, and nothing else', () => {
    const fleets = [
      { name: 'apps', slots: { blue: {}, green: {} } },
      { name: 'batch', slots: ['a'] },
    ];
    const destinations = fleetDestinations(fleets, ['podinfo', 'team-*']);
    expect(destinations.map(({ name, namespace }) => `${name} ${namespace}`)).toEqual([
      'apps-blue podinfo',
      'apps-blue team-*',
      'apps-green podinfo',
      'apps-green team-*',
      'batch-a podinfo',
      'batch-a team-*',
    ]);
    expect(
      objectOf(
        (chart) =>
          new AppProject(chart, 'project', {
            name: 'apps',
            sourceRepos: ['https://a.example.com'],
            destinations,
          }),
      ).spec.destinations,
    ).toEqual(destinations);
  });

  test('refuses what would allow nothing, or seem to forbid', () => {
    expect(paths(() => fleetDestinations([], []))).toEqual(['fleets', 'namespaces']);
    expect(paths(() => fleetDestinations([{ name: 'A', slots: [] }], ['!a', '']))).toEqual([
      'namespaces[0]',
      'namespaces[1]',
      'fleets[0].name',
      'fleets[0].slots',
    ]);
  });
});

describe('shiftWindow', () => {
  const from = new Date('2026-03-01T23:59:30Z');
  const other = { kind: 'allow' as const, schedule: '0 1 * * *', duration: '1h', applications: ['*'] };

  test('denies automated syncs from one minute of one day, for a while', () => {
    const window = shiftWindow({ from, lasts: '3h', clusters: ['apps-*'] });
    expect(window).toEqual({
      kind: 'deny',
      schedule: '59 23 1 3 *',
      duration: '3h',
      timeZone: 'UTC',
      clusters: ['apps-*'],
      manualSync: true,
      description: 'cluster-canary: a cluster shift is running',
    });
    const project = objectOf(
      (chart) =>
        new AppProject(chart, 'project', {
          name: 'apps',
          sourceRepos: ['https://a.example.com'],
          destinations: [{ name: '*', namespace: 'a' }],
          syncWindows: withShiftWindow([other], window),
        }),
    );
    expect(project.spec.syncWindows).toEqual([other, window]);
  });

  test('there is one at a time, and none after the shift', () => {
    const first = shiftWindow({ from, lasts: '1h', clusters: ['a'] });
    const second = shiftWindow({ from, lasts: '2h', applications: ['b'], manualSync: false });
    expect(withShiftWindow(withShiftWindow([other], first), second)).toEqual([other, second]);
    expect(withoutShiftWindow([first, other, second])).toEqual([other]);
  });

  test('refuses a window of nothing, of no time, and of too much', () => {
    expect(paths(() => shiftWindow({ from: new Date(NaN), lasts: '0s' }))).toEqual([
      'from',
      'lasts',
      'clusters',
    ]);
    expect(paths(() => shiftWindow({ from, lasts: '169h', clusters: [''] }))).toEqual([
      'lasts',
      'clusters[0]',
    ]);
    expect(paths(() => shiftWindow({ from, lasts: '168h', clusters: ['a'] }))).toEqual([]);
  });
});
