import type * as pulumi from '@pulumi/pulumi';
import { Construct } from 'constructs';
import { ClusterSecret } from '../gitops';
import { Problems } from '../problems';
import type { ManagedCluster } from './managed-clusters';
import { collectProblems, HubObjects } from './hub-objects';
import type { ManagedArgoCdArgs } from './managed-argo-cd-arguments';

/** What `ManagedArgoCdObjects` takes. */
export interface ManagedArgoCdObjectsProps {
  readonly args: ManagedArgoCdArgs;
  readonly clusters: readonly ManagedCluster[];
  readonly namespace: string;
  /** Makes a text of an output. */
  readonly token: <T>(value: pulumi.Input<T>) => T;
}

/**
 * The same objects as a hub has, with two differences: a cluster is known by its ARN and needs no login, and a project names
 * the namespace of its Applications.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/argocd-register-clusters.html
 * @see https://docs.aws.amazon.com/eks/latest/userguide/argocd-projects.html
 */
export class ManagedArgoCdObjects extends Construct {
  /** @throws InvalidInput with everything that is wrong with the objects */
  public constructor(scope: Construct, id: string, props: ManagedArgoCdObjectsProps) {
    super(scope, id);
    const { args, clusters, namespace, token } = props;
    const problems = new Problems('Argo CD objects');
    collectProblems(problems, '', () => {
      new HubObjects(this, 'objects', {
        namespace,
        clusters: [],
        projects: (args.projects ?? []).map((each) => ({ ...each, sourceNamespaces: [namespace] })),
        repositories: args.repositories ?? [],
        credentialTemplates: args.credentialTemplates ?? [],
        applicationSets: args.applicationSets ?? [],
        targetNamespaces: undefined,
        standby: false,
        token,
      });
    });
    clusters.forEach((cluster, index) => {
      collectProblems(problems, cluster.path, () => {
        new ClusterSecret(this, `manages-${index}`, {
          name: cluster.name,
          namespace,
          labels: cluster.labels,
          server: token(cluster.ref.clusterArn),
          namespaces: args.targetNamespaces,
        });
      });
    });
    problems.throwIfAny();
  }
}
