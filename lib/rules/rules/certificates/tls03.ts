import { issuerTypeOf } from '../../objects/authorities';
import type { IssuedCertificate } from '../../objects/cert-manager';
import { issuedCertificates } from '../../objects/cert-manager';
import { installedCertManager } from '../../objects/cert-manager-version';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding, Rule } from '../../rule';
import { settingChanges } from '../../setting-changes';

/** Since this minor version an unset policy means Always: https://cert-manager.io/docs/releases/release-notes/release-notes-1.18/ */
const alwaysSince = 18;

export const tls03: Rule = {
  id: 'TLS03',
  severity: 'error',
  title: 'An authority with a new key at every renewal',
  why: 'a renewal is then another CA: whoever has the old one refuses what the new key signs, and certificates that the old key signed are not issued again',
  fix: 'set spec.privateKey.rotationPolicy to Never on the CA, and change its key in phases: publish, switch, retire',
  *check({ objects }) {
    for (const certificate of objects.view(issuedCertificates).all) {
      if (certificate.isCa) {
        yield* judge(objects, certificate);
      }
    }
  },
};

function* judge(objects: ObjectIndex, certificate: IssuedCertificate): Iterable<RawFinding> {
  const { object, spec, issuer } = certificate;
  const policy = spec.get('privateKey', 'rotationPolicy');
  if (policy.text === 'Never') {
    return;
  }
  const type = issuerTypeOf(objects, certificate);
  if (type === 'ca') {
    // What is trusted is the authority above it.
    return;
  }
  const mend = policy.exists ? undefined : settingChanges(object, policy.steps, 'Never');
  const finding = { object, pointer: policy.pointer, ...(mend ? { mend } : {}) };
  if (type === undefined) {
    yield {
      object,
      pointer: policy.pointer,
      severity: 'info',
      message: `the issuer ${issuer.name ?? ''} is not among the manifests: unless another authority signs this one, its key must stay`,
    };
    return;
  }
  const { minor } = objects.view(installedCertManager);
  if (!policy.exists && minor !== undefined && minor < alwaysSince) {
    yield {
      ...finding,
      severity: 'warning',
      message: `rotationPolicy is unset: Never with cert-manager 1.${minor}, and Always once it is upgraded to 1.${alwaysSince}`,
    };
    return;
  }
  yield {
    ...finding,
    message: policy.exists
      ? `rotationPolicy is ${policy.text ?? 'no text'}`
      : `rotationPolicy is unset, which is Always since cert-manager 1.${alwaysSince}`,
  };
}
