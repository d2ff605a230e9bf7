import type { KubernetesLease, KubernetesLeases } from 'cluster-canary/leases';
import { kubernetesLease, ssmLease, ssmLeaseParameter } from 'cluster-canary/leases';
import type { CapacityRecord, Clock, ShiftRecord } from 'cluster-canary/shift';
import fc from 'fast-check';
import { ruleArn } from '../routers/arns';
import { SsmMemory } from './ssm-memory';

let memory: SsmMemory;
let now: number;
const clock: Clock = { now: () => now, sleep: () => Promise.resolve() };

beforeEach(() => {
  memory = new SsmMemory();
  now = 1_000_000;
});

const main = ssmLeaseParameter(ruleArn);
const lease = (holder: string) => ssmLease(ruleArn, memory.clients, { holder, duration: 60_000, clock });

const base: ShiftRecord = {
  origin: { blue: 100, green: 0 },
  wanted: { blue: 0, green: 100 },
  written: { blue: 90, green: 10 },
  startedAt: 5,
};

/** What a shift raises of so many workloads in two slots. */
const raised = (many: number, keyOf: (index: number) => string, written = 8): CapacityRecord =>
  Object.fromEntries(
    ['blue', 'green'].map((slot) => [
      slot,
      {
        context: `apps-${slot}`,
        by: '0123456789',
        minimums: Object.fromEntries(
          [...Array(many).keys()].map((index) => [keyOf(index), [2, 20, written] as const]),
        ),
      },
    ]),
  );
const usual = (index: number) => `deployment/shop-${index % 7}/checkout-service-${index}@hpa`;
const longest = (index: number) =>
  `statefulset/${String(index).padEnd(63, 'n')}/${String(index).padEnd(253, 'w')}@scaledobject/${String(index).padEnd(253, 's')}`;

const newest = (name: string) => memory.versions.get(name)?.at(-1);

test.each([
  ['one workload', 1, usual, 1],
  ['50 workloads with usual names', 50, usual, 3],
  ['50 workloads with the longest names', 50, longest, 16],
])('%s fit', async (_what, many, keyOf, parameters) => {
  const record = { ...base, raised: raised(many, keyOf) };
  const one = lease('one');
  await one.acquire();
  await one.keep(record);
  expect(memory.versions.size).toBe(parameters);
  expect(await lease('two').look()).toMatchObject({ record });
  now += 60_000;
  const two = lease('two');
  expect(await two.acquire()).toEqual({ record });
  await two.release();
  expect(await lease('three').look()).toEqual({ record });
});

test('further parameters are written again only where they say something else', async () => {
  const one = lease('one');
  await one.acquire();
  const record = { ...base, raised: raised(50, usual) };
  await one.keep(record);
  const before = memory.clients.inputs('PutParameter').length;
  await one.keep({ ...record, written: { blue: 75, green: 25 } });
  expect(memory.clients.inputs('PutParameter')).toHaveLength(before + 1);
  now += 60_000;
  const two = lease('two');
  await two.acquire();
  await two.keep({ ...record, written: { blue: 50, green: 50 } });
  expect(memory.clients.inputs('PutParameter')).toHaveLength(before + 3);
  // Once all is given back, the record fits into one.
  await two.release(base);
  expect(newest(main)).not.toContain('raisedIn');
  expect(await lease('three').look()).toEqual({ record: base });
});

test('killed between any two writes, the record is the old one or the new one', async () => {
  const old = { ...base, raised: raised(50, usual, 8) };
  const fresh = { ...base, raised: raised(50, usual, 20) };
  for (let writes = 0; ; writes += 1) {
    memory = new SsmMemory();
    const one = lease('one');
    await one.acquire();
    await one.keep(old);
    let left = writes;
    memory.before = (command) => {
      if (command === 'PutParameter' && left-- === 0) {
        throw new Error('killed');
      }
    };
    const kept = await one.keep(fresh).then(
      () => true,
      () => false,
    );
    memory.before = () => undefined;
    now += 60_000;
    expect(await lease('two').acquire()).toEqual({ record: kept ? fresh : old });
    if (kept) {
      expect(writes).toBe(3);
      return;
    }
  }
});

test('a record that is too long is refused before anything is written', async () => {
  const one = lease('one');
  await one.acquire();
  const before = memory.clients.inputs('PutParameter').length;
  await expect(one.keep({ ...base, raised: raised(100, longest) })).rejects.toThrow(
    /^SSM parameter .*: what the record says of raised capacity is \d{6} characters long, and 24 parameters hold 98304; a Kubernetes lease holds more$/,
  );
  const slots = [...Array(40).keys()].map((index) => `${index}`.padEnd(60, 's'));
  const weights = Object.fromEntries(slots.map((slot, index) => [slot, index === 0 ? 100 : 0]));
  await expect(one.keep({ ...base, origin: weights, wanted: weights })).rejects.toThrow(
    /the record is \d{4} characters long, and a parameter holds 4096; a Kubernetes lease holds more$/,
  );
  expect(memory.clients.inputs('PutParameter')).toHaveLength(before);
});

test('a Kubernetes lease holds 50 workloads with the longest names', async () => {
  let stored: KubernetesLease | undefined;
  const leases: KubernetesLeases = {
    get: () => Promise.resolve(stored),
    create: (created) => Promise.resolve((stored = created)),
    replace: (replaced) => Promise.resolve((stored = replaced)),
  };
  const record = { ...base, raised: raised(50, longest) };
  const one = kubernetesLease(ruleArn, leases, { namespace: 'argocd', holder: 'one', clock });
  await one.acquire();
  await one.keep(record);
  expect(await one.look()).toMatchObject({ record });
  const lengths = Object.values(stored!.metadata.annotations!).map((each) => each.length);
  expect(Math.max(...lengths)).toBeLessThan(262_144);
});

test('where a further parameter is gone, the weights of the record still count, and it is said', async () => {
  const record = { ...base, raised: raised(50, usual) };
  const one = lease('one');
  await one.acquire();
  await one.keep(record);
  await one.release();
  const second = memory.versions.get(`${main}-2`)!;
  memory.versions.delete(`${main}-2`);
  const problem = expect.stringMatching(
    /^what capacity the shift has raised can't be read: one of .*-2:1, .*-3:1 is gone or was changed$/,
  );
  expect(await lease('two').look()).toEqual({ record: base, problem });
  const two = lease('two');
  expect(await two.acquire()).toEqual({ record: base, problem });
  await two.release();
  // Nothing was lost by looking at it.
  memory.versions.set(`${main}-2`, second);
  expect(await lease('three').look()).toEqual({ record });
});

test('a version that is not there yet is read again', async () => {
  const record = { ...base, raised: raised(50, usual) };
  const one = lease('one');
  await one.acquire();
  await one.keep(record);
  await one.release();
  let missing = 2;
  memory.before = (command, input) => {
    if (command === 'GetParameter' && input.Name === `${main}-2:1` && missing-- > 0) {
      input.Name = `${main}-2:9`;
    }
  };
  expect(await lease('two').look()).toEqual({ record });
});

test('names of any characters come back as they were', async () => {
  await fc.assert(
    fc.asyncProperty(fc.fullUnicodeString({ minLength: 1, maxLength: 40 }), async (context) => {
      memory = new SsmMemory();
      const slots = Object.entries(raised(50, usual));
      const record = {
        ...base,
        raised: Object.fromEntries(slots.map(([slot, place]) => [slot, { ...place, context }])),
      };
      const one = lease('one');
      await one.acquire();
      await one.keep(record);
      for (const [name, [text]] of memory.versions) {
        if (name !== main) {
          expect(text).toMatch(/^[!-~]+$/);
        }
      }
      expect(await lease('two').look()).toMatchObject({ record });
    }),
    { numRuns: 20 },
  );
});

test('a holder that took over from two at once puts back a lease with its further parameters', async () => {
  const record = { ...base, raised: raised(50, usual) };
  const killed = lease('killed');
  await killed.acquire();
  await killed.keep(record);
  now += 60_000;
  const [one, two] = [lease('one'), lease('two')];
  const outcomes = await Promise.allSettled([one.acquire(), two.acquire()]);
  const winner = outcomes[0]!.status === 'fulfilled' ? one : two;
  await winner.keep(record);
  expect(await lease('three').look()).toMatchObject({ record });
});

test('where all parameters are deleted while a shift runs, the next record has all of it again', async () => {
  const record = { ...base, raised: raised(50, usual) };
  const one = lease('one');
  await one.acquire();
  await one.keep(record);
  memory.versions.clear();
  await one.keep(record);
  expect(await lease('two').look()).toMatchObject({ record });
});

test('what is no record, and long in bytes, keeps no one from taking the lease', async () => {
  const text = JSON.stringify({ schemaVersion: 2, expiresAt: 0, record: '\u8a18'.repeat(1_345) });
  memory.versions.set(main, [text]);
  const one = lease('one');
  expect(await one.acquire()).toEqual({ problem: 'its record is no record of a shift' });
  await one.keep(base);
  expect(await lease('two').look()).toMatchObject({ record: base });
});
