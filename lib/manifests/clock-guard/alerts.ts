import type { GuardSettings } from './props';

/** Names of the metrics, for alerts. */
export const guardMetrics = {
  /** How far a node's clock is ahead of the API server's, in seconds; below zero it is slow. */
  skew: 'cluster_canary_node_clock_skew_seconds',
  /** How far off the estimate of the skew may be, in seconds. */
  uncertainty: 'cluster_canary_node_clock_uncertainty_seconds',
  /** For how long a node has not renewed its Lease, in seconds, where that is longer than the Lease holds. */
  silent: 'cluster_canary_node_silent_seconds',
  /** 1 for a node whose Lease does not tell how far its clock is off. */
  unreadable: 'cluster_canary_node_clock_unreadable',
  /** 1 for a node that takes no pods until its clock is right. */
  waiting: 'cluster_canary_clock_gate_waiting',
  /** How many nodes were opened, by taking away their taint. */
  opened: 'cluster_canary_clock_gate_opened_total',
  /** When Leases were read last, in seconds since 1970. */
  looked: 'cluster_canary_clock_last_look_timestamp_seconds',
  /** How many reads of Leases have failed. */
  failed: 'cluster_canary_clock_failed_looks_total',
} as const;

/** A rule that raises an alert. @see https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/ */
export interface AlertRule {
  /** Name of the alert. */
  readonly alert: string;
  /** Expression in PromQL: an alert for each series that it gives. */
  readonly expr: string;
  /** How long that must be so before the alert is sent: `5m`. */
  readonly for: string;
  /** Labels of the alert. */
  readonly labels: {
    /** How much it matters. */
    readonly severity: 'warning' | 'critical';
  };
  /** What a person reads. */
  readonly annotations: {
    /** One line. */
    readonly summary: string;
    /** What it means, and what to do. */
    readonly description: string;
  };
}

/** The kernel bounds its estimate of the offset to half a second: one near to that is out of its hands. */
const offset = 0.1;

/** The alerts of a guard: on what it measures, on itself, and on what the nodes' kernels say. */
export function clockAlerts({
  limits,
  gate,
  nodeExporter,
}: Pick<GuardSettings, 'limits' | 'gate' | 'nodeExporter'>): readonly AlertRule[] {
  const { warning, critical } = limits;
  const alert = (
    name: string,
    severity: 'warning' | 'critical',
    [expr, time]: readonly [string, string],
    [summary, description]: readonly [string, string],
  ): AlertRule => ({
    ...{ alert: name, expr, for: time, labels: { severity } },
    annotations: { summary, description },
  });
  const off = `abs(max by (node) (${guardMetrics.skew}))`;
  const doctor = 'Run `cluster-canary doctor clock` for what does not bear it.';
  return [
    alert(
      'NodeClockSkew',
      'critical',
      [`${off} >= ${critical}`, '1m'],
      [
        'The clock of {{ $labels.node }} is off by {{ $value | humanize }} s',
        `Tokens for GitHub are refused from 30 s fast and 90 s slow. ${doctor}`,
      ],
    ),
    alert(
      'NodeClockSkew',
      'warning',
      [`${off} >= ${warning} < ${critical}`, '2m'],
      [
        'The clock of {{ $labels.node }} is off by {{ $value | humanize }} s',
        `A clock that is kept in time is off by milliseconds. ${doctor}`,
      ],
    ),
    alert(
      'NodeClockUnmeasured',
      'warning',
      [`time() - max(${guardMetrics.looked}) > 300 or absent(${guardMetrics.looked})`, '5m'],
      [
        'The clocks of the nodes are not measured',
        'The clock guard is not there, or can not read the Leases of the nodes: see its log.',
      ],
    ),
    ...(gate === undefined
      ? []
      : [
          alert(
            'NodeHeldByClock',
            'warning',
            [`max by (node) (${guardMetrics.waiting}) == 1`, '10m'],
            [
              '{{ $labels.node }} takes no pods, because of its clock',
              `It keeps its startup taint until its clock is within ${gate.limit} s. ${doctor}`,
            ],
          ),
        ]),
    ...(nodeExporter ? kernelAlerts(alert) : []),
  ];
}

type MakeAlert = (
  name: string,
  severity: 'warning' | 'critical',
  when: readonly [string, string],
  texts: readonly [string, string],
) => AlertRule;

/**
 * Alerts on node_exporter's timex figures. The offset is the kernel's own estimate and says nothing without a time daemon,
 * so whether there is one counts as well. chrony marks the clock as synchronised only with `rtcsync`.
 * @see https://man7.org/linux/man-pages/man2/adjtimex.2.html
 */
function kernelAlerts(alert: MakeAlert): AlertRule[] {
  return [
    // Without a time daemon the bound of the error grows until, after 16 s, the kernel says so.
    alert(
      'NodeClockUnsynchronised',
      'critical',
      ['min_over_time(node_timex_sync_status[5m]) == 0 and node_timex_maxerror_seconds >= 16', '10m'],
      [
        'Nothing keeps the clock of {{ $labels.instance }} in time',
        'No time daemon runs there, or it reaches no server: see `chronyc tracking` and `chronyc sources`.',
      ],
    ),
    // It grows by half a millisecond a second: a second is half an hour without an answer.
    alert(
      'NodeClockError',
      'warning',
      ['node_timex_maxerror_seconds >= 1 < 16', '10m'],
      [
        'The clock of {{ $labels.instance }} may be off by {{ $value | humanize }} s',
        'The time daemon has not heard from its server for a while: see `chronyc sources`.',
      ],
    ),
    alert(
      'NodeClockOffset',
      'warning',
      [`abs(node_timex_offset_seconds) > ${offset}`, '10m'],
      [
        'The clock of {{ $labels.instance }} is {{ $value | humanize }} s off its time server',
        'The time daemon does not get hold of it: see `chronyc tracking`.',
      ],
    ),
  ];
}
