import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { programPath } from '../tools/go-tools';
import { BenchProcess } from './process';
import { freePort, temporaryFolder } from './temporary';

/** What a query of Prometheus answers: series with their labels, and their values by time. */
export interface PrometheusSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [time: number, value: string])[];
}

/** A running Prometheus. */
export interface PrometheusProgram {
  /** What a query answers for one moment. */
  query(expression: string, at?: number): Promise<PrometheusSeries[]>;
  /** What it answers for a time, every second of it. In seconds since 1970. */
  queryRange(expression: string, from: number, until: number): Promise<PrometheusSeries[]>;
  /** Values of a label of a metric, as variables of a dashboard ask for them. */
  labelValues(label: string, metric: string): Promise<string[]>;
  /** Addresses that it asks, and what was wrong with their last answer. */
  targets(): Promise<{ readonly job: string; readonly health: string; readonly lastError: string }[]>;
}

/**
 * Starts a Prometheus that asks each second.
 *
 * @param jobs addresses by job; labels of a Pushgateway's series are those that were pushed
 */
export async function prometheusProgram(jobs: Readonly<Record<string, string>>): Promise<PrometheusProgram> {
  const folder = temporaryFolder('prometheus');
  const port = await freePort();
  const configuration = {
    global: { scrape_interval: '1s', scrape_timeout: '1s' },
    scrape_configs: Object.entries(jobs).map(([job, address]) => ({
      ...{ job_name: job, honor_labels: job === 'pushgateway' },
      static_configs: [{ targets: [address] }],
    })),
  };
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(configuration));
  const url = `http://127.0.0.1:${port}`;
  await new BenchProcess({
    name: 'prometheus',
    command: programPath('prometheus'),
    args: [
      ...['--config.file=prometheus.yml', '--storage.tsdb.path=data'],
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    folder,
  }).start(() => answersWell(`${url}/-/ready`));
  const ask = async (path: string, parameters: Readonly<Record<string, string>>): Promise<any> => {
    const answer = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(parameters).toString()}`);
    const { status, data, error } = await answer.json();
    if (status !== 'success') {
      throw new Error(`${path} ${JSON.stringify(parameters)}: ${error}`);
    }
    return data;
  };
  return {
    query: async (query, at = Date.now() / 1_000) => {
      const { result } = await ask('query', { query, time: String(at) });
      return result.map(({ metric, value }: any) => ({ metric, values: [value] }));
    },
    queryRange: async (query, from, until) =>
      (await ask('query_range', { query, start: String(from), end: String(until), step: '1' })).result,
    labelValues: (label, metric) => ask(`label/${label}/values`, { 'match[]': metric }),
    targets: async () =>
      (await ask('targets', {})).activeTargets.map(({ labels, health, lastError }: any) => ({
        ...{ job: labels.job, health, lastError },
      })),
  };
}

/** Starts a Pushgateway, and answers its address. */
export async function pushgatewayProgram(): Promise<string> {
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  await new BenchProcess({
    name: 'pushgateway',
    command: programPath('pushgateway'),
    args: [`--web.listen-address=${address}`],
    folder: temporaryFolder('pushgateway'),
  }).start(() => answersWell(`http://${address}/-/ready`));
  return address;
}

/** A span as OTLP has it in JSON. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly events?: readonly {
    readonly name: string;
    readonly attributes: readonly { key: string; value: object }[];
  }[];
}

/** Starts an OpenTelemetry Collector that takes OTLP over HTTP. */
export async function collectorProgram(): Promise<{
  /** Its endpoint. */
  readonly url: string;
  /** All spans that it has got. */
  readonly spans: () => CollectedSpan[];
}> {
  const folder = temporaryFolder('collector');
  const port = await freePort();
  const file = join(folder, 'traces.json');
  const settings = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: { file: { path: file, flush_interval: '200ms' } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: { receivers: ['otlp'], exporters: ['file'] } },
    },
  };
  writeFileSync(join(folder, 'collector.yaml'), JSON.stringify(settings));
  const url = `http://127.0.0.1:${port}`;
  await new BenchProcess({
    name: 'otel-collector',
    command: programPath('otel-collector'),
    args: ['--config', join(folder, 'collector.yaml')],
    folder,
  }).start(() => answersWell(`${url}/v1/traces`, { method: 'POST', body: '{}' }));
  return {
    url,
    spans: () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .flatMap((line) => JSON.parse(line).resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans),
  };
}

async function answersWell(url: string, { method = 'GET', body }: { method?: string; body?: string } = {}) {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method, ...(body !== undefined && { body, headers }) })).ok;
}
