import type { SimulationResult } from '../../simulation';

/** What the thread that simulates says: how many runs are done, and at last what came of them. */
export type WorkerMessage =
  | { readonly done: number }
  | { readonly result: SimulationResult }
  | { readonly error: ErrorText };

/** What is left of an error that comes from another thread. */
export interface ErrorText {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
}
