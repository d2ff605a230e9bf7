import { oneLine } from '../problems';

/** Why a call to an API server came to nothing. */
export type KubernetesFailure =
  /** No answer: network, name, certificate, time-out. Whether a write was done is not known. */
  | 'unreachable'
  /** There are no credentials, they can't be had, or the server does not know them. */
  | 'unauthenticated'
  /** The credentials lack a right; the message names its verb and resource. */
  | 'denied'
  /** There is no such object. */
  | 'notFound'
  /** The API server has no such kind. */
  | 'unsupported'
  /** There is an object of that name already. */
  | 'alreadyExists'
  /** The object has changed meanwhile, or somebody else owns the fields. */
  | 'conflict'
  /** The server does not accept the object. */
  | 'invalid'
  /** The server asks for fewer calls, also after retries. */
  | 'throttled'
  /** A list changed too much while it was read in pages. */
  | 'expired'
  /** A fault of the server, also after retries, or an answer that can't be read. */
  | 'faulty';

/** A call to an API server that failed; the message says what was asked of which server. */
export class KubernetesError extends Error {
  public constructor(
    public readonly reason: KubernetesFailure,
    message: string,
    /** The HTTP status, where there was an answer. */
    public readonly status?: number,
    options?: { readonly cause?: unknown },
  ) {
    super(oneLine(message), options);
    this.name = 'KubernetesError';
  }
}

/** Whether an error is a {@link KubernetesError} of one of these reasons. */
export function isKubernetesError(error: unknown, ...reasons: readonly KubernetesFailure[]): boolean {
  return error instanceof KubernetesError && (reasons.length === 0 || reasons.includes(error.reason));
}
