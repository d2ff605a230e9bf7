import { isAutomaticName } from './in-place-changes';
import type { NodeGroupFacts, WantedCluster, WantedNodeGroup } from './in-place-changes';
import { amiType } from './ami-type';
import type { NodesArgs } from './nodes-args';
import type { SlotArgs } from './slot-args';

/** The managed node groups of a slot, by their names in the program. */
export function nodeGroupsOf({ nodes, moreNodes }: SlotArgs): Record<string, NodesArgs> {
  return { ...(nodes ? { nodes } : {}), ...moreNodes };
}

/** Name of the component of a node group. */
export function nodeGroupName(slot: string, key: string): string {
  return key === 'nodes' ? slot : `${slot}-${key}`;
}

/**
 * What the program wants of a cluster, as far as it says so in plain values.
 *
 * @param slot name of the slot's component
 */
export function wantedCluster(slot: string, args: SlotArgs): WantedCluster {
  const version: unknown = args.clusterArgs?.version ?? args.version;
  return {
    ...(typeof version === 'string' && { version }),
    nodeGroups: Object.entries(nodeGroupsOf(args)).map(([key, nodes]) =>
      wantedNodeGroup(slot, key, nodes, args),
    ),
  };
}

function wantedNodeGroup(
  slot: string,
  key: string,
  nodes: NodesArgs,
  { version }: SlotArgs,
): WantedNodeGroup {
  const facts = {
    version,
    instanceTypes: nodes.instanceTypes,
    amiType: nodes.amiType ?? amiType(nodes.instanceTypes),
    capacityType: nodes.capacityType ?? 'ON_DEMAND',
    ...nodes.nodeGroupArgs,
  };
  const { nodeGroupName: own } = nodes.nodeGroupArgs ?? {};
  const resource = `${nodeGroupName(slot, key)}-nodes`;
  return {
    path: key === 'nodes' ? 'nodes' : `moreNodes.${key}`,
    isNamed: (name) => (typeof own === 'string' ? name === own : isAutomaticName(name, resource)),
    ...plainFacts(facts),
  };
}

function plainFacts(facts: Readonly<Record<string, unknown>>): NodeGroupFacts {
  const text = (key: string) => (typeof facts[key] === 'string' ? { [key]: facts[key] } : {});
  const { instanceTypes } = facts;
  const listed = Array.isArray(instanceTypes) && instanceTypes.every((type) => typeof type === 'string');
  return {
    ...text('version'),
    ...text('amiType'),
    ...text('capacityType'),
    ...(listed && { instanceTypes }),
  };
}
