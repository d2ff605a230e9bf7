import * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';

/** A Kubernetes object whose values may be outputs. */
export interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [field: string]: unknown;
}

type ResourceClass = (new (
  name: string,
  args: object,
  opts: pulumi.CustomResourceOptions,
) => pulumi.CustomResource) & {
  readonly __pulumiType?: string;
};

/** The Pulumi type of an object: `kubernetes:apps/v1:Deployment`, `kubernetes:core/v1:Secret`. */
function pulumiType(apiVersion: string, kind: string): string {
  return `kubernetes:${apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`}:${kind}`;
}

/**
 * Registers one object. Built-in kinds get the SDK's own class, which knows the kind's earlier API versions
 * (aliases) and which fields are secret; every other kind is a CustomResource.
 */
export function registerObject(
  name: string,
  object: ManifestObject,
  opts: pulumi.CustomResourceOptions,
): pulumi.CustomResource {
  const BuiltIn = builtInClass(object.apiVersion, object.kind);
  return BuiltIn ? new BuiltIn(name, object, opts) : new k8s.apiextensions.CustomResource(name, object, opts);
}

function builtInClass(apiVersion: string, kind: string): ResourceClass | undefined {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  // The SDK names a module after the first label of the group; the type below tells apart groups that share it.
  const modules = k8s as unknown as Record<string, Record<string, Record<string, ResourceClass>>>;
  const found = modules[group.split('.')[0]!]?.[version]?.[kind];
  return found?.__pulumiType === pulumiType(apiVersion, kind) ? found : undefined;
}
