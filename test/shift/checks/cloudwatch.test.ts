import { awsMetricData, checkProblems, cloudWatch, createChecks } from '../../../lib/shift/checks';
import { contextOf, metricsOf, minute, start, subject, window as anyWindow } from './metric-samples';

/** The figures of three minutes are there. */
const window = { ...anyWindow, to: start + 5 * minute };

const green = (requests: (number | null)[], good: (number | null)[]) => ({
  'green RequestCount': requests,
  'green HTTPCode_Target_2XX_Count': good,
});

async function evaluate(settings: any, table: Record<string, (number | null)[]>, change = {}) {
  const data = metricsOf(table);
  const [check] = createChecks([settings], contextOf({ metricData: () => data }));
  return { ...(await check!.evaluate({ ...window, ...change })), asked: data.asked };
}

describe('cloudWatch.errorShare', () => {
  const settings = cloudWatch.errorShare({ max: 0.01, minRequests: 200 });

  test.each<[string, Record<string, (number | null)[]>, string, number | null]>([
    ['no errors', green([100, 100, 100], [100, 100, 100]), 'pass', 0],
    [
      'redirects and clients’ errors are none',
      {
        ...green([300], [100]),
        'green HTTPCode_Target_3XX_Count': [150],
        'green HTTPCode_Target_4XX_Count': [50],
      },
      'pass',
      0,
    ],
    [
      'refused connections, of which no target tells',
      green([100, 100, 100], [100, 90, 100]),
      'fail',
      10 / 300,
    ],
    ['the newest minute lacks 2XX', green([100, 100, 100], [100, 100, 90]), 'inconclusive', 10 / 300],
    ['an older minute lacks them, too', green([100, 100, 100], [100, 90, 90]), 'fail', 20 / 300],
    [
      'the newest minute, by failures that were counted',
      { ...green([100, 100, 100], [100, 100, 90]), 'green HTTPCode_Target_5XX_Count': [0, 0, 10] },
      'fail',
      10 / 300,
    ],
    [
      'failures that were counted, of requests that are late themselves',
      { ...green([1000, 1000, 500], [1000, 1000, 450]), 'green HTTPCode_Target_5XX_Count': [null, null, 20] },
      'inconclusive',
      50 / 2500,
    ],
    [
      'an outage of which only the load balancer tells',
      { ...green([1000, 1000, 1000], [1000, 1000, 0]), HTTPCode_ELB_5XX_Count: [null, null, 1000] },
      'fail',
      1000 / 3000,
    ],
    [
      'late 2XX beside a few failures of another rule’s targets',
      { ...green([1000, 1000, 1000], [1000, 1000, 950]), HTTPCode_ELB_5XX_Count: [null, null, 400] },
      'inconclusive',
      50 / 3000,
    ],
    [
      'failures that were counted, however many good answers there are',
      { ...green([300, 300, 300], [300, 300, 300]), 'green HTTPCode_Target_5XX_Count': [30, 30, 30] },
      'fail',
      0.1,
    ],
    ['an outage without one good answer', green([300], []), 'fail', 1],
    ['a minute without requests has no errors', green([150, null, 150], [150, null, 150]), 'pass', 0],
    ['a minute of good answers without requests', green([200, null], [200, 50]), 'pass', 0],
    ['the minute that is not over yet', green([300, 0, 0, 500], [300, 0, 0, 0]), 'pass', 0],
    ['too few requests', green([199], [0]), 'inconclusive', 1],
    ['nothing', {}, 'inconclusive', null],
    ['the old slot alone', { 'blue RequestCount': [900], ...green([300], [300]) }, 'pass', 0],
  ])('%s', async (_name, table, status, share) => {
    const result = await evaluate(settings, table);
    expect([result.status, result.reason]).toEqual([status, result.reason]);
    const figure = result.figures.find(({ name }) => name === 'error share')!;
    expect(figure).toMatchObject({ slot: 'green', unit: 'share', max: 0.01 });
    if (share === null) {
      expect(figure.value).toBeNull();
    } else {
      expect(figure.value).toBeCloseTo(share, 9);
    }
  });

  test('asks for raw sums of each target group, by the minute, of whole minutes only', async () => {
    const { asked } = await evaluate(settings, green([300], [300]));
    expect(asked).toHaveLength(1);
    expect([asked[0]!.from, asked[0]!.to]).toEqual([start, start + 3 * minute]);
    const plain = asked[0]!.queries.map(({ Id, MetricStat, Expression }) => ({
      Id,
      Expression,
      ...MetricStat,
    }));
    expect(
      plain.every(({ Expression, Stat, Period }) => !Expression && Stat === 'Sum' && Period === 60),
    ).toBe(true);
    expect(plain.map(({ Metric }) => Metric!.MetricName)).toEqual([
      ...[
        'RequestCount',
        'HTTPCode_Target_2XX_Count',
        'HTTPCode_Target_3XX_Count',
        'HTTPCode_Target_4XX_Count',
        'HTTPCode_Target_5XX_Count',
      ],
      ...[
        'RequestCount',
        'HTTPCode_Target_2XX_Count',
        'HTTPCode_Target_3XX_Count',
        'HTTPCode_Target_4XX_Count',
        'HTTPCode_Target_5XX_Count',
      ],
      'HTTPCode_ELB_5XX_Count',
    ]);
    expect(plain[5]!.Metric).toEqual({
      Namespace: 'AWS/ApplicationELB',
      MetricName: 'RequestCount',
      Dimensions: [
        { Name: 'TargetGroup', Value: 'targetgroup/green/83e2d6bc24d8a068' },
        { Name: 'LoadBalancer', Value: 'app/edge/50dc6c495c0c9188' },
      ],
    });
    expect(plain[10]!.Metric!.Dimensions).toEqual([
      { Name: 'LoadBalancer', Value: 'app/edge/50dc6c495c0c9188' },
    ]);
    expect(new Set(plain.map(({ Id }) => Id)).size).toBe(11);
    expect(plain.every(({ Id }) => /^[a-z]\w*$/.test(Id))).toBe(true);
  });

  test('errors of the load balancer itself are shown and not judged', async () => {
    const result = await evaluate(settings, { ...green([300], [300]), HTTPCode_ELB_5XX_Count: [40, 2] });
    expect(result.status).toBe('pass');
    const figure = result.figures.find(({ name }) => name.includes('5XX'));
    expect(figure).toEqual({ name: expect.any(String), value: 42, unit: 'count' });
  });

  test.each([
    ['no whole minute since the write', { from: start + 2 * minute + 1 }, 'inconclusive'],
    ['the first one is over, but its figures are not there', { to: start + 3 * minute - 1 }, 'inconclusive'],
    ['the first one is there', { to: start + 3 * minute }, 'fail'],
  ])('%s', async (_name, change, status) => {
    const result = await evaluate(
      cloudWatch.errorShare({ max: 0.01, onNoData: 'pass' }),
      { ...green([300, 300], [0, 0]), 'green HTTPCode_Target_5XX_Count': [300, 300] },
      change,
    );
    expect(result.status).toBe(status);
  });
});

describe('cloudWatch.slowShare', () => {
  const settings = cloudWatch.slowShare({ above: '500ms', max: 0.05, minRequests: 100 });

  test.each([
    ['few are slow', 4, 'pass'],
    ['many are slow', 6, 'fail'],
    ['none is: the statistic has no point', null, 'pass'],
  ])('%s', async (_name, slow, status) => {
    const result = await evaluate(settings, {
      'green TargetResponseTime SampleCount': [100],
      'green TargetResponseTime TC(0.5:100000)': [slow],
    });
    expect(result.status).toBe(status);
  });

  test.each([
    ['1s', 'TC(1:100000)'],
    ['10s', 'TC(10:100000)'],
    ['1.25s', 'TC(1.25:100000)'],
    ['100us', 'TC(0.0001:100000)'],
  ])('%s is %s', async (above, stat) => {
    const { asked } = await evaluate(cloudWatch.slowShare({ above, max: 0.05 }), {});
    expect(asked[0]!.queries.map(({ MetricStat }) => MetricStat!.Stat)).toContain(stat);
  });
});

describe('cloudWatch.comparison', () => {
  const both = (blueGood: number, greenGood: number, slow = 0) => ({
    'blue RequestCount': [9000, 9000, 9000],
    'blue HTTPCode_Target_2XX_Count': [blueGood, blueGood, blueGood],
    'blue TargetResponseTime TC(1:100000)': [90, 90, 90],
    'green RequestCount': [1000, 1000, 1000],
    'green HTTPCode_Target_2XX_Count': [greenGood, greenGood, greenGood],
    'green TargetResponseTime TC(1:100000)': [slow, slow, slow],
    'blue TargetResponseTime SampleCount': [9000, 9000, 9000],
    'green TargetResponseTime SampleCount': [1000, 1000, 1000],
  });

  test.each([
    ['as good as the old one', both(8990, 999), 'pass'],
    ['an outage', both(8990, 0), 'fail'],
    [
      'an outage by the newest minute alone',
      {
        ...both(8990, 999),
        'green RequestCount': [null, null, 1000],
        'green HTTPCode_Target_2XX_Count': [null, null, null],
      },
      'inconclusive',
    ],
    [
      'the same, counted as failures',
      {
        ...both(8990, 999),
        'green RequestCount': [null, null, 1000],
        'green HTTPCode_Target_2XX_Count': [null, null, null],
        'green HTTPCode_Target_5XX_Count': [null, null, 1000],
      },
      'fail',
    ],
    [
      'a twentieth of the newest minute’s 2XX is late',
      { ...both(8990, 999), 'green HTTPCode_Target_2XX_Count': [1000, 1000, 950] },
      'pass',
    ],
    ['an outage of both', both(0, 0), 'pass'],
  ])('%s', async (_name, table, status) => {
    expect((await evaluate(cloudWatch.comparison({ warmUp: '0s' }), table)).status).toBe(status);
  });

  test('slow requests are compared where they are asked for', async () => {
    const table = both(8990, 999, 900);
    expect((await evaluate(cloudWatch.comparison({ warmUp: '0s' }), table)).status).toBe('pass');
    const result = await evaluate(cloudWatch.comparison({ warmUp: '0s', slowAbove: '1s' }), table);
    expect([result.status, result.reason]).toEqual([
      'fail',
      'green: regression, by its share of slow requests after 3000 requests',
    ]);
  });

  test('asks from half an hour before the shift on', async () => {
    const { asked } = await evaluate(cloudWatch.comparison(), {});
    expect(asked[0]!.from).toBe(start - 30 * minute);
    const short = await evaluate(cloudWatch.comparison({ history: '5m' }), {});
    expect(short.asked[0]!.from).toBe(start - 5 * minute);
  });
});

describe('cloudWatch.metric', () => {
  const p99 = {
    namespace: 'AWS/ApplicationELB',
    metric: 'TargetResponseTime',
    dimensions: { TargetGroup: '{{targetGroup}}', LoadBalancer: '{{loadBalancer}}' },
    stat: 'p99',
  };

  test.each<[string, object, (number | null)[], string]>([
    ['the last point is within', { max: 1 }, [9, 9, 1], 'pass'],
    ['the last points are beyond', { max: 1 }, [0, 1.2, 1.1], 'fail'],
    ['the last point alone is beyond, which may be incomplete', { max: 1 }, [0, 0, 1.1], 'inconclusive'],
    ['below the lower bound', { min: 0.5 }, [0, 0.3, 0.4], 'fail'],
    ['a bound that is absent is no zero', { min: -5 }, [-1, -1, -1], 'pass'],
    ['a bound of zero', { max: 0 }, [0, 0.1, 0.1], 'fail'],
    ['the largest', { max: 1, aggregate: 'max' }, [9, 0, 0], 'fail'],
    ['the mean', { max: 3, aggregate: 'avg' }, [9, 0, 0], 'pass'],
    ['the sum', { max: 5, aggregate: 'sum' }, [3, 3, 3], 'fail'],
    ['no data', { max: 1 }, [], 'inconclusive'],
    ['no data is a failure', { max: 1, onNoData: 'fail' }, [], 'fail'],
    ['no data is fine', { max: 1, onNoData: 'pass' }, [], 'pass'],
    ['the minute under way does not count', { max: 1 }, [1, 1, 1, 9], 'pass'],
  ])('%s', async (_name, bounds, values, status) => {
    const settings = cloudWatch.metric({ ...p99, ...bounds });
    const result = await evaluate(settings, { 'green TargetResponseTime p99': values });
    expect([result.status, result.reason]).toEqual([status, result.reason]);
  });

  test('of queries that are templates, one for each evaluated slot', async () => {
    const settings = cloudWatch.metric({
      max: 1,
      slots: ['blue', 'green'],
      queries: [
        {
          Id: 'a',
          ReturnData: false,
          MetricStat: {
            Metric: { Namespace: 'App', MetricName: 'x', Dimensions: [{ Name: 'C', Value: '{{cluster}}' }] },
            Period: 60,
            Stat: 'Sum',
          },
        },
        { Id: 'b', Expression: 'a * 2', Label: '{{slot}}' },
      ],
    });
    const { asked } = await evaluate(settings, {});
    expect(
      asked.map(({ queries }) => [queries[0]!.MetricStat!.Metric.Dimensions![0]!.Value, queries[1]!.Label]),
    ).toEqual([
      ['apps-blue', 'blue'],
      ['apps-green', 'green'],
    ]);
  });

  test('looks back a minute at least', async () => {
    const settings = cloudWatch.metric({ ...p99, max: 1, over: '10s' });
    const { asked } = await evaluate(settings, {});
    expect([asked[0]!.from, asked[0]!.to]).toEqual([start + 2 * minute, start + 3 * minute]);
  });

  test('before a whole minute, no data is not judged', async () => {
    const settings = cloudWatch.metric({ ...p99, max: 1, onNoData: 'fail' });
    const result = await evaluate(settings, {}, { to: start + 3 * minute - 1 });
    expect([result.status, result.asked]).toEqual(['inconclusive', []]);
  });

  test('too few requests', async () => {
    const settings = cloudWatch.metric({ ...p99, max: 1, minRequests: 100 });
    const result = await evaluate(settings, {
      'green TargetResponseTime p99': [9, 9, 9],
      ...green([33, 33, 33], []),
    });
    expect([result.status, result.reason]).toEqual(['inconclusive', 'green: 99 of at least 100 requests']);
  });
});

describe('bad settings', () => {
  const network = { ...subject, layer: 'connections' as const };
  test.each<[string, unknown, typeof subject, string[]]>([
    ['NLB', { 'cloudWatch.errorShare': { max: 0.1 } }, network, ['checks[0].cloudWatch.errorShare']],
    [
      'a choice of slots that nothing asks for',
      { 'cloudWatch.metric': { namespace: 'App', metric: 'x', max: 1, slots: ['green'] } },
      subject,
      ['checks[0].cloudWatch.metric.slots'],
    ],
    [
      'DNS',
      { 'cloudWatch.comparison': {} },
      { ...subject, layer: 'names' } as never,
      ['checks[0].cloudWatch.comparison'],
    ],
    ['no bound', { 'cloudWatch.errorShare': {} }, subject, ['checks[0].cloudWatch.errorShare.max']],
    [
      'a percentage',
      { 'cloudWatch.errorShare': { max: 5 } },
      subject,
      ['checks[0].cloudWatch.errorShare.max'],
    ],
    [
      'an unknown slot',
      { 'cloudWatch.errorShare': { max: 0.1, slots: ['red'] } },
      subject,
      ['checks[0].cloudWatch.errorShare.slots[0]'],
    ],
    [
      'a duration without a unit',
      { 'cloudWatch.errorShare': { max: 0.1, over: '5' } },
      subject,
      ['checks[0].cloudWatch.errorShare.over'],
    ],
    [
      'an unknown key',
      { 'cloudWatch.errorShare': { max: 0.1, minimum: 1 } },
      subject,
      ['checks[0].cloudWatch.errorShare.minimum'],
    ],
    [
      'several at once',
      { 'cloudWatch.slowShare': { max: '1', onNoData: 'ok' } },
      subject,
      [
        'checks[0].cloudWatch.slowShare.onNoData',
        'checks[0].cloudWatch.slowShare.max',
        'checks[0].cloudWatch.slowShare.above',
      ],
    ],
    [
      'min above max',
      { 'cloudWatch.metric': { namespace: 'a', metric: 'b', min: 2, max: 1 } },
      subject,
      ['checks[0].cloudWatch.metric.min'],
    ],
    [
      'an unknown variable',
      { 'cloudWatch.metric': { namespace: 'a', metric: '{{tg}}', max: 1 } },
      subject,
      ['checks[0].cloudWatch.metric.dimensions'],
    ],
    [
      'two queries that return data',
      {
        'cloudWatch.metric': {
          max: 1,
          queries: [
            { Id: 'a', Expression: '1' },
            { Id: 'b', Expression: '2' },
          ],
        },
      },
      subject,
      ['checks[0].cloudWatch.metric.queries'],
    ],
    [
      'queries and a metric',
      { 'cloudWatch.metric': { max: 1, metric: 'x', queries: [{ Id: 'a', Expression: '1' }] } },
      subject,
      ['checks[0].cloudWatch.metric.metric'],
    ],
    [
      'alpha',
      { 'cloudWatch.comparison': { alpha: 1, regression: { ratio: 0.5, relative: 2 } } },
      subject,
      [
        'checks[0].cloudWatch.comparison.alpha',
        'checks[0].cloudWatch.comparison.regression.relative',
        'checks[0].cloudWatch.comparison.regression.ratio',
      ],
    ],
  ])('%s', (_name, settings, of, paths) => {
    expect(checkProblems([settings], of).map(({ path }) => path)).toEqual(paths);
  });

  test('an ARN that is not known is found before anybody is asked', () => {
    const without = { ...subject, loadBalancerArn: undefined, slots: { blue: {}, green: {} } };
    const settings = cloudWatch.errorShare({ max: 0.1 });
    expect(checkProblems([settings], without)).toEqual([]);
    expect(() =>
      createChecks([settings], contextOf({ subject: without, metricData: () => metricsOf({}) })),
    ).toThrow(/\{\{loadBalancer\}\}: nothing: must be known for the load balancer/);
  });
});

describe('GetMetricData', () => {
  const query = { Id: 'a', Expression: '1' };
  const clients = (answers: any[], inputs: any[] = []): any => ({
    region: 'eu-west-1',
    cloudWatch: () =>
      Promise.resolve({
        getMetricData: (input: any) => {
          inputs.push(input);
          const answer = answers.shift();
          return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
        },
      }),
  });
  const page = (StatusCode: string, at: number, value: number, NextToken?: string) => ({
    NextToken,
    MetricDataResults: [{ Id: 'a', Label: 'x', StatusCode, Timestamps: [new Date(at)], Values: [value] }],
  });

  test('reads every page, in order of time', async () => {
    const inputs: any[] = [];
    const data = awsMetricData(
      clients([page('PartialData', 2000, 2, 'more'), page('Complete', 1000, 1)], inputs),
    );
    expect(await data.query([query], 0, 60_000)).toEqual([
      {
        id: 'a',
        points: [
          [1000, 1],
          [2000, 2],
        ],
      },
    ]);
    expect(
      inputs.map(({ NextToken, StartTime, EndTime }) => [NextToken, StartTime.getTime(), EndTime.getTime()]),
    ).toEqual([
      [undefined, 0, 60_000],
      ['more', 0, 60_000],
    ]);
  });

  test('series of one query stay apart: those of a search all have its id', async () => {
    const of = (Label: string, value: number) => ({
      ...page('Complete', 1000, value).MetricDataResults[0]!,
      Label,
    });
    const data = awsMetricData(clients([{ MetricDataResults: [of('bad', 9), of('good', 0)] }]));
    expect(await data.query([query], 0, 60_000)).toEqual([
      { id: 'a', points: [[1000, 9]] },
      { id: 'a', points: [[1000, 0]] },
    ]);
  });

  const plain = {
    Id: 'a',
    MetricStat: { Metric: { Namespace: 'App', MetricName: 'x' }, Period: 60, Stat: 'Sum' },
  };
  test.each<[string, any]>([
    ['no results at all', {}],
    ['no result for a query', { MetricDataResults: [] }],
    ['more metrics than it reads', { ...page('Complete', 0, 0), Messages: [{ Code: 'MaxMetricsExceeded' }] }],
    [
      'a time without a value',
      { MetricDataResults: [{ Id: 'a', StatusCode: 'Complete', Timestamps: [new Date(0)], Values: [] }] },
    ],
  ])('%s is a fault of the source', async (_name, answer) => {
    const failed = awsMetricData(clients([answer])).query([plain], 0, 60_000);
    await expect(failed).rejects.toMatchObject({ name: 'SourceError' });
  });

  test.each<[string, any]>([
    ['Forbidden', page('Forbidden', 0, 0)],
    ['InternalError', page('InternalError', 0, 0)],
    ['PartialData', page('PartialData', 0, 0)],
    [
      'AccessDenied',
      Object.assign(new Error('no right'), { name: 'AccessDenied', $metadata: { httpStatusCode: 403 } }),
    ],
  ])('%s is a fault of the source', async (_name, answer) => {
    const failed = awsMetricData(clients([answer])).query([query], 0, 60_000);
    await expect(failed).rejects.toMatchObject({
      name: 'SourceError',
      message: expect.stringContaining('CloudWatch'),
    });
  });

  test('an interrupt is no fault of the source', async () => {
    const interrupted = AbortSignal.abort(new Error('interrupted'));
    const answer = Object.assign(new Error('Request aborted'), { name: 'AbortError' });
    await expect(awsMetricData(clients([answer])).query([query], 0, 60_000, interrupted)).rejects.toThrow(
      'interrupted',
    );
  });
});
