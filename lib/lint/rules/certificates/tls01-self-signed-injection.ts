import { certificateName, injectedCertificate, issuerTypeOf } from '../../views/cert-manager';
import { impactOf, renewalsInWords } from './shared/impact';
import { trustRule } from './shared/trust-rule';

/** @see https://cert-manager.io/docs/configuration/selfsigned/ */
export const tls01 = trustRule({
  id: 'TLS01',
  severity: 'error',
  title: 'CA injected from a certificate that signs itself',
  why: 'such a certificate is its own CA: every renewal changes what API servers must trust, and until both sides have it, calls are refused with "certificate signed by unknown authority"',
  fix: "let a CA Certificate (isCA, rotationPolicy Never) with an issuer of its own sign the server's certificate, and inject from the CA",
  otherwise: renewalsInWords,
  *evaluate({ objects }, trusting) {
    const { object, sources } = trusting;
    const [source] = sources;
    const certificate = source && injectedCertificate(objects, source);
    if (certificate && !certificate.isCa && issuerTypeOf(objects, certificate) === 'selfSigned') {
      yield {
        object,
        pointer: source.field.pointer,
        severity: impactOf(objects, [trusting], 'renewal'),
        message: `the CA is injected from the Certificate ${certificateName(certificate)}, which a self-signed issuer signs`,
      };
    }
  },
});
