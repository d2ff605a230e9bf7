import type { argocd } from 'cluster-canary';
import { generators, slotLabels } from 'cluster-canary/argocd';

/** Fleet whose clusters run the workflows. */
export const fleetName = 'batch';

/** Where a folder of the repository goes: to every cluster of the fleet, or to the one that is active. */
function applications(
  repoURL: string,
  folder: 'everywhere' | 'once',
  more: Record<string, string>,
): Omit<argocd.ApplicationSetProps, 'namespace'> {
  return {
    name: `batch-${folder}`,
    generators: [
      generators.clusters({ selector: { matchLabels: { 'cluster-canary/fleet': fleetName, ...more } } }),
    ],
    template: {
      metadata: { name: `{{.nameNormalized}}-${folder}`, labels: { ...slotLabels(), folder } },
      spec: {
        project: 'batch',
        source: { repoURL, path: `batch/${folder}`, targetRevision: 'main' },
        destination: { name: '{{.name}}', namespace: 'batch' },
        syncPolicy: { automated: { prune: true, selfHeal: true } },
      },
    },
  };
}

/** What every cluster has, and what only one may have. */
export const batchApplications = (repoURL: string): Omit<argocd.ApplicationSetProps, 'namespace'>[] => [
  applications(repoURL, 'everywhere', {}),
  // The label is on one slot at most. Where it goes from, the Application takes its schedules along: no
  // preserveResourcesOnDeletion here, which would leave them running.
  applications(repoURL, 'once', { 'cluster-canary/active': 'true' }),
];
