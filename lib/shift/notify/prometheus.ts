import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { within } from '../../core/async';
import { object, optional } from '../../core/validation/collections';
import { fits } from '../../core/validation/values';
import { expositionText, expositionType, metricsEntries, nextExposition, noSeries } from './exposition';
import type { MetricsSettings } from './exposition';
import { DeliveryFailed, everyEvent, sinkKind } from './sink';
import type { Sink } from './sink';

/** Of IPv6 in brackets. */
const addressForm = /^(\[[0-9a-fA-F:.]+\]|[\w.-]{1,253}):([1-9]\d{0,4})$/;

/** Metrics that Prometheus asks for while the shift runs. */
export interface PrometheusSettings extends MetricsSettings {
  /**
   * Address and port of `/metrics`. Whoever reaches them can read all metrics: name another address than that of this machine
   * only where a network policy or a firewall decides who that is.
   *
   * @default '127.0.0.1:9464' - for a Prometheus or an agent on this machine, or beside it in a pod
   */
  readonly listen?: string;
}

/**
 * Serves `/metrics` from the first event of a run until its end. Once Prometheus has asked, the end waits 10 seconds at most for
 * it to ask again, so that it sees how the shift ended.
 */
export const prometheus = sinkKind<PrometheusSettings>({
  tells:
    'Prometheus: metrics of weights, steps, checks and their figures, at `/metrics` while the shift runs',
  events: everyEvent,
  everyAnswer: true,
  settings: object<PrometheusSettings>({
    listen: optional(
      fits(
        {
          allowed: 'an address and a port, such as "127.0.0.1:9464" or "0.0.0.0:9464"',
          accepts: (value) => typeof value === 'string' && addressIn(value) !== undefined,
        },
        { pattern: addressForm.source },
      ),
    ),
    ...metricsEntries,
  }),
  open: ({ listen = '127.0.0.1:9464', fleet }) => metricsServer(listen, fleet),
});

/** How long the end of a run waits for one more request, in milliseconds: a common interval of Prometheus is less. */
const lastRequestMs = 10_000;

/** Host and port; `undefined` where it is not both. */
function addressIn(listen: string): { readonly host: string; readonly port: number } | undefined {
  const [, host = '', digits] = addressForm.exec(listen) ?? [];
  const port = Number(digits);
  return port <= 65_535 ? { host: host.replace(/^\[|\]$/g, ''), port } : undefined;
}

function metricsServer(listen: string, fleet: string | undefined): Pick<Sink, 'name' | 'deliver' | 'close'> {
  let series = noSeries;
  let last: string | undefined;
  let server: Server | undefined;
  /** How much of it Prometheus has got. */
  let got: 'nothing' | 'something' | 'all' = 'nothing';
  let onAnswered = (): void => undefined;

  const page = (isAnswered: boolean): string => {
    if (isAnswered) {
      got = 'all';
      onAnswered();
    }
    return expositionText(series.values());
  };
  return {
    name: `prometheus ${listen}`,
    deliver: async (event, signal) => {
      // An event whose delivery is tried again is counted once.
      if (event.id !== last) {
        last = event.id;
        series = nextExposition(series, event, fleet);
        got = got === 'nothing' ? 'nothing' : 'something';
      }
      server ??= await listening(listen, page);
      if (signal.aborted) {
        await closed(server);
      }
    },
    close: async (signal) => {
      if (server === undefined) {
        return;
      }
      if (got === 'something') {
        const asked = new Promise<void>((resolve) => (onAnswered = resolve));
        await within(lastRequestMs, signal, () => asked).catch(() => undefined);
      }
      await closed(server);
    },
  };
}

/** An answer that is under way has a second. */
async function closed(server: Server): Promise<void> {
  const closes = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await within(1_000, undefined, () => closes).catch(() => undefined);
  server.closeAllConnections();
}

/** @throws DeliveryFailed where it can't listen */
async function listening(listen: string, page: (isAnswered: boolean) => string): Promise<Server> {
  const limits = { requestTimeout: 10_000, headersTimeout: 5_000, keepAliveTimeout: 5_000 };
  const server = createServer(limits, (request, response) => {
    request.resume();
    const plain = { 'content-type': 'text/plain; charset=utf-8' };
    if (request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404, plain).end('Metrics are at /metrics.\n');
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { ...plain, allow: 'GET, HEAD' }).end('Send GET.\n');
    } else {
      response.writeHead(200, { 'content-type': expositionType }).end(page(request.method === 'GET'));
    }
  });
  server.maxConnections = 32;
  server.setTimeout(30_000);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ ...addressIn(listen), exclusive: true }, resolve);
    });
  } catch (error) {
    const { code = 'it can not listen' } = error as NodeJS.ErrnoException;
    const isTaken = code === 'EADDRINUSE';
    throw new DeliveryFailed(
      `${listen}: ${isTaken ? 'another program listens there; set "listen" to another port' : code}`,
      { final: !isTaken },
      { cause: error },
    );
  }
  server.on('error', () => undefined);
  // A run that is ended at once is not kept.
  server.unref();
  return server;
}
