import { settingsProblems } from '../../../lib/shift/checks';
import type { HttpRequest } from '../../../lib/core/http';
import type { AlarmState, CheckContext } from '../../../lib/shift/checks';
import { alarms, awsAlarms } from '../../../lib/shift/checks/cloudwatch/alarms';
import { datadog } from '../../../lib/shift/checks/datadog/kinds';
import { alertmanager } from '../../../lib/shift/checks/prometheus/alertmanager';
import { SourceError } from '../../../lib/shift/engine';
import { contextOf, subject, windowOf } from './health-samples';

const window = windowOf({ blue: 99, green: 1 });

/** A context whose HTTP answers what a test says, and what was asked. */
function http(answer: (request: HttpRequest) => { status?: number; json?: unknown; text?: string }) {
  const asked: HttpRequest[] = [];
  const context: CheckContext = contextOf({
    env: { DATADOG_API_KEY: 'key-one', DD_APP_KEY: 'key-two' },
    clock: { now: () => 0, sleep: () => Promise.resolve() },
    random: () => 0.5,
    readFile: () => Promise.resolve('hunter2\n'),
    http: {
      send: (request) => {
        asked.push(request);
        const { status = 200, json, text = JSON.stringify(json) } = answer(request);
        return Promise.resolve({ status, headers: {}, text });
      },
    },
  });
  return { context, asked };
}

describe('CloudWatch alarms', () => {
  const check = (names: readonly string[], found: readonly AlarmState[]) =>
    alarms.kind.create('alarms', { names }, contextOf({ alarms: { alarms: () => Promise.resolve(found) } }));
  const alarm = (name: string, state: string): AlarmState => ({ name, state });

  test.each([
    ['all is well', [alarm('a', 'OK'), alarm('b', 'OK')], 'pass', /a \(OK\), b \(OK\)/, 0],
    ['one is in alarm', [alarm('a', 'OK'), alarm('b', 'ALARM')], 'fail', /^in alarm: b$/, 1],
    [
      'one has no data',
      [alarm('a', 'OK'), alarm('b', 'INSUFFICIENT_DATA')],
      'inconclusive',
      /: b \(INSUFF/,
      0,
    ],
    ['an alarm beats missing data', [alarm('a', 'INSUFFICIENT_DATA'), alarm('b', 'ALARM')], 'fail', /: b/, 1],
    ['one is not there', [alarm('a', 'OK')], 'inconclusive', /: b \(not found\)$/, 0],
    ['none is there', [], 'inconclusive', /a \(not found\), b \(not found\)/, 0],
    [
      'a state that AWS adds',
      [alarm('a', 'toString'), alarm('b', 'OK')],
      'inconclusive',
      /a \(toString\)/,
      0,
    ],
  ])('%s', async (_name, alarms, status, reason, firing) => {
    const result = await check(['a', 'b', 'a'], alarms).evaluate(window);
    expect(result.status).toBe(status);
    expect(result.reason).toMatch(reason);
    expect(result.figures).toEqual([{ name: 'in alarm', value: firing, unit: 'count', max: 0 }]);
  });

  test('what it takes', () => {
    const paths = (args: object) =>
      settingsProblems(alarms.kind, args as never, subject).map(({ path }) => path);
    expect(paths({ names: ['a'] })).toEqual([]);
    expect(paths({})).toEqual(['names']);
    expect(paths({ names: [], region: 'x' })).toEqual(['region', 'names']);
    expect(check(['a'], []).stages).toEqual(['before', 'after']);
    expect(alarms.kind.permissions!({ names: ['a'] }, subject)).toEqual([
      { actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] },
    ]);
  });

  test('are asked for by a hundred, on every page, composite ones too', async () => {
    const asked: any[] = [];
    const clients: any = {
      cloudWatch: () =>
        Promise.resolve({
          describeAlarms: (input: any) => {
            asked.push(input);
            const [name] = input.AlarmNames;
            return Promise.resolve(
              input.NextToken
                ? { CompositeAlarms: [{ AlarmName: `composite-${name}`, StateValue: 'ALARM' }] }
                : { MetricAlarms: [{ AlarmName: name, StateValue: 'OK' }], NextToken: 'more' },
            );
          },
        }),
    };
    const names = Array.from({ length: 101 }, (_, each) => `a${each}`);
    expect(await awsAlarms(clients).alarms(names)).toEqual([
      { name: 'a0', state: 'OK' },
      { name: 'composite-a0', state: 'ALARM' },
      { name: 'a100', state: 'OK' },
      { name: 'composite-a100', state: 'ALARM' },
    ]);
    expect(asked.map(({ AlarmNames, NextToken }) => [AlarmNames.length, NextToken])).toEqual([
      [100, undefined],
      [100, 'more'],
      [1, undefined],
      [1, 'more'],
    ]);
    expect(asked[0].AlarmTypes).toEqual(['MetricAlarm', 'CompositeAlarm']);
  });

  test('a throttled CloudWatch is a failing source', async () => {
    const throttled = Object.assign(new Error('Rate exceeded'), { name: 'Throttling' });
    const clients: any = {
      cloudWatch: () => Promise.resolve({ describeAlarms: () => Promise.reject(throttled) }),
    };
    await expect(awsAlarms(clients).alarms(['a'])).rejects.toThrow(SourceError);
  });
});

describe('a monitor of Datadog', () => {
  test.each([
    ['OK', 'pass'],
    ['Warn', 'pass'],
    ['Alert', 'fail'],
    ['No Data', 'inconclusive'],
    ['Skipped', 'inconclusive'],
    ['Unknown', 'inconclusive'],
    ['Ignored', 'inconclusive'],
    ['constructor', 'inconclusive'],
    [undefined, 'inconclusive'],
  ])('%s: %s', async (state, status) => {
    const { context, asked } = http(() => ({ json: { id: 42, overall_state: state } }));
    const result = await datadog.monitor.kind
      .create('m', { id: 42, site: 'datadoghq.eu' }, context)
      .evaluate(window);
    expect(result.status).toBe(status);
    expect(result.reason).toBe(
      status === 'fail' ? 'in alarm: monitor 42' : `Datadog: monitor 42 (${state ?? 'no state'})`,
    );
    expect(asked.map(({ url }) => url.href)).toEqual(['https://api.datadoghq.eu/api/v1/monitor/42']);
    expect(asked[0]!.headers).toMatchObject({ 'DD-API-KEY': 'key-one', 'DD-APPLICATION-KEY': 'key-two' });
  });

  test('one that is not there, and one that may not be read, are failing sources; keys are in no message', async () => {
    for (const status of [403, 404]) {
      const { context } = http(() => ({ status, json: { errors: ['no key-one, no key-two'] } }));
      const error: Error = await datadog.monitor.kind
        .create('m', { id: 42 }, context)
        .evaluate(window)
        .catch((each) => each);
      expect(error).toBeInstanceOf(SourceError);
      expect(error.message).toContain(String(status));
      expect(error.message).not.toMatch(/key-(one|two)/);
    }
    const { context } = http(() => ({ json: {} }));
    const keyless = datadog.monitor.kind.create('m', { id: 42 }, { ...context, env: {} });
    await expect(keyless.evaluate(window)).rejects.toThrow(/DATADOG_API_KEY/);
  });

  test('what it takes', () => {
    const paths = (args: object) =>
      settingsProblems(datadog.monitor.kind, args as never, subject).map(({ path }) => path);
    expect(paths({ id: 42, apiKey: { env: 'X' } })).toEqual([]);
    expect(paths({})).toEqual(['id']);
    expect(paths({ id: '42', site: 'example.com', query: 'x' })).toEqual(['query', 'id', 'site']);
  });

  test('a key in the settings is refused, and shown nowhere', () => {
    const settings = { id: 42, apiKey: 'abc123', appKey: 'abc123', address: 'http://me:abc123@example.com' };
    const found = settingsProblems(datadog.monitor.kind, settings, subject);
    expect(found.map(({ path }) => path)).toEqual(['appKey', 'address', 'apiKey']);
    expect(JSON.stringify(found)).not.toContain('abc123');
  });
});

describe('Alertmanager', () => {
  const address = 'https://alerts.example.com/am/';
  const matchers = ['severity="critical"', 'cluster=~"apps-.*"'];
  const alert = (alertname: string) => ({ labels: { alertname } });
  const answers = (firing: object[], beats: object[]) =>
    http(({ url }) => ({ json: url.searchParams.has('silenced') ? firing : beats }));
  const evaluate = ({ context }: { context: CheckContext }, more: object = {}) =>
    alertmanager.kind.create('alerts', { address, matchers, ...more }, context).evaluate(window);

  test('asks for what fires and bothers somebody, and for the heartbeat in any state', async () => {
    const fake = answers([], [alert('Watchdog')]);
    expect(await evaluate(fake)).toMatchObject({ status: 'pass', figures: [{ value: 0, max: 0 }] });
    expect(fake.asked.map(({ url }) => url.origin + url.pathname)).toEqual(
      Array(2).fill('https://alerts.example.com/am/api/v2/alerts'),
    );
    expect(fake.asked.map(({ url }) => [...url.searchParams])).toEqual([
      [
        ['active', 'true'],
        ['silenced', 'false'],
        ['inhibited', 'false'],
        ['filter', 'severity="critical"'],
        ['filter', 'cluster=~"apps-.*"'],
      ],
      [
        ['active', 'true'],
        ['filter', 'alertname="Watchdog"'],
      ],
    ]);
  });

  test('a firing alert fails, heartbeat or not', async () => {
    for (const beats of [[], [alert('Watchdog')]]) {
      expect(await evaluate(answers([alert('HighErrors'), alert('Down'), {}], beats))).toEqual({
        status: 'fail',
        reason: 'in alarm: HighErrors, Down, an alert',
        figures: [{ name: 'in alarm', value: 3, unit: 'count', max: 0 }],
      });
    }
  });

  test('silence is no pass, unless one says so', async () => {
    expect(await evaluate(answers([], []))).toMatchObject({
      status: 'inconclusive',
      reason: expect.stringContaining('alertname="Watchdog"'),
      figures: [{ value: null }],
    });
    const trusting = answers([], []);
    expect((await evaluate(trusting, { heartbeat: false })).status).toBe('pass');
    expect(trusting.asked).toHaveLength(1);
  });

  test('a token goes along, and into no message; what is no list is a failing source', async () => {
    const fake = answers([], [alert('Watchdog')]);
    await evaluate(fake, { auth: { bearer: { file: '/token' } } });
    expect(fake.asked[0]!.headers.authorization).toBe('Bearer hunter2');
    const bad = http(() => ({ status: 400, json: 'bad matcher hunter2' }));
    const error: Error = await evaluate(bad, { auth: { bearer: { file: '/token' } } }).catch((each) => each);
    expect(error).toBeInstanceOf(SourceError);
    expect(error.message).toMatch(/400 \(bad matcher \[hidden\]\)/);
    await expect(evaluate(http(() => ({ json: {} })))).rejects.toThrow(/no list of alerts/);
  });

  test('Amazon’s is asked with a signature over all matchers', async () => {
    const fake = answers([], [alert('Watchdog')]);
    const credentials = () => Promise.resolve({ accessKeyId: 'AKID', secretAccessKey: 'secret' });
    const auth = { sigV4: { region: 'eu-west-1' } };
    await evaluate({ context: { ...fake.context, credentials } }, { auth });
    expect(fake.asked[0]!.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKID/);
    const one = fake.asked[0]!.headers.authorization;
    const other = answers([], [alert('Watchdog')]);
    await evaluate(
      { context: { ...other.context, credentials } },
      { auth, matchers: [...matchers].slice(1) },
    );
    expect(other.asked[0]!.headers.authorization).not.toBe(one);
    expect(alertmanager.kind.permissions!({ address, matchers, auth }, subject)).toEqual([
      { actions: ['aps:ListAlertManagerAlerts'], resources: ['*'] },
    ]);
    const workspace = 'https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-1/alertmanager';
    expect(alertmanager.kind.permissions!({ address: workspace, matchers, auth }, subject)).toEqual([
      {
        actions: ['aps:ListAlertManagerAlerts'],
        resources: ['arn:*:aps:eu-west-1:*:workspace/ws-1'],
      },
    ]);
    expect(alertmanager.kind.permissions!({ address, matchers }, subject)).toEqual([]);
  });

  test('what it takes', () => {
    const paths = (args: object) =>
      settingsProblems(alertmanager.kind, args as never, subject).map(({ path }) => path);
    expect(
      paths({ address, matchers: ['a="b"', 'c!=d', 'e=~"f \\" g"', 'h!~"i"'], heartbeat: false }),
    ).toEqual([]);
    expect(paths({})).toEqual(['address', 'matchers']);
    for (const matcher of ['severity', '="x"', 'a="b" c="d"', 'a-b="c"', '{a="b"}', 'a=="b"', 7]) {
      expect(paths({ address, matchers: [matcher] })).toEqual(['matchers[0]']);
    }
    expect(paths({ address: 'ftp://x', matchers, heartbeat: [], silenced: 1 })).toEqual([
      'silenced',
      'address',
      'heartbeat',
    ]);
    expect(paths({ address: 'http://x', matchers, auth: { bearer: { env: 'T' } } })).toEqual(['address']);
  });

  test('does not repeat a token that stands where it should not', () => {
    const args = { address: 'https://user:hidden@x', matchers, auth: { bearer: 'hidden' }, token: 'hidden' };
    const found = settingsProblems(alertmanager.kind, args, subject);
    expect(found.map(({ path }) => path).sort()).toEqual(['address', 'auth.bearer', 'token']);
    expect(JSON.stringify(found)).not.toContain('hidden');
  });
});
