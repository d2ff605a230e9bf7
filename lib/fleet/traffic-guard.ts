import * as pulumi from '@pulumi/pulumi';
import type { AwsClients } from '../aws';
import { AwsError, awsClients } from '../aws';
import { engineHook, hasEngine } from '../bridge';
import { InvalidInput } from '../problems';
import type { InPlaceChange, LiveCluster, SlotShare, WantedCluster } from './in-place-changes';
import { guardProblems, inPlaceChanges } from './in-place-changes';
import type { SlotIdentity } from './live-cluster';
import { liveCluster } from './live-cluster';
import { liveShare } from './live-share';

/** Share of live traffic, in percent, with which a cluster may be changed in place. */
export const defaultMaxLiveTraffic = 10;

/** What a guard watches. */
export interface TrafficGuardOptions extends SlotIdentity {
  /** Name of the slot's component, for messages and hooks. */
  readonly name: string;
  readonly clusterName: string;
  readonly wanted: WantedCluster;
  /** Percent; 100 turns it off. */
  readonly maxLiveTraffic: number;
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
};

/**
 * The change that the creation of a node group is where one of its name runs already: the engine makes another one in its
 * place (other subnets, other raw arguments), and then takes the old one's nodes away.
 *
 * @param name of the resource
 * @param given `nodeGroupName`, as the engine is about to create it
 */
export function madeAnew(live: LiveCluster | undefined, name: string, given: unknown): InPlaceChange[] {
  // Seven hexadecimal digits are what Pulumi adds to a name.
  const isAutomatic = (other: string): boolean =>
    other.startsWith(`${name}-`) && /^[0-9a-f]{7}$/.test(other.slice(name.length + 1));
  const running = (live?.nodeGroups ?? []).filter(
    (group) => group.ofSlot && (group.name === given || isAutomatic(group.name)),
  );
  return running.map((group) => ({ path: name, live: group.name, wanted: 'another one in its place' }));
}

/**
 * Refuses to change a cluster in place while its slot carries live traffic: before anything of the cluster is registered,
 * in previews, too, by comparing what runs with what is wanted; and, for what EKS does not tell, in a hook before the
 * engine updates the cluster or a node group.
 */
export class TrafficGuard {
  private readonly passed: Promise<boolean>;
  private live: LiveCluster | undefined;
  private share: Promise<SlotShare> | undefined;

  public constructor(private readonly options: TrafficGuardOptions) {
    this.passed = this.isOn() ? this.compare() : Promise.resolve(true);
  }

  /** The same value, once the guard lets the cluster be changed. */
  public behind<T>(value: pulumi.Input<T>): pulumi.Input<T> {
    return this.isOn()
      ? (pulumi.all([value, this.passed]).apply(([known]) => known) as pulumi.Output<T>)
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
        await this.passed;
        await this.refuse(madeAnew(this.live, name, newInputs.nodeGroupName));
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
          await this.refuse(changes);
        }),
      ],
    };
  }

  private isOn(): boolean {
    return hasEngine() && this.options.maxLiveTraffic < 100;
  }

  private async compare(): Promise<boolean> {
    const { clusterName, wanted } = this.options;
    this.live = await withClients((clients) => liveCluster(clients, clusterName, this.options));
    await this.refuse(this.live ? inPlaceChanges(this.live, wanted) : []);
    return true;
  }

  /** @throws InvalidInput where there are changes and too much traffic */
  private async refuse(changes: readonly InPlaceChange[]): Promise<void> {
    const { name, slot, maxLiveTraffic } = this.options;
    if (changes.length === 0) {
      return;
    }
    this.share ??= withClients((clients) => liveShare(clients, this.options));
    const share = await this.share;
    if (share.percent > maxLiveTraffic) {
      throw new InvalidInput(
        `EKS cluster of slot "${name}"`,
        guardProblems(changes, slot, share, maxLiveTraffic),
      );
    }
  }
}

async function withClients<T>(task: (clients: AwsClients) => Promise<T>): Promise<T> {
  // Pulumi's providers have credentials of their own, which a program does not see.
  const region = new pulumi.Config('aws').get('region');
  const clients = awsClients(region === undefined ? {} : { region });
  try {
    return await task(clients);
  } catch (error) {
    if (error instanceof AwsError) {
      throw new Error(
        `${error.message}. Whether a cluster with live traffic would be changed is asked with the program's own credentials ` +
          '(AWS_PROFILE and the like); maxLiveTraffic: 100 does not ask',
        { cause: error },
      );
    }
    throw error;
  } finally {
    clients.close();
  }
}
