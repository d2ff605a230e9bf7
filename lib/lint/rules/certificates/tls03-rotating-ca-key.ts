import { setValuePatch } from '../../changes';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding, Rule } from '../../rule';
import {
  alwaysSince,
  installedCertManager,
  issuedCertificates,
  issuerTypeOf,
  keepsKey,
} from '../../views/cert-manager';
import type { IssuedCertificate } from '../../views/cert-manager';
import { trustedCertificates } from '../../views/serving-certificates';
import { impactOf } from './shared/impact';

export const tls03: Rule = {
  id: 'TLS03',
  severity: 'error',
  title: 'An authority with a new key at every renewal',
  why: 'a renewal is then another CA: clients that have the old one refuse what the new key signs, and certificates that the old key signed are not issued again',
  fix: 'set spec.privateKey.rotationPolicy to Never on the CA, and change its key in phases: publish, switch, retire',
  otherwise:
    "an error for an operator's own kinds too, since what the old key signed is refused for weeks. A warning where failures are ignored. A warning where only API servers trust it and cert-manager 1.19 or newer is among the objects: it keeps the old CA in CA bundles until it expires",
  *check({ objects }) {
    for (const certificate of objects.view(issuedCertificates).all) {
      if (certificate.isCa) {
        yield* evaluate(objects, certificate);
      }
    }
  },
};

function* evaluate(objects: ObjectIndex, certificate: IssuedCertificate): Iterable<RawFinding> {
  const { object, spec, issuer } = certificate;
  const policy = spec.get('privateKey', 'rotationPolicy');
  const keeps = keepsKey(objects, certificate);
  if (policy.exists && keeps) {
    return;
  }
  const type = issuerTypeOf(objects, certificate);
  if (type === 'ca') {
    // What is trusted is the authority above it.
    return;
  }
  const patch = policy.exists ? undefined : setValuePatch(object, policy.steps, 'Never');
  const finding = { object, pointer: policy.pointer, ...(patch ? { fixPatch: patch } : {}) };
  if (type === undefined) {
    yield {
      object,
      pointer: policy.pointer,
      severity: 'info',
      message: `the issuer ${issuer.name ?? ''} is not among the manifests: unless another authority signs this one, its key must stay`,
    };
    return;
  }
  const { minor, merges } = objects.view(installedCertManager);
  if (keeps) {
    yield {
      ...finding,
      severity: 'warning',
      message: `rotationPolicy is unset: Never with cert-manager 1.${minor!}, and Always once it is upgraded to 1.${alwaysSince}`,
    };
    return;
  }
  const said = policy.exists
    ? `rotationPolicy is ${policy.text ?? 'no text'}`
    : `rotationPolicy is unset, which is Always since cert-manager 1.${alwaysSince}`;
  const trusting = objects.view(trustedCertificates).get(certificate);
  if (trusting && merges === true) {
    yield {
      ...finding,
      severity: 'warning',
      message: `${said}; cert-manager 1.${minor!} keeps the old CA in CA bundles until that expires`,
      why: 'other clients with the old CA refuse what the new key signs',
    };
    return;
  }
  yield {
    ...finding,
    ...(trusting ? { severity: impactOf(objects, trusting, 'lasting') } : {}),
    message: said,
  };
}
