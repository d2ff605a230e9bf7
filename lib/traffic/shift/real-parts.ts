import { awsClients } from '../../aws';
import { checkContext, createChecks } from '../../checks';
import { openLease } from '../../plans';
import { awsRouter } from '../../routers';
import { runShift, systemClock } from '../../shift';
import type { ShiftParts } from './parts';

/** AWS and the real thing. */
export function realParts(): ShiftParts {
  return {
    clients: awsClients,
    rules: (kind, clients) => kind.live(clients),
    router: awsRouter,
    lease: (settings = { ssm: {} }, { routerId, holder, clients }) =>
      openLease(settings, routerId, clients, holder),
    checks: (settings, subject) => createChecks(settings, checkContext(subject)),
    run: runShift,
    clock: systemClock,
  };
}
