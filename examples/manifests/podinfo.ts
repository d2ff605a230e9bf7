import type { ApplicationSetProps, AppProjectProps } from 'cluster-canary/argocd';
import { generators } from 'cluster-canary/argocd';

/** Where the configuration of the applications comes from. */
export interface ConfigRepository {
  readonly repoURL: string;
  readonly path: string;
  readonly targetRevision: string;
}

/** podinfo's own repository serves as the config repository of the examples. */
export const podinfoRepository: ConfigRepository = {
  repoURL: 'https://github.com/stefanprodan/podinfo',
  path: 'kustomize',
  targetRevision: '6.14.1',
};

/** What the applications may do. */
export function appsProject(repository: ConfigRepository): AppProjectProps {
  return {
    name: 'apps',
    description: 'Applications on every cluster of the fleet',
    sourceRepos: [repository.repoURL],
    destinations: [{ server: '*', namespace: 'podinfo' }],
  };
}

/** podinfo on every cluster with the label `env: production`. */
export function podinfo(repository: ConfigRepository): ApplicationSetProps {
  return {
    name: 'podinfo',
    generators: [generators.clusters({ selector: { matchLabels: { env: 'production' } } })],
    template: {
      metadata: { name: '{{.nameNormalized}}-podinfo' },
      spec: {
        project: 'apps',
        source: repository,
        destination: { name: '{{.name}}', namespace: 'podinfo' },
        syncPolicy: { automated: { prune: true, selfHeal: true } },
      },
    },
    // A cluster that is taken away does not take what runs on it along before its traffic is gone.
    syncPolicy: { preserveResourcesOnDeletion: true },
  };
}
