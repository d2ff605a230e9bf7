import type { LeaseMemory } from '../../lib/shift';
import { LeaseTaken, memoryLease, noLease } from '../../lib/shift';
import { all, FakeClock } from './world';

const record = { origin: all('blue'), wanted: all('green'), written: all('blue'), startedAt: 0 };

test('a lease is for one at a time, until it expires or is given back', async () => {
  const memory: LeaseMemory = {};
  const clock = new FakeClock();
  const [one, other] = ['one', 'other'].map((holder) =>
    memoryLease({ memory, clock, holder, lastsMs: 1000 }),
  );
  expect(await one!.acquire()).toBeUndefined();
  await one!.keep(record);
  await expect(other!.acquire()).rejects.toMatchObject({ holder: 'one', expiresAt: clock.now() + 1000 });
  clock.advance(1000);
  expect(await other!.acquire()).toBe(record);
  await expect(one!.keep(record)).rejects.toBeInstanceOf(LeaseTaken);
  await one!.release(true);
  expect(memory.holder).toBe('other');
  await other!.release(false);
  expect(await one!.acquire()).toBe(record);
  await one!.release(true);
  expect(memory.record).toBeUndefined();
});

test('no lease is held by everybody', async () => {
  expect([await noLease().acquire(), await noLease().acquire()]).toEqual([undefined, undefined]);
});
