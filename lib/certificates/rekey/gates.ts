import type { RekeyPhase } from './phases';
import type { Anchor, AuthorityKey, Leaf } from './signing';
import { holds, sameAuthority, validAt } from './signing';

/** A re-key: from one authority to another. */
export interface Rekey {
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

/** What was seen of a re-key in the cluster. */
export interface RekeyObservation {
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
  readonly anchors: readonly Anchor[];
  /** Since when it is as it is, in milliseconds since 1970. */
  readonly since: number;
}

/** A pod that serves. */
export interface ObservedPod {
  /** Name of the pod. */
  readonly name: string;
  /** What it serves. @default - it did not answer */
  readonly leaf?: Leaf;
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
export function obstacles(phase: RekeyPhase, rekey: Rekey, observation: RekeyObservation): readonly string[] {
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
        ...holding(rekey.old, 'old'),
        ...holding(rekey.renewed, 'new'),
        ...unsettled(rekey, observation),
      ];
    case 'switch':
      return [
        ...noBundle,
        ...holding(rekey.renewed, 'new'),
        ...(pods.length === 0 ? ['no pod was seen'] : []),
        ...pods.flatMap((pod) => notSwitched(pod, rekey, now)),
      ];
    case 'retire':
      return [
        ...noBundle,
        ...holding(rekey.renewed, 'new'),
        ...bundles
          .filter(({ anchors }) => anchors.some((anchor) => sameAuthority(anchor, rekey.old)))
          .map(({ place }) => `${place}: the CA bundle still holds the old authority, ${rekey.old.subject}`),
      ];
  }
}

function unsettled({ settleMilliseconds = hour }: Rekey, { bundles, now }: RekeyObservation): string[] {
  return bundles
    .filter(({ since }) => now - since < settleMilliseconds)
    .map(({ place, since }) => {
      const seconds = Math.ceil((settleMilliseconds - (now - since)) / 1000);
      return `${place}: the CA bundle changed a short time ago, ${seconds} s are left to wait`;
    });
}

function notSwitched({ name, leaf }: ObservedPod, { renewed }: Rekey, now: number): string[] {
  if (!leaf) {
    return [`pod ${name}: did not answer`];
  }
  if (!sameAuthority(leaf.signer, renewed)) {
    return [`pod ${name}: serves a certificate of another authority, ${leaf.signer.subject}`];
  }
  return validAt(now, leaf) ? [] : [`pod ${name}: serves a certificate that is not valid now`];
}
