import type { ShiftRun, Weights } from '../../../lib/shift/engine';
import { refuseChanged, RouterError, routerGroup } from '../../../lib/shift/engine';
import { all, check, FakeRule, World } from './world';

const settings = { step: [25, 50, 75], every: '1m', bake: '1m' } as const;
const rescue = { blue: 93, green: 7 };

test.each<[Weights, readonly Weights[] | undefined, boolean]>([
  [all('blue'), undefined, false],
  [all('blue'), [all('blue')], false],
  [{ blue: 100 }, [all('green'), all('blue')], false],
  [rescue, [all('green'), all('blue')], true],
  [rescue, [], true],
  [{ blue: 100, red: 1 }, [all('blue')], true],
])('%j where %j is expected', (live, expected, refused) => {
  const compare = () => refuseChanged('rule', live, expected);
  if (refused) {
    expect(compare).toThrow(RouterError);
  } else {
    expect(compare).not.toThrow();
  }
});

describe.each([
  ['a step', 'pass', 'changed the weights: this shift left blue 50, green 50 or blue 25, green 75'],
  ['a rollback', 'fail', 'errors: fail'],
] as const)('between the look of the shift and that of the router, at %s', (_, status, text) => {
  /** The write after half of the way. */
  const third = 2;

  async function run(change: Partial<ShiftRun> = {}, world = new World()) {
    world.rule.onWrite = (call) => {
      world.rule.weights = call === third ? rescue : world.rule.weights;
      return undefined;
    };
    const checks = [check(({ live }) => (live.green === 50 ? status : 'pass'))];
    return { world, outcome: await world.run(settings, { checks, ...change }) };
  }

  test('weights of somebody else end the shift, and stay', async () => {
    const { world, outcome } = await run();
    expect(outcome).toMatchObject({ verdict: 'aborted', final: rescue });
    expect(outcome.reason).toMatch(/Another process changed the weights/);
    expect(outcome.reason).toContain(text);
    expect(outcome.reason).toContain('It wrote nothing over it.');
    expect(world.rule.weights).toEqual(rescue);
    expect(world.rule.writeCalls).toBe(third + 1);
    expect(world.memory.record).toMatchObject({ ended: { verdict: 'aborted', live: rescue } });
  });

  test('those of one of several say what each has', async () => {
    const world = new World();
    const other = new FakeRule(all('blue'), world.clock, 'other rule');
    const { outcome } = await run({ router: routerGroup([other, world.rule]) }, world);
    expect(outcome).toMatchObject({ verdict: 'aborted', final: null });
    expect(outcome.reason).toContain('blue 93, green 7 on rule');
    expect(outcome.reason).toMatch(/Another process changed the weights/);
    expect(world.rule.weights).toEqual(rescue);
  });
});

test('a member whose write fails does not speak for the others', async () => {
  const world = new World();
  const other = new FakeRule(all('blue'), world.clock, 'other rule');
  const telling = {
    name: 'other rule',
    read: () => other.read(),
    write: () => Promise.reject(new RouterError('denied', 'no right', all('blue'))),
  };
  const router = routerGroup([world.rule, telling]);
  const outcome = await world.run(settings, { router });
  expect(outcome).toMatchObject({ verdict: 'aborted', final: null });
  expect(outcome.reason).toContain('Live are blue 75, green 25 on rule; blue 100, green 0 on other rule');
});

test('a member that has the weights already is looked at, and left', async () => {
  const world = new World();
  const other = new FakeRule(all('green'), world.clock, 'other rule');
  const group = routerGroup([world.rule, other]);
  await expect(group.read()).rejects.toThrow(/do not have the same weights/);
  other.weights = rescue;
  await expect(group.write(all('green'), undefined, [all('blue'), all('green')])).rejects.toMatchObject({
    failure: 'changed',
    live: undefined,
    message: expect.stringMatching(/^other rule has blue 93, green 7 where blue 0, green 100 was expected/),
  });
  expect(other.writeCalls).toBe(0);
});
