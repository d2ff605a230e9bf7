import type { KubernetesObject, ObjectReference, ResourceKind } from './kubernetes-object';

/** What a reader of objects needs of an API server. Every call fails with a {@link KubernetesError}. */
export interface KubernetesReader {
  /** URL of the server, for messages. */
  readonly server: string;

  /** @throws KubernetesError `notFound` where there is no such object */
  get(reference: ObjectReference, signal?: AbortSignal): Promise<KubernetesObject>;

  /** All objects that fit, read in pages to the end. Objects carry their `apiVersion` and `kind`. */
  list(kind: ResourceKind, options?: ListOptions): Promise<readonly KubernetesObject[]>;
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
