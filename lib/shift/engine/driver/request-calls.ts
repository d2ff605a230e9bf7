import { oneLine } from '../../../core/printable-text';
import type { ShiftEvent } from '../machine/events';
import type { ShiftState } from '../machine/states';
import type { ShiftRequest, ShiftRequests } from '../shift-run';

/** A record has room for ten of these. In characters. */
const longestName = 100;

/** Who a person is, as the record has it. */
export function personName(by: string): string {
  return oneLine(by).slice(0, longestName);
}

/** What a person has asked for, until the machine receives it. */
export class RequestCalls {
  private request: ShiftRequest | undefined;
  private readonly unsubscribe: () => void;

  /** @param onAsked is called at every request */
  public constructor(requests: ShiftRequests | undefined, onAsked: () => void) {
    this.unsubscribe =
      requests?.subscribe((request) => {
        // Back comes before a hold, whichever was asked for first.
        this.request = this.request?.what === 'rollBack' ? this.request : request;
        onAsked();
      }) ?? (() => undefined);
  }

  /** Whether there is one for this state: before the live weights are known there is nothing to hold, or to take back. */
  public isFor(state: ShiftState): boolean {
    return this.request !== undefined && 'course' in state;
  }

  /** What the machine receives. */
  public take(state: ShiftState, at: number): ShiftEvent | undefined {
    const { request } = this;
    if (!request || !this.isFor(state)) {
      return undefined;
    }
    this.request = undefined;
    return { type: 'requested', at, what: request.what, by: personName(request.by) };
  }

  /** Hears of no further request. */
  public close(): void {
    this.unsubscribe();
  }
}
