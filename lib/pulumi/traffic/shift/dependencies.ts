import { systemClock } from '../../../core/async';
import type { Clock } from '../../../core/async';
import { awsClients } from '../../../core/aws/clients';
import type { AwsClients } from '../../../core/aws/clients';
import { checkContext, createChecks } from '../../../shift/checks';
import type { CheckSettings } from '../../../shift/checks';
import { runShift } from '../../../shift/engine';
import type { Check, ShiftSubject } from '../../../shift/engine';
import { openLease } from '../../../shift/leases';
import type { LeaseSettings, OpenLease } from '../../../shift/leases';
import { openRouter } from '../../../shift/routers';
import type { OpenRouter, RouteSettings } from '../../../shift/routers';
import type { LiveSplits, SplitKind } from './split-kind';

/** AWS and the real thing. */
export function shiftDependencies(): ShiftDependencies {
  return {
    clients: awsClients,
    rules: (kind, clients) => kind.live(clients),
    router: (route, clients) => openRouter(route, { clients }),
    lease: (settings = { ssm: {} }, { routerId, holder, clients }) =>
      openLease(settings, routerId, clients, holder),
    checks: (settings, subject) => createChecks(settings, checkContext(subject)),
    run: runShift,
    clock: systemClock,
  };
}

/** What a shift is made of; a test gives its own. */
export interface ShiftDependencies {
  /** Clients of AWS in a region, and of a role. */
  readonly clients: (access: { readonly region?: string; readonly roleArn?: string }) => AwsClients;
  readonly rules: (kind: SplitKind, clients: AwsClients) => LiveSplits;
  readonly router: (route: RouteSettings, clients: AwsClients) => OpenRouter;
  readonly lease: (settings: LeaseSettings | undefined, needs: LeaseNeeds) => Promise<OpenLease>;
  readonly checks: (settings: readonly CheckSettings[], subject: ShiftSubject) => readonly Check[];
  readonly run: typeof runShift;
  readonly clock: Clock;
}

/** What a lease is made of, beside its settings. */
export interface LeaseNeeds {
  /** What is shifted: `id` of a router. */
  readonly routerId: string;
  readonly holder: string;
  readonly clients: AwsClients;
}

/** AWS where the rules are. */
export interface SplitEnvironment {
  readonly parts: ShiftDependencies;
  readonly clients: AwsClients;
  readonly live: LiveSplits;
}
