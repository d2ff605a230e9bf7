import { randomUUID } from 'node:crypto';
import { readWeights } from '../http-proxy';
import { latencyBounds, pieceMs } from './traffic-counts';
import type { TrafficCounts } from './traffic-counts';

/** What the admin API reads and changes. */
export interface ProxyState {
  /** Weights of the upstreams, on any scale. */
  weights: Readonly<Record<string, number>>;
  /** Version of the weights: another one with each write, and in each process. */
  version: string;
  readonly counts: TrafficCounts;
}

/** A request to the admin API. */
export interface AdminRequest {
  readonly method: string;
  /** Path with the query. */
  readonly path: string;
  /** Value of the header `If-Match`. @default - there is none */
  readonly ifMatch?: string | undefined;
  readonly body: string;
}

/** Its answer, in JSON. */
export interface AdminAnswer {
  readonly status: number;
  /** @default - none */
  readonly etag?: string;
  readonly content: object;
}

/** Periods that one answer may have: an hour of seconds. */
const mostPeriods = 3_600;

/**
 * The admin API of a proxy: `GET /weights`, `PUT /weights` with `If-Match`, and `GET /counts`. A write takes the state's weights
 * at once, and nothing else changes it.
 *
 * @param now milliseconds since 1970
 */
export function answerAdmin(state: ProxyState, request: AdminRequest, now: number): AdminAnswer {
  const url = URL.canParse(request.path, 'http://proxy') ? new URL(request.path, 'http://proxy') : undefined;
  switch (`${request.method} ${url?.pathname ?? ''}`) {
    case 'GET /weights':
      return weightsAnswer(state, 200);
    case 'PUT /weights':
      return write(state, request);
    case 'GET /counts':
      return counts(state, url!.searchParams, now);
    default:
      return problem(404, 'there are GET /weights, PUT /weights and GET /counts');
  }
}

function weightsAnswer({ weights, version }: ProxyState, status: number): AdminAnswer {
  return { status, etag: `"${version}"`, content: { weights } };
}

function write(state: ProxyState, { ifMatch, body }: AdminRequest): AdminAnswer {
  if (ifMatch === undefined) {
    return problem(428, 'a write has the ETag of the weights that it changes in the header If-Match');
  }
  if (ifMatch !== `"${state.version}"`) {
    return weightsAnswer(state, 412);
  }
  let weights: Readonly<Record<string, number>>;
  try {
    weights = readWeights(body);
  } catch {
    return problem(400, 'a write has { "weights": { NAME: a number from 0 on } }');
  }
  const names = Object.keys(state.weights);
  const isSame =
    names.length === Object.keys(weights).length && names.every((name) => Object.hasOwn(weights, name));
  if (!isSame || !Object.values(weights).some((weight) => weight > 0)) {
    return problem(422, `a write has a weight of each upstream, ${names.join(', ')}, one of them above 0`);
  }
  state.weights = weights;
  state.version = randomUUID();
  return weightsAnswer(state, 200);
}

function counts(state: ProxyState, query: URLSearchParams, now: number): AdminAnswer {
  const [from, to, period] = ['from', 'to', 'period'].map((name) => numberIn(query, name)) as [
    number,
    number,
    number,
  ];
  if (!(period >= pieceMs && period % pieceMs === 0) || !((to - from) / period <= mostPeriods)) {
    return problem(
      400,
      `from, to and period are milliseconds, period whole seconds; at most ${mostPeriods} periods at once`,
    );
  }
  const slowAbove = query.has('slowAbove') ? numberIn(query, 'slowAbove') : undefined;
  if (slowAbove !== undefined && !latencyBounds.includes(slowAbove)) {
    return problem(400, `slow requests are counted above ${latencyBounds.join(', ')} ms`);
  }
  const until = Math.floor(now / pieceMs) * pieceMs;
  return {
    status: 200,
    content: { until, counts: state.counts.between(from, Math.min(to, until), period, slowAbove) },
  };
}

function numberIn(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : NaN;
}

function problem(status: number, error: string): AdminAnswer {
  return { status, content: { error } };
}
