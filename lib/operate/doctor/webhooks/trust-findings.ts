import type { X509Certificate } from 'node:crypto';
import { readCertificates } from '../../../core/certificates/x509';
import { bundleText } from '../../../lint';
import type { CaBundleLocation } from '../../../lint';
import type { DoctorFinding } from '../check';
import { subjectName, overdue, publicAuthorities, trustFault } from '../tls';
import type { CertificateFault } from '../tls';
import { seenAt, servedCertificates } from './certificate-findings';
import type { ServedCertificate } from './certificate-findings';
import type { ObservedServer } from './observe';
import { consequenceOf } from './server';

/** What an API server is told to trust when it calls a server. */
type Bundle =
  | { readonly is: 'held'; readonly anchors: readonly X509Certificate[] }
  /** Nothing is said: the API server takes the authorities of its own system. */
  | { readonly is: 'absent' }
  /** There is text, and no certificate in it. */
  | { readonly is: 'unreadable' }
  /** An APIService that is not verified at all. */
  | { readonly is: 'unneeded' };

/** The CA bundle of a place. */
function bundleOf(anchor: CaBundleLocation): Bundle {
  if (anchor.by === 'apiService' && anchor.field.get('insecureSkipTLSVerify').boolean === true) {
    return { is: 'unneeded' };
  }
  const text = bundleText(anchor);
  if (text === undefined) {
    return { is: 'absent' };
  }
  const anchors = readCertificates(Buffer.from(text, 'base64').toString('latin1'));
  return anchors.length > 0 ? { is: 'held', anchors } : { is: 'unreadable' };
}

/** What is wrong with the CA bundles for a server, by object: the entries of one configuration share their faults. */
export function trustFindings(seen: ObservedServer, now: number): DoctorFinding[] {
  const served = servedCertificates(seen);
  const faults = seen.server.callers.flatMap((anchor) => faultsOf(seen, anchor, served, now));
  const groups = new Map<string, (Fault & { readonly anchor: CaBundleLocation })[]>();
  for (const fault of faults) {
    const { kind, name } = fault.anchor.object;
    const key = JSON.stringify([kind, name, fault.cause, fault.message]);
    groups.set(key, [...(groups.get(key) ?? []), fault]);
  }
  return [...groups.values()].map(([first, ...more]) => {
    const { anchor, severity, ...fault } = first!;
    const consequence = consequenceOf([first!, ...more].map((each) => each.anchor));
    return {
      ...fault,
      severity: severity ?? consequence.severity,
      subject: `${anchor.object.kind} ${anchor.object.name}`,
      evidence: [...fault.evidence, ...consequence.lines],
    };
  });
}

interface Fault extends Omit<DoctorFinding, 'subject' | 'severity'> {
  /** @default - that of the consequence */
  readonly severity?: DoctorFinding['severity'];
}

function faultsOf(
  seen: ObservedServer,
  anchor: CaBundleLocation,
  served: readonly ServedCertificate[],
  now: number,
): (Fault & { readonly anchor: CaBundleLocation })[] {
  const bundle = bundleOf(anchor);
  const { server } = seen;
  const faults: Fault[] =
    bundle.is === 'unneeded'
      ? []
      : bundle.is === 'unreadable'
        ? [unreadable(server.name)]
        : bundle.is === 'absent' && server.at.by === 'service'
          ? [absent(server.name)]
          : served.flatMap((each) => evaluated(each, anchorsOf(bundle), now));
  return [...faults, ...told(anchor)].map((fault) => ({ ...fault, anchor }));
}

function anchorsOf(bundle: Bundle): readonly X509Certificate[] {
  return bundle.is === 'held' ? bundle.anchors : publicAuthorities();
}

function unreadable(server: string): Fault {
  return {
    cause: 'bundle-unreadable',
    likelihood: 'certain',
    message: `the caBundle for ${server} holds no certificate in PEM: API servers trust nothing there`,
    evidence: [],
    next: 'write the PEM of the authority in base64, once; with an injector, look why it does not overwrite this',
  };
}

function absent(server: string): Fault {
  return {
    cause: 'bundle-missing',
    likelihood: 'certain',
    message: `there is no caBundle for ${server}: API servers trust public authorities there, and none of them signs names that end in .svc`,
    evidence: [],
    next: "give it the authority's certificate: for cert-manager's injector, check the annotation cert-manager.io/inject-ca-from, the Certificate that it names and the log of the cainjector",
  };
}

const nextSteps: Partial<Record<CertificateFault['cause'], string>> = {
  'unknown-authority':
    'put the authority that signs into the caBundle: where something injects it, look why it does not; where a chart makes both, install it again as a whole and restart the pods',
  'intermediate-not-valid':
    'let the server show the renewed certificate of the authority between: issue its own anew, whole chain included',
  'authority-expired': 'put the renewed certificate of the authority into the caBundle',
  'authority-not-yet-valid':
    'compare the clocks of the machine that issued it and of the API servers: run the check "clock"',
};

function evaluated(each: ServedCertificate, anchors: readonly X509Certificate[], now: number): Fault[] {
  const fault = trustFault(each.chain, anchors, now);
  if (fault) {
    return [
      {
        cause: fault.cause,
        likelihood: each.by === 'handshake' ? 'certain' : 'likely',
        message: `what the server serves ${fault.detail}: API servers refuse it (x509)`,
        evidence: seenAt(each),
        next: nextSteps[fault.cause]!,
      },
    ];
  }
  // Of several anchors that verify, the one with the longest life counts.
  const holding = anchors.filter((anchor) => trustFault(each.chain, [anchor], now) === undefined);
  const own = holding.every(({ fingerprint256 }) => fingerprint256 === each.chain[0].fingerprint256);
  const late = holding.map((anchor) => overdue(anchor, now));
  return own || late.includes(undefined)
    ? []
    : [
        {
          cause: 'authority-not-renewed',
          severity: 'warning',
          likelihood: 'certain',
          message: `the certificate of the authority ${subjectName(holding[0]!.subject)} in the caBundle ${late[0]}`,
          evidence: seenAt(each),
          next: 'renew it, under the same key, and put the new one into the caBundle before the old one ends',
        },
      ];
}

/** What API servers say themselves of an aggregated API: they keep asking it. */
function told({ by, object }: CaBundleLocation): Fault[] {
  if (by !== 'apiService') {
    return [];
  }
  const { status } = object.value as { readonly status?: { readonly conditions?: unknown } | null };
  const conditions: readonly unknown[] = Array.isArray(status?.conditions) ? status.conditions : [];
  return conditions.flatMap((value): Fault[] => {
    const condition = (value ?? {}) as Readonly<Record<string, unknown>>;
    const [reason, message] = [condition.reason, condition.message].map((each) =>
      typeof each === 'string' ? each.replace(/\s+/g, ' ').slice(0, 300) : '',
    );
    return condition.type === 'Available' && condition.status === 'False'
      ? [
          {
            cause: 'api-unavailable',
            likelihood: 'certain',
            message: 'API servers report that the aggregated API is not available',
            evidence: [`condition Available, as API servers see it: ${reason}: ${message}`],
            next: 'fix what the condition names; what else is found of its server explains it',
          },
        ]
      : [];
  });
}
