import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { object, optional } from '../../../lib/core/validation/collections';
import { text, that } from '../../../lib/core/validation/values';
import type { Weights } from '../../../lib/shift/engine';
import { RouterError, runShift, shiftPlan } from '../../../lib/shift/engine';
import { memoryLease } from '../../../lib/shift/leases';
import { routerKinds } from '../../../lib/shift/routers/registry';
import type { RouterKind } from '../../../lib/shift/routers/router-kind';
import { flaws, planned } from './contract';
import { fakes } from './fakes';
import type { RouterFake } from './fakes';
import { toy } from './toy-router';

const root = resolve(__dirname, '../../..');
const docs = readFileSync(join(root, 'docs/shift.md'), 'utf8');
const schema = JSON.parse(readFileSync(join(root, 'schemas/plan.json'), 'utf8'));

const registered = Object.entries<RouterKind>(routerKinds as Readonly<Record<string, RouterKind<any, any>>>);

const all: readonly [string, RouterKind][] = [...registered, ['toy', toy as RouterKind]];

const isFaked = (name: string): name is keyof typeof fakes => Object.hasOwn(fakes, name);

/** As if the page had a row of it, too. */
const withToy = `${docs}\n| \`toy\` | everything |\n`;

test('every router has a fake in fakes.ts, and a place in the JSON Schema of plan files', () => {
  const names = all.map(([name]) => name);
  expect(Object.keys(fakes).sort()).toEqual(names.sort());
  expect(registered.filter(([name]) => planned(schema, name) === undefined)).toEqual([]);
  expect(Object.keys(schema.$defs.router.properties)).toEqual(registered.map(([name]) => name));
});

test('routers that say the same key of a slot mean the same', () => {
  const said = new Map<string, string>();
  for (const [, { slot }] of all) {
    if (slot) {
      const json = JSON.stringify(slot.value.json);
      expect(said.get(slot.field) ?? json).toBe(json);
      said.set(slot.field, json);
    }
  }
});

// The test above says which fake is missing.
const withFake = all.flatMap(([name, kind]) =>
  isFaked(name) ? [[name, kind, fakes[name]] as [string, RouterKind, RouterFake]] : [],
);

describe.each(withFake)('%s', (name, kind, fake) => {
  const { settings, slots } = fake;

  function opened() {
    const world = fake.world();
    return { world, router: kind.open(settings, slots, world.context) };
  }

  test('says all of itself', () => {
    expect(flaws(name, kind, fake, withToy)).toEqual([]);
  });

  test('reads what was written, and looks once before it writes', async () => {
    const { world, router } = opened();
    expect(await router.read()).toEqual({ blue: 100, green: 0 });
    const before = world.calls().length;
    await router.write({ blue: 70, green: 30 });
    const calls = world.calls().slice(before);
    expect(calls.filter((call) => call === 'read').length).toBeLessThanOrEqual(1);
    expect(calls.filter((call) => call === 'write').length).toBeLessThanOrEqual(1);
    expect(await router.read()).toEqual({ blue: 70, green: 30 });
    expect(await router.describe()).toMatchObject({ weights: { blue: 70, green: 30 }, missing: [] });
  });

  test('refuses what does not add up before it asks anybody', async () => {
    const { world, router } = opened();
    await expect(router.write({ blue: 0, green: 0 })).rejects.toThrow(/add up to 0/);
    await expect(router.write({ red: 100 })).rejects.toThrow(/the slots are blue, green/);
    expect(world.calls()).toEqual([]);
  });

  test('writes nothing over weights that were not expected', async () => {
    const { world, router } = opened();
    world.set?.({ blue: 90, green: 10 });
    const live = world.set ? { blue: 90, green: 10 } : { blue: 100, green: 0 };
    const write = router.write({ blue: 50, green: 50 }, undefined, [{ blue: 75, green: 25 }]);
    await expect(write).rejects.toBeInstanceOf(RouterError);
    await expect(write).rejects.toMatchObject({ failure: 'changed', live });
    expect(world.calls()).not.toContain('write');
    expect(await router.read()).toEqual(live);
  });

  test('puts a slot that is to get traffic there, with no traffic', async () => {
    const { world, router } = opened();
    world.without?.();
    const shifted = router.withMissingTargets({ green: 100 });
    expect(world.calls()).toEqual([]);
    expect(await shifted.read()).toEqual({ blue: 100, green: 0 });
    expect(await router.describe()).toMatchObject({ missing: [] });
    expect(world.calls().filter((call) => call === 'write')).toHaveLength(world.without ? 1 : 0);
    await shifted.write({ blue: 40, green: 60 });
    expect(await shifted.read()).toEqual({ blue: 40, green: 60 });
  });

  test('where all slots are there, the first look is one read', async () => {
    const { world, router } = opened();
    expect(await router.withMissingTargets({ green: 100 }).read()).toEqual({ blue: 100, green: 0 });
    expect(world.calls().length).toBeLessThanOrEqual(1);
  });

  test('a shift reads twice for each write, and once at its end', async () => {
    const { world, router } = opened();
    const wanted: Weights = { green: 100 };
    const { milliseconds } = await router.minimumWait();
    const before = world.calls().length;
    const outcome = await runShift({
      plan: shiftPlan(
        ['blue', 'green'],
        wanted,
        { step: [25, 50, 75], every: '1ms', bake: '0s' },
        milliseconds,
      ),
      router: router.withMissingTargets(wanted),
      checks: [],
      lease: memoryLease(),
    });
    expect(outcome).toMatchObject({ verdict: 'completed', final: { blue: 0, green: 100 } });
    expect(outcome.writes).toHaveLength(4);
    const calls = world.calls().slice(before);
    const attempts = calls
      .filter((call) => call === 'read' || call === 'write')
      .join(' ')
      .split('write')
      .map((between) => between.split('read').length - 1);
    expect(attempts).toEqual(calls.length === 0 ? [0] : [2, 2, 2, 2, 1]);
  });

  test('the least wait is whole, and says why', async () => {
    const { router } = opened();
    const { milliseconds, writeMilliseconds, because } = await router.minimumWait();
    expect(milliseconds).toBeGreaterThanOrEqual(0);
    expect(because.length > 0).toBe(milliseconds + writeMilliseconds > 0);
  });
});

describe('a kind that lacks something', () => {
  const { fake, kind } = { fake: fakes.toy, kind: toy as RouterKind };
  const loose = that(text('a name'), 'a name of two letters', (value) => value.length === 2);

  test.each<[string, Partial<RouterKind>, RegExp]>([
    ['a title', { title: '' }, /^title: /],
    ['a known layer', { layer: 'packets' as never }, /^layer: there is no packets/],
    [
      'a JSON Schema that says all',
      { settings: object({ gateway: loose, route: optional(loose) }) },
      /^settings: gateway "x": the JSON Schema says true, the parser says false/,
    ],
    ['settings that the least is enough for', { settings: object({ name: text('a name') }) }, /^settings: /],
    [
      'a slot of its own',
      { slot: { field: 'clusterName', title: 'cluster', value: text('a cluster') } },
      /^slot: clusterName is of every slot/,
    ],
    [
      'a slot that is accepted',
      { slot: { ...toy.slot!, value: text('a digit', /^\d$/) } },
      /^slot: blue is refused/,
    ],
    [
      'a narrow permission',
      { permissions: () => [{ Sid: 'All', Effect: 'Allow', Action: ['toys:*'], Resource: '*' }] },
      /^permissions: All: toys:\*/,
    ],
    [
      'a resource',
      { permissions: () => [{ Sid: 'All', Effect: 'Allow', Action: ['toys:Write'], Resource: '*' }] },
      /^permissions: All: \*/,
    ],
    [
      'patience',
      {
        open: (settings, slots, context) => {
          void context.clients!.elasticLoadBalancing().catch(() => undefined);
          return kind.open(settings, slots, context);
        },
      },
      /^open: asks elasticLoadBalancing/,
    ],
  ])('%s', (_what, part, flaw) => {
    expect(flaws('toy', { ...kind, ...part }, fake, withToy)).toContainEqual(expect.stringMatching(flaw));
  });

  test('a row in the documents', () => {
    expect(flaws('toy', kind, fake, docs)).toEqual(['docs/shift.md: has no row of `toy`']);
  });
});
