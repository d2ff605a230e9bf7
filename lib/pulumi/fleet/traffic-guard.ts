import * as pulumi from '@pulumi/pulumi';
import { awsClients } from '../../core/aws/clients';
import type { AwsClients } from '../../core/aws/clients';
import { AwsError } from '../../core/aws/errors';
import { InvalidInput } from '../../core/validation/problems';
import { liveShare } from '../../operate/live-traffic';
import type { SlotIdentity, SlotShare } from '../../operate/live-traffic';
import { engineHook, hasEngine } from '../hooks';
import { plainValue } from '../inputs';
import { guardProblems, inPlaceChanges, isAutomaticName, liveCluster } from './in-place-changes';
import type { InPlaceChange, LiveCluster, WantedCluster } from './in-place-changes';

/** Share of live traffic, in percent, with which a cluster may be changed in place. */
export const defaultMaxLiveTraffic = 10;

/** What a guard watches. */
export interface TrafficGuardOptions extends SlotIdentity {
  /** Name of the slot's component, for messages and hooks. */
  readonly name: string;
  readonly clusterName: string;
  /** Region of the cluster. @default - that of the environment */
  readonly region: pulumi.Input<string | undefined>;
  readonly wanted: WantedCluster;
  /** Hosted zones that may have records of the fleet. @default - every one of the account */
  readonly hostedZoneIds?: readonly string[];
  /** Percent; 100 turns it off. */
  readonly maxLiveTraffic: number;
}

/** What a guard found, and where it looked. */
interface Seen {
  readonly region: string | undefined;
  readonly live: LiveCluster | undefined;
}

/**
 * Changes that a hook of the engine sees, beside those that EKS tells of before. A new version of a launch template replaces
 * nodes, and what made it could not be taken back without making one more: so the template is guarded itself.
 */
const disruptive: Readonly<Record<string, (property: string) => boolean>> = {
  'aws:eks/cluster:Cluster': (property) => property === 'version',
  'aws:eks/nodeGroup:NodeGroup': (property) =>
    ['version', 'releaseVersion', 'launchTemplate'].includes(property),
  'aws:ec2/launchTemplate:LaunchTemplate': (property) => property !== 'tags',
  // Of EKS's own add-ons: the network, DNS and identities of every pod.
  'aws:eks/addon:Addon': (property) => ['addonVersion', 'configurationValues'].includes(property),
};

/**
 * The change that the creation of a node group is where one of its name runs already: the engine makes another one in its
 * place (other subnets, other raw arguments), and then takes the old one's nodes away.
 *
 * @param name of the resource
 * @param given `nodeGroupName`, as the engine is about to create it
 */
export function madeAnew(live: LiveCluster | undefined, name: string, given: unknown): InPlaceChange[] {
  const running = (live?.nodeGroups ?? []).filter(
    (group) => group.ofSlot && (group.name === given || isAutomaticName(group.name, name)),
  );
  return running.map((group) => ({ path: name, live: group.name, wanted: 'another one in its place' }));
}

/**
 * Refuses to change a cluster in place while its slot carries live traffic: before anything of the cluster is registered,
 * in previews, too, by comparing what runs with what is wanted; and, for what EKS does not tell, in a hook before the
 * engine updates the cluster or a node group.
 */
export class TrafficGuard {
  private readonly seen: pulumi.Output<Seen | undefined>;
  private share: Promise<SlotShare> | undefined;

  public constructor(private readonly options: TrafficGuardOptions) {
    this.seen = pulumi
      .output(options.region)
      .apply(async (region): Promise<Seen | undefined> => (this.isOn() ? this.compare(region) : undefined));
  }

  /** The same value, once the guard lets the cluster be changed. */
  public behind<T>(value: pulumi.Input<T>): pulumi.Input<T> {
    return this.isOn()
      ? (pulumi.all([value, this.seen]).apply(([known]) => known) as pulumi.Output<T>)
      : value;
  }

  /** Hooks of the cluster, a node group or its launch template, by the type of the resource. */
  public hooks(type: string, name: string): pulumi.ResourceHookBinding | undefined {
    const isDisruptive = disruptive[type];
    if (!this.isOn() || isDisruptive === undefined) {
      return undefined;
    }
    const { slot, fleet } = this.options;
    const what = `the guard of slot "${slot}" of fleet "${fleet}"`;
    const create = () =>
      engineHook(what, name, 'beforeCreate', async ({ newInputs = {} }) => {
        const seen = await plainValue(this.seen);
        if (seen) {
          await this.refuse(madeAnew(seen.live, name, newInputs.nodeGroupName), seen.region);
        }
      });
    return {
      ...(type === 'aws:eks/nodeGroup:NodeGroup' && { beforeCreate: [create()] }),
      beforeUpdate: [
        engineHook(what, name, 'beforeUpdate', async ({ oldInputs = {}, newInputs = {} }) => {
          const changes = [...new Set([...Object.keys(oldInputs), ...Object.keys(newInputs)])]
            .filter(isDisruptive)
            .map((path) => ({
              path: `${name}.${path}`,
              live: oldInputs[path] as unknown,
              wanted: newInputs[path] as unknown,
            }))
            .filter(({ live, wanted }) => JSON.stringify(live) !== JSON.stringify(wanted));
          // A preview may not know the region.
          const seen = await plainValue(this.seen);
          if (changes.length === 0 || seen === undefined) {
            return;
          }
          if (seen.live === undefined && isOfCluster(type)) {
            throw this.unseen(seen.region);
          }
          await this.refuse(changes, seen.region);
        }),
      ],
    };
  }

  private isOn(): boolean {
    return hasEngine() && this.options.maxLiveTraffic < 100;
  }

  private async compare(region: string | undefined): Promise<Seen> {
    const { clusterName, wanted } = this.options;
    const live = await withClients(region, (clients) => liveCluster(clients, clusterName, this.options));
    await this.refuse(live ? inPlaceChanges(live, wanted) : [], region);
    return { region, live };
  }

  /** @throws InvalidInput where there are changes and too much traffic */
  private async refuse(changes: readonly InPlaceChange[], region: string | undefined): Promise<void> {
    const { name, slot, maxLiveTraffic, hostedZoneIds } = this.options;
    if (changes.length === 0) {
      return;
    }
    this.share ??= withClients(region, (clients) => liveShare(clients, this.options, { hostedZoneIds }));
    const share = await this.share;
    if (share.percent > maxLiveTraffic) {
      throw new InvalidInput(
        `EKS cluster of slot "${name}"`,
        guardProblems(changes, slot, share, maxLiveTraffic),
      );
    }
  }

  /** Who can't see a cluster that is there can't see its traffic either. */
  private unseen(region: string | undefined): Error {
    const { name, clusterName } = this.options;
    const where = region === undefined ? "the environment's region" : region;
    return new Error(
      `EKS cluster of slot "${name}": it is about to be changed in place, but the program's own credentials find no ` +
        `cluster "${clusterName}" in ${where}, so whether it has live traffic is not known. ${credentialsHint}`,
    );
  }
}

const credentialsHint =
  "Whether a cluster with live traffic would be changed is asked with the program's own credentials " +
  '(AWS_PROFILE and the like), also where a provider has others; maxLiveTraffic: 100 does not ask';

/** Whether a resource of this type can be updated only while its cluster is there. */
function isOfCluster(type: string): boolean {
  return type.startsWith('aws:eks/');
}

async function withClients<T>(
  region: string | undefined,
  task: (clients: AwsClients) => Promise<T>,
): Promise<T> {
  const clients = awsClients(region === undefined ? {} : { region });
  try {
    return await task(clients);
  } catch (error) {
    if (error instanceof AwsError) {
      throw new Error(`${error.message}. ${credentialsHint}`, { cause: error });
    }
    throw error;
  } finally {
    clients.close();
  }
}
