import type { ReadinessSubject } from '../report';
import { clientCalls } from './client-calls';
import { customResources } from './custom-resources';
import { helmReleases } from './helm-releases';
import { liveObjects } from './live-objects';
import { refusedPods } from './refused-pods';
import { workloads } from './workloads';

export { clientCalls, customResources, helmReleases, liveObjects, refusedPods, workloads };

/** Everything that is asked of API servers. */
export const liveSubjects: readonly ReadinessSubject[] = [
  clientCalls,
  liveObjects,
  customResources,
  helmReleases,
  workloads,
  refusedPods,
];
