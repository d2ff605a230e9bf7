import type { StickyTraffic } from '../drain';
import { shareWords, stickyWayOut } from '../drain';
import type { Problem } from '../problems';

/** A managed node group, as far as a change of it takes nodes away for a while. */
export interface NodeGroupFacts {
  readonly version?: string;
  readonly instanceTypes?: readonly string[];
  readonly amiType?: string;
  readonly capacityType?: string;
}

export interface LiveNodeGroup extends NodeGroupFacts {
  readonly name: string;
  /** Whether its tags say that it is of this slot. */
  readonly ofSlot: boolean;
}

export interface WantedNodeGroup extends NodeGroupFacts {
  /** Name in the program's words: `nodes`, `moreNodes.gpu`. */
  readonly path: string;
  /** Its name in EKS. */
  readonly isNamed: (name: string) => boolean;
}

export interface LiveCluster {
  readonly version?: string;
  readonly nodeGroups: readonly LiveNodeGroup[];
}

export interface WantedCluster {
  readonly version?: string;
  readonly nodeGroups: readonly WantedNodeGroup[];
}

/** One change of a cluster that runs. */
export interface InPlaceChange {
  readonly path: string;
  readonly live: unknown;
  readonly wanted: unknown;
}

const compared: readonly (keyof NodeGroupFacts)[] = ['version', 'instanceTypes', 'amiType', 'capacityType'];

/**
 * What would change in a cluster while it runs: its version, and node groups that get another version or are made anew, or
 * go. What the program leaves open is not compared, and a node group that is new takes nothing away.
 *
 * A launch template (another disk, say) is not in it: EKS does not say what is in one.
 */
export function inPlaceChanges(live: LiveCluster, wanted: WantedCluster): InPlaceChange[] {
  const changes: InPlaceChange[] = [];
  const compare = (path: string, before: unknown, after: unknown): void => {
    if (before !== undefined && after !== undefined && JSON.stringify(before) !== JSON.stringify(after)) {
      changes.push({ path, live: before, wanted: after });
    }
  };
  compare('version', live.version, wanted.version);
  for (const group of wanted.nodeGroups) {
    const found = live.nodeGroups.find(({ name }) => group.isNamed(name));
    for (const key of found ? compared : []) {
      compare(`${group.path}.${key}`, sorted(found![key]), sorted(group[key]));
    }
  }
  const gone = live.nodeGroups.filter(
    ({ name, ofSlot }) => ofSlot && !wanted.nodeGroups.some((group) => group.isNamed(name)),
  );
  return [
    ...changes,
    ...gone.map(({ name }) => ({ path: `node group ${name}`, live: name, wanted: undefined })),
  ];
}

function sorted(value: string | readonly string[] | undefined): unknown {
  return Array.isArray(value) ? [...(value as readonly string[])].sort() : value;
}

/** The largest share of live traffic that a slot has on any rule. */
export interface SlotShare {
  /** The share, in percent. */
  readonly percent: number;
  /** ARN of the rule or listener, or the record. */
  readonly where: string;
  /** The requests that make the share, where it is more than the weights say. @default - the weights make it */
  readonly sticky?: StickyTraffic;
}

/** Why these changes are refused, and what to do first. */
export function guardProblems(
  changes: readonly InPlaceChange[],
  slot: string,
  share: SlotShare,
  most: number,
): Problem[] {
  const { percent, sticky } = share;
  return changes.map(({ path, live, wanted }) => ({
    path,
    value: wanted,
    allowed:
      `${JSON.stringify(live)} as it is, while slot "${slot}" carries ${percent} % of the live traffic (on ${shareWords(share)}) and more ` +
      `than ${most} % is too much to lose nodes, their network or an API server under. Set its weight to ${most} or less and run up, which ` +
      'shifts the traffic; change the cluster then, and set the weight up again. ' +
      `${sticky === undefined ? '' : `${stickyWayOut(sticky)}. `}Or make the changed cluster another slot`,
  }));
}
