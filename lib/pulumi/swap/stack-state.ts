import { isPlainObject } from '../../core/validation/problems';
import type { PlainObject } from '../../core/validation/problems';

/** An operation that was begun and whose end is not known. */
export interface PendingOperation {
  readonly urn: string;
  /** `creating`, `updating`, `deleting`, `reading` */
  readonly type: string;
  /** Whether the state has the resource. */
  readonly isKnown: boolean;
}

/** What an engine that was killed has left behind in a state, as `pulumi stack export` tells it. */
export function pendingOperations(deployment: unknown): readonly PendingOperation[] {
  const known = new Set(resourcesOf(deployment).map(({ urn }) => urn));
  return pendingOf(deployment).map(({ type, resource }) => ({
    ...{ type, urn: resource.urn, isKnown: known.has(resource.urn) },
  }));
}

/** URN of the stack itself, which is there without any resource. */
export function stackUrn(deployment: unknown): string | undefined {
  return resourcesOf(deployment).find(({ type }) => type === 'pulumi:pulumi:Stack')?.urn;
}

/**
 * Properties that a resource's ID is made of, and what is between them, by its type: where a creation was cut short, whether it
 * is there can be asked. Of others the ID is made by AWS.
 *
 * @see "Import" on the page of each type, such as https://www.pulumi.com/registry/packages/aws/api-docs/eks/cluster/#import
 */
const ids: Readonly<Record<string, readonly string[]>> = {
  'aws:eks/cluster:Cluster': ['name'],
  'aws:eks/nodeGroup:NodeGroup': ['clusterName', 'nodeGroupName'],
  'aws:eks/addon:Addon': ['clusterName', 'addonName'],
  'aws:eks/accessEntry:AccessEntry': ['clusterName', 'principalArn'],
  'aws:iam/role:Role': ['name'],
};

/**
 * The state with the resources whose creation was cut short, as far as their inputs say their ID: a refresh then finds out what
 * they are, or that they are not there. `pulumi stack import` drops all pending operations.
 *
 * @returns undefined where there is none
 */
export function withPendingCreates(
  deployment: unknown,
): { readonly deployment: PlainObject; readonly urns: readonly string[] } | undefined {
  const resources = resourcesOf(deployment);
  const known = new Set(resources.map(({ urn }) => urn));
  const found = new Map<string, PlainObject>();
  for (const { type, resource } of pendingOf(deployment)) {
    const id = type === 'creating' && !known.has(resource.urn) ? idOf(resource) : undefined;
    if (id !== undefined) {
      const { outputs: _, ...rest } = resource;
      found.set(resource.urn, { ...rest, id });
    }
  }
  return found.size === 0
    ? undefined
    : {
        // What they depend on was there before.
        deployment: { ...(deployment as PlainObject), resources: [...resources, ...found.values()] },
        urns: [...found.keys()],
      };
}

/**
 * Resources that a refresh has to look at: taken into the state and not read yet, or being made when they were read. A run that was
 * killed may have left them.
 */
export function unsettled(deployment: unknown): readonly string[] {
  return resourcesOf(deployment)
    .filter(({ type, id, outputs, delete: isReplaced }) => {
      const { status } = isPlainObject(outputs) ? outputs : {};
      // A refresh leaves out what is only left to be deleted.
      return (
        isReplaced !== true &&
        String(type) in ids &&
        id !== undefined &&
        (outputs === undefined || status === 'CREATING')
      );
    })
    .map(({ urn }) => urn);
}

/** A resource of a state: all that it says, and what is read of it here. */
export type StateResource = PlainObject & { readonly urn: string };

/** The resources of a state. */
export function resourcesOf(deployment: unknown): readonly StateResource[] {
  return listOf(deployment, 'resources').filter(isResource);
}

function pendingOf(
  deployment: unknown,
): readonly { readonly type: string; readonly resource: StateResource }[] {
  return listOf(deployment, 'pending_operations').flatMap((each) => {
    const { type, resource } = isPlainObject(each) ? each : {};
    return typeof type === 'string' && isResource(resource) ? [{ type, resource }] : [];
  });
}

function listOf(deployment: unknown, key: string): readonly unknown[] {
  const list = isPlainObject(deployment) ? deployment[key] : undefined;
  return Array.isArray(list) ? (list as readonly unknown[]) : [];
}

function isResource(value: unknown): value is StateResource {
  return isPlainObject(value) && typeof value.urn === 'string';
}

/** A secret input is no text. */
function idOf({ type, inputs }: StateResource): string | undefined {
  const given = isPlainObject(inputs) ? inputs : {};
  const parts = ids[String(type)]?.map((key) => given[key]) ?? [undefined];
  return parts.every((part) => typeof part === 'string' && part !== '') ? parts.join(':') : undefined;
}
