import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import { onCleanUp } from './clean-up';
import type { ControlPlane } from './control-plane';
import { controlPlane } from './control-plane';
import { objectsInFile } from './crds';
import { eventually } from './eventually';
import type { KubernetesObject } from './kubernetes-api';
import type { PodUsage } from './pod-metrics';
import { servePodMetrics } from './pod-metrics';
import { ShiftCommandBench } from './shift-command';

/** Time goes so many times as fast as in a cluster with default settings. */
export const speed = 15;
const seconds = (ordinary: number): string => `${ordinary / speed}s`;

/** Two health checks, 15 s apart: what the AWS Load Balancer Controller sets. In milliseconds. */
const untilHealthy = 30_000 / speed;

/** The HPA controller's own defaults, in faster time. */
const autoscalerArguments = (stabilization = 300): string[] => [
  `--horizontal-pod-autoscaler-sync-period=${seconds(15)}`,
  `--horizontal-pod-autoscaler-downscale-stabilization=${seconds(stabilization)}`,
  `--horizontal-pod-autoscaler-cpu-initialization-period=${seconds(300)}`,
  `--horizontal-pod-autoscaler-initial-readiness-delay=${seconds(30)}`,
];

/** The slots, and their clusters. */
export type Slot = 'blue' | 'green';
export const slots: readonly Slot[] = ['blue', 'green'];

const namespace = 'shop';
const name = 'web';
const labels = { app: name };
const metadata = { name, namespace };
/** CPU that a pod requests, in cores. */
const request = 1;
/** Share of it that the HPA aims at. */
const target = 0.6;

/** The workload in each cluster. */
export interface Workload {
  /** Pods that carry all of the traffic at the autoscaler's target. */
  readonly peak: number;
  /** @default 2 */
  readonly min?: number;
  /** @default 40 */
  readonly max?: number;
  /** How long a pod takes to become ready, in seconds of a cluster whose time is not sped up. @default 60 */
  readonly start?: number;
  /** How long the autoscaler keeps pods that it needs no more, in such seconds. @default 300 */
  readonly stabilization?: number;
}

/** How things were at a moment. */
export interface Sample {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly weights: Readonly<Record<string, number>>;
  /** Healthy targets. */
  readonly targets: Readonly<Record<Slot, number>>;
  /** CPU of their pods, as a share of their request: above 1 where they get more than they can take. */
  readonly cpu: Readonly<Record<Slot, number>>;
}

/**
 * Two clusters with the real HPA controller behind one rule: load follows the live weights, pods' CPU follows the load, and
 * targets follow ready pods, as the AWS Load Balancer Controller registers them; moto calls every target healthy at once, so
 * they are registered when their health checks have passed.
 */
export class CapacityWorld {
  /** What was seen so far, several times a second. */
  public readonly samples: Sample[] = [];

  /** CPU that the autoscalers aim at, as a share of a pod's request. */
  public readonly target = target;

  private readonly balancing: ElasticLoadBalancingV2;
  private readonly pods: Record<Slot, readonly KubernetesObject[]> = { blue: [], green: [] };
  private readonly readySince: Record<Slot, Map<string, number>> = { blue: new Map(), green: new Map() };
  private readonly healthy: Record<Slot, ReadonlySet<string>> = { blue: new Set(), green: new Set() };
  private stopped = false;

  /** Starts both clusters; the workload has its minimum in each. */
  public static async start(workload: Workload): Promise<CapacityWorld> {
    const controllerManager = autoscalerArguments(workload.stabilization);
    const [shift, ...planes] = await Promise.all([
      ShiftCommandBench.start(),
      ...slots.map((slot) => controlPlane({ name: slot, controllerManager })),
    ]);
    const world = new CapacityWorld(shift, { blue: planes[0]!, green: planes[1]! }, workload);
    await Promise.all(slots.map((slot) => world.install(slot)));
    void world.watch();
    return world;
  }

  private constructor(
    /** The rule, and the command that shifts it. */
    public readonly shift: ShiftCommandBench,
    public readonly planes: Readonly<Record<Slot, ControlPlane>>,
    private readonly workload: Workload,
  ) {
    this.balancing = new ElasticLoadBalancingV2(shift.aws.directSettings);
    onCleanUp(() => {
      this.stopped = true;
      this.balancing.destroy();
    });
  }

  /** What is there now. */
  public get now(): Sample {
    return this.samples.at(-1)!;
  }

  /** A slot's HPA as it is now. */
  public autoscalerOf(slot: Slot): Promise<KubernetesObject> {
    return this.planes[slot].api.get(autoscalerRef);
  }

  /** `minReplicas` of each slot's HPA. */
  public async minimums(): Promise<Record<Slot, number>> {
    const [blue, green] = await Promise.all(slots.map((slot) => this.autoscalerOf(slot)));
    return { blue: blue!.spec.minReplicas, green: green!.spec.minReplicas };
  }

  /** The most CPU since a moment, of both slots. */
  public mostCpu(since: number): number {
    const of = this.samples.filter(({ at }) => at >= since).flatMap(({ cpu }) => Object.values(cpu));
    return Math.max(...of);
  }

  /** The fewest healthy targets of a slot from one moment to another. */
  public fewest(slot: Slot, from: number, to = Date.now()): number {
    return Math.min(
      ...this.samples.filter(({ at }) => at >= from && at <= to).map(({ targets }) => targets[slot]),
    );
  }

  /** Waits until there are so many healthy targets. */
  public async settled(wanted: Readonly<Record<Slot, number>>): Promise<void> {
    await eventually(`healthy targets: ${JSON.stringify(wanted)}`, () => {
      const { targets } = this.now;
      if (slots.every((slot) => targets[slot] === wanted[slot])) {
        return true;
      }
      throw new Error(JSON.stringify(this.now));
    });
  }

  /** All of the traffic on blue, which has the pods for it; green has its minimum. What autoscalers remember is gone. */
  public async reset(): Promise<void> {
    const { min = 2, peak } = this.workload;
    await this.shift.reset({ blue: 100, green: 0 });
    await Promise.all(
      slots.map(async (slot) => {
        const { api } = this.planes[slot];
        await api.delete(autoscalerRef);
        await api.patch(deploymentRef, { spec: { replicas: slot === 'blue' ? peak : min } });
        await eventually('no autoscaler', async () => (await api.find(autoscalerRef)) === undefined);
      }),
    );
    await this.settled({ blue: peak, green: min });
    await Promise.all(slots.map((slot) => this.planes[slot].api.create(this.autoscaler())));
  }

  /** What decides how many pods there are, for Git: the number itself is left to the autoscaler. */
  public manifests(min: number): Record<string, KubernetesObject> {
    return { 'deployment.json': this.deployment(), 'autoscaler.json': this.autoscaler(min) };
  }

  private autoscaler(min = this.workload.min ?? 2): KubernetesObject {
    const { max = 40 } = this.workload;
    const averageUtilization = target * 100;
    return {
      ...autoscalerRef,
      // What was deployed last shows on it, whatever its minimum is.
      metadata: { ...metadata, labels: { revision: `${min}` } },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
        ...{ minReplicas: min, maxReplicas: max },
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
          },
        ],
      },
    };
  }

  private deployment(replicas?: number): KubernetesObject {
    const container = {
      name,
      image: 'registry.example.com/web:test',
      resources: { requests: { cpu: request } },
    };
    return {
      ...deploymentRef,
      spec: {
        ...(replicas !== undefined && { replicas }),
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations: { 'e2e/starts-in': seconds(this.workload.start ?? 60) } },
          spec: { containers: [container] },
        },
      },
    };
  }

  private async install(slot: Slot): Promise<void> {
    const { min = 2, peak } = this.workload;
    const plane = this.planes[slot];
    const targetGroupARN = this.shift.targetGroupArns[slot];
    await plane.apply([
      ...objectsInFile(join(__dirname, 'definitions/target-group-binding.yaml')),
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      {
        ...{ apiVersion: 'v1', kind: 'Service', metadata },
        spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
      },
      {
        ...{ apiVersion: 'elbv2.k8s.aws/v1beta1', kind: 'TargetGroupBinding', metadata },
        spec: { targetGroupARN, targetType: 'ip', serviceRef: { name, port: 80 } },
      },
      this.deployment(slot === 'blue' ? peak : min),
      this.autoscaler(),
    ]);
    await servePodMetrics(plane, () => this.usage(slot));
  }

  private usage(slot: Slot): PodUsage[] {
    const cores = (this.samples.at(-1)?.cpu[slot] ?? 0) * request;
    return this.pods[slot]
      .filter((pod) => pod.status.phase === 'Running')
      .map((pod) => ({
        name: pod.metadata.name,
        namespace,
        cores: this.healthy[slot].has(pod.status.podIP) ? cores : 0,
      }));
  }

  private async watch(): Promise<void> {
    while (!this.stopped) {
      await this.look().catch((error: Error) => {
        if (!this.stopped) {
          process.stderr.write(`capacity world: ${error.message}\n`);
        }
      });
      await sleep(200);
    }
  }

  private async look(): Promise<void> {
    const at = Date.now();
    const [weights] = await Promise.all([this.shift.weights(), ...slots.map((slot) => this.lookAt(slot))]);
    const targets = { blue: this.healthy.blue.size, green: this.healthy.green.size };
    const load = this.workload.peak * target;
    // Without a target there is nothing that has CPU, and requests fail: it counts as a lot.
    const of = (slot: Slot): number => ((weights[slot] ?? 0) / 100) * (load / Math.max(targets[slot], 0.1));
    this.samples.push({ at, weights, targets, cpu: { blue: of('blue'), green: of('green') } });
  }

  private async lookAt(slot: Slot): Promise<void> {
    this.pods[slot] = await this.planes[slot].api.list('v1', 'Pod', { namespace });
    const now = Date.now();
    const since = this.readySince[slot];
    const pods = this.pods[slot].filter(
      (pod) => pod.metadata.deletionTimestamp === undefined && isReady(pod),
    );
    const ready = new Set(pods.map(({ status }) => status.podIP as string));
    ready.forEach((each) => since.set(each, since.get(each) ?? now));
    [...since.keys()].filter((each) => !ready.has(each)).forEach((each) => since.delete(each));
    const before = this.healthy[slot];
    const healthy = new Set([...ready].filter((each) => now - since.get(each)! >= untilHealthy));
    this.healthy[slot] = healthy;
    const TargetGroupArn = this.shift.targetGroupArns[slot]!;
    const added = [...healthy].filter((each) => !before.has(each));
    const gone = [...before].filter((each) => !healthy.has(each));
    const change = (ids: readonly string[]) => ({
      TargetGroupArn,
      Targets: ids.map((Id) => ({ Id, Port: 8080 })),
    });
    if (added.length > 0) {
      await this.balancing.registerTargets(change(added));
    }
    if (gone.length > 0) {
      await this.balancing.deregisterTargets(change(gone));
    }
  }
}

const autoscalerRef = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata };
const deploymentRef = { apiVersion: 'apps/v1', kind: 'Deployment', metadata };

function isReady({ status }: KubernetesObject): boolean {
  return (status.conditions ?? []).some(({ type, status: is }: any) => type === 'Ready' && is === 'True');
}
