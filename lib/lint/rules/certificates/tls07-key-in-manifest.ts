import type { X509Certificate } from 'node:crypto';
import { dnsNamesOf, namesServer } from '../../../core/certificates/x509';
import type { ManifestObject } from '../../object';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding, RuleContext } from '../../rule';
import { mayBeWrittenByItsServer } from '../../views/access-rights';
import { isForServers, keyBelongs, readPemBase64, signerOf } from '../../views/pem';
import type { PemContent } from '../../views/pem';
import { tlsSecrets } from '../../views/secrets';
import type { TlsSecret } from '../../views/secrets';
import { serverName, servingCertificates } from '../../views/serving-certificates';
import { bundleText, isFromCluster } from '../../views/trust';
import type { CaBundleLocation, TrustingObject } from '../../views/trust';
import { trustRule } from './shared/trust-rule';

export const tls07 = trustRule({
  id: 'TLS07',
  severity: 'error',
  title: 'CA bundle and key in manifests',
  why: 'API servers take a new CA bundle at once, pods get the new key a minute later: each change refuses calls until then, and a bundle that does not fit refuses them for good',
  fix: "leave caBundle and key out of manifests: let cert-manager issue the certificate, and inject the CA from the authority's Certificate",
  otherwise:
    "an info for a CA bundle without a matching certificate, such as an expired placeholder, where a role of the server's pods or of a Job allows to write it. A warning for such a Secret",
  *evaluate(context, trusting) {
    yield* evaluateAll(context, trusting);
  },
});

function* evaluateAll(context: RuleContext, trusting: TrustingObject): Iterable<RawFinding> {
  const { objects } = context;
  const { anchors, sources, object } = trusting;
  for (const anchor of anchors) {
    const bundle = bundleText(anchor);
    if (bundle === undefined) {
      continue;
    }
    const content = readPemBase64(objects, bundle);
    // A placeholder does for what writes the bundle when it runs.
    yield* unlessWritten(objects, trusting, object, wrongBundle(context, anchor, content));
    const secrets = secretsFor(context, anchor, content.certificates);
    const [first] = secrets;
    // What is in a cluster was not necessarily put there by a manifest.
    const isInjected = sources.some(({ by, target }) => by === 'apiServer' || target !== undefined);
    const written = !isInjected && !isFromCluster(object);
    if (first && written && !isFromCluster(first.object)) {
      yield {
        object,
        pointer: anchor.caBundle.pointer,
        message: `caBundle is written here, and the key that belongs to it in the Secret ${first.object.name}`,
      };
    }
    for (const secret of secrets) {
      yield* unlessWritten(objects, trusting, secret.object, wrongSecret(context, secret));
      yield* unlessWritten(objects, trusting, object, unverified(anchor, content, secret));
    }
  }
}

/** What no manifest can satisfy may be what a controller writes anew. */
function* unlessWritten(
  objects: ObjectIndex,
  trusting: TrustingObject,
  written: ManifestObject,
  findings: Iterable<RawFinding>,
): Iterable<RawFinding> {
  for (const finding of findings) {
    yield mayBeWrittenByItsServer(objects, trusting, written)
      ? {
          ...finding,
          // The right to write Secrets is one that many have.
          severity: written.kind === 'Secret' ? 'warning' : 'info',
          message: `${finding.message}, unless its controller writes it: a role allows that`,
        }
      : finding;
  }
}

/**
 * Secrets that pods behind the Service use, or that name it; else one whose certificate the bundle verifies. Of several that
 * do not name the Service, those that the bundle verifies may be the one that is served: the others are of clients.
 */
function secretsFor(
  { objects }: RuleContext,
  { service }: CaBundleLocation,
  trusted: readonly X509Certificate[],
): readonly TlsSecret[] {
  if (!service) {
    return [];
  }
  const { issued, literal } = servingCertificates(objects, service);
  const isNamed = literal.some(({ leaf }) => leaf && namesServer(dnsNamesOf(leaf), serverName(service)));
  const isOnly = literal.length === 1 && issued.length === 0;
  if (isNamed || (isOnly && literal.every(({ leaf }) => !leaf || isForServers(leaf)))) {
    return literal;
  }
  if (literal.length > 0) {
    return literal.filter(({ leaf }) => leaf && signerOf(leaf, trusted));
  }
  const secrets = objects.view(tlsSecrets);
  return [...new Set(trusted.flatMap((anchor) => secrets.verifiedBy(service.namespace, anchor)))];
}

function* wrongBundle(
  { now }: RuleContext,
  { object, caBundle: { pointer } }: CaBundleLocation,
  { certificates, unreadable }: PemContent,
): Iterable<RawFinding> {
  if (certificates.length === 0) {
    yield {
      object,
      pointer,
      message:
        unreadable > 0
          ? 'caBundle holds a certificate that cannot be read'
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
  { object, leaf, leafField, key, unreadable }: TlsSecret,
): Iterable<RawFinding> {
  if (!leaf || !leafField) {
    if (unreadable > 0) {
      yield { object, pointer: '/data', message: 'it holds a certificate that cannot be read' };
    }
    return;
  }
  const { pointer } = leafField;
  const problem = outOfTime(leaf, now);
  if (problem !== undefined) {
    yield { object, pointer, message: `the certificate is not valid: ${problem}` };
  }
  if (!keyBelongs(leaf, key)) {
    yield { object, pointer, message: 'the private key next to it does not belong to the certificate' };
  }
}

function* unverified(
  { object, caBundle: { pointer } }: CaBundleLocation,
  { certificates }: PemContent,
  { object: { name }, leaf }: TlsSecret,
): Iterable<RawFinding> {
  if (leaf && certificates.length > 0 && !signerOf(leaf, certificates)) {
    yield { object, pointer, message: `caBundle does not verify the certificate in the Secret ${name}` };
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
