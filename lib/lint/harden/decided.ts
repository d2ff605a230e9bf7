import { namespaceNameLabel } from '../../core/admission/requests';
import type { Problem } from '../../core/validation/problems';
import { setValuePatch } from '../changes';
import type { ManifestObject } from '../object';
import type { ObjectIndex } from '../object-index';
import type { JsonPatchOperation, RawFinding, Rule } from '../rule';
import { admissionWebhooks } from '../views/admission';
import type { AdmissionWebhook, CalledServiceView } from '../views/admission';
import { certManagerGroup, certificateName } from '../views/cert-manager';
import type { IssuedCertificate } from '../views/cert-manager';
import { servingCertificates } from '../views/serving-certificates';
import { servicesOf, trustingObjects } from '../views/trust';
import type { TrustingObject } from '../views/trust';
import type { HardeningDecision } from './decisions';

/** Certificates of servers that another issuer signs than was decided. */
function* issuers(objects: ObjectIndex, decisions: readonly HardeningDecision[]): Iterable<RawFinding> {
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
 * @param objects those to be hardened: a configuration may be for many, and a Service of others is checked with those
 * @param clusters all that is checked together, cluster by cluster
 */
export function issuerProblems(
  objects: readonly ManifestObject[],
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
            allowed: `left out: no Certificate serves ${service}${secret ? `, but a certificate is in the Secret ${secret.object.name}` : ''}`,
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
    .map(([key, value]) => setValuePatch(object, reference.get(key).steps, value));
  const patch = changes.every((each): each is readonly JsonPatchOperation[] => each !== undefined)
    ? changes.flat()
    : undefined;
  yield {
    object,
    pointer: reference.pointer,
    message: `${kind} ${issuer ?? clusterIssuer} is to sign the Certificate ${certificateName(certificate)}`,
    ...(patch ? { fixPatch: patch } : {}),
  };
}

const fromCertificate = 'cert-manager.io/inject-ca-from';

const fromSecret = 'cert-manager.io/inject-ca-from-secret';

/** A rule that finds whatever is not as it was decided, and fixes it. */
export function decided(decisions: readonly HardeningDecision[]): Rule {
  return {
    id: 'HARDEN01',
    severity: 'warning',
    title: 'Not as it was decided',
    why: 'a decision of the project excludes it',
    fix: 'harden the manifests, or change the decision',
    *check({ objects }) {
      for (const trusting of objects.view(trustingObjects)) {
        yield* injection(trusting, decisions);
      }
      yield* issuers(objects, decisions);
      for (const webhook of objects.view(admissionWebhooks)) {
        for (const decision of decisions.filter((each) => concerns(each, webhook))) {
          yield* settings(webhook, decision);
        }
      }
    },
  };
}

/** Decisions that are about nothing: no webhook has the name, or nothing calls the Service. */
export function unmatchedDecisions(
  objects: ObjectIndex,
  decisions: readonly HardeningDecision[],
): readonly HardeningDecision[] {
  const entries = objects.view(admissionWebhooks);
  const called = new Set(
    objects.view(trustingObjects).flatMap(({ anchors }) => anchors.map(({ service }) => nameOf(service))),
  );
  const isOfServer = (decision: HardeningDecision): boolean =>
    [decision.injectCaFrom, decision.injectCaFromSecret, decision.issuer, decision.clusterIssuer].some(
      (each) => each !== undefined,
    );
  return decisions.filter(
    (decision) =>
      !entries.some((each) => concerns(decision, each)) &&
      !(isOfServer(decision) && called.has(decision.service)),
  );
}

function concerns({ service, webhook }: HardeningDecision, entry: AdmissionWebhook): boolean {
  const record = webhook === undefined || webhook === entry.name;
  return record && (service === undefined || service === nameOf(entry.service));
}

function nameOf(service: CalledServiceView | undefined): string | undefined {
  return service && `${service.namespace}/${service.name}`;
}

/** One annotation holds for all webhooks of an object: those of several servers may need several. */
function* injection(
  { object, anchors, sources }: TrustingObject,
  decisions: readonly HardeningDecision[],
): Iterable<RawFinding> {
  const wanted = new Map<string, readonly [annotation: string, value: string]>();
  for (const { service } of anchors) {
    const decision = decisions.find(
      ({ service: name, injectCaFrom, injectCaFromSecret }) =>
        name !== undefined && name === nameOf(service) && (injectCaFrom ?? injectCaFromSecret) !== undefined,
    );
    const source: readonly [string, string] =
      decision?.injectCaFrom !== undefined
        ? [fromCertificate, decision.injectCaFrom]
        : [fromSecret, decision?.injectCaFromSecret ?? ''];
    wanted.set(decision ? source.join(' ') : '', source);
  }
  const [[key, [annotation, value]] = ['', ['', '']], ...others] = wanted;
  const [current] = sources;
  if (others.length > 0 && [...wanted.keys()].some((each) => each !== '')) {
    yield {
      object,
      pointer: current?.field.pointer ?? '/metadata/annotations',
      message: 'its webhooks call several servers, and the CA of one alone was decided',
      fix: 'let each server have a configuration of its own, or decide the same CA for all of them',
    };
    return;
  }
  if (
    key === '' ||
    (sources.length === 1 && current!.annotation === annotation && current!.field.text === value)
  ) {
    return;
  }
  const set = setValuePatch(object, ['metadata', 'annotations', annotation], value);
  const away = sources
    .filter((source) => source.annotation !== annotation)
    .map(({ field }): JsonPatchOperation => ({ op: 'remove', path: field.pointer }));
  yield {
    object,
    pointer: current?.field.pointer ?? '/metadata/annotations',
    message: `the CA is to be injected by ${annotation} from ${value}`,
    ...(set ? { fixPatch: [...set, ...away] } : {}),
  };
}

function* settings(webhook: AdmissionWebhook, decision: HardeningDecision): Iterable<RawFinding> {
  const { field, namespaceSelector } = webhook;
  const { failurePolicy, timeoutSeconds, optIn = {}, leaveOut = [] } = decision;
  if (failurePolicy !== undefined && field.get('failurePolicy').text !== failurePolicy) {
    yield notSo(webhook, ['failurePolicy'], failurePolicy);
  }
  const timeout = field.get('timeoutSeconds').number;
  if (timeoutSeconds !== undefined && (timeout === undefined || timeout > timeoutSeconds)) {
    yield notSo(webhook, ['timeoutSeconds'], timeoutSeconds);
  }
  for (const [label, value] of Object.entries(optIn)) {
    if (field.get('objectSelector', 'matchLabels', label).text !== value) {
      yield notSo(webhook, ['objectSelector', 'matchLabels', label], value);
    }
  }
  const out = (namespaceSelector?.matchExpressions ?? [])
    .filter(({ key, operator }) => key === namespaceNameLabel && operator === 'NotIn')
    .flatMap(({ values = [] }) => values);
  const values = leaveOut.filter((each) => !out.includes(each));
  if (values.length > 0) {
    const requirement = { key: namespaceNameLabel, operator: 'NotIn', values };
    yield notSo(webhook, ['namespaceSelector', 'matchExpressions', '-'], requirement);
  }
}

function notSo(
  { object, field, name }: AdmissionWebhook,
  place: readonly string[],
  wanted: unknown,
): RawFinding {
  const patch = setValuePatch(object, [...field.steps, ...place], wanted);
  return {
    object,
    pointer: field.get(...place.filter((step) => step !== '-')).pointer,
    message: `${place.filter((step) => step !== '-').join('.')} of ${name} is to be ${JSON.stringify(wanted)}`,
    ...(patch ? { fixPatch: patch } : {}),
  };
}
