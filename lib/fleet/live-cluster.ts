import type { AwsClients } from '../aws';
import { askAws, AwsError, withList } from '../aws';
import type { LiveCluster, LiveNodeGroup } from './in-place-changes';

/** Which slot a cluster is of. */
export interface SlotIdentity {
  /** Name of the fleet. */
  readonly fleet: string;
  /** Name of the slot in the fleet. */
  readonly slot: string;
}

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
  const ask = <Answer>(action: string, call: () => Promise<Answer>): Promise<Answer> =>
    askAws({ action: `eks:${action}`, subject: `EKS cluster ${clusterName}`, region: clients.region }, call);
  const eks = await clients.eks();
  const described = await unlessNotFound(
    ask('DescribeCluster', () => eks.describeCluster({ name: clusterName })),
  );
  if (described === undefined) {
    return undefined;
  }
  const names: string[] = [];
  let nextToken: string | undefined;
  do {
    const page = await ask('ListNodegroups', () =>
      withList('nodegroups', eks.listNodegroups({ clusterName, nextToken })),
    );
    names.push(...page.nodegroups);
    nextToken = page.nextToken;
  } while (nextToken);
  const nodeGroups = await Promise.all(
    names.map(async (name): Promise<LiveNodeGroup | undefined> => {
      const found = await unlessNotFound(
        ask('DescribeNodegroup', () => eks.describeNodegroup({ clusterName, nodegroupName: name })),
      );
      if (found === undefined) {
        return undefined;
      }
      const { version, instanceTypes, amiType, capacityType, tags = {} } = found.nodegroup ?? {};
      return { name, version, instanceTypes, amiType, capacityType, ofSlot: isOfSlot(tags, slot) };
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

/** Whether tags are those that this library gives to what is a slot's. */
export function isOfSlot(tags: Readonly<Record<string, string>>, { fleet, slot }: SlotIdentity): boolean {
  return tags['cluster-canary/fleet'] === fleet && tags['cluster-canary/slot'] === slot;
}
