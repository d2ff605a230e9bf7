import type { CapacityRequest, CheckResult } from '../../../lib/shift/engine';
import { carryOut } from '../../../lib/shift/evacuate';
import type { PlannedRoute } from '../../../lib/shift/evacuate';
import { memoryLease } from '../../../lib/shift/leases';
import type { LeaseMemory } from '../../../lib/shift/leases';

const before = { blue: 50, green: 50 };
const after = { blue: 100, green: 0 };
const raised = { blue: { minimums: { 'hpa/web/web': [2, 10, 20] as const } } };
const request = { slot: 'green' };
const control = { say: () => undefined, by: 'alex@laptop' };

type Prepare = (asked: CapacityRequest, signal?: AbortSignal) => Promise<CheckResult>;

/** A route of a rule in memory. */
function planned(prepare: Prepare, memory: LeaseMemory = {}, writes: object[] = []): PlannedRoute {
  let live: Record<string, number> = before;
  return {
    before,
    exact: before,
    known: { live: before, healthy: {} },
    decision: { kind: 'write', weights: after, because: '' },
    route: {
      name: 'web',
      layer: 'http',
      lease: memoryLease({ memory }),
      router: {
        name: 'web',
        write: (weights) => Promise.resolve(void writes.push((live = weights))),
      },
      describe: () => Promise.resolve({ raw: live, exact: live, notes: [] }),
      healthy: () => Promise.resolve({}),
      capacity: { prepare },
    },
  };
}

const pass: CheckResult = { status: 'pass', reason: '', figures: [] };

test('the capacity of the slot that gets the traffic is raised, and is on record before', async () => {
  const memory: LeaseMemory = {};
  const asked: CapacityRequest[] = [];
  let atRaise: LeaseMemory = {};
  const prepare: Prepare = async (each) => {
    asked.push(each);
    await each.remember(raised);
    atRaise = { ...memory };
    return pass;
  };
  const report = await carryOut({ plan: [planned(prepare, memory)], request, startedAt: 0 }, control);
  expect(report).toMatchObject({ verdict: 'evacuated', notes: [] });
  expect(asked).toMatchObject([{ origin: before, next: after, wanted: after }]);
  expect(atRaise.record).toMatchObject({ raised, evacuated: { slots: ['green'] } });
  expect(memory.record).toMatchObject({ raised, evacuated: { slots: ['green'] }, ended: { live: after } });
});

test('what is raised after the weights are noted keeps what they are', async () => {
  const memory: LeaseMemory = {};
  const prepare: Prepare = async ({ remember }) => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    await remember(raised);
    return pass;
  };
  await carryOut({ plan: [planned(prepare, memory)], request, startedAt: 0 }, control);
  expect(memory.record).toMatchObject({ raised, written: after, ended: { live: after } });
});

test.each<[string, Prepare, string]>([
  ['fails', () => Promise.reject(new Error('no route to host')), 'no route to host'],
  [
    'finds obstacles',
    () => Promise.resolve({ ...pass, status: 'fail', reason: 'maxReplicas' }),
    'maxReplicas',
  ],
  [
    'never answers',
    (_, signal) =>
      new Promise((__, reject) => signal?.addEventListener('abort', () => reject(new Error('x')))),
    'not all of it is raised',
  ],
])('capacity that %s is a note, and no write waits for it', async (_, prepare, text) => {
  const writes: object[] = [];
  const from = performance.now();
  const report = await carryOut({ plan: [planned(prepare, {}, writes)], request, startedAt: 0 }, control);
  expect(report).toMatchObject({ verdict: 'evacuated', notes: [expect.stringContaining(text)] });
  expect([writes, performance.now() - from < 5_000]).toEqual([[after], true]);
});
