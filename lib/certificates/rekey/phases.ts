/**
 * The way from one authority to another, in three phases. Each is one change of the manifests, and begins when the gate of
 * the one before is open.
 *
 * - `publish`: API servers learn to trust the new authority beside the old one
 * - `switch`: the server's certificate is signed by the new authority
 * - `retire`: API servers forget the old authority
 */
export type RekeyPhase = 'publish' | 'switch' | 'retire';

/** The phases in their order. */
export const rekeyPhases: readonly RekeyPhase[] = ['publish', 'switch', 'retire'];

/** What manifests say: which authorities are trusted, and which one signs. */
export interface Stage<Authority = string> {
  /** Authorities in the CA bundles. */
  readonly trusts: readonly Authority[];
  /** The authority that signs the server's certificate. */
  readonly signs: Authority;
}

/** What manifests say before a re-key, in each of its phases, and so also afterwards. */
export function stageOf<Authority>(
  phase: RekeyPhase | 'steady',
  old: Authority,
  renewed: Authority,
): Stage<Authority> {
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
export type Meanwhile = 'tooSoon' | 'tooLate';

/**
 * What can be refused between two stages. API servers and pods learn of a change in any order, so each may meet the
 * other before or after: a change is safe if all four pairs are. From one phase to the next they are, and back until
 * the old authority has been retired.
 */
export function refusedMeanwhile<Authority>(
  before: Stage<Authority>,
  after: Stage<Authority>,
): readonly Meanwhile[] {
  return [
    ...(before.trusts.includes(after.signs) ? [] : ['tooSoon' as const]),
    ...(after.trusts.includes(before.signs) ? [] : ['tooLate' as const]),
  ];
}
