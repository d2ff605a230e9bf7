import { parseDuration } from '../../durations';
import type { RolloutRestarterProps } from './restarter-props';

/** The props with every default in its place, and the names that follow from them. */
export interface RestarterSettings extends Required<
  Pick<
    RolloutRestarterProps,
    'name' | 'namespace' | 'image' | 'command' | 'allowedNamespaces' | 'token' | 'port' | 'apiServerPorts'
  >
> {
  readonly labels: Readonly<Record<string, string>>;
  /** Labels by which NetworkPolicies find the Jobs' pods; no user changes them. */
  readonly jobLabels: Readonly<Record<string, string>>;
  /** Service account of the Sensor. */
  readonly sensorAccount: string;
  /** Service account of the Jobs. */
  readonly jobAccount: string;
  /** Name of the EventBus. */
  readonly eventBus: string;
  readonly coolDown: string;
  readonly perDay: number;
  readonly leastReplicas: number;
  readonly wait: string;
  readonly jobsPerMinute: number;
  readonly deadlineSeconds: number;
  readonly keepSeconds: number;
  readonly user: number;
  readonly resources: object;
}

/** Pulling the image and starting take their time, too; in seconds. */
const start = 300;

/** Fills in the defaults of props in which nothing is wrong. */
export function settingsOf(props: RolloutRestarterProps): RestarterSettings {
  const { name, namespace, image, allowedNamespaces, token, eventBus = {} } = props;
  const wait = props.wait ?? '5m';
  return {
    ...{ name, namespace, image, allowedNamespaces, token, wait },
    command: props.command ?? ['cluster-canary'],
    port: props.port ?? 12_000,
    apiServerPorts: props.apiServerPorts ?? [443, 6443],
    labels: {
      'app.kubernetes.io/name': 'rollout-restarter',
      'app.kubernetes.io/instance': name,
      ...props.labels,
    },
    jobLabels: { 'cluster-canary/restarter': name },
    sensorAccount: `${name}-sensor`,
    jobAccount: `${name}-job`,
    eventBus: 'existing' in eventBus ? eventBus.existing : 'default',
    coolDown: props.coolDown ?? '30m',
    perDay: props.perDay ?? 3,
    leastReplicas: props.leastReplicas ?? 2,
    jobsPerMinute: props.jobsPerMinute ?? 10,
    deadlineSeconds: seconds(wait) + start,
    keepSeconds: seconds(props.keepJobs ?? '24h'),
    user: props.user ?? 65_532,
    resources: props.resources ?? {
      requests: { cpu: '50m', memory: '128Mi' },
      limits: { memory: '512Mi' },
    },
  };
}

function seconds(duration: string): number {
  return Math.ceil(parseDuration(duration)! / 1000);
}
