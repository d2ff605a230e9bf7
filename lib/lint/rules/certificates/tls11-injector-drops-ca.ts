import type { ObjectIndex } from '../../object-index';
import {
  authorityOf,
  certificateName,
  injectedCertificate,
  installedCertManager,
  issuerTypeOf,
  keepsKey,
} from '../../views/cert-manager';
import { servingCertificates } from '../../views/serving-certificates';
import type { TrustingObject } from '../../views/trust';
import { trustRule } from './shared/trust-rule';

/** @see https://cert-manager.io/docs/releases/release-notes/release-notes-1.19/ */
export const tls11 = trustRule({
  id: 'TLS11',
  severity: 'error',
  title: 'An injector that forgets the CA which still signs',
  why: 'without merging, cert-manager puts the new CA in place of the old one at once: what the old one signed is refused until every pod serves a new certificate',
  fix: 'run cert-manager 1.19 or newer, or inject from a Secret that holds both CAs while one takes over from the other',
  *evaluate({ objects }, trusting) {
    const [source] = trusting.sources;
    const reason = source?.by === 'certificate' ? needsTwo(objects, trusting) : undefined;
    const { minor, merges } = objects.view(installedCertManager);
    if (!source || reason === undefined || merges === true) {
      return;
    }
    yield {
      object: trusting.object,
      pointer: source.field.pointer,
      ...(minor === undefined ? { severity: 'info' } : {}),
      message:
        minor === undefined
          ? `${reason}: whether the old CA stays with the new one depends on cert-manager's version, which is not among the manifests`
          : `${reason}, and cert-manager 1.${minor} replaces the old CA with the new one`,
    };
  },
});

/** Why API servers must trust two CAs at some time, in words. */
function needsTwo(objects: ObjectIndex, { anchors, sources }: TrustingObject): string | undefined {
  const [source] = sources;
  const injected = source && injectedCertificate(objects, source);
  if (!injected?.isCa) {
    return undefined;
  }
  const other = anchors
    .flatMap(({ service }) => (service ? servingCertificates(objects, service, source).issued : []))
    .find((each) => {
      const authority = authorityOf(objects, each);
      return authority !== undefined && authority !== injected && each !== injected;
    });
  if (other) {
    const authority = certificateName(authorityOf(objects, other)!);
    return `the CA is injected from ${certificateName(injected)}, and ${authority} signs the certificate ${certificateName(other)}`;
  }
  return issuerTypeOf(objects, injected) === 'selfSigned' && !keepsKey(objects, injected)
    ? `the CA ${certificateName(injected)} gets a new key at every renewal`
    : undefined;
}
