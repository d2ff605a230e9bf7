import { parseArn } from '../../core/aws/arns';
import { parseDuration } from '../../core/durations';
import type { LabelSelectorRequirement } from '../../core/kubernetes/label-selector';

/**
 * Which EKS clusters Argo CD is to know, and how: a configuration file of `cluster-canary clusters`. It reads like the
 * ClusterSet of argocd-clusterset, so that one of those can be copied.
 * @see https://github.com/mumoshu/argocd-clusterset
 */
export interface ClusterSet {
  /** Not looked at, so that the file may be an object of another program. */
  readonly apiVersion?: string;
  /** What the file is. @default 'ClusterSet' - nothing else is taken */
  readonly kind?: 'ClusterSet';
  /** Name and namespace of the set. */
  readonly metadata: ClusterSetMetadata;
  /** Which clusters, and what their Secrets say. */
  readonly spec: ClusterSetSpec;
}

/** Who owns the Secrets, and where they are. */
export interface ClusterSetMetadata {
  /** Owner of the Secrets: a label value. Two sets that write to one namespace need names of their own. */
  readonly name: string;
  /** Namespace of the Secrets. @default 'argocd' - where Argo CD's own install manifests put it */
  readonly namespace?: string;
}

/** What a set consists of. */
export interface ClusterSetSpec {
  /** Which clusters; an empty one selects all. */
  readonly selector: ClusterSelector;
  /** How a cluster is registered with Argo CD. */
  readonly template: ClusterTemplate;
  /** Where clusters are looked for. @default - with the credentials and in the region of the environment */
  readonly accounts?: readonly ClusterSetAccount[];
  /**
   * Whether cluster Secrets of the wanted names that have no owner are taken over: hand-made ones, and those of
   * argocd-clusterset. Those of another set never are.
   * @default false
   */
  readonly adopt?: boolean;
  /** When the Secret of a cluster goes that is no longer found. @default - the defaults of each setting */
  readonly deletion?: DeletionSettings;
  /** How many calls are under way at once. @default 10 - EKS throttles an account that asks for more in one region */
  readonly concurrency?: number;
  /** Time between two looks with `--watch`. @default '1m' - a cluster takes ten minutes to come up */
  readonly interval?: string;
}

/** Selects clusters by their tags; everything that is asked must hold. */
export interface ClusterSelector {
  /** Tags with the values that they must have. @default - none */
  readonly eksTags?: Readonly<Record<string, string>>;
  /**
   * Set-based requirements on tags, with the operators of Kubernetes: `NotIn` also holds where there is no such tag.
   * @default - none
   * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#set-based-requirement
   */
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
  /** The role that EKS is called with, where argocd-clusterset has it; or `accounts`. @default - none */
  readonly roleARN?: string;
}

/** One account's clusters. */
export interface ClusterSetAccount {
  /** Role that is assumed to read the account's clusters. @default - the credentials of the environment */
  readonly roleArn?: string;
  /** Regions that are read. @default - that of the environment */
  readonly regions?: readonly string[];
  /**
   * The account, 12 digits: credentials and clusters of any other are an error. Without it, wrong credentials for an
   * account without clusters look as if all clusters were gone.
   * @default - that of `roleArn`; without one, any
   */
  readonly account?: string;
}

/**
 * How a cluster is registered. Texts are templates: `{{name}}`, `{{region}}`, `{{account}}`, `{{arn}}`, `{{version}}`,
 * `{{tags.KEY}}`, each with filters such as `{{tags.team | default none | label}}`.
 */
export interface ClusterTemplate {
  /** Metadata of the Secret. @default - the defaults of each field */
  readonly metadata?: ClusterTemplateMetadata;
  /** Name in Argo CD, as `destination.name` has it. @default - the name of the Secret */
  readonly clusterName?: string;
  /**
   * What `server` says: the URL of the API server, or the ARN, which EKS's managed Argo CD wants.
   * @default 'endpoint'
   */
  readonly server?: 'endpoint' | 'arn';
  /** How Argo CD logs in. @default - with its own identity (`awsAuthConfig` with the cluster's name alone) */
  readonly config?: ClusterLogin;
  /** Project that alone may use the cluster. @default - every project that allows it */
  readonly project?: string;
  /** Shard of the application controller: a number, or a template that gives one. @default - Argo CD decides */
  readonly shard?: number | string;
  /** Namespaces that Argo CD reads. @default - all */
  readonly namespaces?: readonly string[];
  /** Whether Argo CD manages cluster-wide objects although `namespaces` is set. @default false */
  readonly clusterResources?: boolean;
}

/** Metadata of the Secret. */
export interface ClusterTemplateMetadata {
  /** Name of the Secret. @default '{{name}}' */
  readonly name?: string;
  /** Labels beside the ones that Argo CD and the set need. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the Secret; values are templates. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Where the resource definition of argocd-clusterset has it; or `config` of the template. @default - none */
  readonly config?: ClusterLogin;
}

/** How Argo CD logs in to a cluster; no credential is kept. */
export interface ClusterLogin {
  /** As an AWS identity. @default - the pods' own */
  readonly awsAuthConfig?: {
    /** Role to assume; a template. @default - none */
    readonly roleARN?: string;
    /** Path of a file with AWS credentials that is mounted into Argo CD. @default - none */
    readonly profile?: string;
  };
  /** By a program in Argo CD's image; arguments and values of the environment are templates. @default - none */
  readonly execProviderConfig?: {
    /** Name or path of the program. */
    readonly command: string;
    /** Its arguments. @default - none */
    readonly args?: readonly string[];
    /** Its environment, beside Argo CD's own. @default - none */
    readonly env?: Readonly<Record<string, string>>;
    /** API version of what the program prints. @default 'client.authentication.k8s.io/v1beta1' */
    readonly apiVersion?: string;
    /** What is printed where the program is not there. @default - nothing */
    readonly installHint?: string;
  };
  /** Proxy that API servers are reached through. @default - none */
  readonly proxyUrl?: string;
}

/** When a Secret goes whose cluster is gone. */
export interface DeletionSettings {
  /** How long a cluster must have been missing. @default '15m' - longer than a tag that is being set anew */
  readonly gracePeriod?: string;
  /**
   * Most of the set's Secrets that may go in one run, in whole percent. Of several, one always may; the only one may
   * where this is 100. If more are due, none goes, unless forced.
   * @default 30
   */
  readonly maxShare?: number;
}

/** A set with every default filled in. */
export interface ClusterSetSettings {
  /** Name of the set: the owner of its Secrets. */
  readonly name: string;
  /** Namespace of the Secrets. */
  readonly namespace: string;
  /** Which clusters are taken, by their tags. */
  readonly selector: ClusterSelector;
  /** What their Secrets say. */
  readonly template: ClusterTemplate;
  /** Accounts and regions that are read. */
  readonly places: readonly ClusterPlace[];
  /** Whether cluster Secrets without an owner are taken over. */
  readonly adopt: boolean;
  /** In milliseconds. */
  readonly gracePeriod: number;
  /** In whole percent. */
  readonly maxShare: number;
  /** How many calls are under way at once. */
  readonly concurrency: number;
  /** In milliseconds. */
  readonly interval: number;
}

/** One account and region whose clusters are read. */
export interface ClusterPlace {
  /** AWS region. @default - that of the environment */
  readonly region?: string;
  /** Role that is assumed to read. @default - the environment's own identity */
  readonly roleArn?: string;
  /** Account that the credentials and the clusters must be of: 12 digits. @default - any */
  readonly account?: string;
}

/** A set that was checked, with every default filled in. */
export function withDefaults(set: ClusterSet): ClusterSetSettings {
  const { metadata: own, spec } = withoutNull(set) as ClusterSet;
  const { selector, template, deletion = {} } = spec;
  const accounts = spec.accounts ?? [selector.roleARN === undefined ? {} : { roleArn: selector.roleARN }];
  const { config: older, ...metadata } = template.metadata ?? {};
  const config = template.config ?? older;
  return {
    name: own.name,
    namespace: own.namespace ?? 'argocd',
    selector,
    template: { ...template, ...(template.metadata && { metadata }), ...(config && { config }) },
    places: accounts.flatMap(placesOf),
    adopt: spec.adopt ?? false,
    gracePeriod: parseDuration(deletion.gracePeriod ?? '15m')!,
    maxShare: deletion.maxShare ?? 30,
    concurrency: spec.concurrency ?? 10,
    interval: parseDuration(spec.interval ?? '1m')!,
  };
}

/** A key of YAML without a value is null, and means that it was left out. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutNull);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const entries = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(entries.map(([key, each]) => [key, withoutNull(each)]));
}

function placesOf({ regions, roleArn, account }: ClusterSetAccount): readonly ClusterPlace[] {
  const known = account ?? (roleArn === undefined ? undefined : parseArn(roleArn)?.account);
  const common = {
    ...(roleArn === undefined ? {} : { roleArn }),
    ...(known === undefined ? {} : { account: known }),
  };
  return regions === undefined ? [common] : regions.map((region) => ({ ...common, region }));
}

/** For messages: `eu-west-1 by arn:aws:iam::123456789012:role/reader`. */
export function describePlace({ region, roleArn, account }: ClusterPlace): string {
  const by = roleArn ?? (account === undefined ? undefined : `account ${account}`);
  return `${region ?? 'the default region'}${by === undefined ? '' : ` by ${by}`}`;
}

/** What of a set's settings decides. */
export type ReconcileSettings = Pick<ClusterSetSettings, 'name' | 'adopt' | 'gracePeriod' | 'maxShare'> & {
  /** Whether more than the share may go at once. @default false */
  readonly force?: boolean;
};

/** What the set needs to know of an EKS cluster. */
export interface EksCluster {
  /** Name of the cluster, unique in its account and region. */
  readonly name: string;
  /** ARN of the cluster. */
  readonly arn: string;
  /** Account that it is in: 12 digits. */
  readonly account: string;
  /** AWS region that it is in. */
  readonly region: string;
  /** `ACTIVE`, `CREATING`, …; EKS may come to have others. */
  readonly status: string;
  /** URL of the API server; not there before the cluster is active. */
  readonly endpoint?: string;
  /** PEM in base64; not there before the cluster is active. */
  readonly certificateAuthority?: string;
  /** Version of Kubernetes: `1.35`. */
  readonly version?: string;
  /** Its tags, by key. */
  readonly tags: Readonly<Record<string, string>>;
}

/** What was found in one place, or in all of them. */
export interface FoundClusters {
  /** What was found. */
  readonly clusters: readonly EksCluster[];
  /** What did not answer, a line each. Where there is one, a cluster that was not found may still be there. */
  readonly failures: readonly string[];
}
