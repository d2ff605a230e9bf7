export { brokenInvariants } from './invariants';
export type { SwapInvariant } from './invariants';
export { playSwap } from './play';
export type { PlayedSwap, SwapMachine } from './play';
export { drawScenario, drawsFrom } from './scenario';
export type { Draw, Meddling, PersonFate, PhaseFate, SwapScenario } from './scenario';
export { SwapWorld } from './world';
export type { WorldWrite } from './world';
