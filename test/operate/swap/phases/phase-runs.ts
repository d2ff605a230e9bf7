import type { PhaseRun } from '../../../../lib/operate/swap';

export const never = new AbortController().signal;

export const clusterOf = (slot: string): string => `apps-${slot}`;

/** A run of a phase from blue (1.35) to green (1.36), and what it says. */
export function phaseRun(more: Partial<PhaseRun> = {}): PhaseRun & { readonly said: string[] } {
  const said: string[] = [];
  return {
    slot: { name: 'green', version: '1.36' },
    other: { name: 'blue', version: '1.35' },
    back: false,
    say: (line) => said.push(line),
    said,
    ...more,
  };
}
