import type { X509Certificate } from 'node:crypto';
import { anchorOf, obstacles, sameAuthority, signed } from '../../../certificates';
import type { AuthorityKey } from '../../../certificates';
import { parseDuration } from '../../../durations';
import { authorityOf, certificateName, injectedCertificate } from '../../objects/authorities';
import type { CalledService } from '../../objects/called-service';
import type { IssuedCertificate } from '../../objects/cert-manager';
import type { LiveBundle } from '../../objects/live-trust';
import { issuedLast, liveBundles } from '../../objects/live-trust';
import { rekeys } from '../../objects/rekeys';
import { servingCertificates } from '../../objects/serving-certificates';
import type { TrustingObject } from '../../objects/trusting-objects';
import { servicesOf, trustingObjects } from '../../objects/trusting-objects';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding, RuleContext } from '../../rule';

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
export function* judgeGates(
  { objects, now }: RuleContext,
  live: ObjectIndex,
  trusting: TrustingObject,
): Iterable<RawFinding> {
  for (const service of servicesOf(trusting)) {
    const step = stepOf(objects, live, trusting, service, now);
    if (step) {
      yield* sameAuthority(step.old, step.renewed)
        ? judgeRetire(objects, live, step)
        : judgeSwitch(objects, step);
    }
  }
}

/** @returns nothing where the cluster has no such server yet, or the manifests don't say who signs */
function stepOf(
  objects: ObjectIndex,
  live: ObjectIndex,
  trusting: TrustingObject,
  service: CalledService,
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
  const signedBy = known.find((each) => signed(last, each));
  return {
    ...{ trusting, leaf, signer, bundles, now },
    renewed: own ? anchorOf(own) : namedAuthority(signer, known),
    old: signedBy ? anchorOf(signedBy) : { subject: last.issuer, key: '' },
  };
}

/** Where nothing says what cert-manager issued for it: by its name. No certificate has the key `''`. */
function namedAuthority({ spec }: IssuedCertificate, known: readonly X509Certificate[]): AuthorityKey {
  const subject = `CN=${spec.get('commonName').text ?? ''}`;
  const found = known.find((each) => each.subject === subject);
  return found ? anchorOf(found) : { subject, key: '' };
}

function* judgeSwitch(objects: ObjectIndex, step: Step): Iterable<RawFinding> {
  const { trusting, leaf, signer, renewed, old, bundles, now } = step;
  const settleMilliseconds = settleOf(objects, signer);
  const found = obstacles(
    'publish',
    { old, renewed, ...(settleMilliseconds === undefined ? {} : { settleMilliseconds }) },
    { now, bundles, pods: [] },
  );
  if (found.length > 0) {
    yield {
      object: leaf.object,
      pointer: leaf.spec.get('issuerRef').pointer,
      message: `${certificateName(signer)} is to sign, and in the cluster the phase publish is not over: ${listed(found)}`,
      fix: 'publish both authorities first, and apply this when `cluster-canary rekey gate publish` says that it is over',
    };
  }
  const [source] = trusting.sources;
  const injected = source && injectedCertificate(objects, source);
  if (source && injected === signer) {
    yield {
      object: trusting.object,
      pointer: source.field.pointer,
      message: `API servers are to trust ${certificateName(injected)} alone, and in the cluster the phase switch is not over: the certificate ${certificateName(leaf)} is signed by ${old.subject}`,
      fix: 'switch first, and apply this when `cluster-canary rekey gate switch` says that it is over',
    };
  }
}

/** The new authority signs already. What pods serve is not seen from outside of the cluster. */
function* judgeRetire(objects: ObjectIndex, live: ObjectIndex, step: Step): Iterable<RawFinding> {
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
      fix: `apply this when \`cluster-canary rekey gate switch\`, asked in the cluster, says that the phase is over; \`cluster-canary rekey result\` reads from everywhere what the Jobs say`,
    };
    return;
  }
  const retires = objects.view(rekeys).some((each) => each.renewed === signer);
  const [old] = others;
  const still = obstacles('retire', { old: old!, renewed }, { now, bundles, pods: [] });
  if (!retires && still.length > 0) {
    yield {
      object: trusting.object,
      pointer: source.field.pointer,
      severity: 'warning',
      message: `in the cluster the phase retire is not over: ${listed(still)}`,
      why: 'cert-manager takes nothing out of a CA bundle before it expires: until then API servers trust whoever has the old key',
      fix: 'keep the phase retire until its Job has written the CA bundles, or run `cluster-canary rekey retire`',
    };
  }
}

/** The time that the gate's Job is told to wait. @returns nothing where it is told none */
function settleOf(objects: ObjectIndex, signer: IssuedCertificate): number | undefined {
  const jobs = objects.view(rekeys).find(({ renewed }) => renewed === signer)?.jobs ?? [];
  const gate = jobs.find(({ does }) => does === 'gate publish')?.arguments ?? [];
  const position = gate.indexOf('--settle');
  return position < 0 ? undefined : parseDuration(gate[position + 1] ?? '');
}

function listed([first, ...others]: readonly string[]): string {
  return `${first}${others.length > 0 ? `, and ${others.length} more` : ''}`;
}
