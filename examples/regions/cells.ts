import type { fleet } from 'cluster-canary';

/** What every stack says of the fleet in the same words. */
export const fleetName = 'apps';
export const host = 'www.example.com';
export const entries: Record<string, fleet.Entry> = {
  web: { namespace: 'podinfo', service: 'podinfo', port: 9898, healthCheck: { path: '/readyz' } },
};
/** The stacks of `cell`, which are the slots of the fleet. */
export const cells = ['eu', 'us'] as const;
