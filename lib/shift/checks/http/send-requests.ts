import type { Clock } from '../../../core/async';
import { previewUrl } from '../../probes';
import type { Probe, ProbeResult, ResolvedPreview, SendProbe } from '../../probes';
import type { PathResults } from './verdict';

/** What is sent to each path. */
export interface SentRequests {
  readonly method: string;
  readonly paths: readonly string[];
  readonly body?: string | undefined;
  /** Requests to each path. */
  readonly count: number;
  /** From the beginning of one to that of the next, in milliseconds. */
  readonly everyMs: number;
  /** For one of them, with its redirects, in milliseconds. */
  readonly timeoutMs: number;
  /** Redirects that are followed within the same origin. */
  readonly redirects: number;
  readonly certificateAuthority?: string | undefined;
}

/** The longest body of an answer, in bytes: a check looks for a text, and no answer fills the memory. */
const longestAnswer = 1_048_576;

/**
 * Sends all requests of a slot. One that is slow holds up no other, so that all of them take no longer than the period and one
 * time-out.
 */
export async function sendRequests(
  way: ResolvedPreview,
  sent: SentRequests,
  { sendProbe, clock }: { readonly sendProbe: SendProbe; readonly clock: Clock },
  signal?: AbortSignal,
): Promise<readonly PathResults[]> {
  const { method, paths, count, everyMs } = sent;
  const rounds: Promise<readonly ProbeResult[]>[] = [];
  for (let number = 0; number < count; number += 1) {
    if (number > 0) {
      await clock.sleep(everyMs, signal);
    }
    if (signal?.aborted) {
      break;
    }
    rounds.push(Promise.all(paths.map((path) => follow(probeOf(way, path, sent), sent, sendProbe, signal))));
    // What is thrown meanwhile is told in the end.
    rounds.at(-1)?.catch(() => undefined);
  }
  const results = await Promise.all(rounds);
  signal?.throwIfAborted();
  return paths.map((path, index) => ({
    what: `${method} ${path.replace(/\?.*$/s, '')}`,
    results: results.flatMap((round) => round[index] ?? []),
  }));
}

function probeOf(way: ResolvedPreview, path: string, sent: SentRequests): Probe {
  const { method, body, timeoutMs, certificateAuthority } = sent;
  return {
    url: previewUrl(way, path),
    method,
    headers: { accept: '*/*', 'user-agent': 'cluster-canary', ...way.headers },
    ...(body !== undefined && { body }),
    timeoutMs,
    longestAnswer,
    ...(certificateAuthority !== undefined && { certificateAuthority }),
  };
}

/** A redirect to another origin is never followed: headers lead to a slot, and may hold secrets. */
async function follow(
  first: Probe,
  { redirects, timeoutMs }: SentRequests,
  send: SendProbe,
  signal: AbortSignal | undefined,
): Promise<ProbeResult> {
  let probe = first;
  let milliseconds = 0;
  for (let followed = 0; ; followed += 1) {
    const result = await send({ ...probe, timeoutMs: Math.max(1, timeoutMs - milliseconds) }, signal);
    milliseconds += result.milliseconds;
    const whole = { ...result, milliseconds };
    const target = 'failure' in result || redirects === 0 ? undefined : redirectOf(result, probe.url);
    if (target === undefined || 'failure' in result) {
      return whole;
    }
    if (target.origin !== probe.url.origin) {
      return {
        failure: `${result.status}, a redirect to another origin, which is not followed`,
        milliseconds,
      };
    }
    if (followed === redirects) {
      return { failure: `more than ${redirects} redirects`, milliseconds };
    }
    probe = redirected(probe, result.status, target);
  }
}

type Answer = Exclude<ProbeResult, { readonly failure: string }>;

function redirectOf({ status, headers }: Answer, from: URL): URL | undefined {
  const { location } = headers;
  const isRedirect = [301, 302, 303, 307, 308].includes(status) && typeof location === 'string';
  if (!isRedirect || !URL.canParse(location, from.href)) {
    return undefined;
  }
  const target = new URL(location, from);
  // The server that answers does not choose what a request logs in with.
  target.username = '';
  target.password = '';
  return target;
}

/** As browsers do: a form that was sent is not sent again, but where 307 and 308 say so. */
function redirected({ body, ...probe }: Probe, status: number, url: URL): Probe {
  const keeps = status >= 307 || probe.method === 'GET' || probe.method === 'HEAD';
  return keeps ? { ...probe, url, ...(body !== undefined && { body }) } : { ...probe, url, method: 'GET' };
}
