import type { CapacityRecord, CapacityRequest, ShiftSubject } from '../../../lib/shift/engine';
import { openCapacity } from '../../../lib/shift/capacity';
import type { CapacitySettings } from '../../../lib/shift/capacity';
import { FakeCluster } from './fake-cluster';

export const targetGroups = {
  blue: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/apps-blue-web/0123456789abcdef',
  green: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/apps-green-web/fedcba9876543210',
};

export const subject: ShiftSubject = {
  layer: 'http',
  slots: {
    blue: { targetGroupArn: targetGroups.blue, clusterName: 'apps-blue' },
    green: { targetGroupArn: targetGroups.green, clusterName: 'apps-green' },
  },
};

/** Objects that a chart makes, with what a test changes. */
export interface ShopApp {
  readonly name?: string;
  readonly namespace?: string;
  readonly kind?: 'Deployment' | 'StatefulSet' | 'Rollout';
  /** Pods that are ready. */
  readonly ready?: number;
  /** @default - what is ready */
  readonly replicas?: number;
  readonly hpa?: object | false;
  readonly scaledObject?: object;
  readonly service?: object | false;
  readonly binding?: object | false;
}

/** Puts a Service, its binding, a workload and its autoscaler there. */
export function putApp(cluster: FakeCluster, slot: keyof typeof targetGroups, app: ShopApp = {}): void {
  const { name = 'web', namespace = 'shop', kind = 'Deployment', ready = 2, replicas = ready } = app;
  const { hpa = {}, scaledObject, service = {}, binding = {} } = app;
  const labels = { app: name };
  const apiVersion = kind === 'Rollout' ? 'argoproj.io/v1alpha1' : 'apps/v1';
  const metadata = { name, namespace };
  if (service) {
    cluster.put({ apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ...service } });
  }
  if (binding) {
    cluster.put({
      apiVersion: 'elbv2.k8s.aws/v1beta1',
      kind: 'TargetGroupBinding',
      metadata,
      spec: { targetGroupARN: targetGroups[slot], serviceRef: { name, port: 80 }, ...binding },
    });
  }
  cluster.put({
    apiVersion,
    kind,
    metadata,
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels } } },
    status: { readyReplicas: ready },
  });
  const scaleTargetRef = { apiVersion, kind, name };
  if (scaledObject) {
    cluster.put({
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledObject',
      metadata,
      spec: { scaleTargetRef, maxReplicaCount: 100, ...scaledObject },
    });
  } else if (hpa) {
    cluster.put({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata,
      spec: { scaleTargetRef, minReplicas: 2, maxReplicas: 100, ...hpa },
    });
  }
}

/** Autoscalers hold their minimums, and all pods become ready. */
export function settle(cluster: FakeCluster): void {
  for (const object of cluster.objects.values()) {
    const { kind, spec, metadata } = object;
    if (kind === 'HorizontalPodAutoscaler' || kind === 'ScaledObject') {
      const target = cluster.find(
        spec.scaleTargetRef.kind ?? 'Deployment',
        spec.scaleTargetRef.name,
        metadata.namespace,
      );
      const least = kind === 'ScaledObject' ? (spec.minReplicaCount ?? 0) : spec.minReplicas;
      target.spec.replicas = Math.max(target.spec.replicas, least);
      object.status = { ...object.status, desiredReplicas: target.spec.replicas };
      cluster.touch(object);
    }
  }
  for (const object of cluster.objects.values()) {
    if (['Deployment', 'StatefulSet', 'Rollout'].includes(object.kind)) {
      object.status = { readyReplicas: object.spec.replicas };
      cluster.touch(object);
    }
  }
}

/** Two clusters, and runs of one shift between them. */
export class Shop {
  public readonly blue = new FakeCluster('https://blue.example.com');
  public readonly green = new FakeCluster('https://green.example.com');
  /** What the lease holds. */
  public record: CapacityRecord | undefined;
  /** Called before a record is kept. */
  public remembering: (record: CapacityRecord) => void = () => undefined;

  public constructor(
    public readonly settings: CapacitySettings = {},
    public readonly id = 'rule/web',
  ) {}

  public readonly origin = { blue: 100, green: 0 };
  public readonly wanted = { blue: 0, green: 100 };

  /** A process that goes on with the shift. */
  public run(id = this.id) {
    return openCapacity(this.settings, subject, {
      id,
      open: ({ context }) => Promise.resolve(context === 'apps-blue' ? this.blue : this.green),
    });
  }

  public request(green: number): CapacityRequest {
    return {
      origin: this.origin,
      wanted: this.wanted,
      next: { blue: 100 - green, green },
      ...(this.record && { raised: this.record }),
      remember: async (record) => {
        await Promise.resolve();
        this.remembering(record);
        this.record = record;
      },
    };
  }

  /** Minimums of all autoscalers, and replicas of what has none. */
  public minimums(): Readonly<Record<string, unknown>> {
    const of = (slot: string, cluster: FakeCluster): readonly (readonly [string, unknown])[] =>
      [...cluster.objects.values()].flatMap(({ kind, metadata, spec }) =>
        kind === 'HorizontalPodAutoscaler' || kind === 'ScaledObject'
          ? [[`${slot} ${kind} ${metadata.name}`, spec.minReplicas ?? spec.minReplicaCount ?? null] as const]
          : [],
      );
    return Object.fromEntries([...of('blue', this.blue), ...of('green', this.green)]);
  }
}
