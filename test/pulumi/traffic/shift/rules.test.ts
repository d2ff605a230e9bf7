import * as pulumi from '@pulumi/pulumi';
import { ruleTag } from '../../../../lib/core/names';
import {
  hasWeights,
  shiftSlots,
  shownWeights,
  slotWeights,
} from '../../../../lib/pulumi/traffic/shift/live-splits';
import type { LiveSplit } from '../../../../lib/pulumi/traffic/shift/split-kind';
import {
  actionsChange,
  findSplit,
  listenerOf,
  ruleTagValue,
} from '../../../../lib/pulumi/traffic/shift/split-kind';
import { ruleTargets, sharesDiffer, weightsByArn } from '../../../../lib/pulumi/traffic/shift/weights';
import { groupArn, listenerArn, ruleArn } from './fake-load-balancer';

const forward = (weights: Record<string, number>, more: object = {}) => [
  {
    type: 'forward',
    forward: { targetGroups: Object.entries(weights).map(([arn, weight]) => ({ arn, weight })), ...more },
  },
];
const targets = (weights: Record<string, number>) =>
  Object.entries(weights).map(([arn, weight]) => ({ arn, weight }));

describe('the target groups of a rule', () => {
  test.each<[string, unknown, object[]]>([
    ['several', forward({ a: 90, b: 10 }), targets({ a: 90, b: 10 })],
    ['behind another action', [{ type: 'authenticate-oidc' }, ...forward({ a: 1 })], targets({ a: 1 })],
    ['one, written short', [{ type: 'forward', targetGroupArn: 'a' }], targets({ a: 1 })],
    ['without a weight', [{ type: 'forward', forward: { targetGroups: [{ arn: 'a' }] } }], targets({ a: 1 })],
    [
      'not known yet',
      [{ type: 'forward', forward: { targetGroups: [{ arn: {}, weight: 0 }] } }],
      [{ arn: undefined, weight: 0 }],
    ],
    ['none', [{ type: 'redirect' }], []],
    ['nothing', undefined, []],
  ])('are read where there are %s', (_what, actions, found) => {
    expect(ruleTargets(actions)).toEqual(found);
  });

  test.each<[Record<string, number>, Record<string, number>, boolean]>([
    [{ a: 100, b: 0 }, { a: 1 }, false],
    [{ a: 90, b: 10 }, { b: 10, a: 90 }, false],
    [{ a: 9, b: 1 }, { a: 90, b: 10 }, false],
    [{ a: 90, b: 10 }, { a: 80, b: 20 }, true],
    [{ a: 100 }, { b: 100 }, true],
  ])('have shares that are compared on any scale: %j and %j', (one, other, differ) => {
    const [first, second] = [weightsByArn(targets(one)), weightsByArn(targets(other))];
    expect(sharesDiffer(first, second)).toBe(differ);
    expect(sharesDiffer(second, first)).toBe(differ);
  });
});

describe('a change of a rule', () => {
  const old = forward({ a: 100, b: 0 });
  test.each<[string, object, boolean]>([
    ['of nothing but tags', { oldInputs: { actions: old }, newInputs: { actions: old, tags: {} } }, false],
    ['of weights', { oldInputs: { actions: old }, newInputs: { actions: forward({ a: 90, b: 10 }) } }, true],
    ['that adds a slot', { oldInputs: { actions: forward({ a: 100 }) }, newInputs: { actions: old } }, true],
    [
      'of stickiness',
      { oldInputs: { actions: old }, newInputs: { actions: forward({ a: 100, b: 0 }, { stickiness: {} }) } },
      true,
    ],
    [
      'where the provider has found other weights',
      {
        oldInputs: { actions: old },
        newInputs: { actions: old },
        oldOutputs: { actions: forward({ b: 60, a: 40 }) },
      },
      true,
    ],
    [
      'where the provider has found the same in another order',
      {
        oldInputs: { actions: old },
        newInputs: { actions: old },
        oldOutputs: { actions: forward({ b: 0, a: 100 }) },
      },
      false,
    ],
    [
      'of a secret',
      { oldInputs: { actions: old }, newInputs: { actions: pulumi.secret(forward({ a: 90, b: 10 })) } },
      true,
    ],
  ])('%s', async (_what, args, writes) => {
    const change = await actionsChange(args, 'actions');
    expect(change.writesWeights).toBe(writes);
    expect(change.after.length).toBeGreaterThan(0);
  });

  test('comes from the weights that the program gave, not from those that the provider found', async () => {
    const change = await actionsChange(
      {
        oldInputs: { actions: old },
        newInputs: { actions: forward({ a: 0, b: 100 }) },
        oldOutputs: { actions: forward({ a: 40, b: 60 }) },
      },
      'actions',
    );
    expect(Object.fromEntries(change.before)).toEqual({ a: 100, b: 0 });
  });
});

describe('the live rule behind a rule of the program', () => {
  const live = (id: number, more: Partial<LiveSplit>): LiveSplit => ({
    id: ruleArn(id),
    place: listenerArn,
    priority: id,
    targets: targets({ a: 100, b: 0 }),
    tags: {},
    ...more,
  });
  const identity = { tag: 'project/dev/web', priority: 10 };
  const own = new Set(['a', 'b']);
  const tags = { [ruleTag]: identity.tag };
  test.each<[string, LiveSplit[], number | undefined]>([
    ['has its tag', [live(10, {}), live(20, { tags })], 20],
    ['stands at its priority, untagged', [live(10, {})], 10],
    ['is not one of another program', [live(10, { tags: { [ruleTag]: 'other/dev/web' } })], undefined],
    ['is not one with other target groups', [live(10, { targets: targets({ a: 50, c: 50 }) })], undefined],
    ['is not one that forwards nowhere', [live(10, { targets: [] })], undefined],
    ['is not one at another priority', [live(11, {})], undefined],
  ])('%s', (_what, rules, found) => {
    expect(findSplit(rules, identity, own)?.id).toBe(found === undefined ? undefined : ruleArn(found));
  });

  test('stands on the listener that its ARN names', () => {
    expect(listenerOf(ruleArn(1))).toBe(listenerArn);
  });

  test('has a tag that AWS takes', () => {
    expect(ruleTagValue('my project', 'dev', 'web[0]{a}')).toBe('my project/dev/web_0__a_');
    expect(ruleTagValue('p'.repeat(300), 'dev', 'web')).toHaveLength(256);
  });
});

describe('the slots of a shift', () => {
  const wanted = { blue: groupArn('blue'), green: groupArn('green') };
  const none = new Map<string, string>();
  const live = (weights: Record<string, number>) => weightsByArn(targets(weights));
  const ofRule = (weights: Record<string, number>, id = 1, own: Record<string, string> = wanted) => ({
    id: ruleArn(id),
    wanted: own,
    live: live(weights),
  });

  test('are those of the program', () => {
    const slots = shiftSlots(['blue', 'green'], [ofRule({ [wanted.blue]: 100 })], none);
    expect(slots).toMatchObject({ names: ['blue', 'green'], leaving: [] });
    expect(slots.targets.get(ruleArn(1))).toEqual(wanted);
  });

  test.each<[string, Map<string, string>, string]>([
    ['by its tag', new Map([[groupArn('x'), 'red']]), 'red'],
    ['by its own name', none, 'x'],
    ['beside the slot that it was of', new Map([[groupArn('x'), 'blue']]), 'blue-before'],
  ])('have one more where a slot leaves that carries traffic, named %s', (_what, tags, name) => {
    const slots = shiftSlots(['blue', 'green'], [ofRule({ [groupArn('x')]: 60, [wanted.blue]: 40 })], tags);
    expect(slots).toMatchObject({ names: ['blue', 'green', name], leaving: [name] });
    expect(slots.targets.get(ruleArn(1))).toEqual({ ...wanted, [name]: groupArn('x') });
  });

  test('leave out a slot that leaves without traffic', () => {
    const slots = shiftSlots(['blue'], [ofRule({ [groupArn('x')]: 0, [wanted.blue]: 100 })], none);
    expect(slots.names).toEqual(['blue']);
  });

  test('of several rules belong together by their tags, and are refused without', () => {
    const rules = [ofRule({ [groupArn('x')]: 100 }), ofRule({ [groupArn('y')]: 100 }, 2)];
    const tags = new Map([groupArn('x'), groupArn('y')].map((arn) => [arn, 'red'] as const));
    expect(shiftSlots(['blue', 'green'], rules, tags).leaving).toEqual(['red']);
    expect(() => shiftSlots(['blue', 'green'], rules, none)).toThrow(groupArn('x'));
  });

  test.each<[Record<string, number>, object | undefined]>([
    [{ [wanted.blue]: 1 }, { blue: 100, green: 0 }],
    [
      { [wanted.blue]: 900, [wanted.green]: 100 },
      { blue: 90, green: 10 },
    ],
    [{ [wanted.blue]: 2, [wanted.green]: 1 }, undefined],
    [{ [wanted.blue]: 50, [groupArn('x')]: 50 }, undefined],
    [{ [wanted.blue]: 0 }, undefined],
  ])('have weights in whole percent, or none: %j', (weights, found) => {
    expect(slotWeights(live(weights), wanted)).toEqual(found);
  });

  test('are shown as they are, whatever they are', () => {
    const found = targets({ [wanted.blue]: 2, [groupArn('x')]: 1, [groupArn('y')]: 0 });
    expect(shownWeights(found, wanted)).toEqual({ blue: 66.67, green: 0, x: 33.33 });
    expect(shownWeights([], wanted)).toEqual({ blue: 0, green: 0 });
    expect(hasWeights({ targets: targets({ [wanted.blue]: 1 }) }, wanted, { blue: 100, green: 0 })).toBe(
      true,
    );
    expect(hasWeights({ targets: found }, wanted, { blue: 100, green: 0 })).toBe(false);
  });
});
