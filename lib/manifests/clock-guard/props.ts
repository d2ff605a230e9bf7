import {
  containerCommand,
  dnsLabel,
  imageByDigest,
  labelKey,
  labelValue,
  port,
  wholeNumber,
} from '../../core/validation/formats';
import type { OptionsOf } from '../../core/validation/option-keys';
import { Problems } from '../../core/validation/problems';
import type { Format } from '../../core/validation/problems';
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

/**
 * Fills in the defaults.
 *
 * @throws InvalidInput with everything that is wrong
 */
export function guardSettings(props: ClockSkewGuardProps): GuardSettings {
  const { name = 'clock-guard', namespace, image, gate, monitoring = {} } = props;
  const settings: GuardSettings = {
    ...{ name, namespace, image },
    command: props.command ?? ['cluster-canary'],
    limits: { ...clockLimits, ...props.limits },
    gate: gate === undefined ? undefined : { ...defaultGateLimits, ...(gate === true ? {} : gate) },
    port: props.port ?? 9464,
    monitoring: monitoring === false ? undefined : (monitoring.labels ?? {}),
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
  check(settings);
  return settings;
}

const seconds: Format = {
  allowed: 'seconds from 1 to 3600',
  accepts: (value) => typeof value === 'number' && value >= 1 && value <= 3600,
};

function check({ limits, gate, labels, monitoring, ...settings }: GuardSettings): void {
  const problems = new Problems(`ClockSkewGuard "${settings.name}"`);
  problems.check('name', settings.name, dnsLabel);
  problems.check('namespace', settings.namespace, dnsLabel);
  problems.check('image', settings.image, imageByDigest);
  problems.check('command', settings.command, containerCommand);
  problems.check('port', settings.port, port);
  problems.check('user', settings.user, wholeNumber(1, 2_147_483_647));
  const isWarning = problems.check('limits.warning', limits.warning, seconds);
  if (problems.check('limits.critical', limits.critical, seconds) && isWarning) {
    if (limits.critical < limits.warning) {
      problems.add('limits.critical', limits.critical, `at least limits.warning, ${limits.warning}`);
    }
  }
  if (gate) {
    problems.check('gate.limit', gate.limit, seconds);
    problems.check('gate.samples', gate.samples, wholeNumber(1, 4));
  }
  for (const [at, map] of Object.entries({ labels, 'monitoring.labels': monitoring ?? {} })) {
    for (const [key, value] of Object.entries(map)) {
      problems.check(at, key, labelKey);
      problems.check(`${at}.${key}`, value, labelValue);
    }
  }
  problems.throwIfAny();
}
