import type { OptionsOf } from '../../problems';
import type { GateLimits } from './gate';

/** What a `ClockSkewGuard` is made of. */
export interface ClockSkewGuardProps {
  /** Name of the objects. @default 'clock-guard' */
  readonly name?: string;
  /** Namespace of the guard, best one of its own. It is not made here. */
  readonly namespace: string;
  /** Image with the command `cluster-canary`, by its digest: `NAME@sha256:…`. */
  readonly image: string;
  /** The command in the image. @default ['cluster-canary'] */
  readonly command?: readonly string[];
  /** Skew from which on an alert is raised, in seconds. @default - a warning from 10, critical from 25: GitHub bears 30 */
  readonly limits?: {
    /** From this skew on there is a warning, in seconds. */
    readonly warning?: number;
    /** From this skew on it is critical, in seconds. */
    readonly critical?: number;
  };
  /**
   * Whether nodes that start with the taint `cluster-canary/clock` are opened when their clock is right, and which skew is
   * right. It takes the right to patch nodes; a policy limits it to that taint.
   *
   * @default - no gate: the guard writes nothing
   */
  readonly gate?: Partial<GateLimits> | true;
  /** Port of the metrics. @default 9464 */
  readonly port?: number;
  /**
   * Objects of the Prometheus Operator: a PodMonitor and a PrometheusRule, with these labels more, by which a Prometheus
   * may choose them. `false` leaves them out.
   *
   * @default - made, without further labels
   */
  readonly monitoring?:
    | false
    | {
        /** Labels by which the Prometheus Operator finds them. @default - none */
        readonly labels?: Readonly<Record<string, string>>;
      };
  /** Whether there are alerts on node_exporter's figures, too. @default true */
  readonly nodeExporter?: boolean;
  /** Resources of the pod. @default - requests 50m and 128Mi, limit 512Mi of memory */
  readonly resources?: object;
  /** User and group that the pod runs as; never 0. @default 65532 - the user of images without one of their own */
  readonly user?: number;
  /** Labels of all objects. @default - `app.kubernetes.io/name` and `app.kubernetes.io/instance` */
  readonly labels?: Readonly<Record<string, string>>;
}

export const clockSkewGuardPropsKeys: OptionsOf<ClockSkewGuardProps> = {
  name: 'plain',
  namespace: 'plain',
  image: 'plain',
  command: 'list',
  limits: { warning: 'plain', critical: 'plain' },
  gate: { limit: 'plain', samples: 'plain' },
  port: 'plain',
  monitoring: { labels: 'plain' },
  nodeExporter: 'plain',
  resources: 'plain',
  user: 'plain',
  labels: 'plain',
};
