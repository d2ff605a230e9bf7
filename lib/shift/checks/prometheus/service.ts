import { whyNotRead } from '../../../core/secret-source';
import { optional } from '../../../core/validation/collections';
import type { Objections } from '../../../core/validation/collections';
import type { Unevaluated } from '../../../core/validation/schema';
import { fits } from '../../../core/validation/values';
import { SourceError } from '../../engine';
import type { CheckContext } from '../check-context';
import {
  addressOf,
  askMetrics,
  keepsSecrets,
  metricAddress,
  metricAddressJson,
} from '../shared/metric-request';
import type { Point } from '../shared/query-check';
import type { MetricService } from '../shared/query-counts';
import { line } from '../shared/schemas';
import { prometheusAuth, withCredentials } from './auth';
import type { PrometheusAuth } from './auth';

/** Where Prometheus is, and how it is asked. */
export interface PrometheusAccess {
  /**
   * Address without `/api/v1`: `https://prometheus.example.com`; of Amazon's, the workspace:
   * `https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-…`.
   */
  readonly address: string;
  /** How requests are authenticated. @default - they are not */
  readonly auth?: PrometheusAuth;
  /** File with the certificates, in PEM, of the authorities to trust. @default - those that Node.js trusts */
  readonly caFile?: string;
}

/** Schemas of {@link PrometheusAccess}. */
export const prometheusAccess = {
  address: fits(metricAddress, metricAddressJson),
  auth: optional(prometheusAuth),
  caFile: optional(line),
};

/** Objects where a secret would go over the network in the clear. */
export function checkPrometheusAccess(
  { address, auth }: Unevaluated<PrometheusAccess>,
  { mustBe }: Objections,
): void {
  if (metricAddress.accepts(address) && auth !== undefined && !keepsSecrets(address as string)) {
    mustBe(['address'], 'a URL that starts with https://, because of "auth"');
  }
}

/** Prometheus, and what speaks its API, as far as checks ask it. */
export interface PrometheusService extends MetricService {
  /** Values of an instant query, one for each series; NaN where a series has none. */
  instant(query: string, at: number, signal?: AbortSignal): Promise<readonly number[]>;
}

/**
 * Prometheus' HTTP API.
 * @see https://prometheus.io/docs/prometheus/latest/querying/api/
 */
export function prometheusService(context: CheckContext, access: PrometheusAccess): PrometheusService {
  const ask = async (
    path: string,
    query: Readonly<Record<string, string>>,
    types: readonly ResultType[],
    signal: AbortSignal | undefined,
  ): Promise<readonly (readonly Point[])[]> => {
    const url = addressOf(access.address, path, query);
    return readResult(await askWithAccess(context, 'Prometheus', access, url, explain, signal), types);
  };
  return {
    // A point's time is the end of the range that a query looks back at.
    pointCovers: (stepMs) => stepMs,
    series: async (query, from, to, stepMs, signal) => {
      const found = await ask(
        '/api/v1/query_range',
        { query, start: seconds(Math.min(from + stepMs, to)), end: seconds(to), step: seconds(stepMs) },
        ['matrix'],
        signal,
      );
      return found.map((points) => points.filter(([at]) => at > from && at <= to));
    },
    instant: async (query, at, signal) => {
      const found = await ask('/api/v1/query', { query, time: seconds(at) }, ['vector', 'scalar'], signal);
      return found.flatMap((points) => points.map(([, value]) => value ?? NaN));
    },
  };
}

/**
 * Asks Prometheus, or one of its companions, at a URL.
 *
 * @param explainBody what an answer says is wrong
 */
export async function askWithAccess(
  context: CheckContext,
  service: string,
  access: PrometheusAccess,
  url: URL,
  explainBody: (body: unknown) => string | undefined,
  signal?: AbortSignal,
): Promise<unknown> {
  const certificateAuthority = access.caFile && (await readAuthority(context, service, access.caFile));
  // The secrets are the same at every try; only signatures change.
  const secrets: string[] = [];
  const request = async (): Promise<Awaited<ReturnType<typeof withCredentials>>['request']> => {
    const plain = { method: 'GET', url, headers: { accept: 'application/json' } } as const;
    const given = certificateAuthority ? { ...plain, certificateAuthority } : plain;
    const made = await withCredentials(context, given, access.auth);
    secrets.push(...made.secrets);
    return made.request;
  };
  return askMetrics(context, { service, request, secrets, explain: explainBody }, signal);
}

function seconds(milliseconds: number): string {
  return String(milliseconds / 1000);
}

async function readAuthority(context: CheckContext, service: string, path: string): Promise<string> {
  try {
    return await context.readFile(path);
  } catch (error) {
    throw new SourceError(`${service}: the file ${path} can't be read${whyNotRead(error)}`, { cause: error });
  }
}

function explain(body: unknown): string | undefined {
  const { status, errorType, error } = (body ?? {}) as {
    status?: unknown;
    errorType?: unknown;
    error?: unknown;
  };
  return status === 'error'
    ? [errorType, error].filter((one) => typeof one === 'string').join(': ')
    : undefined;
}

type ResultType = 'scalar' | 'vector' | 'matrix';

/** @param types of a result that the question can have */
function readResult(body: unknown, types: readonly ResultType[]): readonly (readonly Point[])[] {
  const { data } = (body ?? {}) as { data?: { resultType?: unknown; result?: unknown } };
  const { resultType, result } = data ?? {};
  if (!types.some((type) => type === resultType) || !Array.isArray(result)) {
    const what = typeof resultType === 'string' ? `a result of the type "${resultType}"` : 'no result';
    throw new SourceError(`Prometheus: the answer has ${what} where numbers were asked for`);
  }
  checkWhole(body as object);
  if (resultType === 'scalar') {
    return [[pointOf(result)]];
  }
  return result.map((one: unknown) => {
    const { value, values } = (one ?? {}) as { value?: unknown; values?: unknown };
    if (resultType === 'matrix' && !Array.isArray(values)) {
      throw new SourceError('Prometheus: a series of the answer has no values');
    }
    return resultType === 'vector' ? [pointOf(value)] : (values as unknown[]).map(pointOf);
  });
}

/**
 * A store that is away leaves its series out of an answer that succeeds: Thanos and Prometheus' remote read warn of it,
 * VictoriaMetrics marks it. Warnings about the query itself begin with "PromQL".
 *
 * @throws SourceError
 */
function checkWhole(body: { readonly warnings?: unknown; readonly isPartial?: unknown }): void {
  const warnings = Array.isArray(body.warnings) ? body.warnings.map(String) : [];
  const [warning] = warnings.filter((text) => !text.startsWith('PromQL '));
  if (warning !== undefined || body.isPartial === true) {
    throw new SourceError(`Prometheus: the answer is not whole${warning ? ` (${warning})` : ''}`);
  }
}

/** `[seconds, "1.5"]`; numbers are text, because JSON has no NaN and Inf. */
function pointOf(value: unknown): Point {
  const [at, text] = Array.isArray(value) ? (value as unknown[]) : [];
  if (typeof at !== 'number' || typeof text !== 'string') {
    throw new SourceError('Prometheus: a value of the answer is no pair of a time and a number');
  }
  return [at * 1000, numberOf(text)];
}

/** @throws SourceError for text that is no number: empty text would be 0 otherwise */
function numberOf(text: string): number {
  switch (text) {
    case '+Inf':
    case 'Infinity':
      return Infinity;
    case '-Inf':
    case '-Infinity':
      return -Infinity;
    case 'NaN':
      return NaN;
    default:
      if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) {
        throw new SourceError(`Prometheus: the answer has ${JSON.stringify(text.slice(0, 40))} for a number`);
      }
      return Number(text);
  }
}
