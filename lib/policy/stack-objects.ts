import type { JudgedObject } from '../rules';
import type { ShownResource } from './resource-objects';
import { resourceObjects } from './resource-objects';
import type { UnknownReads } from './unknown-reads';

/** A resource with what it belongs to. */
export interface StackResource extends ShownResource {
  /** The provider that makes it. @default - it is a component, or a provider */
  readonly provider?: { readonly urn: string; readonly name: string };
}

/**
 * The Kubernetes objects of a stack.
 *
 * A policy over a resource sees what the program asks for; one over the stack sees what the cluster answered, with all that
 * it filled in. Rules judge what the program says, so that is kept of each resource that was seen before.
 */
export class StackObjects {
  private readonly asked = new Map<string, readonly JudgedObject[]>();

  public constructor(private readonly reads: UnknownReads) {}

  /** The objects of a resource as the program asks for them. */
  public ofResource(resource: ShownResource): readonly JudgedObject[] {
    const objects = resourceObjects(resource, this.reads);
    if (objects.length > 0) {
      this.asked.set(resource.urn, objects);
    }
    return objects;
  }

  /** The objects of a stack, cluster by cluster. */
  public byCluster(resources: readonly StackResource[]): readonly (readonly JudgedObject[])[] {
    const clusters = new Map<string, JudgedObject[]>();
    for (const resource of resources) {
      const objects = this.asked.get(resource.urn) ?? resourceObjects(resource, this.reads);
      if (objects.length > 0) {
        const key = clusterOf(resource);
        const others = clusters.get(key) ?? [];
        clusters.set(key, others);
        others.push(...objects);
      }
    }
    return [...clusters.values()];
  }
}

/** Pulumi makes a default provider for each version of the package; all have the same configuration. */
const defaultProvider = /^default(?:_\d.*)?$/;

/** A provider stands for a cluster: nothing else of a resource names one. */
function clusterOf({ provider }: StackResource): string {
  return provider === undefined || defaultProvider.test(provider.name) ? 'default' : provider.urn;
}
