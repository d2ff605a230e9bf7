import { iamRoleArn } from '../../core/aws/arns';
import { arnKey, ownerKey, secretTypeLabel } from '../../core/names';
import { dnsSubdomain, labelValue, nonEmptyText, wholeNumber } from '../../core/validation/formats';
import type { Format } from '../../core/validation/problems';
import { clusterConfigText } from '../../manifests/argocd';
import { TemplateError, expandTemplate } from '../../manifests/cluster-sync';
import type {
  ClusterSetSettings,
  ClusterTemplate,
  EksCluster,
  FoundClusters,
} from '../../manifests/cluster-sync';
import { tagObstacle } from './tag-selector';

/** A cluster Secret as it should be; values are plain text. */
export interface DesiredSecret {
  /** Name of the EKS cluster. */
  readonly cluster: string;
  /** ARN of the EKS cluster, by which the set knows the Secret again. */
  readonly arn: string;
  /** Name of the Secret. */
  readonly name: string;
  /** Labels that the set writes. */
  readonly labels: Readonly<Record<string, string>>;
  /** Annotations that the set writes. */
  readonly annotations: Readonly<Record<string, string>>;
  /** What Argo CD reads, by key: `name`, `server`, `config` and others; plain text. */
  readonly data: Readonly<Record<string, string>>;
}

/**
 * The Secret of an active cluster.
 *
 * @returns the reason, as a text, where the template and the cluster do not give one
 */
function desiredSecret(
  cluster: EksCluster,
  { name: owner, template }: Pick<ClusterSetSettings, 'name' | 'template'>,
): DesiredSecret | string {
  try {
    return { cluster: cluster.name, arn: cluster.arn, ...secretOf(cluster, owner, template) };
  } catch (error) {
    if (error instanceof TemplateError) {
      return error.message;
    }
    throw error;
  }
}

function secretOf(
  cluster: EksCluster,
  owner: string,
  template: ClusterTemplate,
): Pick<DesiredSecret, 'name' | 'labels' | 'annotations' | 'data'> {
  const expand = (field: string, text: string, rule: Format, hint = ''): string => {
    const value = expanded(field, text, cluster);
    if (!rule.accepts(value)) {
      throw new TemplateError(`${field}: "${value}" must be ${rule.allowed}${hint}`);
    }
    return value;
  };
  const { metadata = {}, project, shard, namespaces, clusterResources } = template;
  const name = expand('name', metadata.name ?? '{{name}}', dnsSubdomain, '; {{name | dns}} makes it so');
  const data = {
    name:
      template.clusterName === undefined ? name : expand('clusterName', template.clusterName, nonEmptyText),
    ...addressOf(cluster, template),
    ...(namespaces?.length ? { namespaces: namespaces.join(',') } : {}),
    ...(clusterResources === undefined ? {} : { clusterResources: String(clusterResources) }),
    ...(project === undefined ? {} : { project: expand('project', project, dnsSubdomain) }),
    ...(shard === undefined ? {} : { shard: expand('shard', String(shard), shardText) }),
  };
  if (data.name === 'in-cluster') {
    throw new TemplateError(
      '"in-cluster" is what Argo CD calls the cluster that it runs in; give another clusterName',
    );
  }
  return {
    name,
    labels: {
      ...mapped(metadata.labels, (key, text) =>
        expand(`labels.${key}`, text, labelValue, '; "| label" makes it so'),
      ),
      [secretTypeLabel]: 'cluster',
      [ownerKey]: owner,
    },
    annotations: {
      ...mapped(metadata.annotations, (key, text) => expanded(`annotations.${key}`, text, cluster)),
      [ownerKey]: owner,
      [arnKey]: cluster.arn,
    },
    data,
  };
}

const shardText: Format = {
  allowed: 'a whole number from 0',
  accepts: (value) => /^(0|[1-9]\d*)$/.test(value as string) && wholeNumber(0, 1e9).accepts(Number(value)),
};

/** EKS's own Argo CD takes the ARN, and logs in itself. */
function addressOf(
  cluster: EksCluster,
  { server, config = {} }: ClusterTemplate,
): Readonly<Record<string, string>> {
  const { name, arn, endpoint, certificateAuthority } = cluster;
  if (server === 'arn') {
    return { server: arn };
  }
  if (endpoint === undefined || certificateAuthority === undefined) {
    throw new TemplateError('EKS gives no endpoint or no certificate authority');
  }
  const { awsAuthConfig, execProviderConfig: exec, proxyUrl } = config;
  const roleARN = awsAuthConfig?.roleARN && expanded('roleARN', awsAuthConfig.roleARN, cluster);
  if (roleARN !== undefined && !iamRoleArn.accepts(roleARN)) {
    throw new TemplateError(`roleARN: "${roleARN}" must be ${iamRoleArn.allowed}`);
  }
  const login = exec
    ? {
        execProviderConfig: {
          ...exec,
          ...(exec.args && { args: exec.args.map((text) => expanded('args', text, cluster)) }),
          ...(exec.env && { env: mapped(exec.env, (key, text) => expanded(`env.${key}`, text, cluster)) }),
        },
      }
    : { awsAuthConfig: { clusterName: name, ...awsAuthConfig, ...(roleARN && { roleARN }) } };
  return {
    server: endpoint,
    config: clusterConfigText({ ...login, tlsClientConfig: { caData: certificateAuthority }, proxyUrl }),
  };
}

function expanded(field: string, text: string, cluster: EksCluster): string {
  try {
    return expandTemplate(text, cluster);
  } catch (error) {
    throw error instanceof TemplateError ? new TemplateError(`${field}: ${error.message}`) : error;
  }
}

function mapped(
  values: Readonly<Record<string, string>> | undefined,
  change: (key: string, value: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values ?? {}).map(([key, value]) => [key, change(key, value)]));
}

/** A cluster that is left out. */
export interface SkippedCluster {
  /** Name of the EKS cluster. */
  readonly cluster: string;
  /** ARN of the EKS cluster. */
  readonly arn: string;
  /** Why, for a person. */
  readonly reason: string;
  /** Whether something has to be changed; else it passes without a change. */
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
  for (const cluster of [...distinct.values()].sort(record)) {
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

function record(one: EksCluster, other: EksCluster): number {
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
      : `the name "${name}" is also that of ${others.join(', ')}; make them differ by the template's name`;
  };
}
