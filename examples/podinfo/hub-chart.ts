import { Chart } from 'cdk8s';
import {
  ApplicationSet,
  AppProject,
  fleetDestinations,
  fleetLabel,
  generators,
  Repository,
  rollingSyncForFleet,
  slotLabels,
} from 'cluster-canary/argocd';
import type { Construct } from 'constructs';
import { namespace } from './podinfo-chart';

/** Where the files of this example are committed, and the fleet that runs them. */
export interface HubProps {
  readonly repoURL: string;
  /** Folder of the charts in it. */
  readonly path: string;
  readonly fleet: { readonly name: string; readonly slots: readonly string[] };
  /** The slot that gets a new version first. */
  readonly first: string;
}

/** podinfo on every slot of a fleet, by Argo CD: for the cluster that runs it. */
export class HubChart extends Chart {
  public constructor(scope: Construct, id: string, { repoURL, path, fleet, first }: HubProps) {
    super(scope, id);
    new Repository(this, 'repository', { name: 'apps', url: repoURL });
    new AppProject(this, 'project', {
      name: 'podinfo',
      sourceRepos: [repoURL],
      destinations: fleetDestinations([fleet], [namespace]),
      clusterResourceWhitelist: [{ group: '', kind: 'Namespace' }],
    });
    new ApplicationSet(this, 'applications', {
      name: 'podinfo',
      generators: [generators.clusters({ selector: { matchLabels: { [fleetLabel]: fleet.name } } })],
      template: {
        metadata: { name: '{{.nameNormalized}}-podinfo', labels: slotLabels() },
        spec: {
          project: 'podinfo',
          source: { repoURL, path, targetRevision: 'main' },
          destination: { name: '{{.name}}', namespace },
        },
      },
      // A slot is healthy before the next one sees the new version.
      strategy: rollingSyncForFleet(fleet.slots, first, { prune: true }),
      syncPolicy: { preserveResourcesOnDeletion: true },
    });
  }
}
