import type { RawFinding, Rule, RuleContext } from '../../../rule';
import { trustingObjects } from '../../../views/trust';
import type { TrustingObject } from '../../../views/trust';
import { impactOf } from './impact';

/** A rule about what an API server trusts: of webhooks it is a rule of its own, of conversions and APIServices it is TLS12's. */
export interface TrustRule extends Rule {
  /** Checks one object with CA bundles, of any kind. What it finds of a server may be found through another one as well. */
  evaluate(context: RuleContext, trusting: TrustingObject): Iterable<RawFinding>;
}

/** Makes a rule that checks webhook configurations. */
export function trustRule(rule: Omit<TrustRule, 'check'>): TrustRule {
  return {
    ...rule,
    *check(context) {
      const webhooks = context.objects.view(trustingObjects).filter(({ by }) => by === 'webhook');
      yield* webhooks.flatMap((trusting) =>
        [...rule.evaluate(context, trusting)].map((finding) =>
          rule.severity === 'error' && (finding.severity ?? 'error') === 'error'
            ? { ...finding, severity: impactOf(context.objects, [trusting], 'lasting') }
            : finding,
        ),
      );
    },
  };
}
