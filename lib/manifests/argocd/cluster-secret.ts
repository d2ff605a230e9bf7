import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import type { IConstruct } from 'constructs';
import { across, list, object, optional, record } from '../../core/validation/collections';
import {
  dnsLabel,
  dnsSubdomain,
  proxyUrl,
  nonEmptyText,
  textRule,
  trueOrFalse,
  wholeNumber,
} from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import { holdsLogin, namesSecret, plainSecrets } from '../../core/validation/secrets';
import { anything, secret } from '../../core/validation/values';
import { completed, isCompleted, refuseProps, constructSubject, withKeys } from '../field-schemas';
import {
  anyText,
  argoSecret,
  base64,
  clusterArn,
  clusterServer,
  clusterRoleArn,
  secretObjectEntries,
} from './argo-object';
import type { ArgoObjectProps } from './argo-object';
import { credentialText } from './repository-credential';

/**
 * How Argo CD reaches and logs in to a cluster. Both ways get a short-lived credential when it is needed, so
 * none is stored; bearer tokens, passwords and client keys are not offered.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#clusters
 */
export interface ClusterConfig {
  /** As an AWS IAM identity, for EKS; or `execProviderConfig`. @default - by `execProviderConfig` */
  readonly awsAuthConfig?: AwsAuthConfig;
  /** By a program in Argo CD's image; or `awsAuthConfig`. @default - by `awsAuthConfig` */
  readonly execProviderConfig?: ExecProviderConfig;
  /** How the API server is recognised. */
  readonly tlsClientConfig: TlsClientConfig;
  /** Proxy that the API server is reached through. @default - none */
  readonly proxyUrl?: string;
}

/** An AWS IAM identity that may enter the cluster. */
export interface AwsAuthConfig {
  /** Name of the EKS cluster. */
  readonly clusterName: string;
  /** ARN of the role to assume. @default - the identity of Argo CD's own pods */
  readonly roleARN?: string;
  /** Path of a file with AWS credentials that is mounted into Argo CD. @default - the pods' identity */
  readonly profile?: string;
}

/** A program that prints a credential (client-go's exec plugin). */
export interface ExecProviderConfig {
  /** The program; it must be in Argo CD's image, as `argocd-k8s-auth` is. */
  readonly command: string;
  /** Its arguments. One that sounds like a secret takes a token of a deployment's output only. @default - none */
  readonly args?: readonly string[];
  /**
   * Its environment. A variable that sounds like a secret takes a token of a deployment's output only.
   * @default - Argo CD's own
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Version of the exchange. @default 'client.authentication.k8s.io/v1beta1' */
  readonly apiVersion?: string;
  /** What Argo CD says when the program is missing. @default - nothing */
  readonly installHint?: string;
}

/** How the API server is recognised. Its certificate is always verified. */
export interface TlsClientConfig {
  /** The certificate authority: PEM in base64, as EKS gives it. */
  readonly caData: string;
  /** Name that the API server's certificate is for. @default - the host of the server's URL */
  readonly serverName?: string;
}

/** https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html */
const eksClusterName = textRule(
  /^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/,
  'letters, digits, "-" and "_", a letter or digit at the start, at most 100 characters',
);

const noSecret = 'a text without a login or a secret in it: everybody who may read the Secret would see it';

const filled = completed(nonEmptyText);

/** Arguments and environment of a program; a secret among them is not shown, whatever else is wrong with it. */
const execProviderConfig = across(
  object<ExecProviderConfig>({
    command: filled,
    args: optional(list(anything)),
    env: optional(record(anything)),
    apiVersion: optional(filled),
    installHint: optional(completed(anyText)),
  }),
  ({ args, env }, { mustBe, mustBeSecretly }) => {
    const given: readonly unknown[] = Array.isArray(args) ? args : [];
    const texts = given.map((each) => (typeof each === 'string' ? each : ''));
    const secrets = plainSecrets(texts, (each) => credentialText.accepts(each));
    given.forEach((each, position) => {
      if (secrets.includes(position)) {
        mustBeSecretly(['args', position], noSecret);
      } else if (!nonEmptyText.accepts(each)) {
        mustBe(['args', position], nonEmptyText.allowed);
      }
    });
    for (const [name, value] of Object.entries(isPlainObject(env) ? env : {})) {
      if (namesSecret(name) && !credentialText.accepts(value)) {
        mustBeSecretly(['env', name], credentialText.allowed);
      } else if (typeof value !== 'string') {
        mustBe(['env', name], 'a text');
      } else if (!namesSecret(name) && holdsLogin(value)) {
        mustBeSecretly(['env', name], noSecret);
      }
    }
  },
);

/** How a cluster is reached. Argo CD would take more: stored credentials, and leave to skip verification. */
const clusterConfig = withKeys(
  'exactly one',
  ['awsAuthConfig', 'execProviderConfig'],
  object<ClusterConfig>({
    awsAuthConfig: optional(
      object<AwsAuthConfig>({
        clusterName: completed(eksClusterName),
        roleARN: optional(completed(clusterRoleArn)),
        profile: optional(filled),
      }),
    ),
    execProviderConfig: optional(execProviderConfig),
    tlsClientConfig: object<TlsClientConfig>({ caData: completed(base64), serverName: optional(filled) }),
    proxyUrl: optional(secret(completed(proxyUrl))),
  }),
);

/** The configuration as Argo CD reads it. */
export function clusterConfigText(config: ClusterConfig): string {
  const { awsAuthConfig, execProviderConfig, tlsClientConfig, proxyUrl: proxy } = config;
  return JSON.stringify({
    awsAuthConfig,
    execProviderConfig: execProviderConfig && {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      ...execProviderConfig,
    },
    tlsClientConfig: { insecure: false, ...tlsClientConfig },
    proxyUrl: proxy,
  });
}

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
   * Namespaces that Argo CD reads; each is watched on its own.
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

const clusterSecretSchema = across(
  object<ClusterSecretProps>({
    ...secretObjectEntries,
    clusterName: optional(filled),
    server: completed(clusterServer),
    config: optional(clusterConfig),
    namespaces: optional(list(completed(dnsLabel), 1, 'a list with at least one namespace, or left out')),
    clusterResources: optional(completed(trueOrFalse)),
    project: optional(completed(dnsSubdomain)),
    shard: optional(completed(wholeNumber(0, Number.MAX_SAFE_INTEGER))),
  }),
  ({ name, clusterName, server, config }, { mustBe, conflicts }) => {
    if ((clusterName ?? name) === 'in-cluster') {
      mustBe(
        [clusterName === undefined ? 'name' : 'clusterName'],
        'another name: it is what Argo CD calls the cluster that it runs in',
      );
    }
    const isByArn = clusterArn.accepts(server);
    if (isByArn && config !== undefined) {
      conflicts(['config'], 'server, an ARN: a cluster that is known by its ARN is reached by EKS itself');
    } else if (!isByArn && config === undefined && !isCompleted(server)) {
      mustBe(['config'], 'given: Argo CD has to log in at the API server');
    }
  },
);

/**
 * A cluster that Argo CD deploys to: a Secret with the label `argocd.argoproj.io/secret-type: cluster`. It holds
 * no credential, only how to get one.
 *
 * At synthesis, two clusters of one name in one namespace are an error: a clusters generator would see one of
 * them only, and Argo CD would delete the other's Applications.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#clusters
 *
 * @example
 * new argocd.ClusterSecret(chart, 'blue', {
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
    refuseProps(constructSubject('ClusterSecret', id, props), clusterSecretSchema, props);
    super(scope, id);
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

const watched = new WeakSet<IConstruct>();

/** One read of the whole tree a synthesis, however many clusters there are. */
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
