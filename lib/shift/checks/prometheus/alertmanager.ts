import { across, falseOr, optional } from '../../../core/validation/collections';
import { text } from '../../../core/validation/values';
import { SourceError } from '../../engine';
import type { Check, CheckResult } from '../../engine';
import type { CheckContext } from '../check-context';
import { checkArgs, checkKind } from '../check-kind';
import type { CommonCheckArgs } from '../check-kind';
import { evaluateAlarms } from '../shared/alarms';
import { addressOf } from '../shared/metric-request';
import { listOf } from '../shared/schemas';
import { workspacePermissions } from './auth';
import { askWithAccess, checkPrometheusAccess, prometheusAccess } from './service';
import type { PrometheusAccess } from './service';

/** What {@link alertmanager} takes. */
export interface AlertmanagerArgs extends CommonCheckArgs, Pick<PrometheusAccess, 'auth' | 'caFile'> {
  /**
   * Address without `/api/v2`: `https://alertmanager.example.com`; of Amazon's,
   * `https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-…/alertmanager`.
   */
  readonly address: string;
  /** Alerts that fit all of these: `severity="critical"`, `cluster=~"apps-.*"`. */
  readonly matchers: readonly string[];
  /**
   * Matchers of an alert that always fires. Without it, no alert might mean that nobody evaluates any; `false` takes it
   * for good news.
   *
   * @default ['alertname="Watchdog"'] - which the rules of the Prometheus operator's charts bring along
   */
  readonly heartbeat?: readonly string[] | false;
}

const usualHeartbeat: readonly string[] = ['alertname="Watchdog"'];

/** @see https://prometheus.io/docs/alerting/latest/configuration/#matcher */
const matchers = listOf(
  text(
    'a matcher such as severity="critical" or cluster=~"apps-.*"',
    /^\s*[a-zA-Z_:][a-zA-Z0-9_:]*\s*(=~|!~|!=|=)\s*("([^"\\\n]|\\.)*"|[^"\s]+)\s*$/,
  ),
);

/**
 * Alerts of a Prometheus Alertmanager (API v2), before and after every step: one that fires, and is neither silenced nor
 * inhibited, fails. None passes if the `heartbeat` is there, else it is inconclusive.
 */
export const alertmanager = checkKind('alertmanager', {
  asks: 'Alertmanager: does an alert fire?',
  stages: ['before', 'after'],
  perRouter: false,
  beforeTraffic: false,
  needs: 'nothing',
  args: across(
    checkArgs<AlertmanagerArgs>({
      ...prometheusAccess,
      matchers,
      heartbeat: optional(falseOr(matchers, `false, or ${matchers.allowed}`)),
    }),
    checkPrometheusAccess,
  ),
  create: (name, settings, context): Check => ({
    name,
    stages: ['before', 'after'],
    evaluate: (_window, signal) => evaluate(settings, context, signal),
  }),
  permissions: (settings) => workspacePermissions('aps:ListAlertManagerAlerts', settings),
});

async function evaluate(
  settings: AlertmanagerArgs,
  context: CheckContext,
  signal?: AbortSignal,
): Promise<CheckResult> {
  const { matchers, heartbeat = usualHeartbeat } = settings;
  // A heartbeat may be silenced, so that it bothers nobody.
  const [firing, beats] = await Promise.all([
    alerts(settings, context, matchers, { silenced: 'false', inhibited: 'false' }, signal),
    heartbeat === false ? ['not asked for'] : alerts(settings, context, heartbeat, {}, signal),
  ]);
  const found = firing.map((each) => ({ name: each, status: 'fail' as const, state: 'firing' }));
  if (found.length > 0) {
    return evaluateAlarms('Alertmanager', found);
  }
  return beats.length > 0
    ? {
        status: 'pass',
        reason: 'Alertmanager: no such alert is firing',
        figures: [{ name: 'in alarm', value: 0, unit: 'count', max: 0 }],
      }
    : {
        status: 'inconclusive',
        reason: `Alertmanager: no alert at all, not even ${(heartbeat as readonly string[]).join(', ')}, which always fires`,
        figures: [{ name: 'in alarm', value: null, unit: 'count', max: 0 }],
      };
}

/**
 * Names of the alerts that fit.
 *
 * @see https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml
 */
async function alerts(
  args: AlertmanagerArgs,
  context: CheckContext,
  matchers: readonly string[],
  query: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const url = addressOf(args.address, '/api/v2/alerts', { active: 'true', ...query, filter: matchers });
  const body = await askWithAccess(context, 'Alertmanager', args, url, explain, signal);
  if (!Array.isArray(body)) {
    throw new SourceError('Alertmanager: the answer is no list of alerts');
  }
  return (body as { labels?: { alertname?: string } }[]).map(({ labels }) => labels?.alertname ?? 'an alert');
}

/** Errors are plain text in JSON. */
function explain(body: unknown): string | undefined {
  return typeof body === 'string' ? body : undefined;
}
