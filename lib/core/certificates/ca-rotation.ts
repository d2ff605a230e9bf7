import { holds, namesServer, sameAuthority, validAt } from './x509';
import type { TrustAnchor, AuthorityKey, ServerCertificate } from './x509';

/**
 * The way from one authority to another, in three phases. Each is one change of the manifests, and begins when the gate of
 * the one before is open.
 *
 * - `publish`: API servers learn to trust the new authority beside the old one
 * - `switch`: the server's certificate is signed by the new authority
 * - `retire`: API servers forget the old authority
 */
export type CaRotationPhase = 'publish' | 'switch' | 'retire';

/** The phases in their order. */
export const caRotationPhases: readonly CaRotationPhase[] = ['publish', 'switch', 'retire'];

/** What manifests say: which authorities are trusted, and which one signs. */
export interface RotationState<Authority = string> {
  /** Authorities in the CA bundles. */
  readonly trusts: readonly Authority[];
  /** The authority that signs the server's certificate. */
  readonly signs: Authority;
}

/** What manifests say before a CA rotation, in each of its phases, and so also afterwards. */
export function rotationState<Authority>(
  phase: CaRotationPhase | 'steady',
  old: Authority,
  renewed: Authority,
): RotationState<Authority> {
  switch (phase) {
    case 'steady':
      return { trusts: [old], signs: old };
    case 'publish':
      return { trusts: [old, renewed], signs: old };
    case 'switch':
      return { trusts: [old, renewed], signs: renewed };
    case 'retire':
      return { trusts: [renewed], signs: renewed };
  }
}

/**
 * What can be refused while a change of the manifests is on its way.
 *
 * - `tooSoon`: a pod serves what the new authority signed, and an API server does not trust it yet
 * - `tooLate`: an API server does not trust the old authority any more, and a pod still serves what it signed
 */
export type Transition = 'tooSoon' | 'tooLate';

/**
 * What can be refused between two stages. API servers and pods learn of a change in any order, so each may meet the
 * other before or after: a change is safe if all four pairs are. From one phase to the next they are, and back until
 * the old authority has been retired.
 */
export function refusedDuring<Authority>(
  before: RotationState<Authority>,
  after: RotationState<Authority>,
): readonly Transition[] {
  return [
    ...(before.trusts.includes(after.signs) ? [] : ['tooSoon' as const]),
    ...(after.trusts.includes(before.signs) ? [] : ['tooLate' as const]),
  ];
}

/** What API servers trust and pods serve at one moment. */
export interface TrustState {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Name that API servers call: `SERVICE.NAMESPACE.svc`. */
  readonly serverName: string;
  /** Every API server that may call. */
  readonly apiServers: readonly TrustingApiServer[];
  /** Every pod behind the Service that gets requests. */
  readonly pods: readonly ServingPod[];
}

/** An API server: each learns of a new bundle at its own time. */
export interface TrustingApiServer {
  /** Names the API server, for messages. */
  readonly name: string;
  /** The CA bundle as this one has it. */
  readonly bundle: readonly TrustAnchor[];
}

/** A pod: each learns of a new certificate at its own time. */
export interface ServingPod {
  /** Name of the pod. */
  readonly name: string;
  /** What it serves. */
  readonly leaf: ServerCertificate;
}

/** A call that fails. */
export interface RefusedCall {
  /** The API server that calls. */
  readonly apiServer: string;
  /** The pod that is called. */
  readonly pod: string;
  /**
   * - `signer`: no valid anchor has the name and key that signed the pod's certificate
   * - `time`: the pod's certificate is not valid now
   * - `name`: the pod's certificate is for other names
   */
  readonly because: 'signer' | 'time' | 'name';
}

/** Calls from any API server to any pod that fail. */
export function refusedCalls({ now, serverName, apiServers, pods }: TrustState): RefusedCall[] {
  return apiServers.flatMap((apiServer) =>
    pods.flatMap((pod) => {
      const because = refusal(apiServer.bundle, pod.leaf, serverName, now);
      return because === undefined ? [] : [{ apiServer: apiServer.name, pod: pod.name, because }];
    }),
  );
}

/**
 * Whether no call can fail, whichever API server makes it and whichever pod answers: some valid anchor of the API server
 * has the name and key that signed the pod's certificate, which is valid, for the name that is called.
 */
export function isSafe(state: TrustState): boolean {
  return refusedCalls(state).length === 0;
}

function refusal(
  bundle: readonly TrustAnchor[],
  leaf: ServerCertificate,
  serverName: string,
  now: number,
): RefusedCall['because'] | undefined {
  if (!holds(bundle, leaf.signer, now)) {
    return 'signer';
  }
  if (!validAt(now, leaf)) {
    return 'time';
  }
  return namesServer(leaf.dnsNames, serverName) ? undefined : 'name';
}

/** A CA rotation: from one authority to another. */
export interface CaRotation {
  /** The authority that goes. */
  readonly old: AuthorityKey;
  /** The authority that comes. */
  readonly renewed: AuthorityKey;
  /**
   * How long every bundle must have held both authorities before the new one signs, in milliseconds. The time is for API
   * servers, which read a change of a webhook configuration one by one, and can't be asked what they have.
   * @default 3600000 - an hour; a change takes effect within a second where nothing is wrong
   */
  readonly settleMilliseconds?: number;
}

/** What was seen of a CA rotation in the cluster. */
export interface CaRotationObservation {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Every place with a CA bundle for the server: entries of webhook configurations, conversion webhooks, APIServices. */
  readonly bundles: readonly ObservedBundle[];
  /** Every pod behind the Service, asked at its own address. */
  readonly pods: readonly ObservedPod[];
}

/** A CA bundle. */
export interface ObservedBundle {
  /** Names it: `MutatingWebhookConfiguration gate, webhook gate.pods.example.com`. */
  readonly place: string;
  /** What the bundle holds. */
  readonly anchors: readonly TrustAnchor[];
  /** Since when it is as it is, in milliseconds since 1970. */
  readonly since: number;
}

/** A pod that serves. */
export interface ObservedPod {
  /** Name of the pod. */
  readonly name: string;
  /** What it serves. @default - it did not answer */
  readonly leaf?: ServerCertificate;
}

const hour = 3_600_000;

/**
 * What keeps a phase from being over, a line each; none, and the gate to the next phase is open.
 *
 * - `publish` is over when every bundle holds both authorities, and has for an hour
 * - `switch` is over when every pod serves a certificate that the new authority signed, and every bundle still holds it
 * - `retire` is over when no bundle holds the old authority any more
 *
 * Where there is no bundle, or no pod, nothing was seen, and the gate stays shut.
 */
export function blockers(
  phase: CaRotationPhase,
  rotation: CaRotation,
  observation: CaRotationObservation,
): readonly string[] {
  const { bundles, pods, now } = observation;
  const holding = (authority: AuthorityKey, name: string): string[] =>
    bundles
      .filter(({ anchors }) => !holds(anchors, authority, now))
      .map(
        ({ place }) => `${place}: the CA bundle does not hold the ${name} authority, ${authority.subject}`,
      );
  const noBundle = bundles.length === 0 ? ['no CA bundle was seen'] : [];
  switch (phase) {
    case 'publish':
      return [
        ...noBundle,
        ...holding(rotation.old, 'old'),
        ...holding(rotation.renewed, 'new'),
        ...unsettled(rotation, observation),
      ];
    case 'switch':
      return [
        ...noBundle,
        ...holding(rotation.renewed, 'new'),
        ...(pods.length === 0 ? ['no pod was seen'] : []),
        ...pods.flatMap((pod) => notSwitched(pod, rotation, now)),
      ];
    case 'retire':
      return [
        ...noBundle,
        ...holding(rotation.renewed, 'new'),
        ...bundles
          .filter(({ anchors }) => anchors.some((anchor) => sameAuthority(anchor, rotation.old)))
          .map(
            ({ place }) => `${place}: the CA bundle still holds the old authority, ${rotation.old.subject}`,
          ),
      ];
  }
}

function unsettled(
  { settleMilliseconds = hour }: CaRotation,
  { bundles, now }: CaRotationObservation,
): string[] {
  return bundles
    .filter(({ since }) => now - since < settleMilliseconds)
    .map(({ place, since }) => {
      const seconds = Math.ceil((settleMilliseconds - (now - since)) / 1000);
      return `${place}: the CA bundle changed a short time ago, ${seconds} s are left to wait`;
    });
}

function notSwitched({ name, leaf }: ObservedPod, { renewed }: CaRotation, now: number): string[] {
  if (!leaf) {
    return [`pod ${name}: did not answer`];
  }
  if (!sameAuthority(leaf.signer, renewed)) {
    return [`pod ${name}: serves a certificate of another authority, ${leaf.signer.subject}`];
  }
  return validAt(now, leaf) ? [] : [`pod ${name}: serves a certificate that is not valid now`];
}
