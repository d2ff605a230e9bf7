export { obstacles } from './gates';
export type { ObservedBundle, ObservedPod, Rekey, RekeyObservation } from './gates';
export { refusedMeanwhile, rekeyPhases, stageOf } from './phases';
export type { Meanwhile, RekeyPhase, Stage } from './phases';
export { anchorOf, dnsNamesOf, leafOf, signed } from './read-certificates';
export { refusedCalls, safe } from './safe';
export type { RefusedCall, ServingPod, TrustingApiServer, TrustState } from './safe';
export { namesServer, sameAuthority } from './signing';
export type { Anchor, AuthorityKey, Leaf } from './signing';
