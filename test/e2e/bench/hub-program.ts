import type { PulumiFn } from '@pulumi/pulumi/automation';
import { generators } from '../../../lib/manifests/argocd';
import type { SlotRef } from '../../../lib/pulumi/fleet';
import type { HandoverSettings } from '../../../lib/pulumi/hubs';
import { ArgoCdHub } from '../../../lib/pulumi/hubs';

/** What a program of the handover's tests differs in. Plain data, so that a program in a file can have it as well. */
export interface HubProgramOptions {
  /** Clusters that run Argo CD, by slot. */
  readonly hubs: Readonly<Record<string, SlotRef>>;
  /** Clusters that are managed, by slot. */
  readonly targets: Readonly<Record<string, SlotRef>>;
  readonly active: string;
  readonly lost?: readonly string[];
  readonly handover?: HandoverSettings;
  /** URL of the repository, with a folder `podinfo`. */
  readonly repository: string;
}

/** Two hubs over one fleet; the clusters are there already. */
export function hubProgram({
  hubs,
  targets,
  active,
  lost = [],
  handover,
  repository,
}: HubProgramOptions): PulumiFn {
  return () => {
    const labels = Object.fromEntries(Object.keys(targets).map((slot) => [slot, { env: 'production' }]));
    const hub = new ArgoCdHub('argocd', {
      fleet: { name: 'hub', slots: hubs, entries: {} },
      active,
      lost,
      handover,
      manages: [{ name: 'apps', slots: targets, entries: {}, labels }],
      reach: 'own',
      repositories: [{ name: 'config', url: repository }],
      projects: [
        {
          name: 'apps',
          sourceRepos: [repository],
          destinations: [{ server: '*', namespace: 'podinfo' }],
          clusterResourceWhitelist: [{ group: '', kind: 'Namespace' }],
        },
      ],
      applicationSets: [
        {
          name: 'podinfo',
          generators: [generators.clusters({ selector: { matchLabels: { env: 'production' } } })],
          template: {
            metadata: { name: '{{.nameNormalized}}-podinfo' },
            spec: {
              project: 'apps',
              source: { repoURL: repository, path: 'podinfo', targetRevision: 'main' },
              destination: { name: '{{.name}}', namespace: 'podinfo' },
              syncPolicy: {
                automated: { prune: true, selfHeal: true },
                syncOptions: ['CreateNamespace=true' as const],
              },
            },
          },
        },
      ],
    });
    return Promise.resolve({ slots: Object.keys(hub.slots) });
  };
}
