import type { X509Certificate } from 'node:crypto';
import { refusedDuring } from '../../../core/certificates/ca-rotation';
import type { Transition } from '../../../core/certificates/ca-rotation';
import { trustAnchor } from '../../../core/certificates/x509';
import type { ObjectIndex } from '../../object-index';
import { authorityOf, certificateName, injectedCertificate, keepsKey } from '../../views/cert-manager';
import type { IssuedCertificate } from '../../views/cert-manager';
import { readPemBase64, signerOf } from '../../views/pem';
import { caCertificates } from '../../views/secrets';
import { servingCertificates } from '../../views/serving-certificates';
import { bundleText, trustingObjects } from '../../views/trust';
import type { CaSource, CaBundleLocation, TrustingObject } from '../../views/trust';
import { trustRule } from './shared/trust-rule';

export const tls14 = trustRule({
  id: 'TLS14',
  severity: 'error',
  needs: 'before',
  title: 'A rotation that moves trust and signature at once',
  why: 'API servers and pods learn of a change in any order, minutes apart: where both change, some API server meets a certificate whose CA it does not trust yet, or not any more',
  fix: 'one phase a change: publish (trust both CAs), switch (the new one signs), retire (trust only the new one), each when the one before has arrived everywhere',
  *evaluate({ objects, before }, { object, anchors, sources }) {
    const old = before?.view(trustingByName).get(keyOf(object));
    if (!before || !old) {
      return;
    }
    for (const anchor of anchors) {
      const twin = old.anchors.find(({ webhook }) => webhook?.name === anchor.webhook?.name);
      const was = twin && knownStage(before, twin, old.sources[0]);
      const is = knownStage(objects, anchor, sources[0]);
      const refused = was && is ? refusedBetween(was, is) : [];
      if (was && is && refused.length > 0) {
        yield {
          object,
          pointer: sources[0]?.field.pointer ?? anchor.caBundle.pointer,
          message: messageOf(refused, was, is),
        };
        return;
      }
    }
  },
});

/** What the objects say of trust and signature. */
interface KnownStage {
  /** @default - the objects do not say: a Secret has it that is none of theirs */
  readonly trusts?: readonly string[];
  readonly signs: string;
  /** Who signs, for messages. */
  readonly signer: string;
  /** The certificates themselves. @default - cert-manager makes them */
  readonly literal?: { readonly leaf: X509Certificate; readonly trusted: readonly X509Certificate[] };
  /** What tells it from another of that name. @default - only its name is known */
  readonly fingerprint?: string;
}

/** Trust that is not known counts as trust. A bundle may hold the server's certificate itself, which then verifies no other one. */
function refusedBetween(was: KnownStage, is: KnownStage): readonly Transition[] {
  if (was.literal && is.literal) {
    return [
      ...(signerOf(is.literal.leaf, was.literal.trusted) ? [] : (['tooSoon'] as const)),
      ...(signerOf(was.literal.leaf, is.literal.trusted) ? [] : (['tooLate'] as const)),
    ];
  }
  const both = [was.signs, is.signs];
  return refusedDuring(
    { trusts: was.trusts ?? both, signs: was.signs },
    { trusts: is.trusts ?? both, signs: is.signs },
  );
}

function messageOf(refused: readonly Transition[], was: KnownStage, is: KnownStage): string {
  const [before, now] = signersInWords(was, is);
  const soon = `${now} signs, and API servers did not trust it before`;
  const late = `API servers stop trusting ${before}, which signed what pods still serve`;
  return [
    ...(refused.includes('tooSoon') ? [soon] : []),
    ...(refused.includes('tooLate') ? [late] : []),
  ].join('; ');
}

/** Two of one name are distinguished by their fingerprints, or by when they are there. */
function signersInWords(was: KnownStage, is: KnownStage): readonly [before: string, now: string] {
  if (was.signer !== is.signer) {
    return [was.signer, is.signer];
  }
  const inWords = ({ signer, fingerprint }: KnownStage, when: string): string =>
    `${signer} (${fingerprint === undefined ? when : `SHA-256 ${fingerprint}`})`;
  return [inWords(was, 'as it was'), inWords(is, 'as it is now')];
}

function trustingByName(objects: ObjectIndex): ReadonlyMap<string, TrustingObject> {
  return new Map(objects.view(trustingObjects).map((each) => [keyOf(each.object), each]));
}

function keyOf({ kind, name }: TrustingObject['object']): string {
  return `${kind}/${name}`;
}

/** By Certificates of cert-manager, else by the certificates themselves. */
function knownStage(
  objects: ObjectIndex,
  anchor: CaBundleLocation,
  source: CaSource | undefined,
): KnownStage | undefined {
  const serving = anchor.service && servingCertificates(objects, anchor.service, source);
  const [certificate] = serving?.issued ?? [];
  if (certificate && serving?.issued.length === 1) {
    const injected = source && injectedCertificate(objects, source);
    const trusted = injected?.isCa === false ? (authorityOf(objects, injected) ?? injected) : injected;
    const signer = authorityOf(objects, certificate) ?? certificate;
    return {
      ...(trusted ? { trusts: [identityOf(objects, trusted)] } : {}),
      signs: identityOf(objects, signer),
      signer: certificateName(signer),
    };
  }
  const trusted = certificatesOf(objects, anchor, source);
  const leaf = serving?.literal.length === 1 ? serving.literal[0]!.leaf : undefined;
  const signer = leaf && trusted && signerOf(leaf, trusted);
  return signer
    ? {
        trusts: trusted.map(keyIdentity),
        signs: keyIdentity(signer),
        literal: { leaf, trusted },
        signer: signer.subject.replaceAll('\n', ', '),
        fingerprint: signer.fingerprint256.replaceAll(':', '').slice(0, 8).toLowerCase(),
      }
    : undefined;
}

function certificatesOf(
  objects: ObjectIndex,
  anchor: CaBundleLocation,
  source: CaSource | undefined,
): readonly X509Certificate[] | undefined {
  if (source?.by === 'secret' && source.target) {
    const secret = objects.find('', 'Secret', source.target.namespace, source.target.name);
    return secret && caCertificates(objects, secret);
  }
  const bundle = bundleText(anchor);
  return bundle === undefined ? undefined : readPemBase64(objects, bundle).certificates;
}

/** What makes an authority another one: its key, which its Secret holds, and its subject. */
function identityOf(objects: ObjectIndex, certificate: IssuedCertificate): string {
  const { object, spec, secretName } = certificate;
  const key = spec.get('privateKey');
  // Kept, a key stays what it is, whatever kind is asked for.
  const kind = keepsKey(objects, certificate) ? [] : [key.get('algorithm').value, key.get('size').value];
  return JSON.stringify([
    object.namespace,
    secretName,
    spec.get('commonName').value,
    inOrder(spec.get('subject').record),
    kind,
  ]);
}

/** In which order the fields of a subject are says nothing. */
function inOrder(subject: Readonly<Record<string, unknown>>): unknown {
  return Object.entries(subject).sort(([one], [other]) => (one < other ? -1 : 1));
}

function keyIdentity(certificate: X509Certificate): string {
  const { subject, key } = trustAnchor(certificate);
  return `${subject} ${key}`;
}
