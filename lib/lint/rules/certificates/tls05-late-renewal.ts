import { renewsTooLate } from '../../../core/certificates/lifetime';
import { formatDuration } from '../../../core/durations';
import type { Rule } from '../../rule';
import { issuedCertificates, lifetimeOf } from '../../views/cert-manager';
import type { IssuedCertificate } from '../../views/cert-manager';
import { trustedCertificates } from '../../views/serving-certificates';

export const tls05: Rule = {
  id: 'TLS05',
  severity: 'error',
  title: 'A renewal less than a day before the end',
  why: 'a day without cert-manager, or with an issuer that does not answer, then ends in an expired certificate, and every call of the webhook fails',
  fix: 'set renewBefore to 24h or more, and a duration that is longer than that',
  *check({ objects }) {
    for (const certificate of objects.view(issuedCertificates).all) {
      const { object, spec } = certificate;
      const lifetime = lifetimeOf(certificate);
      if (!lifetime || !renewsTooLate(lifetime.renewBefore)) {
        continue;
      }
      const said = ['renewBefore', 'renewBeforePercentage'].find((key) => spec.get(key).exists);
      const matters = objects.view(trustedCertificates).has(certificate) || isForCluster(certificate);
      yield {
        object,
        pointer: spec.get(said ?? 'renewBefore').pointer,
        // Others may be short on purpose: a mesh's are, for example.
        severity: matters ? 'error' : 'warning',
        message: `it is renewed ${formatDuration(Math.floor(lifetime.renewBefore))} before its end${
          said === undefined ? ', a third of its life, since renewBefore is unset' : ''
        }`,
      };
    }
  },
};

/** Whether it is an authority, or for a Service of the cluster. */
function isForCluster({ isCa, spec }: IssuedCertificate): boolean {
  return isCa || spec.get('dnsNames').texts.some((name) => /\.svc(?:\.|$)/.test(name));
}
