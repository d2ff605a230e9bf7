import type { X509Certificate } from 'node:crypto';
import type { KubernetesReader } from '../../kubernetes';
import type { CalledService } from './bundle-places';
import type { RekeyObservation } from './gates';
import { obstacles } from './gates';
import { observe } from './observe';
import type { RekeyPhase } from './phases';
import { anchorOf } from './read-certificates';
import type { AskCertificate } from './served-certificate';
import { askByHandshake } from './served-certificate';
import type { Anchor } from './signing';
import { sameAuthority } from './signing';

/** A re-key in a cluster. */
export interface RekeyTarget {
  /** Certificate of the authority that signed so far. */
  readonly old: X509Certificate;
  /** Certificate of the authority that takes over. */
  readonly renewed: X509Certificate;
  /** Services of all servers whose certificates these authorities sign. */
  readonly services: readonly CalledService[];
  /**
   * How long every bundle must have held both authorities before the new one signs, in milliseconds.
   * @default 3600000 - an hour
   */
  readonly settleMilliseconds?: number;
}

/** Which authority: one of the two, or the subject of another. */
export type SeenAuthority =
  | 'old'
  | 'renewed'
  | {
      /** Subject of the other authority's certificate. */
      readonly other: string;
    };

/** What a gate found. */
export interface GateReport {
  /** Version of this document. */
  readonly schemaVersion: 1;
  /** The phase whose gate was looked at. */
  readonly phase: RekeyPhase;
  /** Whether the phase is over. */
  readonly open: boolean;
  /** What keeps it from being over, a line each. */
  readonly obstacles: readonly string[];
  /** Both authorities. */
  readonly authorities: Readonly<
    Record<
      'old' | 'renewed',
      {
        /** Subject of the authority's certificate. */
        readonly subject: string;
        /** Names its key, so that two authorities of one subject are told apart. */
        readonly key: string;
      }
    >
  >;
  /** Every place with a CA bundle. */
  readonly bundles: readonly {
    /** Names it: `MutatingWebhookConfiguration gate, webhook gate.pods.example.com`. */
    readonly place: string;
    /** The authorities in the bundle. */
    readonly holds: readonly SeenAuthority[];
    /** Since when it is as it is. */
    readonly since: string;
  }[];
  /** Only where the phase is `switch`; the others don't ask pods. */
  readonly pods: readonly {
    /** Name of the pod. */
    readonly name: string;
    /** Who signed what it serves; null where it did not answer. */
    readonly signer: SeenAuthority | null;
  }[];
}

/**
 * Whether a phase is over, judged by what API servers have been told to trust, and for `switch` by what every pod serves.
 *
 * @param ask asks a pod for its certificate, at its own address. @default - by a TLS handshake
 * @throws KubernetesError; InvalidInput where a Service lacks the port
 */
export async function checkGate(
  api: KubernetesReader,
  phase: RekeyPhase,
  target: RekeyTarget,
  ask: AskCertificate = askByHandshake,
  signal?: AbortSignal,
): Promise<GateReport> {
  const { services, settleMilliseconds } = target;
  const [old, renewed] = [anchorOf(target.old), anchorOf(target.renewed)];
  const authorities = [target.old, target.renewed];
  const observation = await observe(api, { services, authorities, pods: phase === 'switch' }, ask, signal);
  const rekey = { old, renewed, ...(settleMilliseconds === undefined ? {} : { settleMilliseconds }) };
  const found = obstacles(phase, rekey, observation);
  return {
    schemaVersion: 1,
    phase,
    open: found.length === 0,
    obstacles: found,
    authorities: { old: named(old), renewed: named(renewed) },
    ...seen(observation, old, renewed),
  };
}

function named({ subject, key }: Anchor): { subject: string; key: string } {
  return { subject, key };
}

function seen(
  { bundles, pods }: RekeyObservation,
  old: Anchor,
  renewed: Anchor,
): Pick<GateReport, 'bundles' | 'pods'> {
  const which = (authority: { subject: string; key: string }): SeenAuthority => {
    if (sameAuthority(authority, renewed)) {
      return 'renewed';
    }
    return sameAuthority(authority, old) ? 'old' : { other: authority.subject };
  };
  return {
    bundles: bundles.map(({ place, anchors, since }) => ({
      place,
      holds: anchors.map(which),
      since: new Date(since).toISOString(),
    })),
    pods: pods.map(({ name, leaf }) => ({ name, signer: leaf ? which(leaf.signer) : null })),
  };
}
