/** What a reader of objects needs of an API server. Every call fails with a {@link KubernetesError}. */
export interface KubernetesReader {
  /** URL of the server, for messages. */
  readonly server: string;

  /** @throws KubernetesError `notFound` where there is no such object */
  get(reference: ObjectReference, signal?: AbortSignal): Promise<KubernetesObject>;

  /** All objects that fit, read in pages to the end. Objects carry their `apiVersion` and `kind`. */
  list(kind: ObjectKind, options?: ListOptions): Promise<readonly KubernetesObject[]>;
}

/**
 * The API server of one cluster, over plain objects.
 *
 * Reads, and applies, which can be repeated, are tried again after a failure of the network or the server, with growing
 * pauses and jitter. Other writes are tried again only where the server has refused to begin, or was never reached.
 */
export interface KubernetesApi extends KubernetesReader {
  /** @throws KubernetesError `alreadyExists` */
  create(object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;

  /**
   * Writes all of an object that is there.
   *
   * @throws KubernetesError `conflict` where the object carries a `resourceVersion` that is not the newest
   */
  replace(object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;

  /**
   * Server-side apply: creates the object or changes the fields given, and owns them from then on.
   *
   * @throws KubernetesError `conflict` where somebody else owns a field, unless `force` is set
   * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/
   */
  apply(object: KubernetesObject, options?: ApplyOptions): Promise<KubernetesObject>;

  /** Merge patch (RFC 7386): `null` removes a field, a list is written whole. */
  patch(reference: ObjectReference, patch: object, options?: WriteOptions): Promise<KubernetesObject>;

  /** @throws KubernetesError `notFound`; `conflict` where it is not the object that was meant */
  remove(reference: ObjectReference, options?: RemoveOptions): Promise<void>;

  /** Closes the connections. */
  close(): void;
}

export interface ListOptions {
  /** @default - every namespace */
  readonly namespace?: string;
  /** `env=production,tier in (web, api)` */
  readonly labelSelector?: string;
  /** `metadata.name=web`; which fields can be selected depends on the kind. */
  readonly fieldSelector?: string;
  /** Objects a page. @default 500 - what kubectl asks for */
  readonly pageSize?: number;
  readonly signal?: AbortSignal;
}

export interface WriteOptions {
  /** Who the written fields belong to. @default 'cluster-canary' */
  readonly fieldManager?: string;
  /** Whether the server only checks, and stores nothing. @default false */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

export interface ApplyOptions extends WriteOptions {
  /** Whether fields of others are taken over. @default false */
  readonly force?: boolean;
}

export interface RemoveOptions {
  /** Removes the object only if it is this one, not a later one of the same name. @default - whichever is there */
  readonly uid?: string;
  /** Removes the object only if it has not changed since. @default - whatever it says by now */
  readonly resourceVersion?: string;
  /** What becomes of the objects that it owns. @default 'Background' */
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  readonly signal?: AbortSignal;
}

/** A kind of object, as its manifests name it. */
export interface ObjectKind {
  /** `v1`, `argoproj.io/v1alpha1` */
  readonly apiVersion: string;
  /** `Secret`, `Application` */
  readonly kind: string;
}

/** Names one object; every object names itself. */
export interface ObjectReference extends ObjectKind {
  readonly metadata: {
    readonly name: string;
    /** @default - the namespace of the kubeconfig's context, for kinds that live in one */
    readonly namespace?: string;
  };
}

/** An object as the API server takes and answers it: what its manifest says, and nothing converted. */
export interface KubernetesObject extends ObjectReference {
  readonly metadata: ObjectMetadata;
  readonly [field: string]: unknown;
}

/** What the library reads of an object's metadata. */
export interface ObjectMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  /** Changes with every write; a write that brings an old one is refused. */
  readonly resourceVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly [field: string]: unknown;
}

/** An object that another one goes with. */
export interface OwnerReference extends ObjectKind {
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

/** Reads what containers have written. */
export interface PodLogs {
  /**
   * The log of one container, as text.
   *
   * @throws KubernetesError; `denied` where the right to `get` `pods/log` is missing, `invalid` where the container has not
   *   started
   */
  podLog(options: PodLogOptions): Promise<string>;
}

/**
 * Which part of which log.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#get-read-log-of-the-specified-pod
 */
export interface PodLogOptions {
  readonly namespace: string;
  /** Name of the pod. */
  readonly pod: string;
  /** Name of the container. @default - the only one of the pod */
  readonly container?: string;
  /** How far back, in seconds. @default - to the beginning */
  readonly sinceSeconds?: number;
  /** How many lines at most, counted from the newest one. @default - all */
  readonly tailLines?: number;
  /**
   * How many bytes at most, counted from the oldest line that is left: a log that is longer loses its newest lines.
   * @default - all
   */
  readonly limitBytes?: number;
  /** Of one try, in milliseconds. @default - that of every call */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

/** Path and query of a log. */
export function logPath({ namespace, pod, ...limits }: PodLogOptions): string {
  const { container, sinceSeconds, tailLines, limitBytes } = limits;
  const query = new URLSearchParams(
    Object.entries({ container, sinceSeconds, tailLines, limitBytes })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log`;
  return query ? `${path}?${query}` : path;
}

/** Whether a client of an API server reads logs, too. */
export function canReadPodLogs<Client extends object>(client: Client): client is Client & PodLogs {
  return 'podLog' in client && typeof client.podLog === 'function';
}

/** Says which version an API server is of. */
export interface ServerVersion {
  /**
   * `v1.35.4`
   *
   * @throws KubernetesError; `faulty` where the answer names none
   */
  version(signal?: AbortSignal): Promise<string>;
}

/** Whether a client of an API server says its version, too. */
export function saysVersion<Client extends object>(client: Client): client is Client & ServerVersion {
  return 'version' in client && typeof client.version === 'function';
}

/**
 * A right on an API server, as plain data: what a Role (with a namespace) or a ClusterRole (without) grants.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/
 */
export interface AccessRule {
  /** `''` is the core group. */
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Kubernetes can limit neither `create` nor, by a name of one object, `list`. @default - objects of every name */
  readonly resourceNames?: readonly string[];
  /** @default - the rule is needed in every namespace */
  readonly namespace?: string;
}

/** The kind that Argo Rollouts brings. */
export const rolloutKind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' } as const;

/** Where kubelets renew their Leases. */
export const leaseNamespace = 'kube-node-lease';
