import type * as Leases from '../../../lib/shift/leases';

/** What is held, by id of a router. */
export type Memories = Record<string, { holder?: string; expiresAt?: number }>;

/** How often a lease is still to give no answer when it is taken, by id of a router. */
export const unanswered: Record<string, number> = {};

/** Leases of Kubernetes without a cluster: every run of a test takes one as another machine would. */
export function leasesInMemory(leases: typeof Leases, memories: () => Memories): typeof Leases {
  let runs = 0;
  return {
    ...leases,
    openLease: (settings, id, clients, own) => {
      if (settings === 'none') {
        return leases.openLease(settings, id, clients, own);
      }
      const memory = (memories()[id] ??= {});
      runs += 1;
      const lease = leases.memoryLease({ memory, holder: `run ${runs}`, lastsMs: 60_000 });
      const acquire: typeof lease.acquire = (signal) => {
        const left = unanswered[id] ?? 0;
        unanswered[id] = left - 1;
        return left > 0 ? Promise.reject(new Error('no answer')) : lease.acquire(signal);
      };
      return Promise.resolve({ lease: { ...lease, acquire }, close: () => undefined });
    },
  };
}
