import type { HttpRequest } from '../../../core/http';
import { secretSource } from '../../../core/secret-source';
import type { SecretSource } from '../../../core/secret-source';
import { optional } from '../../../core/validation/collections';
import { problemsOf } from '../../../core/validation/schema';
import { fits, text } from '../../../core/validation/values';
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
import { readSecret } from '../shared/secret-source';

/** Where Datadog is, and where its keys are read from. */
export interface DatadogAccess {
  /** `datadoghq.eu`, `us3.datadoghq.com`, … @default - the variable `DD_SITE`, else `datadoghq.com` */
  readonly site?: string;
  /** Address of a proxy that stands for `https://api.SITE`. @default - none */
  readonly address?: string;
  /** Where the API key is read from. @default - the variable `DATADOG_API_KEY`, else `DD_API_KEY` */
  readonly apiKey?: SecretSource;
  /** Where the application key is read from. @default - the variable `DATADOG_APPLICATION_KEY`, else `DD_APP_KEY` */
  readonly applicationKey?: SecretSource;
}

const site = text(
  'a site of Datadog: datadoghq.com, datadoghq.eu, us3.datadoghq.com, ddog-gov.com, … (without "app." and "api.")',
  /^([a-z]{2}\d\.)?(datadoghq\.com|datadoghq\.eu|ddog-gov\.com)$/,
);

const address = fits(
  {
    allowed: `${metricAddress.allowed}; https:// because keys are sent there`,
    accepts: (value) => metricAddress.accepts(value) && keepsSecrets(value as string),
  },
  metricAddressJson,
);

/** Schemas of {@link DatadogAccess}. */
export const datadogAccess = {
  site: optional(site),
  address: optional(address),
  apiKey: optional(secretSource),
  applicationKey: optional(secretSource),
};

/**
 * Datadog's metrics, by `GET /api/v1/query`. Keys are read anew for every question.
 * @see https://docs.datadoghq.com/api/latest/metrics/query-timeseries-points/
 */
export function datadogService(context: CheckContext, access: DatadogAccess): MetricService {
  return {
    // A point's time is the start of what it covers.
    pointCovers: () => 0,
    series: async (query, from, to, stepMs, signal) => {
      const span = { from: String(Math.floor(from / 1000)), to: String(Math.floor(to / 1000)) };
      const body = await askDatadog(context, access, '/api/v1/query', { ...span, query }, signal);
      return readSeries(body, from, to, stepMs);
    },
  };
}

/** Asks Datadog's API at a path. */
export async function askDatadog(
  context: CheckContext,
  access: DatadogAccess,
  path: string,
  query: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<unknown> {
  const url = addressOf(access.address ?? `https://api.${access.site ?? siteOf(context)}`, path, query);
  const [apiKey, applicationKey] = await Promise.all([
    readSecret(
      context,
      'the API key of Datadog',
      access.apiKey ? [access.apiKey] : [{ env: 'DATADOG_API_KEY' }, { env: 'DD_API_KEY' }],
    ),
    readSecret(
      context,
      'the application key of Datadog',
      access.applicationKey
        ? [access.applicationKey]
        : [{ env: 'DATADOG_APPLICATION_KEY' }, { env: 'DD_APP_KEY' }],
    ),
  ]);
  const headers = {
    'DD-API-KEY': apiKey,
    'DD-APPLICATION-KEY': applicationKey,
    accept: 'application/json',
  };
  const request = (): Promise<HttpRequest> => Promise.resolve({ method: 'GET', url, headers });
  return askMetrics(
    context,
    { service: 'Datadog', request, secrets: [apiKey, applicationKey], explain },
    signal,
  );
}

function siteOf({ env }: CheckContext): string {
  const own = env.DD_SITE;
  if (own !== undefined && own !== '' && problemsOf(site, own).length > 0) {
    throw new SourceError(`Datadog: the variable DD_SITE must be ${site.allowed}`);
  }
  return own || 'datadoghq.com';
}

/** Errors come with status 200, too. */
function explain(body: unknown): string | undefined {
  const { status, error, errors } = (body ?? {}) as { status?: unknown; error?: unknown; errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0) {
    return errors.map(String).join('; ');
  }
  return status === 'error' || (typeof error === 'string' && error !== '') ? String(error) : undefined;
}

/**
 * Points of whole intervals only, between the two times: the newest one may still be filling.
 *
 * @param stepMs the interval that was asked for; 0 for any. Datadog makes it longer where there would be too many points
 */
function readSeries(body: unknown, from: number, to: number, stepMs: number): readonly (readonly Point[])[] {
  const { series } = (body ?? {}) as { series?: unknown };
  if (!Array.isArray(series)) {
    throw new SourceError('Datadog: the answer has no list of series');
  }
  return series.map((one: unknown) => {
    const { pointlist, interval } = (one ?? {}) as { pointlist?: unknown; interval?: unknown };
    if (!Array.isArray(pointlist) || !pointlist.every(isPoint)) {
      throw new SourceError('Datadog: a series of the answer has no list of points');
    }
    const lengthMs = typeof interval === 'number' ? interval * 1000 : 0;
    if (stepMs > 0 && lengthMs > stepMs) {
      throw new SourceError(
        `Datadog: a point of the answer covers ${lengthMs / 1000} s, not ${stepMs / 1000} s: roll up by {{period}}, or make "period" longer`,
      );
    }
    return pointlist.filter(([at]) => at + Math.max(lengthMs, 1) > from && at + lengthMs <= to);
  });
}

function isPoint(value: unknown): value is Point {
  return (
    Array.isArray(value) &&
    typeof value[0] === 'number' &&
    (value[1] === null || typeof value[1] === 'number')
  );
}
