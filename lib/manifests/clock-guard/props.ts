import { across, either, falseOr, object, optional } from '../../core/validation/collections';
import { dnsLabel } from '../../core/validation/formats';
import type { Schema } from '../../core/validation/schema';
import { fits, flag, following, number, whole } from '../../core/validation/values';
import { commandPodEntries } from '../command-pod';
import { labels } from '../field-schemas';
import { clockLimits } from './tolerances';

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

/** When a node may take pods. */
export interface GateLimits {
  /** How far its clock may be off, in seconds, the uncertainty of the estimate included. */
  readonly limit: number;
  /** How many heartbeats the estimate must rest on. */
  readonly samples: number;
}

/** The defaults. */
export const defaultGateLimits: GateLimits = {
  // Half of the skew that is reported: a node does not join to be reported soon.
  limit: 5,
  // A clock that is set while the node starts shows in the second one.
  samples: 2,
};

/** The props with every default in its place. */
export interface GuardSettings {
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly limits: { readonly warning: number; readonly critical: number };
  readonly gate: GateLimits | undefined;
  readonly port: number;
  /** Labels of the Prometheus Operator's objects; undefined where there are none. */
  readonly monitoring: Readonly<Record<string, string>> | undefined;
  readonly nodeExporter: boolean;
  readonly resources: object;
  readonly user: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** Fills in the defaults of props that were checked. */
export function guardSettings(props: ClockSkewGuardProps): GuardSettings {
  const { name = 'clock-guard', namespace, image, gate: given, monitoring: monitored = {} } = props;
  return {
    ...{ name, namespace, image },
    command: props.command ?? ['cluster-canary'],
    limits: {
      warning: props.limits?.warning ?? clockLimits.warning,
      critical: props.limits?.critical ?? clockLimits.critical,
    },
    gate: given && {
      limit: (given === true ? undefined : given.limit) ?? defaultGateLimits.limit,
      samples: (given === true ? undefined : given.samples) ?? defaultGateLimits.samples,
    },
    port: props.port ?? 9464,
    monitoring: monitored === false ? undefined : (monitored.labels ?? {}),
    nodeExporter: props.nodeExporter ?? true,
    resources: props.resources ?? {
      requests: { cpu: '50m', memory: '128Mi' },
      limits: { memory: '512Mi' },
    },
    user: props.user ?? 65_532,
    labels: {
      'app.kubernetes.io/name': 'clock-guard',
      'app.kubernetes.io/instance': name,
      ...props.labels,
    },
  };
}

const seconds = number('seconds from 1 to 3600', { min: 1, max: 3600 });

const limits = across(
  object<NonNullable<ClockSkewGuardProps['limits']>>({
    warning: optional(seconds),
    critical: optional(seconds),
  }),
  ({ warning = clockLimits.warning, critical = clockLimits.critical }, { mustBe }) => {
    const areNumbers = typeof warning === 'number' && typeof critical === 'number';
    // Seconds that are none are refused by themselves.
    if (areNumbers && critical >= 1 && warning <= 3600 && critical < warning) {
      mustBe(['critical'], `at least limits.warning, ${warning}`, critical);
    }
  },
);

const monitoring = falseOr(object({ labels: optional(labels) }), 'false, or an object with labels');

const gate = either<Partial<GateLimits> | true>(
  'true, or an object with limit, samples',
  { when: (value) => value === true, schema: following({ allowed: 'true', accepts: () => true }) },
  {
    when: () => true,
    schema: object<Partial<GateLimits>>({ limit: optional(seconds), samples: optional(whole(1, 4)) }),
  },
);

/** Props of a `ClockSkewGuard`. */
export const clockSkewGuardProps: Schema<ClockSkewGuardProps> = object<ClockSkewGuardProps>({
  name: optional(fits(dnsLabel)),
  namespace: fits(dnsLabel),
  ...commandPodEntries,
  limits: optional(limits),
  gate: optional(gate),
  port: optional(whole(1, 65535)),
  monitoring: optional(monitoring),
  nodeExporter: optional(flag),
  labels: optional(labels),
});
