import { LeaseTaken } from '../../../lib/shift/engine';
import type { LeaseMemory } from '../../../lib/shift/leases';
import { kubernetesLease, memoryLease, noLease } from '../../../lib/shift/leases';
import { all, FakeClock } from '../engine/world';

const record = { origin: all('blue'), wanted: all('green'), written: all('blue'), startedAt: 0 };

test('a lease is for one at a time, until it expires or is given back', async () => {
  const memory: LeaseMemory = {};
  const clock = new FakeClock();
  const [one, other] = ['one', 'other'].map((holder) =>
    memoryLease({ memory, clock, holder, lastsMs: 1000 }),
  );
  expect(await one!.acquire()).toEqual({});
  await one!.keep(record);
  await expect(other!.acquire()).rejects.toMatchObject({ holder: 'one', expiresAt: clock.now() + 1000 });
  clock.advance(1000);
  expect(await other!.acquire()).toEqual({ record });
  await expect(one!.keep(record)).rejects.toBeInstanceOf(LeaseTaken);
  await one!.release(record);
  expect(memory.holder).toBe('other');
  expect(await one!.look()).toEqual({ record, holder: 'other', expiresAt: clock.now() + 1000 });
  await other!.release();
  expect(await one!.acquire()).toEqual({ record });
  const over = { ...record, ended: { at: 1, verdict: 'completed', live: all('green') } } as const;
  await one!.release(over);
  expect(await other!.look()).toEqual({ record: over });
});

test('no lease is held by everybody', async () => {
  expect([await noLease().acquire(), await noLease().acquire()]).toEqual([{}, {}]);
});

test('options that are no lease are refused, all at once', () => {
  const ended = { at: 1, verdict: 'fine', live: null };
  const wrong = {
    memory: { holdr: 'hunter2', record: { ...record, wanted: { green: 101 }, ended } },
    lastsMs: 0,
  };
  expect(() => memoryLease(wrong as object)).toThrow(
    [
      'memoryLease: 4 problems',
      '  memory.holdr: unknown key, did you mean "holder"?; known keys: holder, expiresAt, record',
      '  memory.record.wanted.green: 101: must be a whole number from 0 to 100',
      '  memory.record.ended.verdict: "fine": must be one of "completed", "rolledBack", "held", "aborted", "forgotten", "evacuated"',
      '  lastsMs: 0: must be a number of milliseconds above 0',
    ].join('\n'),
  );
  expect(() => kubernetesLease('id', {} as never, { duration: Infinity, clock: Date } as never)).toThrow(
    /^kubernetesLease: 3 problems\n {2}duration: Infinity: .*\n {2}clock: .*must be a clock\n {2}namespace: is required: /,
  );
});
