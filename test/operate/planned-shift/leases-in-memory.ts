import type * as Leases from '../../../lib/shift/leases';

/** What is held, by id of a router. */
export type Memories = Record<string, { holder?: string; expiresAt?: number }>;

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
      return Promise.resolve({ lease, close: () => undefined });
    },
  };
}
