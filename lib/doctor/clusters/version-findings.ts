import type { Finding } from '../finding';
import { subjectOf } from './registration';
import type { SeenCluster } from './seen-cluster';

/** Clusters of one fleet that lie more than one minor version apart. */
export function versionFindings(clusters: readonly SeenCluster[]): Finding[] {
  const fleets = new Map<
    string,
    { readonly seen: SeenCluster; readonly minor: number; readonly text: string }[]
  >();
  for (const seen of clusters) {
    const { fleet } = seen.registration;
    const text = versionOf(seen);
    const minor = minorOf(text);
    if (fleet !== undefined && text !== undefined && minor !== undefined) {
      fleets.set(fleet, [...(fleets.get(fleet) ?? []), { seen, minor, text }]);
    }
  }
  return [...fleets].flatMap(([fleet, slots]): Finding[] => {
    const minors = slots.map(({ minor }) => minor);
    return Math.max(...minors) - Math.min(...minors) > 1
      ? [
          {
            cause: 'version-skew',
            severity: 'warning',
            likelihood: 'certain',
            subject: slots.map(({ seen }) => subjectOf(seen.registration)).join(' and '),
            message: `the clusters of fleet ${fleet} are more than one minor version of Kubernetes apart`,
            evidence: slots.map(({ seen, text }) => `${subjectOf(seen.registration)}: ${text}`),
            next: 'bring them closer: an API that one of them has and another lacks fails the sync of one only',
          },
        ]
      : [];
  });
}

/** Version as the cluster says, else as AWS does. */
function versionOf({ answer, eks }: SeenCluster): string | undefined {
  return (
    (answer.is === 'accepted' ? answer.version : undefined) ??
    (eks?.is === 'described' ? eks.cluster.version : undefined)
  );
}

/** `v1.35.4-eks-1` and `1.35` give 35. */
function minorOf(version = ''): number | undefined {
  const [, minor] = /^v?1\.(\d{1,3})\b/.exec(version) ?? [];
  return minor === undefined ? undefined : Number(minor);
}
