import type { HubApplication } from './hub-application';

/**
 * Which Applications of a hub may still write, one line each: those that are synchronised by themselves, and those whose
 * sync runs or waits to run.
 *
 * @param sets ApplicationSets of the hub; of other Applications nobody switches the automated sync off, so that they count
 *   only while a sync of theirs runs
 */
export function busyApplications(
  applications: readonly HubApplication[],
  sets: readonly string[],
): readonly string[] {
  return applications.flatMap(({ name, set, automated, operating }) => {
    const reasons = [
      ...(automated && set !== undefined && sets.includes(set) ? ['is synchronised by itself'] : []),
      ...(operating ? ['a sync runs'] : []),
    ];
    return reasons.length > 0 ? [`${name}: ${reasons.join(', ')}`] : [];
  });
}
