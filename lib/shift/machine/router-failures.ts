import type { RouterFailure } from '../router';

/** Whether another try may help; whether a write was done is not known then. */
export function mayPass(failure: RouterFailure): boolean {
  return failure === 'throttled' || failure === 'unreachable';
}

/** What a failure means for a shift that was under way. */
export function explainFailure(failure: RouterFailure, message: string): string {
  switch (failure) {
    case 'throttled':
      return `The router was throttled again and again: ${message}`;
    case 'unreachable':
      return `The router did not answer: ${message}`;
    case 'denied':
      return `The router refuses: ${message}`;
    case 'notFound':
      return `What holds the weights vanished during the shift: ${message} Somebody deleted it; nothing was written.`;
    case 'changed':
      return `Somebody else changed the weights: ${message}.`;
    case 'unfit':
      return `What holds the weights is not what this shift can work on: ${message}`;
  }
}
