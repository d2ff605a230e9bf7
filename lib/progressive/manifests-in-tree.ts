import { ApiObject } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { Node } from 'constructs';

/** A Kubernetes object as it is written. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly namespace?: string };
  readonly spec?: unknown;
}

/** An object as it is written. */
export function manifestOf(object: ApiObject): Manifest {
  return object.toJson() as Manifest;
}

/** The objects of these kinds in the whole tree that a construct stands in. */
export function manifestsInTree(construct: IConstruct, kinds: readonly string[]): readonly Manifest[] {
  return Node.of(construct.node.root)
    .findAll()
    .filter((each): each is ApiObject => ApiObject.isApiObject(each) && kinds.includes(each.kind))
    .map(manifestOf);
}
