import type { GetMetricDataCommandOutput, MetricDataQuery as SdkQuery } from '@aws-sdk/client-cloudwatch';
import type { AwsClients } from '../aws';
import { SourceError } from '../shift';
import { askAwsSource, everySourcePage } from './aws-source';
import type { MetricData, MetricDataQuery, MetricSeries } from './metric-data';

const reads = { action: 'cloudwatch:GetMetricData', subject: 'CloudWatch' };

/** The most queries that one call takes. */
const queriesAtOnce = 500;

/**
 * CloudWatch's metrics by `GetMetricData`.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html
 */
export function awsMetricData(clients: AwsClients): MetricData {
  return {
    query: async (queries, from, to, signal) => {
      const found: Found = new Map();
      for (let first = 0; first < queries.length; first += queriesAtOnce) {
        const some = queries.slice(first, first + queriesAtOnce);
        await queryAll(clients, some, from, to, found, signal);
      }
      return [...found.values()].map(({ id, points }): MetricSeries => ({
        id,
        points: points.sort(([one], [other]) => one - other),
      }));
    },
  };
}

/** Series by id and label: those of a search, or of GROUP BY, all have the id of their query. */
type Found = Map<string, { readonly id: string; readonly points: (readonly [number, number])[] }>;

async function queryAll(
  clients: AwsClients,
  queries: readonly MetricDataQuery[],
  from: number,
  to: number,
  found: Found,
  signal: AbortSignal | undefined,
): Promise<void> {
  await everySourcePage<never>(reads, async (token) => {
    const page = await onePage(clients, queries, from, to, token, signal);
    if (page.MetricDataResults === undefined) {
      throw new SourceError('CloudWatch: the answer has no results');
    }
    // As when there are more metrics than it reads: the rest is left out.
    const said = textOf(page.Messages);
    if (said !== '') {
      throw new SourceError(`CloudWatch: the answer is not whole (${said})`);
    }
    for (const {
      Id = '',
      Label,
      StatusCode,
      Timestamps = [],
      Values = [],
      Messages = [],
    } of page.MetricDataResults) {
      // PartialData is what every page but the last one says.
      if (
        StatusCode === 'Forbidden' ||
        StatusCode === 'InternalError' ||
        (StatusCode === 'PartialData' && !page.NextToken)
      ) {
        const why = textOf(Messages);
        throw new SourceError(
          `CloudWatch: no figures for the query ${Id} (${Label ?? ''}): ${StatusCode}${why && ` (${why})`}`,
        );
      }
      if (Timestamps.length !== Values.length) {
        throw new SourceError(`CloudWatch: the answer to the query ${Id} has not one value for each time`);
      }
      const key = JSON.stringify([Id, Label]);
      const series = found.get(key) ?? { id: Id, points: [] };
      Timestamps.forEach((time, index) => series.points.push([time.getTime(), Values[index]!]));
      found.set(key, series);
    }
    return { items: [], next: page.NextToken };
  });
  const missing = queries.filter(
    ({ Id, MetricStat, ReturnData }) =>
      MetricStat && ReturnData !== false && ![...found.values()].some(({ id }) => id === Id),
  );
  if (missing.length > 0) {
    throw new SourceError(`CloudWatch: no result for the query ${missing[0]!.Id}`);
  }
}

function textOf(messages: GetMetricDataCommandOutput['Messages'] = []): string {
  return messages.map(({ Code, Value }) => `${Code}: ${Value}`).join('; ');
}

async function onePage(
  clients: AwsClients,
  queries: readonly MetricDataQuery[],
  from: number,
  to: number,
  next: string | undefined,
  signal: AbortSignal | undefined,
): Promise<GetMetricDataCommandOutput> {
  return askAwsSource(clients, reads, signal, async () =>
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
