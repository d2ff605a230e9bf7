import type { Problem } from '../problems';
import { Problems, wholeNumber } from '../problems';
import type { Check, CheckStatus } from '../shift';
import { judgeAlarms } from './alarm-findings';
import { checkArguments } from './argument-rules';
import type { CheckKind, NamedCheck } from './check-kind';
import type { DatadogAccess } from './datadog-service';
import { askDatadog, datadogAccessRules } from './datadog-service';

/** What `checks.datadog.monitor` takes. */
export interface DatadogMonitorArgs extends NamedCheck, DatadogAccess {
  /** The number at the end of the monitor's address. */
  readonly id: number;
}

/** A warning is no alarm: it passes, and the reason names it. */
const statuses: Readonly<Record<string, CheckStatus>> = { OK: 'pass', Warn: 'pass', Alert: 'fail' };

/**
 * A monitor of Datadog, before and after every step: `Alert` fails; `OK` and `Warn` pass; every other state (`No Data`,
 * `Skipped`, `Unknown`, `Ignored`) is inconclusive. A monitor that is not there is a failing source.
 *
 * @see https://docs.datadoghq.com/api/latest/monitors/get-a-monitors-details/
 */
export const datadogMonitor: CheckKind<DatadogMonitorArgs> = {
  problems: (args: Readonly<Record<string, unknown>>): readonly Problem[] => {
    const problems = new Problems('datadog.monitor');
    const id = wholeNumber(1, Number.MAX_SAFE_INTEGER);
    checkArguments(problems, args, { id, ...datadogAccessRules }, ['id']);
    return problems.all;
  },
  create: (name, args, context): Check => ({
    name,
    stages: ['before', 'after'],
    evaluate: async (_window, signal) => {
      const body = await askDatadog(context, args, `/api/v1/monitor/${args.id}`, {}, signal);
      const { overall_state: told } = (body ?? {}) as { overall_state?: unknown };
      const state = typeof told === 'string' ? told : 'no state';
      const status = Object.hasOwn(statuses, state) ? statuses[state]! : 'inconclusive';
      return judgeAlarms('Datadog', [{ name: `monitor ${args.id}`, state, status }]);
    },
  }),
  rights: () => [],
};
