import type { AwsClients } from '../../aws';
import type { CheckSettings } from '../../checks';
import type { LeaseSettings, OpenLease } from '../../plans';
import type { AwsRouter, AwsRouterSettings } from '../../routers';
import type { Check, Clock, runShift, ShiftSubject } from '../../shift';
import type { LiveRules } from './live-rules';
import type { RuleKind } from './rule-kind';

/** What a shift is made of; a test gives its own. */
export interface ShiftParts {
  /** Clients of AWS in a region, and of a role. */
  readonly clients: (access: { readonly region?: string; readonly roleArn?: string }) => AwsClients;
  readonly rules: (kind: RuleKind, clients: AwsClients) => LiveRules;
  readonly router: (settings: AwsRouterSettings, clients: AwsClients) => AwsRouter;
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
export interface Surroundings {
  readonly parts: ShiftParts;
  readonly clients: AwsClients;
  readonly live: LiveRules;
}
