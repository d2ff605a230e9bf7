import type { SwapRecord } from '../record';

/**
 * The slot whose cluster a swap may leave drained where a person gives it up: Argo CD is paused for it, and load balancers,
 * TargetGroupBindings and nodes are missing there.
 */
export function drainedBy({ phase, phaseStartedAt, back, old, new: fresh }: SwapRecord): string | undefined {
  if (!back) {
    const hasBegun = phase === 'delete' || (phase === 'drain' && phaseStartedAt !== undefined);
    return hasBegun ? old.name : undefined;
  }
  switch (back.step) {
    case 'allow':
    case 'restore':
    case 'deliver':
    case 'prescale':
      return old.name;
    case 'shift':
      return undefined;
    case 'drain':
      return back.stepStartedAt === undefined ? undefined : fresh.name;
    case 'delete':
      return fresh.name;
  }
}
