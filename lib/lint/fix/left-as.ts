import type { HardeningDecision } from '../harden/decisions';
import type { Finding } from '../rule';

/** A finding that is still there. */
export interface UnfixedFinding {
  /** What is still found. */
  readonly finding: Finding;
  /** Why nothing was changed, for a person. */
  readonly reason: string;
  /** Fields of a decision of `harden` that would change it. @default - no decision does */
  readonly decision?: readonly (keyof HardeningDecision)[];
}

/** Why a finding without a safe change is left alone. */
export const noSafeFix = 'no change of the manifest alone is known to be safe';

type Fields = readonly (keyof HardeningDecision)[];

/** What a decision about a webhook may say to end a finding, any of the fields alone. */
const ofWebhooks: Readonly<Record<string, Fields>> = {
  WH03: ['leaveOut'],
  WH04: ['leaveOut'],
  WH06: ['optIn', 'failurePolicy'],
  WH09: ['timeoutSeconds'],
  WH14: ['optIn', 'failurePolicy'],
};

/** What a decision about a server may say: all of the fields together, for its CA comes from its authority. */
const ofServers: Readonly<Record<string, Fields>> = { TLS01: ['issuer', 'injectCaFrom'] };

/**
 * A finding that is left, with the reason.
 *
 * @param refused why its change could not be made. @default - it has none
 */
export function leftAs(finding: Finding, refused?: string): UnfixedFinding {
  const { rule, object } = finding;
  if (refused !== undefined) {
    return { finding, reason: refused };
  }
  const settings = object.kind.endsWith('WebhookConfiguration') ? ofWebhooks[rule] : undefined;
  const decision = settings ?? ofServers[rule];
  if (!decision) {
    return { finding, reason: noSafeFix };
  }
  const fields = decision.join(settings ? ' or ' : ' and ');
  return { finding, reason: `takes a decision: ${fields}`, decision };
}
