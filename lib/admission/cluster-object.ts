import type { ApiObject } from 'cdk8s';

/**
 * The object without the namespace that its chart has put on it: for kinds that belong to the cluster. cdk8s gives the
 * chart's namespace to every object that says none.
 */
export function withoutNamespace(object: ApiObject): ApiObject {
  Object.assign(object.metadata, { namespace: undefined });
  return object;
}
