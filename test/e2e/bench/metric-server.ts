import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import { runInNewContext } from 'node:vm';
import { evaluateQuery } from '../../manifests/rollouts/promql';
import { onCleanUp } from './clean-up';
import { freePort } from './temporary';

/** What an application has: numbers by their names. Those of counts are for each second, or minute. */
export type Figures = Readonly<Record<string, number>>;

/** Prometheus, Datadog and CloudWatch on 127.0.0.1, over figures that a test gives. */
export interface MetricServer {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Figures by application; a query names it as the label or dimension `app`. */
  readonly figures: Map<string, Figures>;
  /** What it was asked: the query, and who asked. */
  readonly asked: { readonly query: string; readonly headers: IncomingMessage['headers'] }[];
}

/** Starts one in the test's process. */
export async function metricServer(): Promise<MetricServer> {
  const figures: MetricServer['figures'] = new Map();
  const asked: MetricServer['asked'] = [];
  const of = (query: string): number | undefined =>
    figures.get(/app[=:]"?([\w-]+)/.exec(query)?.[1] ?? '')?.[/^(?:sum:)?(\w+)/.exec(query)![1]!];
  const answers: Readonly<Record<string, (body: string) => [string, string]>> = {
    '/api/v1/query': (body) => {
      const [query, time] = ['query', 'time'].map((name) => new URLSearchParams(body).get(name)!);
      const leaf = (name: string): number[] => [of(name)].flatMap((value) => value ?? []);
      const result = evaluateQuery(query!, leaf, Number(time)).map((value) => ({
        metric: {},
        value: [Number(time), value === Infinity ? '+Inf' : String(value)],
      }));
      return [query!, JSON.stringify({ status: 'success', data: { resultType: 'vector', result } })];
    },
    '/api/v2/query/scalar': (body) => {
      const { queries, formulas } = JSON.parse(body).data.attributes;
      const values = Object.fromEntries(queries.map(({ name, query }: any) => [name, of(query) ?? null]));
      const columns = [
        { name: 'a', type: 'number', values: [formulaOf(formulas[0]?.formula ?? 'query', values)] },
      ];
      return [body, JSON.stringify({ data: { type: 'scalar_response', attributes: { columns } } })];
    },
    '/': (body) => [body, metricData(new URLSearchParams(body), figures)],
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const [path = '', inUrl] = request.url!.split('?');
      try {
        const [query, answer] = answers[path]!(Buffer.concat(parts).toString() || inUrl!);
        asked.push({ query, headers: request.headers });
        response.setHeader('content-type', answer.startsWith('<') ? 'text/xml' : 'application/json');
        response.end(answer);
      } catch (error) {
        response.writeHead(400).end(String(error));
      }
    });
  });
  const port = await freePort();
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  onCleanUp(async () => {
    const closed = new Promise((done) => server.close(done));
    server.closeAllConnections();
    await closed;
  });
  return { url: `http://127.0.0.1:${port}`, figures, asked };
}

/** Datadog's formulas, as far as templates use them: what is computed from nothing is nothing. */
function formulaOf(formula: string, values: Readonly<Record<string, number | null>>): number | null {
  const known = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? NaN]));
  const orZero = (value: number): number => (Number.isNaN(value) ? 0 : value);
  const script = formula.replaceAll('default_zero(', 'orZero(');
  const result = runInNewContext(script, { abs: Math.abs, orZero, ...known }) as number;
  return Number.isFinite(result) ? result : null;
}

/** The answer to `GetMetricData` in AWS's query protocol: the newest point first, the minute that goes on among them. */
function metricData(asked: URLSearchParams, figures: MetricServer['figures']): string {
  const results: string[] = [];
  for (let member = 1; asked.has(`MetricDataQueries.member.${member}.Id`); member += 1) {
    const of = (field: string): string => asked.get(`MetricDataQueries.member.${member}.${field}`) ?? '';
    const name = of('MetricStat.Metric.MetricName');
    const app = of('MetricStat.Metric.Dimensions.member.1.Value');
    const value = figures.get(app)?.[name];
    const [from, to] = ['StartTime', 'EndTime'].map((each) => Date.parse(asked.get(each)!));
    const points: string[] = [];
    const values: string[] = [];
    for (let at = Math.floor(to! / 60_000) * 60_000; value !== undefined && at >= from!; at -= 60_000) {
      const isOver = at + 60_000 <= to!;
      points.push(`<member>${new Date(at).toISOString()}</member>`);
      // Requests are there at once, and how they ended follows.
      values.push(`<member>${isOver || name === 'RequestCount' ? value : 0}</member>`);
    }
    results.push(
      `<member><Id>${of('Id')}</Id><Label>${name}</Label><StatusCode>Complete</StatusCode>` +
        `<Timestamps>${points.join('')}</Timestamps><Values>${values.join('')}</Values></member>`,
    );
  }
  return (
    '<GetMetricDataResponse xmlns="http://monitoring.amazonaws.com/doc/2010-08-01/"><GetMetricDataResult>' +
    `<MetricDataResults>${results.join('')}</MetricDataResults></GetMetricDataResult>` +
    '<ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></GetMetricDataResponse>'
  );
}
