import { dnsNamesOf, namesServer } from '../../core/certificates/x509';
import type { ObjectIndex } from '../object-index';
import type { CalledServiceView } from './admission';
import {
  authorityOf,
  certificatesNaming,
  injectedCertificate,
  issuedCertificates,
  leavesOf,
  signsAny,
} from './cert-manager';
import type { IssuedCertificate } from './cert-manager';
import { tlsSecrets, usesOfSecret } from './secrets';
import type { SecretUse, TlsSecret } from './secrets';
import { servicesOf, trustingObjects } from './trust';
import type { CaSource, TrustingObject } from './trust';
import { containersAt, workloadsBehind } from './workloads';
import type { Workload } from './workloads';

/** What the pods behind a Service may serve, as far as the objects say. */
export interface ServingCertificates {
  /** Certificates of cert-manager. */
  readonly issued: readonly IssuedCertificate[];
  /** Secrets whose key and certificate are in the manifests. */
  readonly literal: readonly TlsSecret[];
}

/** Name that API servers call a Service by. */
export function serverName({ name, namespace }: CalledServiceView): string {
  return `${name}.${namespace}.svc`;
}

/**
 * The certificates that may be served behind a Service: those in Secrets that its pods use, and of these only the ones that
 * name the Service where there are some, since pods use others as clients; where none is known, those of the namespace that
 * name the Service; where there is none of these either, the only one that the injected authority signs.
 *
 * @param source where the CA is injected from. @default - it is not injected
 */
export function servingCertificates(
  objects: ObjectIndex,
  service: CalledServiceView,
  source?: CaSource,
): ServingCertificates {
  const name = serverName(service);
  const used = usedBehind(objects, service);
  if (used.issued.length + used.literal.length > 0) {
    const fitting = namingOf(used, name);
    return fitting.issued.length + fitting.literal.length > 0 ? fitting : used;
  }
  const named: ServingCertificates = {
    issued: spellings(name).flatMap((each) => objects.view(certificatesNaming).get(service.namespace, each)),
    literal: spellings(name).flatMap((each) => objects.view(tlsSecrets).naming(service.namespace, each)),
  };
  if (named.issued.length + named.literal.length > 0 || !source) {
    return named;
  }
  return { issued: ofAuthority(objects, service, source), literal: [] };
}

/** Those that are valid for the name of a server. */
function namingOf({ issued, literal }: ServingCertificates, name: string): ServingCertificates {
  return {
    issued: issued.filter(({ spec }) => namesServer(spec.get('dnsNames').texts, name)),
    literal: literal.filter(({ leaf }) => leaf !== undefined && namesServer(dnsNamesOf(leaf), name)),
  };
}

/** Itself, and the name for all of its namespace. */
function spellings(name: string): readonly string[] {
  return [name, name.replace(/^[^.]+/, '*')];
}

/** Of several leaves, any may be the one, or none. */
function ofAuthority(
  objects: ObjectIndex,
  service: CalledServiceView,
  source: CaSource,
): readonly IssuedCertificate[] {
  const injected = injectedCertificate(objects, source);
  if (!injected?.isCa) {
    return injected ? [injected] : [];
  }
  const signed = leavesOf(objects, injected, service.namespace);
  return signed.length === 1 ? signed : [];
}

function usedBehind(objects: ObjectIndex, service: CalledServiceView): ServingCertificates {
  const { issued, literal } = objects.view(byWorkload);
  const found = objects.find('', 'Service', service.namespace, service.name);
  const behind = workloadsBehind(objects, service) ?? [];
  const used = <Of>(all: ReadonlyMap<Workload, readonly Used<Of>[]>): Of[] => [
    ...new Set(
      behind.flatMap((workload) => {
        const uses = all.get(workload) ?? [];
        // Two servers in one pod have a port and a Secret each.
        const answering = new Set(containersAt(found!, new Set([service.port]), workload));
        const theirs = uses.filter(({ container }) => container !== undefined && answering.has(container));
        return (theirs.length > 0 ? theirs : uses).map(({ what }) => what);
      }),
    ),
  ];
  return { issued: used(issued), literal: used(literal) };
}

/** A certificate that pods of a workload use. */
interface Used<Of> {
  readonly what: Of;
  readonly container: SecretUse['container'];
}

interface ByWorkload {
  readonly issued: ReadonlyMap<Workload, readonly Used<IssuedCertificate>[]>;
  readonly literal: ReadonlyMap<Workload, readonly Used<TlsSecret>[]>;
}

/** An authority's own Secret is no server's, unless nothing else signs with it. */
function byWorkload(objects: ObjectIndex): ByWorkload {
  const issued = new Map<Workload, Used<IssuedCertificate>[]>();
  const literal = new Map<Workload, Used<TlsSecret>[]>();
  for (const each of objects.view(issuedCertificates).all) {
    if (each.secretName !== undefined && !signsAny(objects, each)) {
      addTo(issued, usesOfSecret(objects, each.object.namespace, each.secretName), each);
    }
  }
  for (const each of objects.view(tlsSecrets).all) {
    addTo(literal, usesOfSecret(objects, each.object.namespace, each.object.name), each);
  }
  return { issued, literal };
}

function addTo<Of>(map: Map<Workload, Used<Of>[]>, uses: readonly SecretUse[], what: Of): void {
  for (const { workload, container } of uses) {
    const known = map.get(workload) ?? [];
    map.set(workload, known);
    known.push({ what, container });
  }
}

/** Whether the objects have a certificate for a Service: then something is there whose CA is needed. */
export function hasCertificateInSight(objects: ObjectIndex, service: CalledServiceView): boolean {
  const { issued, literal } = namingOf(servingCertificates(objects, service), serverName(service));
  return issued.length + literal.length > 0;
}

/**
 * View of every Certificate that API servers meet, with the objects by which they do: one that serves behind a CA bundle, or
 * is injected, or signs such a one.
 */
export function trustedCertificates(
  objects: ObjectIndex,
): ReadonlyMap<IssuedCertificate, ReadonlySet<TrustingObject>> {
  const met = new Map<IssuedCertificate, Set<TrustingObject>>();
  for (const trusting of objects.view(trustingObjects)) {
    const certificates = [
      ...trusting.sources.slice(0, 1).flatMap((source) => injectedCertificate(objects, source) ?? []),
      ...servicesOf(trusting).flatMap(
        (service) => servingCertificates(objects, service, trusting.sources[0]).issued,
      ),
    ];
    for (const each of certificates.flatMap((one) => [one, authorityOf(objects, one) ?? one])) {
      met.set(each, (met.get(each) ?? new Set()).add(trusting));
    }
  }
  return met;
}
