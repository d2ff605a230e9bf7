import type { CountSource } from '../../evaluation';
import { SourceError } from '../../engine';
import { NotAnAnswer, proxyUrl, readCounts } from '../../http-proxy';
import type { ProxyAccess } from '../../http-proxy';
import type { CheckContext } from '../check-context';
import { settledUntil } from '../cloudwatch/counts';
import { askMetrics } from '../shared/metric-request';
import { readSecret } from '../shared/secret-source';

/** How requests are counted. */
export interface ProxyCounting {
  /** Whole seconds, in milliseconds. */
  readonly periodMs: number;
  /** In milliseconds. @default - slow requests are not counted */
  readonly slowAboveMs?: number | undefined;
}

const service = 'the proxy';

/** Counts by period and slot from the proxy itself. Those of slots that it does not know are left out. */
export function proxyCounts(
  context: CheckContext,
  access: ProxyAccess,
  { periodMs, slowAboveMs }: ProxyCounting,
): CountSource {
  const slots = Object.keys(context.subject.slots);
  return {
    counts: async (from, to, signal) => {
      const start = Math.floor(from / periodMs) * periodMs;
      const known = await ask(context, access, { start, to, periodMs, slowAboveMs }, signal);
      const until = settledUntil(Math.min(to, known.until), 0, periodMs);
      const counts = known.counts.filter(
        ({ slot, at }) => slots.includes(slot) && at >= start && at + periodMs <= until,
      );
      return { counts, until, periodMs };
    },
  };
}

interface Question extends ProxyCounting {
  readonly start: number;
  readonly to: number;
}

async function ask(
  context: CheckContext,
  access: ProxyAccess,
  { start, to, periodMs, slowAboveMs }: Question,
  signal: AbortSignal | undefined,
): Promise<ReturnType<typeof readCounts>> {
  const url = proxyUrl(access, '/counts', {
    ...{ from: start, to, period: periodMs },
    ...(slowAboveMs !== undefined && { slowAbove: slowAboveMs }),
  });
  const token = access.token && (await readSecret(context, 'the token of the proxy', [access.token]));
  const headers = {
    accept: 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const request = () => Promise.resolve({ method: 'GET', url, headers } as const);
  const secrets = token === undefined ? [] : [token];
  const body = await askMetrics(context, { service, request, secrets, explain }, signal);
  try {
    return readCounts(body, slowAboveMs !== undefined);
  } catch (error) {
    throw error instanceof NotAnAnswer ? new SourceError(`${service}: ${error.message}`) : error;
  }
}

function explain(body: unknown): string | undefined {
  const { error } = (body ?? {}) as { readonly error?: unknown };
  return typeof error === 'string' ? error : undefined;
}
