import type { Rule } from '../problems';
import { dnsSubdomain, labelValue, someText, wholeNumber } from '../problems';
import { iamRoleArn } from '../aws';
import { clusterConfigText } from '../gitops';
import type { ClusterSetSettings, ClusterTemplate } from './cluster-set';
import type { EksCluster } from './eks-cluster';
import { arnKey, ownerKey, secretTypeLabel } from './markers';
import { TemplateError, expandTemplate } from './text-template';

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
export function desiredSecret(
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
  const expand = (field: string, text: string, rule: Rule, hint = ''): string => {
    const value = expanded(field, text, cluster);
    if (!rule.accepts(value)) {
      throw new TemplateError(`${field}: "${value}" must be ${rule.allowed}${hint}`);
    }
    return value;
  };
  const { metadata = {}, project, shard, namespaces, clusterResources } = template;
  const name = expand('name', metadata.name ?? '{{name}}', dnsSubdomain, '; {{name | dns}} makes it so');
  const data = {
    name: template.clusterName === undefined ? name : expand('clusterName', template.clusterName, someText),
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

const shardText: Rule = {
  allowed: 'a whole number from 0',
  accepts: (value) => /^(0|[1-9]\d*)$/.test(value as string) && wholeNumber(0, 1e9).accepts(Number(value)),
};

/** EKS's own Argo CD takes the ARN, and logs in by itself. */
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
