import type { X509Certificate } from 'node:crypto';
import { dnsNamesOf, namesServer } from '../../../core/certificates/x509';
import { Field } from '../../object';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding } from '../../rule';
import { mayBeWrittenByItsServer } from '../../views/access-rights';
import {
  certificateName,
  injectedCertificate,
  installedCertManager,
  issuerTypeOf,
} from '../../views/cert-manager';
import type { IssuedCertificate } from '../../views/cert-manager';
import { readPemBase64, signerOf } from '../../views/pem';
import { caCertificates } from '../../views/secrets';
import type { TlsSecret } from '../../views/secrets';
import { hasCertificateInSight, serverName, servingCertificates } from '../../views/serving-certificates';
import { bundleText, isFromCluster } from '../../views/trust';
import type { CaSource, TrustingObject } from '../../views/trust';
import { workloads } from '../../views/workloads';
import type { Workload } from '../../views/workloads';
import { trustRule } from './shared/trust-rule';

/**
 * The workload that writes the CA bundle of an object: a Job of `kube-webhook-certgen`, by any name of its image.
 *
 * @see https://github.com/kubernetes/ingress-nginx/blob/main/images/kube-webhook-certgen/rootfs/cmd/patch.go
 */
function bundleWriter(objects: ObjectIndex, { object }: TrustingObject): Workload | undefined {
  const kind = patched[object.kind];
  return kind === undefined ? undefined : objects.view(patches).get(`${kind} ${object.name}`);
}

/** The flag that keeps a kind as it is. */
const patched: Readonly<Record<string, string>> = {
  MutatingWebhookConfiguration: 'mutating',
  ValidatingWebhookConfiguration: 'validating',
};

/** By kind and name of what they write. */
function patches(objects: ObjectIndex): ReadonlyMap<string, Workload> {
  const found = new Map<string, Workload>();
  for (const workload of objects.view(workloads).all) {
    for (const { field } of workload.containers) {
      const words = [...field.get('command').texts, ...field.get('args').texts];
      const name = valueOf(words, '--webhook-name');
      for (const kind of words.includes('patch') && name !== undefined ? Object.values(patched) : []) {
        if (valueOf(words, `--patch-${kind}`) !== 'false') {
          found.set(`${kind} ${name}`, workload);
        }
      }
    }
  }
  return found;
}

/** Of `--flag=value` and `--flag value`. */
function valueOf(words: readonly string[], flag: string): string | undefined {
  const position = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = words[position];
  return word === flag ? words[position + 1] : word?.slice(flag.length + 1);
}

const allowInjection = 'cert-manager.io/allow-direct-injection';

/** @see https://cert-manager.io/docs/concepts/ca-injector/ */
export const tls10 = trustRule({
  id: 'TLS10',
  severity: 'error',
  title: 'No CA for a webhook',
  why: 'without a CA that signed its certificate, every call of the server fails; with two sources, one of them is ignored',
  fix: "annotate with cert-manager.io/inject-ca-from and NAMESPACE/NAME of the authority's Certificate, and nothing else",
  otherwise:
    'an info where no certificate of the server is among the manifests, or where a role of its pods or of a Job allows to write the CA',
  *evaluate({ objects }, trusting) {
    const { object, sources, anchors } = trusting;
    const [source] = sources;
    if (!source) {
      yield* withoutSource(objects, trusting);
      return;
    }
    const written = anchors.find((anchor) => bundleText(anchor) !== undefined);
    const counts = anchors.every((anchor) => bundleText(anchor) !== undefined || !anchor.service);
    if (sources.every(namesNothing) && (counts || bundleWriter(objects, trusting))) {
      // As charts say that nothing is to be injected.
      yield {
        object,
        pointer: source.field.pointer,
        severity: 'info',
        message: `${source.annotation} is ${JSON.stringify(source.field.text)} and not NAMESPACE/NAME: nothing is injected, and the CA is ${counts ? 'that of caBundle' : 'what a Job writes'}`,
        fix: 'leave the annotation out, or inject the CA instead',
      };
      return;
    }
    yield* wrongSource(objects, trusting, source);
    if (sources.length > 1) {
      const ignored = sources.slice(1).map(({ annotation }) => annotation);
      yield {
        object,
        pointer: sources[1]!.field.pointer,
        message: `${source.annotation} wins, and ${ignored.join(' and ')} is ignored`,
      };
    }
    if (written && !isFromCluster(object) && !sources.every(namesNothing)) {
      yield {
        object,
        pointer: written.caBundle.pointer,
        severity: 'warning',
        message: `caBundle is written here as well as ${source.annotation}: whoever writes last wins`,
      };
    }
  },
});

function namesNothing({ by, target }: CaSource): boolean {
  return by !== 'apiServer' && target === undefined;
}

/** Nothing is injected as far as can be seen. That is sure to be wrong only where there is something to inject. */
function* withoutSource(objects: ObjectIndex, trusting: TrustingObject): Iterable<RawFinding> {
  const { object, anchors } = trusting;
  if (hasOtherInjector(object.value) || bundleWriter(objects, trusting)) {
    return;
  }
  const told = new Set<string>();
  for (const anchor of anchors) {
    const { service, field } = anchor;
    if (bundleText(anchor) !== undefined || !service || told.has(serverName(service))) {
      // Behind a URL, the CAs of the API server's machine count.
      continue;
    }
    told.add(serverName(service));
    const inSight = hasCertificateInSight(objects, service);
    const isWritten = inSight && mayBeWrittenByItsServer(objects, trusting, object);
    yield {
      object,
      pointer: field.get('caBundle').pointer,
      ...(inSight && !isWritten ? {} : { severity: 'info' }),
      message: inSight
        ? `nothing injects the CA for ${serverName(service)}, though its certificate is among the manifests${isWritten ? ', unless its controller writes it: a role allows that' : ''}`
        : `no caBundle, no annotation, and no certificate for ${serverName(service)} among the manifests: its server must write the CA itself`,
    };
  }
}

/** OpenShift's own injector. @see https://github.com/openshift/service-ca-operator */
function hasOtherInjector(object: unknown): boolean {
  const annotations = Field.ofValue(object).get('metadata', 'annotations').labels;
  return annotations['service.beta.openshift.io/inject-cabundle'] === 'true';
}

function* wrongSource(
  objects: ObjectIndex,
  { object, anchors }: TrustingObject,
  source: CaSource,
): Iterable<RawFinding> {
  const { by, field, target, annotation } = source;
  const { pointer } = field;
  if (by === 'apiServer') {
    const called = anchors.find(({ service }) => service && hasCertificateInSight(objects, service))?.service;
    if (called) {
      yield {
        object,
        pointer,
        message: `the CA of the API server is injected, and another one signs the certificate for ${serverName(called)}`,
      };
    }
    return;
  }
  if (!target) {
    yield { object, pointer, message: `${annotation} is not NAMESPACE/NAME: nothing is injected` };
    return;
  }
  const certificate = injectedCertificate(objects, source);
  if (certificate && issuerTypeOf(objects, certificate) === 'acme') {
    yield {
      object,
      pointer,
      message: `an ACME issuer signs the Certificate ${certificateName(certificate)}: its Secret has no CA to inject`,
    };
    return;
  }
  const named = `${target.namespace}/${target.name}`;
  const foreign = signedElsewhere(objects, anchors, source, certificate);
  if (foreign) {
    yield {
      object,
      pointer,
      message: `the CA of ${named} is injected, and its issuer does not sign the certificate ${certificateName(foreign)} that is served`,
    };
  }
  const literal = servedElsewhere(objects, anchors, source);
  if (literal) {
    yield {
      object,
      pointer,
      message: `the CA of ${named} is injected, and it did not issue the certificate in the Secret ${literal.object.name} that is served`,
    };
  }
  if (by === 'secret') {
    yield* wrongSecret(objects, object, source, named);
  } else if (!certificate && !foreign && !literal) {
    yield {
      object,
      pointer,
      severity: 'info',
      message: `the Certificate ${named} is not among the manifests: whether it is an authority is not checked`,
    };
  }
}

/**
 * The certificate that is served, where each that may be is known to be signed by something else. One that signs itself is
 * verified by no other Certificate, whether that is among the manifests or not; a Secret may hold a copy of it.
 */
function signedElsewhere(
  objects: ObjectIndex,
  anchors: TrustingObject['anchors'],
  source: CaSource,
  injected: IssuedCertificate | undefined,
): IssuedCertificate | undefined {
  const served = anchors.flatMap(({ service }) =>
    service ? servingCertificates(objects, service, source).issued : [],
  );
  const isForeign = (each: IssuedCertificate): boolean => {
    const type = issuerTypeOf(objects, each);
    return each !== injected && (type === 'selfSigned' || type === 'acme');
  };
  const isOther = injected ? injected.isCa : source.by === 'certificate';
  return isOther && served.every(isForeign) ? served[0] : undefined;
}

/**
 * The Secret whose certificate is served, where the CA that is injected did not issue it: cert-manager makes the key of an
 * authority in the cluster, so what it signs is not in manifests, unless its CA is there, too.
 */
function servedElsewhere(
  objects: ObjectIndex,
  anchors: TrustingObject['anchors'],
  source: CaSource,
): TlsSecret | undefined {
  const injected = injectedCas(objects, source);
  const { merges } = objects.view(installedCertManager);
  for (const anchor of injected ? anchors : []) {
    const { service } = anchor;
    const { issued, literal } = service
      ? servingCertificates(objects, service, source)
      : { issued: [], literal: [] };
    const named = literal.filter(
      (each) => each.leaf && isWritten(each) && namesServer(dnsNamesOf(each.leaf), serverName(service!)),
    );
    // Where CAs are merged, that of the manifest stays beside the injected one.
    const kept = merges === true ? readPemBase64(objects, bundleText(anchor) ?? '').certificates : [];
    const trusted = [...injected!, ...kept];
    if (issued.length === 0 && named.length > 0 && !named.some(({ leaf }) => signerOf(leaf!, trusted))) {
      return named[0];
    }
  }
  return undefined;
}

/** Whether a manifest says what the Secret holds: cert-manager names the Certificate of one that it fills. */
function isWritten({ object }: TlsSecret): boolean {
  const { labels } = Field.of(object).get('metadata', 'annotations');
  return !isFromCluster(object) && labels['cert-manager.io/certificate-name'] === undefined;
}

/** CAs that are injected, as far as they are among the manifests. @returns nothing where they may be any */
function injectedCas(objects: ObjectIndex, source: CaSource): readonly X509Certificate[] | undefined {
  const { by, target } = source;
  const certificate = injectedCertificate(objects, source);
  const name = by === 'secret' ? target?.name : certificate?.secretName;
  const secret = name === undefined ? undefined : objects.find('', 'Secret', target?.namespace, name);
  const known = secret && caCertificates(objects, secret);
  return known ?? (by === 'certificate' || certificate ? [] : undefined);
}

function* wrongSecret(
  objects: ObjectIndex,
  object: TrustingObject['object'],
  source: CaSource,
  named: string,
): Iterable<RawFinding> {
  const { pointer } = source.field;
  const { namespace, name } = source.target!;
  const certificate = injectedCertificate(objects, source);
  const secret = objects.find('', 'Secret', namespace, name);
  if (!certificate && !secret) {
    yield {
      object,
      pointer,
      severity: 'info',
      message: `the Secret ${named} is not among the manifests: whether it has a CA and allows its injection is not checked`,
    };
    return;
  }
  const allowed = [
    certificate?.spec.get('secretTemplate', 'annotations').labels,
    secret && Field.of(secret).get('metadata', 'annotations').labels,
  ].some((annotations) => annotations?.[allowInjection] === 'true');
  if (!allowed) {
    yield {
      object,
      pointer,
      message: `the Secret ${named} has no annotation ${allowInjection}: "true", so nothing is injected from it`,
    };
  } else if (!certificate && secret && caCertificates(objects, secret)?.length === 0) {
    yield { object, pointer, message: `ca.crt of the Secret ${named} holds no certificate` };
  }
}
