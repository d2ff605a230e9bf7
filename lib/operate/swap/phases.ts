/** The phases of a swap, in their order. */
export const swapPhases = [
  'ready',
  'create',
  'deliver',
  'try',
  'prescale',
  'shift',
  'soak',
  'drain',
  'delete',
] as const;

/**
 * One phase of a swap.
 *
 * - `ready`: would the new version work? Nothing is changed.
 * - `create`: the new slot is added to the program, with weight 0, and deployed.
 * - `deliver`: every application is on the new cluster, Synced and Healthy.
 * - `try`: checks that need no visitor: smoke tests, vitals, requests by a preview.
 * - `prescale`: the new slot has targets enough for the first steps.
 * - `shift`: the traffic moves, or one hub hands over to the other.
 * - `soak`: both clusters stay for a while, under checks; the old one is the way back.
 * - `drain`: what controllers of the old cluster made in AWS goes.
 * - `delete`: the old slot is taken out of the program, and its cluster goes. There is no way back from here.
 */
export type SwapPhase = (typeof swapPhases)[number];

/** Phases that change the program's configuration and deploy it. */
export const deployingPhases = ['create', 'shift', 'delete'] as const satisfies readonly SwapPhase[];

/** Phases that can be left out: they change nothing. */
export const optionalPhases = [
  'ready',
  'deliver',
  'try',
  'prescale',
  'soak',
] as const satisfies readonly SwapPhase[];

/** Phases that begin in a window of time only, where the plan has windows. The others change nothing that serves. */
export const windowPhases = [
  'create',
  'prescale',
  'shift',
  'drain',
  'delete',
] as const satisfies readonly SwapPhase[];

/** The phase after this one. */
export function phaseAfter(phase: SwapPhase): SwapPhase | undefined {
  return swapPhases[swapPhases.indexOf(phase) + 1];
}

/** Whether a phase is among these. */
export function isAmong(phases: readonly SwapPhase[], phase: SwapPhase): boolean {
  return phases.includes(phase);
}
