import { LeaseTaken } from '../../../lib/shift/engine';
import type { LeaseMemory } from '../../../lib/shift/leases';
import { memoryLease, noLease } from '../../../lib/shift/leases';
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
