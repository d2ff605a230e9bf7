/** Why a program was stopped from here. */
export type StoppedEnd =
  /** It took too long. */
  | { readonly how: 'timedOut' }
  /** The signal was aborted, maybe before the program was started. */
  | { readonly how: 'cancelled' }
  /** It wrote more than its limit. */
  | { readonly how: 'tooMuch'; readonly stream: 'stdout' | 'stderr' };

/** How a program ended by itself. */
export type OwnEnd =
  | { readonly how: 'exited'; readonly status: number }
  /** A signal that did not come from here ended it. */
  | { readonly how: 'signalled'; readonly signal: NodeJS.Signals };

/** How a run ended, and what the program wrote, within the limits. */
export type ProgramEnd = (
  | OwnEnd
  | StoppedEnd
  /** The code is the system's, such as `ENOENT`: no such program, or no such folder to run it in. */
  | { readonly how: 'notStarted'; readonly code: string }
) & { readonly stdout: Buffer; readonly stderr: Buffer };
