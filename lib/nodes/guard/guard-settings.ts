import type { Rule } from '../../problems';
import {
  containerCommand,
  dnsLabel,
  imageByDigest,
  labelKey,
  labelValue,
  port,
  Problems,
  wholeNumber,
} from '../../problems';
import { clockLimits } from '../clock/tolerances';
import type { GateLimits } from './gate';
import { usualGate } from './gate';
import type { ClockSkewGuardProps } from './guard-props';

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
    gate: gate === undefined ? undefined : { ...usualGate, ...(gate === true ? {} : gate) },
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

const seconds: Rule = {
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
