import type { KubernetesLease, KubernetesLeases } from 'cluster-canary/leases';
import { kubernetesLease, kubernetesLeaseName } from 'cluster-canary/leases';
import type { Clock, ShiftRecord } from 'cluster-canary/shift';
import { LeaseTaken } from 'cluster-canary/shift';
import fc from 'fast-check';
import { ruleArn } from '../routers/arns';

const record: ShiftRecord = {
  origin: { blue: 100, green: 0 },
  wanted: { blue: 0, green: 100 },
  written: { blue: 90, green: 10 },
  startedAt: 5,
};

/** Leases of an API server. */
class LeaseMemory implements KubernetesLeases {
  public stored: KubernetesLease | undefined;
  public before: (verb: string) => unknown = () => undefined;
  private version = 0;

  public async get() {
    await this.before('get');
    return this.stored;
  }

  public async create(lease: KubernetesLease) {
    await this.before('create');
    return this.stored ? undefined : this.store(lease);
  }

  public async replace(lease: KubernetesLease) {
    await this.before('replace');
    const { resourceVersion } = lease.metadata;
    return this.stored && this.stored.metadata.resourceVersion === resourceVersion
      ? this.store(lease)
      : undefined;
  }

  private store(lease: KubernetesLease) {
    const resourceVersion = String(++this.version);
    this.stored = structuredClone({ ...lease, metadata: { ...lease.metadata, resourceVersion } });
    return this.stored;
  }
}

let memory: LeaseMemory;
let now: number;
const clock: Clock = { now: () => now, sleep: () => Promise.resolve() };

beforeEach(() => {
  memory = new LeaseMemory();
  now = Date.parse('2026-01-02T03:04:05.678Z');
});

const lease = (holder: string) =>
  kubernetesLease(ruleArn, memory, { namespace: 'argocd', holder, duration: 60_000, clock });

test('a Lease is created, kept, and its record marked when the shift has ended', async () => {
  const one = lease('one');
  expect(one.name).toBe(`Lease argocd/${kubernetesLeaseName(ruleArn)}`);
  expect(await one.acquire()).toEqual({});
  expect(memory.stored).toEqual({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: kubernetesLeaseName(ruleArn),
      namespace: 'argocd',
      resourceVersion: '1',
    },
    spec: {
      holderIdentity: 'one',
      leaseDurationSeconds: 60,
      acquireTime: '2026-01-02T03:04:05.678000Z',
      renewTime: '2026-01-02T03:04:05.678000Z',
      leaseTransitions: 0,
    },
  });
  now += 50_000;
  await one.keep(record);
  expect(memory.stored).toMatchObject({
    metadata: {
      annotations: { 'cluster-canary/shift-record': JSON.stringify({ schemaVersion: 2, ...record }) },
    },
    spec: { acquireTime: '2026-01-02T03:04:05.678000Z', renewTime: '2026-01-02T03:04:55.678000Z' },
  });
  const over = { ...record, ended: { at: 7, verdict: 'completed', live: null } } as const;
  await one.release(over);
  expect(memory.stored).toMatchObject({ spec: { holderIdentity: '' } });
  expect(await lease('two').look()).toEqual({ record: over });
  expect(await lease('two').acquire()).toEqual({ record: over });
  expect(memory.stored).toMatchObject({ spec: { holderIdentity: 'two', leaseTransitions: 1 } });
});

test('of two, the second is told who has it and until when', async () => {
  await lease('one').acquire();
  await expect(lease('two').acquire()).rejects.toMatchObject({
    name: 'LeaseTaken',
    holder: 'one',
    expiresAt: now + 60_000,
  });
});

test('an unfinished shift leaves its record to the next', async () => {
  const one = lease('one');
  await one.acquire();
  await one.keep(record);
  await one.release();
  expect(await lease('two').acquire()).toEqual({ record });
});

test('a lease that has expired is taken over with its record; its holder notices', async () => {
  const one = lease('one');
  await one.acquire();
  await one.keep(record);
  now += 60_000;
  const two = lease('two');
  expect(await two.acquire()).toEqual({ record });
  await expect(one.keep(record)).rejects.toMatchObject({ name: 'LeaseTaken', holder: 'two' });
  await one.release(record);
  expect(memory.stored!.spec!.holderIdentity).toBe('two');
  await two.release();
  await expect(one.keep(record)).rejects.toBeInstanceOf(LeaseTaken);
});

test('what else stands on the Lease stays', async () => {
  memory.stored = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: kubernetesLeaseName(ruleArn),
      namespace: 'argocd',
      annotations: { 'example.com/note': 'mine' },
      ...{ labels: { team: 'web' } },
    },
    spec: { leaseTransitions: 7, ...{ strategy: 'OldestEmulationVersion' } },
  };
  const one = lease('one');
  await one.acquire();
  await one.keep(record);
  await one.release(record);
  expect(memory.stored).toMatchObject({
    metadata: { annotations: { 'example.com/note': 'mine' }, labels: { team: 'web' } },
    spec: { strategy: 'OldestEmulationVersion', leaseTransitions: 8 },
  });
});

test('a Lease that changes all the time is given up', async () => {
  memory.before = async (verb) => {
    if (verb !== 'get') {
      memory.before = () => undefined;
      memory.stored = undefined;
      const before = lease('other');
      await before.acquire();
      await before.release();
      memory.before = changing;
    }
  };
  const changing = memory.before;
  await expect(lease('one').acquire()).rejects.toMatchObject({
    name: 'LeaseTaken',
    holder: 'another process',
  });
});

const stored = (text: string) => {
  memory.stored = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: kubernetesLeaseName(ruleArn),
      namespace: 'argocd',
      annotations: { 'cluster-canary/shift-record': text },
    },
  };
};

test('a record of the version before is read, an unreadable one is said, a newer one is left alone', async () => {
  stored(JSON.stringify(record));
  expect(await lease('one').look()).toEqual({ record });
  stored('[]');
  expect(await lease('one').look()).toEqual({ problem: 'it is no record of a shift' });
  // A person may still patch it.
  const reader = lease('reader');
  await reader.acquire();
  await reader.release();
  expect(await lease('one').look()).toEqual({ problem: 'it is no record of a shift' });
  stored('{"schemaVersion":3}');
  for (const call of [() => lease('one').acquire(), () => lease('one').look()]) {
    await expect(call()).rejects.toMatchObject({ name: 'NewerLease' });
  }
  expect(memory.stored!.spec).toBeUndefined();
});

const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const fields = JSON.stringify(record).slice(1, -1);

test.each([
  ['deep below a field of a newer release', `{${fields},"x":${deep}}`, /nested more than 20 levels/],
  ['deep below a field that it knows', `{${fields},"origin":${deep}}`, /nested more than 20 levels/],
  ['deep', deep, /no record of a shift/],
  ['longer than an annotation', `{${fields},"x":"${'x'.repeat(262_144)}"}`, /no record of a shift/],
  ['with a slot that has a long name', `{${fields},"wanted":{"${'x'.repeat(254)}":100}}`, /^wanted: /],
])('a record that is %s is none, and is written over', async (_what, text, problem) => {
  stored(text);
  const one = lease('one');
  expect(await one.look()).toEqual({ problem: expect.stringMatching(problem) });
  expect(await one.acquire()).toEqual({ problem: expect.stringMatching(problem) });
  await one.keep(record);
  expect(await one.look()).toMatchObject({ record });
});

test('a field called __proto__ is data', async () => {
  stored(`{${fields},"__proto__":{"ended":{"at":1,"verdict":"completed","live":null}}}`);
  const { record: read } = await lease('one').acquire();
  expect(read!.ended).toBeUndefined();
});

test.each([1e300, '1e30', -1e300, null])('a Lease of %j seconds keeps nobody out', async (seconds) => {
  stored(JSON.stringify(record));
  const renewTime = '2026-01-02T03:04:05.678000Z';
  const spec = { holderIdentity: 'two', renewTime, leaseDurationSeconds: seconds as number };
  memory.stored = { ...memory.stored!, spec };
  expect(await lease('one').look()).toEqual({ record });
  expect(await lease('one').acquire()).toEqual({ record });
});

test('a holder with a long name is said in short', async () => {
  stored(JSON.stringify(record));
  const spec = {
    holderIdentity: 'x'.repeat(1e6),
    renewTime: '2026-01-02T03:04:05.678000Z',
    leaseDurationSeconds: 60,
  };
  memory.stored = { ...memory.stored!, spec };
  const taken = await lease('one')
    .acquire()
    .catch((error: Error) => error);
  expect(taken).toBeInstanceOf(LeaseTaken);
  expect((taken as Error).message.length).toBeLessThan(1_300);
});

test('a Lease that changes while it is given back is marked at the next try', async () => {
  const one = lease('one');
  await one.acquire();
  let changes = 1;
  memory.before = (verb) => {
    if (verb === 'replace' && changes-- > 0) {
      memory.stored = { ...memory.stored!, metadata: { ...memory.stored!.metadata, resourceVersion: '99' } };
    }
  };
  await one.release(record);
  expect(await lease('two').look()).toEqual({ record });
});

test('one that changes all the time can not be given back', async () => {
  const one = lease('one');
  await one.acquire();
  let version = 100;
  memory.before = (verb) => {
    if (verb === 'replace') {
      memory.stored = {
        ...memory.stored!,
        metadata: { ...memory.stored!.metadata, resourceVersion: String(++version) },
      };
    }
  };
  await expect(one.release(record)).rejects.toThrow('changed at each of 3 tries');
});

test('other failures are thrown as they are', async () => {
  const error = new Error('no answer');
  memory.before = () => {
    throw error;
  };
  await expect(lease('one').acquire()).rejects.toBe(error);
});

test('of many that take it at once, in any order of their calls, one gets it and keeps it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 4 }), async (s, many) => {
      memory = new LeaseMemory();
      memory.before = (verb) => s.schedule(Promise.resolve(), verb);
      const all = [...Array(many).keys()].map((number) => lease(`holder-${number}`));
      const asked = all.map((one) => one.acquire().then(() => one));
      await s.waitFor(Promise.allSettled(asked));
      const results = await Promise.allSettled(asked);
      const winners = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      expect(winners).toHaveLength(1);
      memory.before = () => undefined;
      await winners[0]!.keep(record);
    }),
  );
});
