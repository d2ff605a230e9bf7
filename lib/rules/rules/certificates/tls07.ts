import type { X509Certificate } from 'node:crypto';
import { createPrivateKey } from 'node:crypto';
import { readPemBase64, signerOf } from '../../objects/pem';
import type { PemContent } from '../../objects/pem';
import { servingCertificates } from '../../objects/serving-certificates';
import type { TlsSecret } from '../../objects/tls-secrets';
import { tlsSecrets } from '../../objects/tls-secrets';
import type { TrustAnchor } from '../../objects/trust-anchors';
import { bundleText, isFromCluster } from '../../objects/trusting-objects';
import type { TrustingObject } from '../../objects/trusting-objects';
import type { RawFinding, RuleContext } from '../../rule';
import { trustRule } from './trust-rule';

export const tls07 = trustRule({
  id: 'TLS07',
  severity: 'error',
  title: 'CA bundle and key in manifests',
  why: 'API servers take a new CA bundle at once, pods get the new key a minute later: each change refuses calls meanwhile, and a bundle that does not fit refuses them for good',
  fix: "leave caBundle and key out of manifests: let cert-manager issue the certificate, and inject the CA from the authority's Certificate",
  *judge(context, trusting) {
    yield* judgeAll(context, trusting);
  },
});

function* judgeAll(context: RuleContext, { anchors, sources, object }: TrustingObject): Iterable<RawFinding> {
  const { objects } = context;
  for (const anchor of anchors) {
    const bundle = bundleText(anchor);
    if (bundle === undefined) {
      continue;
    }
    const content = readPemBase64(objects, bundle);
    yield* wrongBundle(context, anchor, content);
    const secrets = secretsFor(context, anchor, content.certificates);
    const [first] = secrets;
    // What is in a cluster was not necessarily put there by a manifest.
    const isInjected = sources.some(({ by, target }) => by === 'apiServer' || target !== undefined);
    const written = !isInjected && !isFromCluster(object);
    if (first && written && !isFromCluster(first.object)) {
      yield {
        object,
        pointer: anchor.caBundle.pointer,
        message: `caBundle stands here, and the key that belongs to it in the Secret ${first.object.name}`,
      };
    }
    for (const secret of secrets) {
      yield* wrongSecret(context, anchor, content, secret);
    }
  }
}

/** Secrets that pods behind the Service use, or that name it; else one whose certificate the bundle verifies. */
function secretsFor(
  { objects }: RuleContext,
  { service }: TrustAnchor,
  trusted: readonly X509Certificate[],
): readonly TlsSecret[] {
  if (!service) {
    return [];
  }
  const { literal } = servingCertificates(objects, service);
  if (literal.length > 0) {
    return literal;
  }
  const secrets = objects.view(tlsSecrets);
  const named = trusted.flatMap(({ subject }) => secrets.issuedBy(service.namespace, subject));
  return [...new Set(named)].filter(({ leaf }) => leaf && signerOf(leaf, trusted));
}

function* wrongBundle(
  { now }: RuleContext,
  { object, caBundle: { pointer } }: TrustAnchor,
  { certificates, unreadable }: PemContent,
): Iterable<RawFinding> {
  if (certificates.length === 0) {
    yield {
      object,
      pointer,
      message:
        unreadable > 0
          ? 'caBundle holds a certificate that can not be read'
          : 'caBundle holds no certificate: it must be PEM, in base64',
    };
    return;
  }
  const problems = certificates.map((each) => outOfTime(each, now));
  if (problems.every((each) => each !== undefined)) {
    yield { object, pointer, message: `caBundle holds no valid certificate: ${problems.join(', ')}` };
  }
}

function* wrongSecret(
  { now }: RuleContext,
  anchor: TrustAnchor,
  { certificates }: PemContent,
  { object, leaf, leafField, key, unreadable }: TlsSecret,
): Iterable<RawFinding> {
  if (!leaf || !leafField) {
    if (unreadable > 0) {
      yield { object, pointer: '/data', message: 'it holds a certificate that can not be read' };
    }
    return;
  }
  const { pointer } = leafField;
  const problem = outOfTime(leaf, now);
  if (problem !== undefined) {
    yield { object, pointer, message: `the certificate is not valid: ${problem}` };
  }
  if (!belongs(leaf, key)) {
    yield { object, pointer, message: 'the private key beside it does not belong to the certificate' };
  }
  if (certificates.length > 0 && !signerOf(leaf, certificates)) {
    yield {
      object: anchor.object,
      pointer: anchor.caBundle.pointer,
      message: `caBundle does not verify the certificate in the Secret ${object.name}`,
    };
  }
}

function outOfTime({ validFrom, validTo }: X509Certificate, now: number): string | undefined {
  if (now > Date.parse(validTo)) {
    return `expired on ${dayOf(validTo)}`;
  }
  return now < Date.parse(validFrom) ? `not valid before ${dayOf(validFrom)}` : undefined;
}

function dayOf(text: string): string {
  return new Date(text).toISOString().slice(0, 10);
}

function belongs(leaf: X509Certificate, key: string): boolean {
  try {
    return leaf.checkPrivateKey(createPrivateKey(key));
  } catch {
    // Encrypted, or of a kind that OpenSSL can't use: not judged.
    return true;
  }
}
