import { forgetOnRoutes } from '../../../lib/shift/evacuate';
import type { Forgotten } from '../../../lib/shift/evacuate';
import type { Lease, ShiftRecord } from '../../../lib/shift/engine';

const weights = { blue: 100, green: 0 };
const evacuated = { slots: ['green'], by: 'alex@laptop' };
const record: ShiftRecord = { origin: weights, wanted: weights, written: weights, startedAt: 1, evacuated };
const names = Array.from({ length: 30 }, (_, index) => `rule-${index}`);
const never = () => new Promise<never>(() => undefined);

interface KeptLease extends Lease {
  held: ShiftRecord | undefined;
}

/** A lease that keeps its record. */
function leaseOf(over: Partial<Lease> = {}): KeptLease {
  const kept: KeptLease = {
    name: 'lease',
    held: record,
    look: () => Promise.resolve({ record: kept.held }),
    acquire: () => Promise.resolve({ record: kept.held }),
    keep: never,
    release: (left) => Promise.resolve(void (kept.held = left)),
    seize: never,
    ...over,
  };
  return kept;
}

async function forget(
  leases: readonly Lease[],
  { signal, told }: { readonly signal?: AbortSignal; readonly told?: () => void } = {},
): Promise<Readonly<Record<string, Forgotten>>> {
  const outcomes: Record<string, Forgotten> = {};
  const routes = leases.map((lease, index) => ({ name: names[index]!, lease }));
  const control = { say: () => undefined, leaseSilence: 200, ...(signal && { signal }) };
  await forgetOnRoutes(routes, 'green', control, (name, outcome) => {
    outcomes[name] = outcome;
    told?.();
    return Promise.resolve();
  });
  return outcomes;
}

test('leases that do not answer are waited for once, whatever the number of routes', async () => {
  const outcomes = Object.values(await forget(names.map(() => leaseOf({ look: never }))));
  expect(outcomes).toHaveLength(30);
  expect(outcomes.every((each) => 'problem' in each && /answer/.test(each.problem))).toBe(true);
}, 5_000);

test('an interrupt leaves the routes that were not begun, and no lease taken', async () => {
  const taken = new Set<Lease>();
  const leases = names.map(() => {
    const lease: KeptLease = leaseOf({
      acquire: async () => {
        taken.add(lease);
        await new Promise((resolve) => setTimeout(resolve, 5));
        return { record: lease.held };
      },
      release: (left) => {
        taken.delete(lease);
        lease.held = left;
        return Promise.resolve();
      },
    });
    return lease;
  });
  const interrupt = new AbortController();
  const told = (): void => interrupt.abort(new Error('interrupted'));
  await expect(forget(leases, { signal: interrupt.signal, told })).rejects.toThrow('interrupted');
  expect(leases.filter(({ held }) => held?.evacuated).length).toBeGreaterThan(15);
  expect(taken.size).toBe(0);
});

test('throttled calls are made again, and one whose answer was lost has forgotten it', async () => {
  const failed = Object.assign(new Error('Rate exceeded'), { failure: { kind: 'throttled' } });
  let tries = 0;
  const lease: KeptLease = leaseOf({
    release: (left) => {
      lease.held = left;
      tries += 1;
      return tries === 1 ? Promise.reject(failed) : Promise.resolve();
    },
  });
  expect(await forget([lease])).toEqual({ 'rule-0': { was: true } });
  expect([lease.held?.evacuated, tries]).toEqual([undefined, 1]);
});
