import type { Change } from '../change';
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
    ...(mend ? { mend } : {}),
  };
}
