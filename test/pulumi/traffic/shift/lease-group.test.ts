import { leaseGroup } from '../../../../lib/pulumi/traffic/shift/run';
import type { Lease, ShiftRecord } from '../../../../lib/shift/engine';
import { LeaseTaken } from '../../../../lib/shift/engine';

const record = (green: number): ShiftRecord => ({
  origin: { blue: 100, green: 0 },
  wanted: { blue: 0, green: 100 },
  written: { blue: 100 - green, green },
  startedAt: 0,
});

/** Leases that say what is asked of them. */
function setting(found: Readonly<Record<string, ShiftRecord | Error | undefined>>, broken?: string) {
  const asked: string[] = [];
  const leases = Object.entries(found).map(([name, stored]): Lease => {
    const did = (what: string) => {
      asked.push(`${what} ${name}`);
      return name === broken ? Promise.reject(new Error(`${name} is broken`)) : Promise.resolve();
    };
    return {
      name,
      acquire: () => {
        asked.push(`acquire ${name}`);
        return stored instanceof Error
          ? Promise.reject(stored)
          : Promise.resolve(stored ? { record: stored } : {});
      },
      keep: () => did('keep'),
      look: () => Promise.resolve(stored instanceof Error || !stored ? {} : { record: stored }),
      release: (left) => did(left ? 'mark' : 'release'),
      seize: () => did('seize').then(() => undefined),
    };
  });
  return { group: leaseGroup(leases), asked };
}

test('one lease is itself', () => {
  const { group } = setting({ a: undefined });
  expect(group.name).toBe('a');
});

test('all are taken, and the first record counts, which is the newest', async () => {
  const { group, asked } = setting({ a: undefined, b: record(50), c: record(10) });
  expect(await group.acquire()).toEqual({ record: record(50) });
  expect(await group.look()).toEqual({ record: record(50) });
  expect(asked).toEqual(['acquire a', 'acquire b', 'acquire c']);
});

test('where one is taken by somebody else, none is: the others are given back with their records', async () => {
  const taken = new LeaseTaken('c is taken', 'somebody', 0);
  const { group, asked } = setting({ a: record(10), b: undefined, c: taken, d: undefined });
  await expect(group.acquire()).rejects.toBe(taken);
  expect(asked).toEqual(['acquire a', 'acquire b', 'acquire c', 'release b', 'release a']);
});

test('the record is written to the first one first, and marked there last', async () => {
  const { group, asked } = setting({ a: undefined, b: undefined });
  await group.keep(record(10));
  await group.release(record(10));
  expect(asked).toEqual(['keep a', 'keep b', 'mark b', 'mark a']);
});

test('one that can not be given back does not keep the others', async () => {
  const { group, asked } = setting({ a: undefined, b: undefined, c: undefined }, 'b');
  await expect(group.release()).rejects.toThrow('b is broken');
  expect(asked).toEqual(['release c', 'release b', 'release a']);
});

test('of records that differ the newest counts; one that some members have marked goes on', async () => {
  const old = record(10);
  const newer = { ...record(50), startedAt: 9 };
  const ended = { ...newer, ended: { at: 10, verdict: 'completed', live: null } } as const;
  expect(await setting({ a: ended, b: old }).group.acquire()).toEqual({ record: ended });
  expect(await setting({ a: old, b: ended }).group.acquire()).toEqual({ record: ended });
  expect(await setting({ a: newer, b: ended }).group.acquire()).toEqual({ record: newer });
  expect(await setting({ a: ended, b: newer }).group.acquire()).toEqual({ record: newer });
});
