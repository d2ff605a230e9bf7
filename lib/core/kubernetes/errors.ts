import { oneLine } from '../printable-text';

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
  /** What the server itself said, as it said it; empty where that is nothing, or may quote a Secret. */
  public readonly told: string;

  public constructor(
    public readonly reason: KubernetesFailure,
    message: string,
    /** The HTTP status, where there was an answer. */
    public readonly status?: number,
    options: { readonly cause?: unknown; readonly told?: string } = {},
  ) {
    super(oneLine(message), 'cause' in options ? { cause: options.cause } : {});
    this.name = 'KubernetesError';
    this.told = options.told ?? '';
  }
}

/** Whether an error is a {@link KubernetesError} of one of these reasons. */
export function isKubernetesError(error: unknown, ...reasons: readonly KubernetesFailure[]): boolean {
  return error instanceof KubernetesError && (reasons.length === 0 || reasons.includes(error.reason));
}

/** What is asked of an API server, in the words of its access rules. */
export interface Request {
  readonly verb: string;
  /** `applications` */
  readonly resource: string;
  /** `argoproj.io`; empty for the core group. */
  readonly group: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** A line for a person: `list applications.argoproj.io in namespace "argocd"`. */
export function describeRequest({ verb, resource, group, namespace, name }: Request): string {
  return [
    `${verb} ${resource}${group ? `.${group}` : ''}`,
    ...(name === undefined ? [] : [`"${name}"`]),
    ...(namespace === undefined ? [] : [`in namespace "${namespace}"`]),
  ].join(' ');
}

/**
 * The error that an answer other than success means. What the server says of a Secret is not repeated, since it may
 * quote it.
 *
 * @param body the answer: a `Status` of Kubernetes, as a rule
 */
export function refusalOf(server: string, request: Request, status: number, body: string): KubernetesError {
  const told = statusIn(body);
  const reason = reasonOf(status, told.reason);
  const quotes = request.resource === 'secrets' && reason === 'invalid';
  const words = quotes ? told.fields : told.message;
  const what = `${server}: ${describeRequest(request)}`;
  const detail = words ? `: ${words}` : '';
  return new KubernetesError(reason, `${what}: ${explanations[reason](request, status)}${detail}`, status, {
    told: request.resource === 'secrets' ? '' : (told.message ?? ''),
  });
}

const explanations: Readonly<Record<KubernetesFailure, (request: Request, status: number) => string>> = {
  unreachable: () => 'the proxy wants credentials (407); give them in its URL',
  unauthenticated: () => 'the server does not accept the credentials (401)',
  denied: ({ verb, resource, group }) =>
    `not allowed (403); it takes a role with verb "${verb}" on resource "${resource}" of API group "${group}"`,
  notFound: () => 'not found (404)',
  unsupported: () => 'the server has no such kind (404)',
  alreadyExists: () => 'it exists already (409)',
  conflict: () => 'conflict (409)',
  invalid: (_request, status) => `not accepted (${status})`,
  throttled: () => 'the server asks for fewer calls (429)',
  expired: () => 'the list has expired (410)',
  faulty: (_request, status) => `the server failed (${status})`,
};

function reasonOf(status: number, told: string | undefined): KubernetesFailure {
  switch (status) {
    case 401:
      return 'unauthenticated';
    case 403:
      return 'denied';
    case 404:
      return 'notFound';
    case 407:
      return 'unreachable';
    case 409:
      return told === 'AlreadyExists' ? 'alreadyExists' : 'conflict';
    case 410:
      return 'expired';
    case 429:
      return 'throttled';
    default:
      return status >= 400 && status < 500 ? 'invalid' : 'faulty';
  }
}

interface Told {
  readonly reason?: string;
  readonly message?: string;
  /** Paths of the fields that are wrong. */
  readonly fields?: string;
}

function statusIn(body: string): Told {
  try {
    const { reason, message, details } = JSON.parse(body) as {
      reason?: unknown;
      message?: unknown;
      details?: { causes?: { field?: unknown }[] } | null;
    };
    const fields = (details?.causes ?? []).map(({ field }) => String(field)).join(', ');
    return {
      ...(typeof reason === 'string' ? { reason } : {}),
      ...(typeof message === 'string' ? { message: message.slice(0, 500) } : {}),
      ...(fields ? { fields } : {}),
    };
  } catch {
    return {};
  }
}
