import type { ClusterSetSettings } from './cluster-set';
import type { DesiredSecret } from './desired-secret';
import { desiredSecret } from './desired-secret';
import type { EksCluster, FoundClusters } from './eks-cluster';
import { tagObstacle } from './tag-selector';

/** A cluster that is left out. */
export interface SkippedCluster {
  /** Name of the EKS cluster. */
  readonly cluster: string;
  /** ARN of the EKS cluster. */
  readonly arn: string;
  /** Why, for a person. */
  readonly reason: string;
  /** Whether it needs somebody to change something; else it passes by itself. */
  readonly refused: boolean;
}

/** What the hub should know, and what is not known. */
export interface DesiredState {
  /** One for each cluster that is registered. */
  readonly secrets: readonly DesiredSecret[];
  /** Selected, and left as they are: their Secrets, if there are any, stay. */
  readonly skipped: readonly SkippedCluster[];
  /** Not selected: a Secret that one has from before goes as if the cluster were gone. */
  readonly unselected: readonly SkippedCluster[];
  /** What did not answer. Nothing is removed where there is one. */
  readonly failures: readonly string[];
}

/** What the hub should know of the clusters that were found. Two clusters that would share a name get none of them. */
export function desiredState(
  { clusters, failures }: FoundClusters,
  settings: Pick<ClusterSetSettings, 'name' | 'template' | 'selector'>,
): DesiredState {
  const skipped: SkippedCluster[] = [];
  const unselected: SkippedCluster[] = [];
  const wanted: DesiredSecret[] = [];
  // Two places may see the same cluster: one account by two roles.
  const distinct = new Map(clusters.map((cluster) => [cluster.arn, cluster]));
  for (const cluster of [...distinct.values()].sort(byName)) {
    const obstacle = tagObstacle(settings.selector, cluster.tags);
    if (obstacle !== undefined) {
      unselected.push({ ...idOf(cluster), reason: obstacle, refused: false });
      continue;
    }
    if (cluster.status !== 'ACTIVE') {
      skipped.push({ ...idOf(cluster), reason: `its status is ${cluster.status}`, refused: false });
      continue;
    }
    const secret = desiredSecret(cluster, settings);
    if (typeof secret === 'string') {
      skipped.push({ ...idOf(cluster), reason: secret, refused: true });
    } else {
      wanted.push(secret);
    }
  }
  const names = [({ name }: DesiredSecret) => name, ({ data }: DesiredSecret) => data.name!];
  const shared = names.map((nameOf) => sharedName(wanted, nameOf));
  const secrets = wanted.filter((secret) => {
    const reason = shared.map((reasonOf) => reasonOf(secret)).find((each) => each !== undefined);
    if (reason !== undefined) {
      skipped.push({ cluster: secret.cluster, arn: secret.arn, reason, refused: true });
    }
    return reason === undefined;
  });
  return { secrets, skipped, unselected, failures };
}

function byName(one: EksCluster, other: EksCluster): number {
  return one.name < other.name || (one.name === other.name && one.arn < other.arn) ? -1 : 1;
}

function idOf({ name, arn }: EksCluster): Pick<SkippedCluster, 'cluster' | 'arn'> {
  return { cluster: name, arn };
}

/** Says why a Secret can't have its name: others have it, too. */
function sharedName(
  secrets: readonly DesiredSecret[],
  nameOf: (secret: DesiredSecret) => string,
): (secret: DesiredSecret) => string | undefined {
  const arns = new Map(secrets.map((secret) => [nameOf(secret), [] as string[]]));
  secrets.forEach((secret) => arns.get(nameOf(secret))!.push(secret.arn));
  return (secret) => {
    const name = nameOf(secret);
    const others = arns.get(name)!.filter((arn) => arn !== secret.arn);
    return others.length === 0
      ? undefined
      : `the name "${name}" is also that of ${others.join(', ')}; let the template's name tell them apart`;
  };
}
