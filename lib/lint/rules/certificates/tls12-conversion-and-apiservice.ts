import { injectionSources } from '../../../core/certificates/ca-bundles';
import { Field } from '../../object';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding, Rule, RuleContext } from '../../rule';
import type { CalledServiceView } from '../../views/admission';
import { trustingObjects } from '../../views/trust';
import type { TrustingObject } from '../../views/trust';
import type { TrustRule } from './shared/trust-rule';
import { tls01 } from './tls01-self-signed-injection';
import { tls02 } from './tls02-leaf-injection';
import { tls06 } from './tls06-wrong-dns-name';
import { tls07 } from './tls07-key-in-manifest';
import { tls09 } from './tls09-renewal-not-seen';
import { tls10 } from './tls10-no-ca';
import { tls11 } from './tls11-injector-drops-ca';
import { tls13 } from './tls13-entry-before-ca';
import { tls14 } from './tls14-rotation-in-one-step';

/**
 * APIServices whose server is not verified, and what the API server refuses beside that.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/kube-aggregator/pkg/apis/apiregistration/validation/validation.go
 */
function* evaluateUnverified(objects: ObjectIndex): Iterable<RawFinding> {
  for (const object of objects.ofKind('apiregistration.k8s.io', 'APIService')) {
    const spec = Field.of(object).get('spec');
    const skips = spec.get('insecureSkipTLSVerify');
    const bundle = spec.get('caBundle');
    const hasBundle = bundle.text !== undefined && bundle.text.trim() !== '';
    const refused = { why: 'the API server refuses the object', object, severity: 'error' } as const;
    if (!spec.get('service').exists) {
      for (const field of [...(skips.boolean === true ? [skips] : []), ...(hasBundle ? [bundle] : [])]) {
        yield {
          ...{ ...refused, pointer: field.pointer },
          message: `${field.steps.at(-1)} is set in an APIService without a Service, which the API server serves itself`,
          fix: 'leave it out, or name the Service',
        };
      }
    } else if (skips.boolean === true && hasBundle) {
      yield {
        ...{ ...refused, pointer: skips.pointer },
        message: 'insecureSkipTLSVerify is true together with a caBundle',
        fix: 'leave insecureSkipTLSVerify out where the bundle verifies the server, and the caBundle where not',
      };
    } else if (skips.boolean === true) {
      const [source] = injectionSources(Field.of(object).get('metadata', 'annotations').labels);
      yield {
        object,
        pointer: skips.pointer,
        severity: 'warning',
        message: `insecureSkipTLSVerify is true${
          source === undefined ? '' : `, and with it no CA can be written that ${source} requires`
        }`,
        why: 'any server at the address of the Service gets the requests with the names and groups of users, and its answers are trusted',
        fix: "leave it out, and inject the CA from the authority's Certificate",
      };
    }
  }
}

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
    yield* evaluateUnverified(context.objects);
    yield* evaluateAll(context);
  },
};

function* evaluateAll(context: RuleContext): Iterable<RawFinding> {
  const all = context.objects.view(trustingObjects);
  const called = new Set(
    all.filter(({ by }) => by === 'webhook').flatMap(({ anchors }) => anchors.flatMap(serverOf)),
  );
  for (const trusting of all) {
    if (trusting.by !== 'webhook') {
      const known = trusting.anchors.flatMap(serverOf).some((each) => called.has(each));
      const rules = [...trust, ...(known ? [] : server), ...(context.before ? change : [])];
      for (const rule of rules) {
        yield* evaluate(context, trusting, rule);
      }
    }
  }
}

/** As the rule says it, which knows better why and what to do. */
function* evaluate(context: RuleContext, trusting: TrustingObject, rule: TrustRule): Iterable<RawFinding> {
  for (const finding of rule.evaluate(context, trusting)) {
    yield { why: rule.why, fix: rule.fix, ...finding, message: `${finding.message} (as ${rule.id})` };
  }
}

function serverOf({ service }: { readonly service?: CalledServiceView }): string[] {
  return service ? [`${service.namespace}/${service.name}`] : [];
}
