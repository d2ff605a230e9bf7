import type { TrustingObject } from '../../objects/trusting-objects';
import { trustingObjects } from '../../objects/trusting-objects';
import type { CalledService } from '../../objects/called-service';
import type { RawFinding, Rule, RuleContext } from '../../rule';
import { tls01 } from './tls01';
import { tls02 } from './tls02';
import { tls06 } from './tls06';
import { tls07 } from './tls07';
import { tls09 } from './tls09';
import { tls10 } from './tls10';
import { tls11 } from './tls11';
import { tls13 } from './tls13';
import { tls14 } from './tls14';
import type { TrustRule } from './trust-rule';
import { once } from './trust-rule';
import { judgeUnverified } from './unverified-services';

/** About what API servers trust. */
const trust: readonly TrustRule[] = [tls01, tls02, tls07, tls10, tls11];
/** About the server: said once, by the rule itself, where webhooks call the same one. */
const server: readonly TrustRule[] = [tls06, tls09];
/** About a change. */
const change: readonly TrustRule[] = [tls13, tls14];

export const tls12: Rule = {
  id: 'TLS12',
  severity: 'error',
  title: 'A conversion webhook or an APIService with such a certificate',
  why: 'API servers verify it as they verify an admission webhook; while they cannot, no object of the kind or the API group can be read or written',
  fix: "inject the CA from the authority's Certificate, as for a webhook",
  otherwise: 'that of the rule that a finding names',
  *check(context) {
    yield* judgeUnverified(context.objects);
    yield* once(judgeAll(context));
  },
};

function* judgeAll(context: RuleContext): Iterable<RawFinding> {
  const all = context.objects.view(trustingObjects);
  const called = new Set(
    all.filter(({ by }) => by === 'webhook').flatMap(({ anchors }) => anchors.flatMap(serverOf)),
  );
  for (const trusting of all) {
    if (trusting.by !== 'webhook') {
      const known = trusting.anchors.flatMap(serverOf).some((each) => called.has(each));
      const rules = [...trust, ...(known ? [] : server), ...(context.before ? change : [])];
      for (const rule of rules) {
        yield* judge(context, trusting, rule);
      }
    }
  }
}

/** As the rule says it, which knows better why and what to do. */
function* judge(context: RuleContext, trusting: TrustingObject, rule: TrustRule): Iterable<RawFinding> {
  for (const finding of rule.judge(context, trusting)) {
    yield { why: rule.why, fix: rule.fix, ...finding, message: `${finding.message} (as ${rule.id})` };
  }
}

function serverOf({ service }: { readonly service?: CalledService }): string[] {
  return service ? [`${service.namespace}/${service.name}`] : [];
}
