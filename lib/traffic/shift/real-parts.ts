import { awsClients } from '../../aws';
import { checkContext, createChecks } from '../../checks';
import { openLease } from '../../plans';
import { albRule } from '../../routers';
import { runShift, systemClock } from '../../shift';
import { liveRules } from './live-rules';
import type { ShiftParts } from './parts';

/** AWS and the real thing. */
export function realParts(): ShiftParts {
  return {
    clients: awsClients,
    rules: liveRules,
    router: albRule,
    lease: (settings = { ssm: {} }, { routerId, holder, clients }) =>
      openLease(settings, routerId, clients, holder),
    checks: (settings, subject) => createChecks(settings, checkContext(subject)),
    run: runShift,
    clock: systemClock,
  };
}
