import type { AwsCall } from './aws-proxy-call';
import type { ControlPlane } from './control-plane';
import { controlPlane } from './control-plane';
import { programs } from './control-plane-programs';
import type { Moto } from './moto';
import { bridgeCluster } from './pulumi-clusters';

/** Versions of Kubernetes that control planes emulate, by the cluster's name: each plane stands for it until it is deleted. */
export type PlaneVersions = Readonly<Record<string, readonly string[]>>;

/**
 * moto's clusters have no API server; a control plane stands for each, and goes with it. The next cluster of that name gets another.
 */
export class SwapPlanes {
  /** How long EKS takes to make a cluster, in milliseconds. */
  public makingTakes = 0;
  private readonly bridged = new Map<string, ControlPlane | undefined>();

  private constructor(
    private readonly aws: Moto,
    private readonly planes: Readonly<Record<string, readonly ControlPlane[]>>,
  ) {}

  /** Starts all of them. */
  public static async start(aws: Moto, versions: PlaneVersions): Promise<SwapPlanes> {
    const started = Object.entries(versions).map(async ([name, each]) => {
      const planes = each.map((emulatedVersion) => controlPlane({ name, nodes: 1, emulatedVersion }));
      return [name, await Promise.all(planes)] as const;
    });
    return new SwapPlanes(aws, Object.fromEntries(await Promise.all(started)));
  }

  /** Those of a cluster, in the order in which they stand for it. */
  public of(name: string): readonly ControlPlane[] {
    return this.planes[name] ?? [];
  }

  /** The one that stands for a cluster now, or for the next one of that name. */
  public now(name: string): ControlPlane | undefined {
    return this.of(name)[this.deletions(name)];
  }

  /** The first of each cluster. */
  public get first(): Readonly<Record<string, ControlPlane>> {
    return Object.fromEntries(Object.entries(this.planes).map(([name, [plane]]) => [name, plane!]));
  }

  /**
   * Lets those that stand for clusters by now do so, and ends those whose cluster is gone.
   *
   * @param folder that {@link clusterEnvironment} has made
   */
  public bridge(folder: string): void {
    for (const name of Object.keys(this.planes)) {
      const plane = this.now(name);
      const before = this.bridged.get(name);
      if (before === plane) {
        continue;
      }
      this.bridged.set(name, plane);
      if (plane !== undefined) {
        bridgeCluster(folder, name, plane);
      }
      if (before !== undefined) {
        void Promise.all(programs.map((program) => before.kill(program)));
      }
    }
  }

  /** What EKS says of a cluster that was made: with the address of its control plane. */
  public described({ action }: AwsCall): object | undefined {
    const [, name = ''] = /^GET \/clusters\/([^/]+)$/.exec(action) ?? [];
    const plane = this.now(name);
    const made = this.callsOn(name).at(-1);
    if (plane === undefined || made?.action !== 'POST /clusters') {
      return undefined;
    }
    return {
      cluster: {
        ...made.body,
        ...{ name, status: this.isMaking(name) ? 'CREATING' : 'ACTIVE', endpoint: plane.server },
        arn: `arn:aws:eks:eu-west-1:123456789012:cluster/${name}`,
        certificateAuthority: { data: Buffer.from(plane.certificateAuthority).toString('base64') },
      },
    };
  }

  /** Whether EKS is making a cluster. */
  public isMaking(name: string): boolean {
    const last = this.callsOn(name).at(-1);
    return last?.action === 'POST /clusters' && Date.now() < last.at + this.makingTakes;
  }

  private deletions(name: string): number {
    return this.callsOn(name).filter(({ action }) => action.startsWith('DELETE')).length;
  }

  /** What made the cluster and deleted it, in order. */
  private callsOn(name: string): AwsCall[] {
    return this.aws.proxy.calls.filter(
      ({ action, body, status = 500 }) =>
        status < 300 &&
        ((action === 'POST /clusters' && body['name'] === name) || action === `DELETE /clusters/${name}`),
    );
  }
}
