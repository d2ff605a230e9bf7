import type { GetMetricDataCommandOutput, MetricDataQuery as SdkQuery } from '@aws-sdk/client-cloudwatch';
import type { AwsClients } from '../../../core/aws/clients';
import { AwsError, callAws } from '../../../core/aws/errors';
import type { AwsCall } from '../../../core/aws/errors';
import { everyPage } from '../../../core/aws/pages';
import type { Page } from '../../../core/aws/pages';
import { SourceError } from '../../engine';
import type { AlarmState, MetricData, MetricDataQuery, MetricSeries } from '../check-context';

/**
 * Asks AWS for a check.
 *
 * @throws SourceError for every failure; the signal's reason where that is aborted
 */
export async function askAwsSource<Answer>(
  { region }: Pick<AwsClients, 'region'>,
  call: { readonly action: string; readonly subject: string },
  signal: AbortSignal | undefined,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await callAws({ ...call, region }, ask);
  } catch (error) {
    signal?.throwIfAborted();
    throw new SourceError((error as Error).message, { cause: error });
  }
}

/**
 * All pages of a list of a service of AWS.
 *
 * @throws SourceError where it does not end
 */
async function everySourcePage<Item>(
  call: AwsCall,
  ask: (token: string | undefined) => Promise<Page<Item, string>>,
): Promise<readonly Item[]> {
  try {
    return await everyPage(call, ask);
  } catch (error) {
    throw error instanceof AwsError ? new SourceError(error.message, { cause: error }) : error;
  }
}

/** Most names that one call takes. */
export const namesACall = 100;

export async function describe(
  clients: AwsClients,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly AlarmState[]> {
  const call = { action: 'cloudwatch:DescribeAlarms', subject: 'CloudWatch alarms' };
  return everySourcePage(call, async (token) => {
    const page = await askAwsSource(clients, call, signal, async () => {
      const client = await clients.cloudWatch();
      return client.describeAlarms(
        {
          AlarmNames: [...names],
          // Without it, only metric alarms are looked for.
          AlarmTypes: ['MetricAlarm', 'CompositeAlarm'],
          MaxRecords: namesACall,
          ...(token === undefined ? {} : { NextToken: token }),
        },
        { abortSignal: signal },
      );
    });
    const alarms = [...(page.MetricAlarms ?? []), ...(page.CompositeAlarms ?? [])];
    const items = alarms.flatMap(({ AlarmName, StateValue }): AlarmState[] =>
      AlarmName === undefined ? [] : [{ name: AlarmName, state: StateValue ?? 'unknown' }],
    );
    return { items, next: page.NextToken };
  });
}

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
