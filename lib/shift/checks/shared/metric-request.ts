import type { HttpAnswer, HttpRequest } from '../../../core/http';
import type { Format } from '../../../core/validation/problems';
import { SourceError } from '../../engine';
import type { CheckContext } from '../check-context';

/** An address of a metric service. A password in it would stand in logs, and so would a key in a query. */
export const metricAddress: Format = {
  allowed:
    'a URL that starts with https:// (or http://, for a service that wants no key), without a password, a query and a fragment',
  accepts: (value) => {
    if (typeof value !== 'string' || !URL.canParse(value)) {
      return false;
    }
    const url = new URL(value);
    const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
    return isPlain && (url.protocol === 'https:' || url.protocol === 'http:');
  },
};

/** What of it a JSON Schema can say. */
export const metricAddressJson = { pattern: '^https?://' };

/** Whether a key may be sent there: over TLS, or to this very machine. */
export function keepsSecrets(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** The address with a path behind its own. A list of values stands as so many parameters. */
export function addressOf(
  base: string,
  path: string,
  query: Readonly<Record<string, string | readonly string[]>>,
): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}${path}`;
  url.search = Object.entries(query)
    .flatMap(([name, value]) => [value].flat().map((one) => `${name}=${escaped(one)}`))
    .join('&');
  return url;
}

/** As a signature of AWS wants it: everything but letters, digits and `-._~` (RFC 3986). */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A question to a metric service that answers in JSON. */
export interface MetricQuestion {
  /** For errors: `Datadog`. */
  readonly service: string;
  /** Makes the request, anew for each try: signatures expire. */
  readonly request: () => Promise<HttpRequest>;
  /** Texts that must not stand in an error, whatever the service answers. */
  readonly secrets: readonly string[];
  /** What the service says is wrong, by the body of its answer. */
  readonly explain: (body: unknown) => string | undefined;
}

const attempts = 3;

const firstPauseMs = 500;

const longestPauseMs = 10_000;

/**
 * Asks, and asks again after a pause where the service gives no answer, is not well (5xx), or wants fewer calls.
 *
 * @throws SourceError; the signal's reason where that is aborted
 */
export async function askMetrics(
  context: Pick<CheckContext, 'http' | 'clock' | 'random'>,
  question: MetricQuestion,
  signal?: AbortSignal,
): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    const outcome = await tryOnce(context.http, question, signal);
    if ('body' in outcome) {
      return outcome.body;
    }
    if (!outcome.mayPass || attempt === attempts) {
      const times = attempt > 1 ? `, at the last of ${attempt} tries` : '';
      throw new SourceError(`${question.service}: ${redact(outcome.problem, question.secrets)}${times}`);
    }
    const pauseMs = Math.min(longestPauseMs, outcome.pauseMs ?? firstPauseMs * 2 ** (attempt - 1));
    // From half of the pause to all of it, so that several shifts don't ask at the same moment.
    await context.clock.sleep(pauseMs * (0.5 + context.random() / 2), signal);
  }
}

type Outcome =
  | { readonly body: unknown }
  | { readonly problem: string; readonly mayPass: boolean; readonly pauseMs?: number };

async function tryOnce(
  http: CheckContext['http'],
  question: MetricQuestion,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const request = await question.request();
  // Without the query: it may be long, and says nothing of the fault.
  const where = `${request.url.host}${request.url.pathname}`;
  let answer: HttpAnswer;
  try {
    answer = await http.send(request, signal);
  } catch (error) {
    signal?.throwIfAborted();
    return { problem: `${where}: ${reasonOf(error)}`, mayPass: true };
  }
  return evaluate(where, answer, question);
}

function evaluate(where: string, answer: HttpAnswer, question: MetricQuestion): Outcome {
  const { status } = answer;
  const body = parse(answer.text);
  const said = body === undefined ? undefined : question.explain(body);
  if (status < 200 || status > 299) {
    const mayPass = status === 408 || status === 429 || status >= 500;
    const pauseMs = pauseOf(answer);
    const problem = `${where} answers ${status}${said ? ` (${said})` : ''}${hint(status)}`;
    return { problem, mayPass, ...(pauseMs !== undefined && { pauseMs }) };
  }
  if (body === undefined) {
    return { problem: `${where} answers with something that is no JSON`, mayPass: true };
  }
  return said === undefined ? { body } : { problem: `${where}: ${said}`, mayPass: false };
}

function hint(status: number): string {
  if (status === 401 || status === 403) {
    return ': it does not accept the credentials, or they lack the right to query metrics';
  }
  return status >= 300 && status < 400 ? ': a redirect, which is not followed' : '';
}

/** How long to wait, by HTTP's own header or Datadog's; both are in seconds. */
function pauseOf({ headers }: HttpAnswer): number | undefined {
  const text = headers['retry-after'] ?? headers['x-ratelimit-reset'];
  const seconds = text === undefined ? NaN : Number(text);
  return seconds >= 0 ? seconds * 1000 : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || 'no answer';
}

const longestProblem = 400;

function redact(problem: string, secrets: readonly string[]): string {
  const shown = secrets
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.split(secret).join('[hidden]'), problem)
    .replace(/\s+/g, ' ');
  return shown.length > longestProblem ? `${shown.slice(0, longestProblem - 3)}...` : shown;
}
