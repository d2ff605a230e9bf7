import { ApiObject } from 'cdk8s';
import type { ApiObjectMetadata } from 'cdk8s';
import { Node } from 'constructs';
import type { Construct, IConstruct } from 'constructs';

/**
 * The object without the namespace that its chart has put on it: for kinds that belong to the cluster. cdk8s gives the
 * chart's namespace to every object that says none.
 */
export function withoutNamespace(object: ApiObject): ApiObject {
  Object.assign(object.metadata, { namespace: undefined });
  return object;
}

/** A Kubernetes object as it is written. */
export interface WrittenManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly namespace?: string };
  readonly spec?: unknown;
}

/** An object as it is written. */
export function manifestOf(object: ApiObject): WrittenManifest {
  return object.toJson() as WrittenManifest;
}

/** The objects of these kinds in the whole tree that a construct is in. */
export function manifestsInTree(construct: IConstruct, kinds: readonly string[]): readonly WrittenManifest[] {
  return Node.of(construct.node.root)
    .findAll()
    .filter((each): each is ApiObject => ApiObject.isApiObject(each) && kinds.includes(each.kind))
    .map(manifestOf);
}

/** Labels and annotations of an object, or of the pods that it makes. */
export interface PodMetadata {
  /** Labels of the pods. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the pods. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What an object is known by. */
export interface NamedObject extends PodMetadata {
  readonly name: string;
  readonly namespace?: string;
}

/** The metadata of an object. */
export function metadataOf({ name, namespace, labels, annotations }: NamedObject): ApiObjectMetadata {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels ? { labels: { ...labels } } : {}),
    ...(annotations ? { annotations: { ...annotations } } : {}),
  };
}

/** An object that a construct makes. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    /** @default - an object of the cluster */
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** Puts manifests into a construct tree, each under its kind; exactly as they are. */
export function register(scope: Construct, manifests: readonly Manifest[]): readonly ApiObject[] {
  return manifests.map((manifest) => {
    const object = new ApiObject(scope, manifest.kind, manifest);
    // A chart puts its namespace on every object, and those of the cluster have none.
    Object.assign(object.metadata, { namespace: manifest.metadata.namespace });
    return object;
  });
}
