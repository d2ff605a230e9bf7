import type { AwsClients } from '../../core/aws/clients';
import { AwsError, callAws } from '../../core/aws/errors';
import type { AwsCall } from '../../core/aws/errors';
import { everyPage, pageOf } from '../../core/aws/pages';
import type { Problem } from '../../core/validation/problems';
import { shareWords, stickyWayOut } from '../../operate/drain';
import { isTargetOfSlot } from '../../operate/live-traffic';
import type { SlotIdentity, SlotShare } from '../../operate/live-traffic';

/**
 * A cluster as it runs.
 *
 * @returns undefined where there is none
 * @throws AwsError
 */
export async function liveCluster(
  clients: AwsClients,
  clusterName: string,
  slot: SlotIdentity,
): Promise<LiveCluster | undefined> {
  const call = (action: string): AwsCall => ({
    action: `eks:${action}`,
    subject: `EKS cluster ${clusterName}`,
    region: clients.region,
  });
  const ask = <Answer>(action: string, send: () => Promise<Answer>): Promise<Answer> =>
    callAws(call(action), send);
  const eks = await clients.eks();
  const described = await unlessNotFound(
    ask('DescribeCluster', () => eks.describeCluster({ name: clusterName })),
  );
  if (described === undefined) {
    return undefined;
  }
  const names = await everyPage<string>(call('ListNodegroups'), (nextToken) =>
    ask('ListNodegroups', () => pageOf('nodegroups', eks.listNodegroups({ clusterName, nextToken }))),
  );
  const nodeGroups = await Promise.all(
    names.map(async (name): Promise<LiveNodeGroup | undefined> => {
      const found = await unlessNotFound(
        ask('DescribeNodegroup', () => eks.describeNodegroup({ clusterName, nodegroupName: name })),
      );
      if (found === undefined) {
        return undefined;
      }
      const { version, instanceTypes, amiType, capacityType, tags = {} } = found.nodegroup ?? {};
      return { name, version, instanceTypes, amiType, capacityType, ofSlot: isTargetOfSlot(tags, slot) };
    }),
  );
  return {
    version: described.cluster?.version,
    nodeGroups: nodeGroups.filter((each) => each !== undefined),
  };
}

/** What may go while it is looked for. */
async function unlessNotFound<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof AwsError && error.failure.kind === 'notFound') {
      return undefined;
    }
    throw error;
  }
}

/** Whether Pulumi made this name of a resource's: it adds a dash and seven hexadecimal digits. */
export function isAutomaticName(name: string, resource: string): boolean {
  return name.startsWith(`${resource}-`) && /^[0-9a-f]{7}$/.test(name.slice(resource.length + 1));
}

/** A managed node group, as far as a change of it takes nodes away for a while. */
export interface NodeGroupFacts {
  readonly version?: string;
  readonly instanceTypes?: readonly string[];
  readonly amiType?: string;
  readonly capacityType?: string;
}

interface LiveNodeGroup extends NodeGroupFacts {
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
