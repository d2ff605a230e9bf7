import type { X509Certificate } from 'node:crypto';
import type { Anchor, ObservedBundle } from '../../certificates';
import { anchorOf, bundlesWrittenAt } from '../../certificates';
import { Field } from '../field';
import { NamespacedMap } from '../namespaced-map';
import type { ObjectIndex } from '../object-index';
import type { CalledService } from './called-service';
import type { IssuedCertificate } from './cert-manager';
import { readPemBase64 } from './pem';
import { trustAnchors } from './trust-anchors';
import { bundleText } from './trusting-objects';

/** A CA bundle of the cluster, with its certificates. */
export interface LiveBundle extends ObservedBundle {
  readonly certificates: readonly X509Certificate[];
}

/** CA bundles of the cluster for a Service, wherever they are. */
export function liveBundles(live: ObjectIndex, service: CalledService, now: number): readonly LiveBundle[] {
  const known = live.view(bundlesRead);
  const key = JSON.stringify([service.namespace, service.name, now]);
  const bundles = known.get(key) ?? readBundles(live, service, now);
  known.set(key, bundles);
  return bundles;
}

/** By Service and time: many webhooks may call one. */
function bundlesRead(): Map<string, readonly LiveBundle[]> {
  return new Map();
}

function readBundles(
  live: ObjectIndex,
  { namespace, name }: CalledService,
  now: number,
): readonly LiveBundle[] {
  return live
    .view(trustAnchors)
    .filter(({ service }) => service?.namespace === namespace && service.name === name)
    .map((anchor) => {
      const { object, webhook, by } = anchor;
      const { certificates } = readPemBase64(live, bundleText(anchor) ?? '');
      const entry = webhook ? `, webhook ${webhook.name}` : by === 'conversion' ? ', conversion webhook' : '';
      return {
        place: `${object.kind} ${object.name}${entry}`,
        certificates,
        anchors: certificates.map((each): Anchor => anchorOf(each)),
        since: bundlesWrittenAt(Field.of(object).get('metadata', 'managedFields').value, now),
      };
    });
}

/**
 * What cert-manager issued last for a Certificate of that name. A CertificateRequest has the certificate without its key,
 * and the newest one stays as long as the Certificate.
 *
 * @returns nothing where the cluster has none
 */
export function issuedLast(live: ObjectIndex, { object }: IssuedCertificate): X509Certificate | undefined {
  return live.view(issuedByName).get(object.namespace, object.name).at(-1)?.certificate;
}

interface Issue {
  readonly revision: number;
  readonly certificate: X509Certificate;
}

/** The newest last. @see https://cert-manager.io/docs/usage/certificaterequest/ */
function issuedByName(live: ObjectIndex): NamespacedMap<Issue> {
  const issues = live.ofKind('cert-manager.io', 'CertificateRequest').flatMap((object) => {
    const request = Field.of(object);
    const annotations = request.get('metadata', 'annotations').labels;
    const name = annotations['cert-manager.io/certificate-name'];
    const pem = request.get('status', 'certificate').text;
    const [certificate] = pem === undefined ? [] : readPemBase64(live, pem).certificates;
    const revision = Number(annotations['cert-manager.io/certificate-revision'] ?? 0);
    return name !== undefined && certificate
      ? [{ name, namespace: object.namespace, revision, certificate }]
      : [];
  });
  const found = new NamespacedMap<Issue>();
  for (const { name, namespace, ...issue } of issues.sort((one, other) => one.revision - other.revision)) {
    found.add(namespace, name, issue);
  }
  return found;
}
