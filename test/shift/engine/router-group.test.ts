import type { ShiftOutcome, Weights } from '../../../lib/shift/engine';
import { RouterError, routerGroup, RoutersDiverged } from '../../../lib/shift/engine';
import { all, check, FakeRule, minute, World } from './world';

const settings = { step: 50, every: '1m', bake: '1m' } as const;

class Pair {
  public readonly world = new World();
  public readonly other: FakeRule;

  public constructor(other: Weights = all('blue')) {
    this.other = new FakeRule(other, this.world.clock, 'other rule');
  }

  public run(answer: 'pass' | 'fail' = 'pass', change = {}): Promise<ShiftOutcome> {
    const router = routerGroup([this.world.rule, this.other]);
    return this.world.run(settings, { router, checks: [check(() => answer)], ...change });
  }

  public get green() {
    return [this.world.rule.green, this.other.green];
  }
}

describe('a group of routers', () => {
  test('moves as one', async () => {
    const pair = new Pair();
    expect(await pair.run()).toMatchObject({ verdict: 'completed', final: all('green') });
    expect(pair.green).toEqual([
      [50, 100],
      [50, 100],
    ]);
  });

  test('of one is that one', () => {
    const { rule } = new World();
    expect(routerGroup([rule])).toBe(rule);
  });

  test('whose members differ from the start is not touched', async () => {
    const pair = new Pair({ blue: 60, green: 40 });
    const outcome = await pair.run();
    expect(outcome).toMatchObject({ verdict: 'aborted', writes: [], final: null });
    expect(outcome.reason).toContain('blue 100, green 0 on rule; blue 60, green 40 on other rule');
    expect([pair.world.rule.writeCalls, pair.other.writeCalls]).toEqual([0, 0]);
    await expect(routerGroup([pair.world.rule, pair.other]).read()).rejects.toBeInstanceOf(RoutersDiverged);
  });

  test('whose second member refuses a write stops; the next run finishes that step first', async () => {
    const pair = new Pair();
    pair.other.onWrite = () => 'denied';
    const outcome = await pair.run();
    expect(outcome).toMatchObject({ verdict: 'aborted', final: null });
    expect(outcome.reason).toContain('Live are blue 50, green 50 on rule; blue 100, green 0 on other rule');
    pair.other.onWrite = () => undefined;
    expect(await pair.run()).toMatchObject({ verdict: 'completed', from: all('blue') });
    expect(pair.green).toEqual([
      [50, 100],
      [50, 100],
    ]);
  });

  test('whose step was not written everywhere goes back everywhere', async () => {
    const pair = new Pair();
    pair.other.onWrite = () => 'throttled';
    const outcome = await pair.run('pass');
    expect(outcome).toMatchObject({ verdict: 'aborted' });
    pair.other.onWrite = () => undefined;
    expect(await pair.run('fail')).toMatchObject({ verdict: 'rolledBack', final: all('blue') });
    expect([pair.world.rule.weights, pair.other.weights]).toEqual([all('blue'), all('blue')]);
  });

  test('whose second member is throttled in a rollback goes back everywhere all the same', async () => {
    const pair = new Pair();
    let tries = 0;
    pair.other.onWrite = (_call, { green }) => (green === 0 && (tries += 1) < 3 ? 'throttled' : undefined);
    expect(await pair.run('fail')).toMatchObject({ verdict: 'rolledBack', final: all('blue') });
    expect(pair.green).toEqual([
      [50, 0],
      [50, 0],
    ]);
  });

  test('that was stopped between two members without a record goes on from an origin that the caller knows', async () => {
    const pair = new Pair({ blue: 50, green: 50 });
    expect(await pair.run('pass', { origin: all('blue') })).toMatchObject({
      verdict: 'completed',
      from: all('blue'),
    });
    expect(pair.green).toEqual([[50, 100], [100]]);
    const foreign = new Pair({ blue: 55, green: 45 });
    expect(await foreign.run('pass', { origin: all('blue') })).toMatchObject({
      verdict: 'aborted',
      writes: [],
    });
  });

  test('of which somebody changes one member stops', async () => {
    const pair = new Pair();
    const changes = check(({ live }) => {
      pair.other.weights = live.green === 50 ? { blue: 30, green: 70 } : pair.other.weights;
      return 'pass';
    });
    const outcome = await pair.run('pass', { checks: [changes] });
    expect(outcome).toMatchObject({ verdict: 'aborted', final: null });
    expect(outcome.reason).toContain('blue 50, green 50 on rule; blue 30, green 70 on other rule');
    expect(pair.green).toEqual([[50], [50]]);
  });

  test('of which somebody changes one member while another is written stops there', async () => {
    const pair = new Pair();
    pair.world.rule.onWrite = (call) => {
      pair.other.weights = call === 1 ? { blue: 30, green: 70 } : pair.other.weights;
      return undefined;
    };
    const outcome = await pair.run();
    expect(outcome.verdict).toBe('aborted');
    expect(outcome.reason).toMatch(/Another process changed|somebody else changed other rule/);
    expect(pair.other.weights).toEqual({ blue: 30, green: 70 });
    expect(pair.other.green).toEqual([50]);
  });

  test('writes to no member that has the weights already', async () => {
    const pair = new Pair();
    const group = routerGroup([pair.world.rule, pair.other]);
    await group.read();
    await group.write(all('blue'));
    expect([pair.world.rule.writeCalls, pair.other.writeCalls]).toEqual([0, 0]);
    await group.write(all('green'));
    expect([pair.world.rule.writeCalls, pair.other.writeCalls]).toEqual([1, 1]);
  });

  test('says which member fails', async () => {
    const pair = new Pair();
    pair.other.onRead = () => 'notFound';
    await expect(routerGroup([pair.world.rule, pair.other]).read()).rejects.toBeInstanceOf(RouterError);
    expect(pair.world.minutes * minute).toBe(0);
  });
});
