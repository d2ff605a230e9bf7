import type { ApiObject } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { Construct } from 'constructs';
import type { OptionsOf } from '../problems';
import { Problems, dnsLabel, dnsSubdomain, someText, wholeNumber, refuseOptions } from '../problems';
import type { ArgoObjectProps } from './argo-object';
import { argoSecret, checkArgoObject, checkSecretLabels, argoObjectPropsKeys } from './argo-object';
import { clusterArn, clusterServer } from './argo-rules';
import type { ClusterConfig } from './cluster-config';
import { checkClusterConfig, clusterConfigText, clusterConfigKeys } from './cluster-config';
import { FieldChecks } from './field-checks';

/** How a cluster is registered with Argo CD. Labels are what a clusters generator selects by. */
export interface ClusterSecretProps extends ArgoObjectProps {
  /**
   * Name of the cluster in Argo CD: what `destination.name` refers to and the parameter `name` gives.
   * @default - the object's name
   */
  readonly clusterName?: string;
  /**
   * URL of the API server; may be a token of a deployment's output. For the managed Argo CD of EKS the ARN of the cluster.
   * @see https://docs.aws.amazon.com/eks/latest/userguide/argocd-register-clusters.html
   */
  readonly server: string;
  /**
   * How Argo CD reaches and logs in to the cluster; needed unless `server` is an ARN.
   * @default - none: the managed Argo CD logs in with its capability's role
   */
  readonly config?: ClusterConfig;
  /**
   * Namespaces that Argo CD looks at; each is watched on its own.
   * @default - all, and cluster-wide objects, too
   */
  readonly namespaces?: readonly string[];
  /** Whether Argo CD manages cluster-wide objects although `namespaces` is set. @default false */
  readonly clusterResources?: boolean;
  /** Project that alone may use the cluster. @default - every project that allows it */
  readonly project?: string;
  /** Shard of the application controller that serves the cluster, from 0. @default - Argo CD decides */
  readonly shard?: number;
}

const clusterSecretPropsKeys: OptionsOf<ClusterSecretProps> = {
  ...argoObjectPropsKeys,
  clusterName: 'plain',
  server: 'plain',
  config: clusterConfigKeys,
  namespaces: 'list',
  clusterResources: 'plain',
  project: 'plain',
  shard: 'plain',
};

/**
 * A cluster that Argo CD deploys to: a Secret with the label `argocd.argoproj.io/secret-type: cluster`. It holds
 * no credential, only how to get one.
 *
 * At synthesis, two clusters of one name in one namespace are an error: a clusters generator would see one of
 * them only, and Argo CD would delete the other's Applications.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#clusters
 *
 * @example
 * new gitops.ClusterSecret(chart, 'blue', {
 *   name: 'apps-blue',
 *   labels: { env: 'production' },
 *   server: bridge.outputToken(chart, cluster.endpoint),
 *   config: {
 *     awsAuthConfig: { clusterName: 'apps-blue', roleARN: bridge.outputToken(chart, role.arn) },
 *     tlsClientConfig: { caData: bridge.outputToken(chart, cluster.certificateAuthority.data) },
 *   },
 * });
 */
export class ClusterSecret extends Construct {
  /** The Secret. */
  public readonly apiObject: ApiObject;

  /** Name of the cluster in Argo CD. */
  public readonly clusterName: string;

  /** @throws InvalidInput where a field is missing or wrong, or a credential is given */
  public constructor(scope: Construct, id: string, props: ClusterSecretProps) {
    refuseOptions(`ClusterSecret "${id}"`, props, clusterSecretPropsKeys);
    super(scope, id);
    const problems = new Problems(`ClusterSecret "${props.name}"`);
    check(new FieldChecks(problems), props);
    problems.throwIfAny();
    this.clusterName = props.clusterName ?? props.name;
    this.apiObject = argoSecret(this, 'cluster', props, {
      name: this.clusterName,
      server: props.server,
      config: props.config && clusterConfigText(props.config),
      namespaces: props.namespaces?.join(','),
      clusterResources: props.clusterResources === undefined ? undefined : String(props.clusterResources),
      project: props.project,
      shard: props.shard === undefined ? undefined : String(props.shard),
    });
    watchClusterNames(this.node.root);
  }
}

function check(checks: FieldChecks, props: ClusterSecretProps): void {
  checkArgoObject(checks, props);
  checkSecretLabels(checks, props.labels);
  checks.optional('clusterName', props.clusterName, someText);
  if ((props.clusterName ?? props.name) === 'in-cluster') {
    checks.problems.add(
      props.clusterName === undefined ? 'name' : 'clusterName',
      'in-cluster',
      'another name: it is what Argo CD calls the cluster that it runs in',
    );
  }
  checks.required('server', props.server, clusterServer);
  if (clusterArn.accepts(props.server)) {
    if (props.config !== undefined) {
      checks.problems.addSecret(
        'config',
        'left out: a cluster that is known by its ARN is reached by EKS itself',
      );
    }
  } else if (props.config !== undefined) {
    checkClusterConfig(checks, 'config', props.config);
  } else if (!checks.isOpen(props.server)) {
    checks.problems.add('config', undefined, 'given: Argo CD has to log in at the API server');
  }
  checks.each('namespaces', props.namespaces, dnsLabel);
  if (props.namespaces?.length === 0) {
    checks.problems.add('namespaces', props.namespaces, 'a list with at least one namespace, or left out');
  }
  checks.optional('project', props.project, dnsSubdomain);
  checks.optional('shard', props.shard, wholeNumber(0, Number.MAX_SAFE_INTEGER));
}

const watched = new WeakSet<IConstruct>();

/** One look at the whole tree a synthesis, however many clusters there are. */
function watchClusterNames(root: IConstruct): void {
  if (!watched.has(root)) {
    watched.add(root);
    root.node.addValidation({ validate: () => sharedClusterNames(root) });
  }
}

function sharedClusterNames(root: IConstruct): string[] {
  const seen = new Map<string, ClusterSecret>();
  const found: string[] = [];
  for (const construct of root.node.findAll()) {
    if (!(construct instanceof ClusterSecret)) {
      continue;
    }
    const namespace = construct.apiObject.metadata.namespace ?? '';
    const twin = seen.get(`${namespace}/${construct.clusterName}`);
    if (twin) {
      found.push(
        `${construct.node.path} and ${twin.node.path} both register a cluster named "${construct.clusterName}" in namespace "${namespace}": give each a "clusterName" of its own`,
      );
    } else {
      seen.set(`${namespace}/${construct.clusterName}`, construct);
    }
  }
  return found;
}
