import type { Problem } from '../../problems';
import type { Change } from '../change';
import type { JudgedObject } from '../judged-object';
import { certificateName } from '../objects/authorities';
import type { IssuedCertificate } from '../objects/cert-manager';
import { certManagerGroup } from '../objects/cert-manager';
import { servingCertificates } from '../objects/serving-certificates';
import { servicesOf, trustingObjects } from '../objects/trusting-objects';
import type { ObjectIndex } from '../object-index';
import type { RawFinding } from '../rule';
import { settingChanges } from '../setting-changes';
import type { HardeningDecision } from './decision';

/** Certificates of servers that another issuer signs than was decided. */
export function* issuers(
  objects: ObjectIndex,
  decisions: readonly HardeningDecision[],
): Iterable<RawFinding> {
  const seen = new Set<IssuedCertificate>();
  for (const trusting of objects.view(trustingObjects)) {
    for (const service of servicesOf(trusting)) {
      const decision = decisions.find(
        ({ service: name, issuer, clusterIssuer }) =>
          name === `${service.namespace}/${service.name}` && (issuer ?? clusterIssuer) !== undefined,
      );
      const { issued } = servingCertificates(objects, service, trusting.sources[0]);
      for (const certificate of decision ? issued : []) {
        if (!seen.has(certificate)) {
          seen.add(certificate);
          yield* otherIssuer(certificate, decision!);
        }
      }
    }
  }
}

/**
 * Issuers that were decided for servers whose certificate none of them can sign, since no Certificate asks for it.
 *
 * @param objects those to be hardened: a configuration may be for many, and a Service of others is judged with those
 * @param clusters all that is judged together, cluster by cluster
 */
export function issuerProblems(
  objects: readonly JudgedObject[],
  clusters: readonly ObjectIndex[],
  decisions: readonly HardeningDecision[],
): Problem[] {
  const services = new Set(
    objects
      .filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Service')
      .map(({ namespace, name }) => `${namespace}/${name}`),
  );
  return decisions.flatMap(({ service = '', issuer, clusterIssuer }) => {
    if ((issuer ?? clusterIssuer) === undefined || !services.has(service)) {
      return [];
    }
    const served = clusters.flatMap((each) =>
      each.view(trustingObjects).flatMap((trusting) =>
        servicesOf(trusting)
          .filter(({ namespace, name }) => `${namespace}/${name}` === service)
          .map((called) => servingCertificates(each, called, trusting.sources[0])),
      ),
    );
    const [secret] = served.flatMap(({ literal }) => literal);
    return served.length === 0 || served.some(({ issued }) => issued.length > 0)
      ? []
      : [
          {
            path: `${issuer === undefined ? 'clusterIssuer' : 'issuer'} of ${service}`,
            value: issuer ?? clusterIssuer,
            allowed: `left out: no Certificate serves ${service}${secret ? `, but what stands in the Secret ${secret.object.name}` : ''}`,
          },
        ];
  });
}

function* otherIssuer(
  certificate: IssuedCertificate,
  { issuer, clusterIssuer }: HardeningDecision,
): Iterable<RawFinding> {
  const { object, spec, issuer: current } = certificate;
  const name = clusterIssuer ?? issuer?.split('/')[1];
  const kind = clusterIssuer === undefined ? 'Issuer' : 'ClusterIssuer';
  const reference = spec.get('issuerRef');
  if (current.name === name && current.kind === kind && current.group === certManagerGroup) {
    return;
  }
  const wanted: readonly (readonly [string, string | undefined, string | undefined])[] = [
    ['name', name, current.name],
    ['kind', kind, current.kind],
    ['group', certManagerGroup, current.group],
  ];
  const changes = wanted
    .filter(([, value, there]) => value !== there)
    .map(([key, value]) => settingChanges(object, reference.get(key).steps, value));
  const mend = changes.every((each): each is readonly Change[] => each !== undefined)
    ? changes.flat()
    : undefined;
  yield {
    object,
    pointer: reference.pointer,
    message: `${kind} ${issuer ?? clusterIssuer} is to sign the Certificate ${certificateName(certificate)}`,
    ...(mend ? { fixPatch: mend } : {}),
  };
}
