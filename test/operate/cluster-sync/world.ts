import type { ClusterSet, EksCluster } from '../../../lib/manifests/cluster-sync';
import type { ClusterSource, SyncOutcome } from '../../../lib/operate/cluster-sync';
import { planClusters, planDocument, syncClusters } from '../../../lib/operate/cluster-sync';
import { MemoryHub } from './memory-hub';
import { now, settings } from './samples';

/** EKS and a hub in memory, and a clock. */
export class World {
  public readonly hub = new MemoryHub();
  public clusters: EksCluster[];
  /** Regions that do not answer. */
  public broken: string[] = [];
  public now = now;

  public constructor(...clusters: EksCluster[]) {
    this.clusters = clusters;
  }

  public async sync(
    spec: Partial<ClusterSet['spec']> = {},
    name = 'production',
    force = false,
  ): Promise<SyncOutcome> {
    return syncClusters(settings(spec, name), this.parts(force));
  }

  public async plan(spec: Partial<ClusterSet['spec']> = {}, name = 'production'): Promise<any> {
    const used = settings(spec, name);
    return planDocument(used, await planClusters(used, this.parts(false)));
  }

  /** What a sync writes: `apply blue`. */
  public async writesOf(...args: Parameters<World['sync']>): Promise<string[]> {
    const before = this.hub.writes.length;
    await this.sync(...args);
    return this.hub.writes.slice(before).sort();
  }

  private parts(force: boolean) {
    return { source: this.source, hub: this.hub, force, now: () => this.now };
  }

  private get source(): ClusterSource {
    return {
      find: ({ region, account }) =>
        Promise.resolve({
          clusters: this.clusters.filter(
            (each) =>
              !this.broken.includes(each.region) &&
              (region === undefined || each.region === region) &&
              (account === undefined || each.account === account),
          ),
          failures: this.broken
            .filter((each) => region === undefined || each === region)
            .map((each) => `${each}: no answer`),
        }),
      close: () => undefined,
    };
  }
}
