import fc from 'fast-check';
import type { CheckStatus, CheckWindow, Verdict, WavesEvent, WavesState } from '../../../lib/shift/engine';
import { initialWaves, nextWaves, runWaves, wavesProblems } from '../../../lib/shift/engine';
import type { LeaseMemory } from '../../../lib/shift/leases';
import { memoryLease } from '../../../lib/shift/leases';
import { all, bluePlan, check, FakeClock, FakeRule, minute } from './world';

const waves = [['a', 'b'], ['c']];

function told(plan: { waves: string[][]; onFailure?: 'wave' | 'all' }, events: WavesEvent[]) {
  let state: WavesState = initialWaves(plan);
  const actions: string[][] = [];
  for (const event of events) {
    const answer = nextWaves(plan, state, event);
    state = answer.state;
    actions.push(answer.actions.map(({ type, shift }) => `${type} ${shift}`));
  }
  return { state, actions };
}

const started = { type: 'started' } as const;
const ended = (shift: string, verdict: Verdict) => ({ type: 'ended', shift, verdict }) as const;
const returned = (shift: string, verdict: Verdict) => ({ type: 'returned', shift, verdict }) as const;

describe('waves', () => {
  test('start when all before are complete', () => {
    const { state, actions } = told({ waves }, [
      started,
      ended('a', 'completed'),
      ended('b', 'completed'),
      ended('c', 'completed'),
    ]);
    expect(actions).toEqual([['run a', 'run b'], [], ['forget a', 'forget b', 'run c'], ['forget c']]);
    expect(state.verdict).toBe('completed');
  });

  test('that are rolled back together forget nothing before the end', () => {
    const { actions } = told({ waves, onFailure: 'all' }, [
      started,
      ended('a', 'completed'),
      ended('b', 'completed'),
      ended('c', 'completed'),
    ]);
    expect(actions.slice(2)).toEqual([['run c'], ['forget a', 'forget b', 'forget c']]);
  });

  test.each(['rolledBack', 'aborted'] as const)(
    'with one that ends %s stop and take back their own wave',
    (verdict) => {
      const { state, actions } = told({ waves }, [
        started,
        ended('a', verdict),
        ended('b', 'held'),
        returned('b', 'rolledBack'),
      ]);
      expect(actions).toEqual([['run a', 'run b'], ['stop b'], ['takeBack b'], []]);
      expect(state).toMatchObject({ verdict, failed: 'a', shifts: { c: 'waiting' } });
    },
  );

  test('take back one that came to its end although it was stopped', () => {
    const { actions } = told({ waves }, [started, ended('a', 'rolledBack'), ended('b', 'completed')]);
    expect(actions[2]).toEqual(['takeBack b']);
  });

  test('can take back all waves before', () => {
    const { state, actions } = told({ waves, onFailure: 'all' }, [
      started,
      ended('a', 'completed'),
      ended('b', 'completed'),
      ended('c', 'rolledBack'),
      returned('a', 'rolledBack'),
      returned('b', 'aborted'),
    ]);
    expect(actions[3]).toEqual(['takeBack a', 'takeBack b']);
    expect(state.verdict).toBe('aborted');
  });

  test('leave the waves before alone where only their own is to be taken back', () => {
    const { actions, state } = told({ waves }, [
      started,
      ended('a', 'completed'),
      ended('b', 'completed'),
      ended('c', 'rolledBack'),
    ]);
    expect([actions[3], state.verdict]).toEqual([[], 'rolledBack']);
  });

  test('with one that holds start nothing more, and take nothing back', () => {
    const { state, actions } = told({ waves }, [started, ended('a', 'held'), ended('b', 'completed')]);
    expect([actions[1], actions[2], state.verdict]).toEqual([[], [], 'held']);
  });

  test('that are interrupted start nothing more', () => {
    expect(told({ waves }, [{ type: 'interrupted' }, started])).toMatchObject({
      actions: [[], []],
      state: { verdict: 'held' },
    });
    const events = [started, { type: 'interrupted' } as const];
    expect(told({ waves }, [...events, ended('a', 'held'), ended('b', 'held')]).state.verdict).toBe('held');
    expect(
      told({ waves }, [...events, ended('a', 'rolledBack'), ended('b', 'rolledBack')]).state.verdict,
    ).toBe('rolledBack');
  });

  test('have every problem named', () => {
    const problems = wavesProblems({ waves: [['a', 'x'], [], ['a']] }, ['a', 'b']);
    expect(problems.map(({ path }) => path)).toEqual(['waves[0][1]', 'waves[1]', 'waves[2][0]', 'waves']);
  });

  test('have an answer to every event at any time, and an end once everything has ended', () => {
    const verdicts = fc.constantFrom<Verdict>('completed', 'rolledBack', 'held', 'aborted');
    const names = fc.constantFrom('a', 'b', 'c', 'x');
    const event: fc.Arbitrary<WavesEvent> = fc.oneof(
      fc.record({ type: fc.constant('ended' as const), shift: names, verdict: verdicts }),
      fc.record({ type: fc.constant('returned' as const), shift: names, verdict: verdicts }),
      fc.record({ type: fc.constantFrom('interrupted' as const, 'started' as const) }),
    );
    fc.assert(
      fc.property(fc.array(event), fc.constantFrom('wave' as const, 'all' as const), (story, onFailure) => {
        const plan = { waves, onFailure };
        const { state, actions } = told(plan, [started, ...story]);
        const runs = actions.flat().filter((action) => action.startsWith('run'));
        expect(new Set(runs).size).toBe(runs.length);
        let end = state;
        for (let turn = 0; turn < 20 && end.verdict === null; turn += 1) {
          for (const [shift, place] of Object.entries(end.shifts)) {
            const type = place === 'returning' ? 'returned' : 'ended';
            end = nextWaves(plan, end, { type, shift, verdict: 'rolledBack' }).state;
          }
        }
        expect(end.verdict).not.toBeNull();
      }),
    );
  });
});

describe('running waves', () => {
  class Region {
    public readonly rule: FakeRule;
    public readonly memory: LeaseMemory = {};

    public constructor(
      private readonly name: string,
      private readonly clock: FakeClock,
      private readonly answer: (window: CheckWindow) => CheckStatus = () => 'pass',
    ) {
      this.rule = new FakeRule(all('blue'), clock, name);
    }

    /** Whether its lease is free, and its shift marked as ended. */
    public get over(): boolean {
      return this.memory.holder === undefined && this.memory.record?.ended !== undefined;
    }

    public get run() {
      const { clock, memory, rule } = this;
      return {
        plan: bluePlan({ step: 50, every: '1m', bake: '3m' }),
        router: rule,
        checks: [check(this.answer)],
        lease: memoryLease({ memory, clock, holder: this.name }),
        clock,
      };
    }
  }

  function regions(bad: string, percent = 100) {
    const clock = new FakeClock();
    const answer =
      (name: string) =>
      (window: CheckWindow): CheckStatus =>
        name === bad && window.live.green! >= percent ? 'fail' : 'pass';
    const three = {
      a: new Region('a', clock, answer('a')),
      b: new Region('b', clock),
      c: new Region('c', clock, answer('c')),
    };
    const shifts = Object.fromEntries(Object.entries(three).map(([name, region]) => [name, region.run]));
    return { clock, ...three, shifts };
  }

  test('one after the other', async () => {
    const { a, b, c, shifts, clock } = regions('none');
    const begun = clock.now();
    expect(await runWaves({ waves, shifts })).toMatchObject({
      schemaVersion: 1,
      verdict: 'completed',
      reverted: {},
    });
    expect([a.rule.green, b.rule.green, c.rule.green]).toEqual([
      [50, 100],
      [50, 100],
      [50, 100],
    ]);
    expect(c.rule.writes[0]!.at - begun).toBe(5 * minute);
    expect([a.over, b.over, c.over]).toEqual([true, true, true]);
  });

  test('whose records can not be marked as ended are complete, and say so', async () => {
    const { b, shifts } = regions('none');
    const { lease } = shifts['a']!;
    const release: typeof lease.release = (record) =>
      record?.ended ? Promise.reject(new Error('no answer')) : lease.release(record);
    const outcome = await runWaves({
      waves,
      shifts: { ...shifts, a: { ...shifts['a']!, lease: { ...lease, release } } },
    });
    expect(outcome).toMatchObject({
      verdict: 'completed',
      leaseProblems: ['The lease lease in memory could not be marked as ended: no answer'],
    });
    expect(b.over).toBe(true);
  });

  test('a failure takes its own wave back, what runs and what is complete, and starts no other', async () => {
    const { a, b, c, shifts } = regions('a');
    const outcome = await runWaves({ waves, shifts });
    expect(outcome).toMatchObject({ verdict: 'rolledBack', shifts: { c: null } });
    expect(outcome.reason).toMatch(/^a: errors: /);
    expect([a.rule.weights, b.rule.weights, c.rule.writeCalls]).toEqual([all('blue'), all('blue'), 0]);
    expect(b.rule.green.at(-1)).toBe(0);
    expect(outcome.reverted.b!.reason).toContain('a has failed.');
    expect([a.over, b.over]).toEqual([true, true]);
  });

  test('a failure can take all back', async () => {
    const { a, b, c, shifts } = regions('c');
    expect(await runWaves({ waves, shifts, onFailure: 'all' })).toMatchObject({ verdict: 'rolledBack' });
    expect([a.rule.green, b.rule.green, c.rule.green]).toEqual([
      [50, 100, 0],
      [50, 100, 0],
      [50, 100, 0],
    ]);
    const own = regions('c');
    await runWaves({ waves, shifts: own.shifts, onFailure: 'wave' });
    expect([own.a.rule.green, own.c.rule.green]).toEqual([
      [50, 100],
      [50, 100, 0],
    ]);
  });

  test('what somebody else has changed is not taken back', async () => {
    const { a, c, shifts } = regions('c', 50);
    c.rule.onWrite = () => {
      a.rule.weights = { blue: 30, green: 70 };
      return undefined;
    };
    const outcome = await runWaves({ waves, shifts, onFailure: 'all' });
    expect(outcome).toMatchObject({
      verdict: 'aborted',
      reverted: { a: { verdict: 'aborted' }, b: { verdict: 'rolledBack' } },
    });
    expect(a.rule.weights).toEqual({ blue: 30, green: 70 });
  });

  test('an interrupt holds what runs, and the next run goes on', async () => {
    const { a, c, shifts } = regions('none');
    const interrupt = new AbortController();
    c.rule.onWrite = () => void interrupt.abort();
    const held = await runWaves({ waves, shifts, onFailure: 'all', signal: interrupt.signal });
    expect(held).toMatchObject({
      verdict: 'held',
      shifts: { a: { verdict: 'completed' }, c: { verdict: 'held' } },
    });
    c.rule.onWrite = () => undefined;
    expect(await runWaves({ waves, shifts, onFailure: 'all' })).toMatchObject({
      verdict: 'completed',
      shifts: { a: { from: all('blue') }, c: { from: all('blue') } },
    });
    expect([a.rule.green, c.rule.green, a.over]).toEqual([[50, 100], [50, 100], true]);
    const early = regions('none');
    const none = await runWaves({ waves, shifts: early.shifts, signal: AbortSignal.abort() });
    expect(none).toMatchObject({ verdict: 'held', shifts: { a: null }, reason: 'Interrupted.' });
  });

  test('wrong waves are refused before anything starts', async () => {
    const { a, shifts } = regions('none');
    await expect(runWaves({ waves: [['a', 'b']], shifts })).rejects.toThrow('waves');
    expect(a.rule.reads).toBe(0);
  });
});
