import fc from 'fast-check';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import { activeLabel, trafficLabel } from '../../../lib/core/names';
import type { Hub } from '../../../lib/operate/argocd';
import { activeSlot, LabelShift, LabelWriter, trafficRoles } from '../../../lib/operate/argocd';
import { joinedWeights } from '../../../lib/operate/argocd/traffic-labels';

describe('the part of each slot', () => {
  test.each<[string, any, any]>([
    ['no shift', { from: null, live: { blue: 100, green: 0 }, wanted: { blue: 100 } }, ['live', 'standby']],
    [
      'before the first step',
      { from: { blue: 100 }, live: { blue: 100 }, wanted: { green: 100 } },
      ['live', 'standby'],
    ],
    [
      'on the way',
      { from: { blue: 100 }, live: { blue: 90, green: 10 }, wanted: { green: 100 } },
      ['live', 'canary'],
    ],
    [
      'in the bake',
      { from: { blue: 100 }, live: { green: 100 }, wanted: { green: 100 } },
      ['draining', 'canary'],
    ],
    ['taken back', { from: { blue: 100 }, live: { blue: 100 }, wanted: { green: 100 } }, ['live', 'standby']],
    ['over', { from: null, live: { green: 100, blue: 0 }, wanted: { green: 100 } }, ['standby', 'live']],
    [
      'more of the same',
      { from: { blue: 90, green: 10 }, live: { blue: 50, green: 50 }, wanted: { green: 100 } },
      ['live', 'live'],
    ],
  ])('%s', (_when, state, [blue, green]) => {
    expect(trafficRoles(state)).toEqual({ blue, green });
  });

  test.each<[any, string | undefined, string | undefined]>([
    [{ blue: 0, green: 100 }, 'blue', 'green'],
    [{ blue: 50, green: 50 }, 'green', 'green'],
    [{ blue: 50, green: 50 }, undefined, 'blue'],
    [{ blue: 49, green: 51 }, 'blue', 'green'],
    [{ blue: 0, green: 0 }, 'blue', undefined],
    [{}, undefined, undefined],
  ])('of %j with %s active, %s is to be', (live, before, after) => {
    expect(activeSlot(live, before)).toBe(after);
  });

  test('several routes count together', () => {
    expect(
      joinedWeights([
        { blue: 100, green: 0 },
        { blue: 0, green: 100 },
      ]),
    ).toEqual({ blue: 100, green: 100 });
  });
});

/** Hubs in memory, whose Secrets keep every state that they had. */
class World {
  public readonly said: string[] = [];
  public readonly history: string[] = [];
  public readonly down = new Set<string>();
  public readonly hubs: Hub[];
  private readonly secrets = new Map<string, Map<string, Record<string, string>>>();

  public constructor(...names: string[]) {
    this.hubs = names.map((name) => {
      this.secrets.set(
        name,
        new Map(
          ['blue', 'green'].map((slot) => [
            slot,
            { 'cluster-canary/fleet': 'apps', 'cluster-canary/slot': slot },
          ]),
        ),
      );
      return { name, namespace: 'argocd', api: this.api(name) as any };
    });
  }

  public labels(hub: string): Record<string, (string | undefined)[]> {
    return Object.fromEntries(
      [...this.secrets.get(hub)!].map(([slot, labels]) => [
        slot,
        [labels[trafficLabel], labels[activeLabel]],
      ]),
    );
  }

  /** Slots that are active on any hub. */
  public active(): string[] {
    const found = [...this.secrets.values()].flatMap((secrets) =>
      [...secrets].filter(([, labels]) => labels[activeLabel] === 'true').map(([slot]) => slot),
    );
    return [...new Set(found)];
  }

  public writer(): LabelWriter {
    return new LabelWriter('apps', this.hubs, (line) => this.said.push(line));
  }

  private api(hub: string) {
    const fail = () => {
      if (this.down.has(hub)) {
        throw new KubernetesError('unreachable', `${hub} does not answer`);
      }
    };
    return {
      list: async (_kind: any, { labelSelector }: any) => {
        fail();
        expect(labelSelector).toContain('cluster-canary/fleet=apps');
        return Promise.resolve(
          [...this.secrets.get(hub)!].map(([slot, labels]) => ({
            metadata: { name: `apps-${slot}`, uid: slot, labels: { ...labels } },
            data: {},
          })),
        );
      },
      apply: async ({ metadata }: any, { fieldManager }: any) => {
        fail();
        expect(fieldManager).toBe('cluster-canary-traffic');
        const labels = this.secrets.get(hub)!.get(metadata.uid)!;
        delete labels[trafficLabel];
        delete labels[activeLabel];
        Object.assign(labels, metadata.labels);
        this.history.push(`${hub} ${metadata.uid} ${JSON.stringify(metadata.labels)}`);
        expect(this.active().length).toBeLessThanOrEqual(1);
        return Promise.resolve({ metadata: { labels: { ...labels } } });
      },
    };
  }
}

const shifted = { parts: { blue: 'standby', green: 'live' }, active: 'green' } as const;
const before = { parts: { blue: 'live', green: 'standby' }, active: 'blue' } as const;

test('the active label is taken off everywhere before it goes to another slot', async () => {
  const world = new World('one', 'two');
  expect(await world.writer().write(before)).toBe(true);
  expect(await world.writer().write(shifted)).toBe(true);
  for (const hub of ['one', 'two']) {
    expect(world.labels(hub)).toEqual({ blue: ['standby', undefined], green: ['live', 'true'] });
  }
  expect(await world.writer().active()).toBe('green');
});

test('nothing is written when nothing has changed', async () => {
  const world = new World('one');
  await world.writer().write(before);
  const writes = world.history.length;
  expect(await world.writer().write(before)).toBe(true);
  expect(world.history).toHaveLength(writes);
});

test('with a hub that can not be reached no slot becomes active, and that is told', async () => {
  const world = new World('one', 'two');
  await world.writer().write(before);
  world.down.add('two');
  expect(await world.writer().write(shifted)).toBe(false);
  expect(world.labels('one')).toEqual({ blue: ['standby', undefined], green: ['live', undefined] });
  expect(world.said).toEqual([
    'labels: hub two: two does not answer',
    'labels: no slot becomes active, since not every hub could be updated; green would have',
  ]);
  world.down.clear();
  expect(await world.writer().write(shifted)).toBe(true);
  expect(world.active()).toEqual(['green']);
});

test('whatever hubs do, never two slots are active', async () => {
  const slot = fc.constantFrom('blue', 'green');
  const moves = fc.array(fc.tuple(slot, fc.boolean(), fc.boolean()), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(moves, async (steps) => {
      const world = new World('one', 'two');
      for (const [active, one, two] of steps) {
        world.down.clear();
        if (one) world.down.add('one');
        if (two) world.down.add('two');
        // The fake's apply fails where two are active.
        await world.writer().write({ parts: { blue: 'live', green: 'live' }, active });
      }
      expect(world.said.some((line) => line.includes('expect('))).toBe(false);
    }),
    { numRuns: 50 },
  );
});

describe('a shift', () => {
  const progress = (live: object) => ({ weights: live, wanted: { blue: 0, green: 100 } }) as any;

  test('moves the labels with the weights, and the active one at its end', async () => {
    const world = new World('hub');
    await world.writer().write(before);
    world.history.length = 0;
    const shift = new LabelShift(world.writer());
    const observer = shift.observer('traffic');
    [
      { blue: 100, green: 0 },
      { blue: 90, green: 10 },
      { blue: 50, green: 50 },
      { blue: 0, green: 100 },
    ].forEach((live) => observer.progress!(progress(live)));
    await shift.end('completed', [{ blue: 0, green: 100 }]);
    expect(world.history).toEqual([
      'hub green {"cluster-canary/traffic":"canary"}',
      'hub blue {"cluster-canary/traffic":"draining","cluster-canary/active":"true"}',
      'hub blue {"cluster-canary/traffic":"standby"}',
      'hub green {"cluster-canary/traffic":"live"}',
      'hub green {"cluster-canary/traffic":"live","cluster-canary/active":"true"}',
    ]);
  });

  test.each(['held', 'aborted'] as const)(
    'that is %s leaves the active label where it is',
    async (verdict) => {
      const world = new World('hub');
      await world.writer().write(before);
      const shift = new LabelShift(world.writer());
      shift.observer('traffic').progress!(progress({ blue: 100, green: 0 }));
      shift.observer('traffic').progress!(progress({ blue: 10, green: 90 }));
      await shift.end(verdict, [{ blue: 10, green: 90 }]);
      expect(world.labels('hub')).toEqual({ blue: ['live', 'true'], green: ['canary', undefined] });
    },
  );
});
