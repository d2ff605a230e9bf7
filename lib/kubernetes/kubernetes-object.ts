/** A kind of object, as its manifests name it. */
export interface ResourceKind {
  /** `v1`, `argoproj.io/v1alpha1` */
  readonly apiVersion: string;
  /** `Secret`, `Application` */
  readonly kind: string;
}

/** Names one object; every object names itself. */
export interface ObjectReference extends ResourceKind {
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
export interface OwnerReference extends ResourceKind {
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}
