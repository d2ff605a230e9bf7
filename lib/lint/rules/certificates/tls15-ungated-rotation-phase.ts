import type { X509Certificate } from 'node:crypto';
import { bundleKinds, bundlesWrittenAt } from '../../../core/certificates/ca-bundles';
import { blockers } from '../../../core/certificates/ca-rotation';
import type { ObservedBundle } from '../../../core/certificates/ca-rotation';
import { trustAnchor, sameAuthority, isSignedBy } from '../../../core/certificates/x509';
import type { TrustAnchor, AuthorityKey } from '../../../core/certificates/x509';
import { parseDuration } from '../../../core/durations';
import { Field } from '../../object';
import { NamespacedMap } from '../../object-index';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding, Rule, RuleContext } from '../../rule';
import type { CalledServiceView } from '../../views/admission';
import { caRotations, syncWave } from '../../views/ca-rotations';
import type { RotationView, CaRotationJobView } from '../../views/ca-rotations';
import {
  authorityOf,
  certificateName,
  injectedCertificate,
  issuedCertificates,
} from '../../views/cert-manager';
import type { IssuedCertificate } from '../../views/cert-manager';
import { readPemBase64 } from '../../views/pem';
import { servingCertificates } from '../../views/serving-certificates';
import { bundleText, servicesOf, caBundleLocations, trustingObjects } from '../../views/trust';
import type { TrustingObject } from '../../views/trust';

/** Jobs without which a phase begins too soon, or is never over. */
const needed = {
  publish: ['bundle'],
  switch: ['check publish'],
  retire: ['check switch', 'retire'],
} as const;

/** What each of them is for. */
const purpose: Readonly<Record<string, string>> = {
  bundle: 'nothing writes the Secret that both generations are injected from',
  'check publish': 'nothing waits until every CA bundle holds both generations',
  'check switch': 'nothing waits until every pod serves what the new generation signed',
  retire: 'nothing takes the old generation out of the CA bundles',
};

/** Jobs of a phase that are not there, and those in a wave in which they hold nothing back. */
function* evaluateRotationJobs(rotation: RotationView): Iterable<RawFinding> {
  const { phase, jobs, renewed } = rotation;
  const wanted = phase ? needed[phase] : jobs.length === 0 ? needed.publish : [];
  for (const each of wanted) {
    if (!jobs.some(({ does }) => does === each)) {
      yield {
        object: renewed.object,
        pointer: '',
        message: `the way to ${certificateName(renewed)}${phase ? ` is in its phase ${phase}` : ''} without a Job for "cluster-canary ca-rotation ${each}": ${purpose[each]}`,
        fix: 'keep all Jobs of a phase: CertificateAuthority writes them',
      };
    }
  }
  if (usesWaves(rotation)) {
    yield* jobs.flatMap((job) => inWrongWave(job, rotation));
  }
}

function usesWaves({ old, renewed, jobs }: RotationView): boolean {
  return [old, renewed, ...jobs].some(({ object }) =>
    Field.of(object)
      .get('metadata', 'annotations')
      .keys.some((key) => /^argocd\.argoproj\.io\/(sync-wave|hook)$/.test(key)),
  );
}

function inWrongWave({ object, does }: CaRotationJobView, { changed }: RotationView): RawFinding[] {
  const { field, wave } = syncWave(object);
  const waves = changed.map((each) => syncWave(each).wave);
  const isLast = does === 'retire';
  const inOrder = waves.every((each) => (isLast ? wave > each : wave < each));
  return inOrder
    ? []
    : [
        {
          object,
          pointer: field.pointer,
          message: `the Job for "cluster-canary ca-rotation ${does}" is in wave ${wave}, ${isLast ? 'not after' : 'not before'} all that the phase changes`,
          why: isLast
            ? 'what it writes is injected again, or it fails since the CA is still injected from the Secret'
            : 'Argo CD applies a wave at once: what the Job should hold back is applied while it waits',
          fix: `set argocd.argoproj.io/sync-wave: '${isLast ? Math.max(...waves) + 1 : Math.min(...waves) - 1}'`,
        },
      ];
}

/** A CA bundle of the cluster, with its certificates. */
interface LiveBundle extends ObservedBundle {
  readonly certificates: readonly X509Certificate[];
}

/** CA bundles of the cluster for a Service, wherever they are. */
function liveBundles(live: ObjectIndex, service: CalledServiceView, now: number): readonly LiveBundle[] {
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
  { namespace, name }: CalledServiceView,
  now: number,
): readonly LiveBundle[] {
  return live
    .view(caBundleLocations)
    .filter(({ service }) => service?.namespace === namespace && service.name === name)
    .map((anchor) => {
      const { object, webhook, by } = anchor;
      const { certificates } = readPemBase64(live, bundleText(anchor) ?? '');
      const entry = webhook ? `, webhook ${webhook.name}` : by === 'conversion' ? ', conversion webhook' : '';
      return {
        place: `${object.kind} ${object.name}${entry}`,
        certificates,
        anchors: certificates.map((each): TrustAnchor => trustAnchor(each)),
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
function issuedLast(live: ObjectIndex, { object }: IssuedCertificate): X509Certificate | undefined {
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

/** What the manifests change at one server, and what the cluster has of it. */
interface Step {
  readonly trusting: TrustingObject;
  readonly leaf: IssuedCertificate;
  /** Who signs by the manifests. */
  readonly signer: IssuedCertificate;
  readonly renewed: AuthorityKey;
  /** Who signed what cert-manager issued last. */
  readonly old: AuthorityKey;
  readonly bundles: readonly LiveBundle[];
  readonly now: number;
}

/** Whether the cluster is ready for the phase that the manifests bring, as far as it is seen from outside. */
function* evaluateGates(
  { objects, now }: RuleContext,
  live: ObjectIndex,
  trusting: TrustingObject,
): Iterable<RawFinding> {
  for (const service of servicesOf(trusting)) {
    const step = stepOf(objects, live, trusting, service, now);
    if (step) {
      yield* sameAuthority(step.old, step.renewed)
        ? evaluateRetire(objects, live, step)
        : evaluateSwitch(objects, step);
    }
  }
}

/** @returns nothing where the cluster has no such server yet, or the manifests don't say who signs */
function stepOf(
  objects: ObjectIndex,
  live: ObjectIndex,
  trusting: TrustingObject,
  service: CalledServiceView,
  now: number,
): Step | undefined {
  const { issued } = servingCertificates(objects, service, trusting.sources[0]);
  const [leaf] = issued;
  const signer = leaf && authorityOf(objects, leaf);
  const last = leaf && issuedLast(live, leaf);
  const bundles = liveBundles(live, service, now);
  if (issued.length !== 1 || !signer || !last || bundles.length === 0) {
    return undefined;
  }
  const own = issuedLast(live, signer);
  const known = [...(own ? [own] : []), ...bundles.flatMap(({ certificates }) => certificates)];
  const signedBy = known.find((each) => isSignedBy(last, each));
  return {
    ...{ trusting, leaf, signer, bundles, now },
    renewed: own ? trustAnchor(own) : namedAuthority(signer, known),
    old: signedBy ? trustAnchor(signedBy) : { subject: last.issuer, key: '' },
  };
}

/** Where nothing says what cert-manager issued for it: by its name. No certificate has the key `''`. */
function namedAuthority({ spec }: IssuedCertificate, known: readonly X509Certificate[]): AuthorityKey {
  const subject = `CN=${spec.get('commonName').text ?? ''}`;
  const found = known.find((each) => each.subject === subject);
  return found ? trustAnchor(found) : { subject, key: '' };
}

function* evaluateSwitch(objects: ObjectIndex, step: Step): Iterable<RawFinding> {
  const { trusting, leaf, signer, renewed, old, bundles, now } = step;
  const settleMilliseconds = settleOf(objects, signer);
  const found = blockers(
    'publish',
    { old, renewed, ...(settleMilliseconds === undefined ? {} : { settleMilliseconds }) },
    { now, bundles, pods: [] },
  );
  if (found.length > 0) {
    yield {
      object: leaf.object,
      pointer: leaf.spec.get('issuerRef').pointer,
      message: `${certificateName(signer)} is to sign, and in the cluster the phase publish is not over: ${listed(found)}`,
      fix: 'publish both authorities first, and apply this when `cluster-canary ca-rotation check publish` reports that it is over',
    };
  }
  const [source] = trusting.sources;
  const injected = source && injectedCertificate(objects, source);
  if (source && injected === signer) {
    yield {
      object: trusting.object,
      pointer: source.field.pointer,
      message: `API servers are to trust ${certificateName(injected)} alone, and in the cluster the phase switch is not over: the certificate ${certificateName(leaf)} is signed by ${old.subject}`,
      fix: 'switch first, and apply this when `cluster-canary ca-rotation check switch` reports that it is over',
    };
  }
}

/** The new authority signs already. What pods serve is not seen from outside of the cluster. */
function* evaluateRetire(objects: ObjectIndex, live: ObjectIndex, step: Step): Iterable<RawFinding> {
  const { trusting, signer, renewed, bundles, now } = step;
  const [source] = trusting.sources;
  const others = bundles.flatMap(({ anchors }) => anchors.filter((each) => !sameAuthority(each, renewed)));
  if (!source || injectedCertificate(objects, source) !== signer || others.length === 0) {
    return;
  }
  const before = live
    .view(trustingObjects)
    .find(({ object: { kind, name } }) => kind === trusting.object.kind && name === trusting.object.name)
    ?.sources[0];
  if (before?.annotation !== source.annotation || before.field.text !== source.field.text) {
    yield {
      object: trusting.object,
      pointer: source.field.pointer,
      severity: 'info',
      message: `API servers are to trust ${certificateName(signer)} alone; whether every pod serves what it signed is seen from inside of the cluster only`,
      fix: `apply this when \`cluster-canary ca-rotation check switch\`, run in the cluster, reports that the phase is over; \`cluster-canary ca-rotation result\` reads the results of the Jobs from everywhere`,
    };
    return;
  }
  const retires = objects.view(caRotations).some((each) => each.renewed === signer);
  const [old] = others;
  const still = blockers('retire', { old: old!, renewed }, { now, bundles, pods: [] });
  if (!retires && still.length > 0) {
    yield {
      object: trusting.object,
      pointer: source.field.pointer,
      severity: 'warning',
      message: `in the cluster the phase retire is not over: ${listed(still)}`,
      why: 'cert-manager takes nothing out of a CA bundle before it expires: until then API servers trust any holder of the old key',
      fix: 'keep the phase retire until its Job has written the CA bundles, or run `cluster-canary ca-rotation retire`',
    };
  }
}

/** The time that the gate's Job is told to wait. @returns nothing where it is told none */
function settleOf(objects: ObjectIndex, signer: IssuedCertificate): number | undefined {
  const jobs = objects.view(caRotations).find(({ renewed }) => renewed === signer)?.jobs ?? [];
  const gate = jobs.find(({ does }) => does === 'check publish')?.arguments ?? [];
  const position = gate.indexOf('--settle-time');
  return position < 0 ? undefined : parseDuration(gate[position + 1] ?? '');
}

function listed([first, ...others]: readonly string[]): string {
  return `${first}${others.length > 0 ? `, and ${others.length} more` : ''}`;
}

/** Without a cluster, the Jobs of a CA rotation are checked; with one, also whether it is ready for the phase. */
export const tls15: Rule = {
  id: 'TLS15',
  severity: 'error',
  title: 'A phase of a rotation that nothing holds back',
  why: 'API servers and pods learn of a change minutes apart: a phase that begins before the one before has arrived everywhere refuses what the webhook should see',
  fix: 'keep the Jobs that wait, or apply a phase when `cluster-canary ca-rotation check` reports that the one before is over',
  liveKinds: (objects) =>
    objects.view(issuedCertificates).all.length > 0 && objects.view(trustingObjects).length > 0
      ? [...bundleKinds, { apiVersion: 'cert-manager.io/v1', kind: 'CertificateRequest' }]
      : [],
  *check(context) {
    const { objects, live } = context;
    for (const rotation of objects.view(caRotations)) {
      yield* evaluateRotationJobs(rotation);
    }
    if (live) {
      for (const trusting of objects.view(trustingObjects)) {
        yield* evaluateGates(context, live, trusting);
      }
    }
  },
};
