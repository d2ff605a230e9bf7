import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { httpClient } from '../../../lib/core/http';
import type { CheckContext, MetricData, MetricDataQuery } from '../../../lib/shift/checks';
import { checkContext } from '../../../lib/shift/checks';
import type { CheckWindow, ShiftSubject } from '../../../lib/shift/engine';

export const minute = 60_000;
export const start = Date.UTC(2026, 0, 1, 12);

export const subject: ShiftSubject = {
  layer: 'http',
  region: 'eu-west-1',
  loadBalancerArn:
    'arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/edge/50dc6c495c0c9188',
  slots: {
    blue: {
      clusterName: 'apps-blue',
      targetGroupArn: 'arn:aws:elasticloadbalancing:eu-west-1:111122223333:targetgroup/blue/73e2d6bc24d8a067',
      preview: { url: 'https://blue.example.com' },
    },
    green: {
      clusterName: 'apps-green',
      targetGroupArn:
        'arn:aws:elasticloadbalancing:eu-west-1:111122223333:targetgroup/green/83e2d6bc24d8a068',
      preview: { url: 'https://green.example.com' },
    },
  },
};

/** Three minutes after green got 10 percent. */
export const window: CheckWindow = {
  stage: 'after',
  from: start,
  to: start + 3 * minute + 40_000,
  startedAt: start,
  origin: { blue: 100, green: 0 },
  live: { blue: 90, green: 10 },
  wanted: { blue: 0, green: 100 },
  writes: [{ at: start, weights: { blue: 90, green: 10 } }],
};

/** A context that reaches nothing but this machine, and whose pauses take no time. */
export function contextOf(given: Partial<CheckContext> = {}): CheckContext & { readonly pauses: number[] } {
  const pauses: number[] = [];
  const clock = {
    now: () => window.to,
    sleep: (milliseconds: number) => {
      pauses.push(milliseconds);
      return Promise.resolve();
    },
  };
  const none = (): never => {
    throw new Error('nobody may be asked');
  };
  const context = checkContext(given.subject ?? subject, {
    clock,
    env: {},
    random: () => 0.5,
    readFile: (path) => Promise.reject(Object.assign(new Error(`no ${path}`), { code: 'ENOENT' })),
    http: httpClient({ timeoutMs: 2_000 }),
    metricData: none,
    credentials: none,
    ...given,
  });
  return { ...context, pauses };
}

/** Metrics by name and target group: what a minute since the start has; a minute of none has no point. */
export function metricsOf(
  table: Readonly<Record<string, readonly (number | null)[]>>,
): MetricData & { readonly asked: { queries: readonly MetricDataQuery[]; from: number; to: number }[] } {
  const asked: { queries: readonly MetricDataQuery[]; from: number; to: number }[] = [];
  return {
    asked,
    query: (queries, from, to) => {
      asked.push({ queries, from, to });
      return Promise.resolve(
        queries.map(({ Id, MetricStat }) => {
          const of = MetricStat?.Metric.Dimensions?.find(({ Name }) => Name === 'TargetGroup')?.Value.split(
            '/',
          )[1];
          const stat = MetricStat?.Stat === 'Sum' ? '' : ` ${MetricStat?.Stat}`;
          const values = table[`${of ? `${of} ` : ''}${MetricStat?.Metric.MetricName}${stat}`] ?? [];
          const points = values.flatMap((value, index): [number, number][] =>
            value === null ? [] : [[start + index * minute, value]],
          );
          return { id: Id, points: points.filter(([at]) => at >= from && at < to) };
        }),
      );
    },
  };
}

/** What a test's service answers to its requests, one after another; the last answer is given again. */
export type Reply = Readonly<{
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
  hangs?: boolean;
}>;

/** A metric service on this machine. */
export interface Service {
  readonly address: string;
  readonly requests: { url: URL; headers: http.IncomingHttpHeaders }[];
  close(): Promise<void>;
}

/** Makes metric services on this machine, each of which is closed when its test is over. */
export function servicesOfTests(): (reply: (url: URL, number: number) => Reply) => Promise<Service> {
  const services: Service[] = [];
  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.close()));
  });
  return async (reply) => {
    const service = await serve(reply);
    services.push(service);
    return service;
  };
}

/** A metric service on this machine; whoever makes it closes it. */
export async function serve(reply: (url: URL, number: number) => Reply): Promise<Service> {
  const requests: Service['requests'] = [];
  const server = http.createServer((request, response) => {
    const url = new URL(request.url!, 'http://127.0.0.1');
    requests.push({ url, headers: request.headers });
    const { status = 200, body, headers = {}, hangs } = reply(url, requests.length);
    if (!hangs) {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
