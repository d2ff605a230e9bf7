import { dnsNamesOf, namesServer } from '../../../core/certificates/x509';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding } from '../../rule';
import { authorityOf, certificateName, injectedCertificate, leavesOf } from '../../views/cert-manager';
import type { IssuedCertificate } from '../../views/cert-manager';
import { isForServers, readPemBase64, signerOf } from '../../views/pem';
import { serverName, servingCertificates } from '../../views/serving-certificates';
import type { ServingCertificates } from '../../views/serving-certificates';
import { bundleText } from '../../views/trust';
import type { CaSource, CaBundleLocation } from '../../views/trust';
import { trustRule } from './shared/trust-rule';

/** @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#service-reference */
export const tls06 = trustRule({
  id: 'TLS06',
  severity: 'error',
  title: 'A certificate that is not for its Service',
  why: 'API servers call a Service as SERVICE.NAMESPACE.svc and accept only a certificate of a server for that name: every call fails',
  fix: 'put SERVICE.NAMESPACE.svc into dnsNames, and "server auth" into usages',
  otherwise:
    "an error for an operator's own kinds too, since every call fails until it is fixed. A warning where failures are ignored",
  *evaluate({ objects }, { anchors, sources }) {
    yield* evaluateAll(objects, anchors, sources[0]);
  },
});

function* evaluateAll(
  objects: ObjectIndex,
  anchors: readonly CaBundleLocation[],
  source: CaSource | undefined,
): Iterable<RawFinding> {
  for (const anchor of anchors) {
    if (anchor.service) {
      const name = serverName(anchor.service);
      const serving = servingCertificates(objects, anchor.service, source);
      yield* wrongNames(objects, anchor, source, serving, name);
      yield* wrongUsages(serving, name);
    }
  }
}

/** Pods may use other certificates as well: one must name the Service, and only those that the CA is for can be the one. */
function* wrongNames(
  objects: ObjectIndex,
  anchor: CaBundleLocation,
  source: CaSource | undefined,
  { issued, literal }: ServingCertificates,
  name: string,
): Iterable<RawFinding> {
  const fits =
    issued.some(({ spec }) => namesServer(spec.get('dnsNames').texts, name)) ||
    literal.some(({ leaf }) => !leaf || namesServer(dnsNamesOf(leaf), name));
  if (fits) {
    return;
  }
  const injected = source && injectedCertificate(objects, source);
  for (const certificate of issued) {
    if (injected && (injected === certificate || injected === authorityOf(objects, certificate))) {
      const { object, spec } = certificate;
      yield { object, pointer: spec.get('dnsNames').pointer, message: `dnsNames do not have ${name}` };
    }
  }
  if (injected?.isCa && issued.length + literal.length === 0) {
    yield* noneOfSeveral(objects, anchor, injected, name);
  }
  const bundle = bundleText(anchor);
  const trusted = bundle === undefined ? [] : readPemBase64(objects, bundle).certificates;
  for (const { object, leaf, leafField } of literal) {
    if (leaf && signerOf(leaf, trusted)) {
      yield { object, pointer: leafField!.pointer, message: `the certificate is not valid for ${name}` };
    }
  }
}

/** The one that is served may also come from elsewhere. */
function* noneOfSeveral(
  objects: ObjectIndex,
  { object, service }: CaBundleLocation,
  injected: IssuedCertificate,
  name: string,
): Iterable<RawFinding> {
  const signed = leavesOf(objects, injected, service!.namespace);
  if (signed.length > 1) {
    yield {
      object,
      pointer: service!.field.pointer,
      severity: 'warning',
      message: `none of the ${signed.length} certificates that ${certificateName(injected)} signs there is for ${name}`,
    };
  }
}

function* wrongUsages({ issued, literal }: ServingCertificates, name: string): Iterable<RawFinding> {
  for (const certificate of issued) {
    if (namesServer(certificate.spec.get('dnsNames').texts, name)) {
      yield* wrongIssuedUsages(certificate);
    }
  }
  for (const { object, leaf, leafField } of literal) {
    if (leaf && namesServer(dnsNamesOf(leaf), name) && !isForServers(leaf)) {
      yield { object, pointer: leafField!.pointer, message: 'the certificate is not one of a server' };
    }
  }
}

/**
 * Usages that are in the certificate as extended ones: where there is one, what is not among them is refused.
 * @see https://github.com/cert-manager/cert-manager/blob/master/pkg/api/util/usages.go
 */
const extended = new Set([
  'client auth',
  'code signing',
  'email protection',
  's/mime',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'timestamping',
  'ocsp signing',
  'microsoft sgc',
  'netscape sgc',
]);

/** Unset, there are no extended usages, and API servers take such a certificate. */
function* wrongIssuedUsages({ object, spec }: IssuedCertificate): Iterable<RawFinding> {
  const usages = spec.get('usages');
  const said = usages.texts;
  if (said.length === 0 || said.includes('server auth') || said.includes('any')) {
    return;
  }
  const others = said.filter((each) => extended.has(each));
  yield others.length > 0
    ? { object, pointer: usages.pointer, message: `usages have ${others.join(', ')}, and not "server auth"` }
    : {
        object,
        pointer: usages.pointer,
        severity: 'warning',
        message:
          'usages do not have "server auth": API servers take a certificate without any such usage, other clients may not',
      };
}
