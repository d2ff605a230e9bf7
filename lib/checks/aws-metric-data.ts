import type { GetMetricDataCommandOutput, MetricDataQuery as SdkQuery } from '@aws-sdk/client-cloudwatch';
import type { AwsClients } from '../aws';
import { SourceError } from '../shift';
import { askAwsSource } from './aws-source';
import type { MetricData, MetricDataQuery, MetricSeries } from './metric-data';

/** The most queries that one call takes. */
const queriesAtOnce = 500;

/**
 * CloudWatch's metrics by `GetMetricData`.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html
 */
export function awsMetricData(clients: AwsClients): MetricData {
  return {
    query: async (queries, from, to, signal) => {
      const found = new Map<string, (readonly [number, number])[]>();
      for (let first = 0; first < queries.length; first += queriesAtOnce) {
        const some = queries.slice(first, first + queriesAtOnce);
        await queryAll(clients, some, from, to, found, signal);
      }
      return [...found].map(([id, points]): MetricSeries => ({
        id,
        points: points.sort(([one], [other]) => one - other),
      }));
    },
  };
}

async function queryAll(
  clients: AwsClients,
  queries: readonly MetricDataQuery[],
  from: number,
  to: number,
  found: Map<string, (readonly [number, number])[]>,
  signal: AbortSignal | undefined,
): Promise<void> {
  let next: string | undefined;
  do {
    const page = await onePage(clients, queries, from, to, next, signal);
    for (const {
      Id = '',
      Label,
      StatusCode,
      Timestamps = [],
      Values = [],
      Messages = [],
    } of page.MetricDataResults ?? []) {
      // PartialData is what every page but the last one says.
      if (
        StatusCode === 'Forbidden' ||
        StatusCode === 'InternalError' ||
        (StatusCode === 'PartialData' && !page.NextToken)
      ) {
        const said = Messages.map(({ Code, Value }) => `${Code}: ${Value}`).join('; ');
        throw new SourceError(
          `CloudWatch: no figures for the query ${Id} (${Label ?? ''}): ${StatusCode}${said && ` (${said})`}`,
        );
      }
      const points = found.get(Id) ?? [];
      Timestamps.forEach((time, index) => points.push([time.getTime(), Values[index]!]));
      found.set(Id, points);
    }
    next = page.NextToken;
  } while (next !== undefined);
}

async function onePage(
  clients: AwsClients,
  queries: readonly MetricDataQuery[],
  from: number,
  to: number,
  next: string | undefined,
  signal: AbortSignal | undefined,
): Promise<GetMetricDataCommandOutput> {
  const call = { action: 'cloudwatch:GetMetricData', subject: 'CloudWatch' };
  return askAwsSource(clients, call, signal, async () =>
    (await clients.cloudWatch()).getMetricData(
      {
        MetricDataQueries: queries as SdkQuery[],
        StartTime: new Date(from),
        EndTime: new Date(to),
        ScanBy: 'TimestampAscending',
        NextToken: next,
      },
      { abortSignal: signal },
    ),
  );
}
