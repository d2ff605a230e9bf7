import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { Manifest } from './manifest';

/** Puts manifests into a construct tree, each under its kind; exactly as they are. */
export function register(scope: Construct, manifests: readonly Manifest[]): readonly ApiObject[] {
  return manifests.map((manifest) => {
    const object = new ApiObject(scope, manifest.kind, manifest);
    // A chart puts its namespace on every object, and those of the cluster have none.
    Object.assign(object.metadata, { namespace: manifest.metadata.namespace });
    return object;
  });
}
