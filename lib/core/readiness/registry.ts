import { eksAddons, eksAddresses, eksHealth, eksInsights, eksNodes, eksQuotas, eksVersions } from './eks';
import { liveSubjects } from './live';
import type { ReadinessSubject } from './report';

/** What asks EKS, beginning with what the rest hangs on. */
const eksSubjects: readonly ReadinessSubject[] = [
  ...[eksHealth, eksVersions, eksInsights, eksAddons, eksNodes, eksAddresses, eksQuotas],
];

/** Every subject, in the order in which reports list them. More of them: a line here. */
export const readinessSubjects: readonly ReadinessSubject[] = [...eksSubjects, ...liveSubjects];
