import type { ObjectIndex } from '../../object-index';
import { bundleText, trustingObjects } from '../../views/trust';
import type { CaBundleLocation } from '../../views/trust';
import { trustRule } from './shared/trust-rule';

/** @see https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/ */
export const tls13 = trustRule({
  id: 'TLS13',
  severity: 'error',
  needs: 'before',
  title: 'A new webhook that is called before it has a CA',
  why: 'a new or renamed webhook starts without the CA that an old one had by injection: with Fail, every request that it matches is refused until its own is injected',
  fix: 'bring it with failurePolicy Ignore or without rules first, and with Fail when the CA is there; keep the names of webhooks',
  *evaluate({ before }, { object, anchors }) {
    const known = before?.view(anchorKeys);
    for (const anchor of anchors) {
      const { webhook, service, field } = anchor;
      const refuses = !webhook || (webhook.failurePolicy === 'Fail' && webhook.rules.length > 0);
      if (known && service && refuses && bundleText(anchor) === undefined && !known.has(keyOf(anchor))) {
        yield {
          object,
          pointer: field.get('caBundle').pointer,
          message: webhook
            ? `the webhook ${webhook.name} is new, with Fail and without a CA`
            : 'it is new, and without a CA',
        };
      }
    }
  },
});

/** A webhook is known by its name: the API server and the injector merge by it. */
function anchorKeys(objects: ObjectIndex): ReadonlySet<string> {
  return new Set(objects.view(trustingObjects).flatMap(({ anchors }) => anchors.map(keyOf)));
}

function keyOf({ object: { kind, name }, webhook }: CaBundleLocation): string {
  return JSON.stringify([kind, name, webhook?.name]);
}
