import * as fc from 'fast-check';
import type { Clock } from '../../../lib/core/async';
import { DeliveryFailed, notifySchema } from '../../../lib/shift/notify';
import type { FleetEvent, Sink } from '../../../lib/shift/notify';
import { messageOf } from '../../../lib/shift/notify/message';
import { slack } from '../../../lib/shift/notify/slack';
import { slackText } from '../../../lib/shift/notify/slack-blocks';
import { SlackThreads, boardMessage, nextBoard } from '../../../lib/shift/notify/slack-threads';
import type { SlackAnswer } from '../../../lib/shift/notify/slack-threads';
import { problemsOf } from '../../../lib/core/validation/schema';
import { answered, ended, samples, step, strangeEvent } from './events';
import { Receiver, json } from './receiver';

const signal = new AbortController().signal;

interface Call {
  readonly method: string;
  readonly content: any;
}

/** A bot whose calls are answered by a test, and whose clock stands still unless it sleeps. */
function bot(answer: (call: Call) => SlackAnswer | Error = () => ({ ok: true, channel: 'C1', ts: '1.0' })) {
  const calls: Call[] = [];
  const slept: number[] = [];
  let now = 1_000;
  const clock: Clock = {
    now: () => now,
    sleep: (milliseconds) => {
      slept.push(milliseconds);
      now += milliseconds;
      return Promise.resolve();
    },
  };
  const { sink } = new SlackThreads({ channel: 'C0123456789', clock }, (method, content) => {
    calls.push({ method, content });
    const given = answer({ method, content });
    return given instanceof Error ? Promise.reject(given) : Promise.resolve(given);
  });
  const close = (sink as Required<Pick<Sink, 'close'>>).close;
  return {
    sink,
    close,
    calls,
    slept,
    methods: () => calls.map(({ method }) => method),
    pass: (ms: number) => (now += ms),
  };
}

test('one message for a shift: posted once, then updated at the place that the answer named', async () => {
  const { sink, calls, pass } = bot();
  await sink.deliver(samples.started, signal);
  pass(60_000);
  await sink.deliver(step(2), signal);
  expect(calls).toEqual([
    {
      method: 'chat.postMessage',
      content: expect.objectContaining({ channel: 'C0123456789', unfurl_links: false, unfurl_media: false }),
    },
    { method: 'chat.update', content: expect.objectContaining({ channel: 'C1', ts: '1.0' }) },
  ]);
  expect(calls[1]!.content.text).toContain('step 2 of 7');
  expect(JSON.stringify(calls[1]!.content.blocks)).toContain('From blue 100, green 0 to blue 0, green 100');
});

test('steps and answers that come too soon are one update, of the newest, and nothing is lost at the end', async () => {
  const { sink, close, calls, methods } = bot();
  await sink.deliver(samples.started, signal);
  for (const index of [2, 3, 4]) {
    await sink.deliver(step(index), signal);
  }
  await sink.deliver(answered(5), signal);
  expect(methods()).toEqual(['chat.postMessage']);
  await close(signal);
  expect(methods()).toEqual(['chat.postMessage', 'chat.update']);
  expect(calls[1]!.content.text).toContain('step 4 of 7');
  await close(signal);
  expect(calls).toHaveLength(2);
});

test('what has waited is shown three seconds after the last message, without another event', async () => {
  jest.useFakeTimers();
  try {
    const { sink, methods } = bot();
    await sink.deliver(samples.started, signal);
    await sink.deliver(step(2), signal);
    await jest.advanceTimersByTimeAsync(2_900);
    expect(methods()).toEqual(['chat.postMessage']);
    await jest.advanceTimersByTimeAsync(200);
    expect(methods()).toEqual(['chat.postMessage', 'chat.update']);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(methods()).toHaveLength(2);
  } finally {
    jest.useRealTimers();
  }
});

test('what a person has to see waits for its turn, and is in the thread as well', async () => {
  const { sink, calls, slept, methods } = bot();
  await sink.deliver(samples.started, signal);
  await sink.deliver(samples.paused, signal);
  expect(slept).toEqual([3_000]);
  expect(methods()).toEqual(['chat.postMessage', 'chat.update', 'chat.postMessage']);
  expect(calls[2]!.content).toMatchObject({ channel: 'C1', thread_ts: '1.0', unfurl_links: false });
  expect(calls[2]!.content.text).toContain('touch go-50');
});

test.each(['message_not_found', 'edit_window_closed', 'cant_update_message'])(
  'after %s there is a new message, which is updated from then on',
  async (error) => {
    let posts = 0;
    const { sink, calls, methods, pass } = bot(({ method, content }) => {
      if (method === 'chat.postMessage') {
        return { ok: true, channel: 'C1', ts: `${(posts += 1)}.0` };
      }
      return content.ts === '1.0' ? { ok: false, error } : { ok: true };
    });
    for (const event of [samples.started, step(2), step(3)]) {
      await sink.deliver(event, signal);
      pass(5_000);
    }
    expect(methods()).toEqual(['chat.postMessage', 'chat.update', 'chat.postMessage', 'chat.update']);
    expect(calls[3]!.content.ts).toBe('2.0');
  },
);

test.each<[string, boolean]>([
  ['channel_not_found', true],
  ['invalid_auth', true],
  ['ratelimited', false],
  ['internal_error', false],
])('%s: whether another try is of no use: %s', async (error, final) => {
  const { sink } = bot(() => ({ ok: false, error }));
  await expect(sink.deliver(samples.started, signal)).rejects.toMatchObject({
    name: 'DeliveryFailed',
    message: `Slack does not accept chat.postMessage: ${error}`,
    how: { final },
  });
});

test('a delivery that is tried again says nothing twice', async () => {
  let fails = true;
  const { sink, calls, methods } = bot(({ content }) => {
    if (content.thread_ts !== undefined && fails) {
      fails = false;
      return new DeliveryFailed('no answer');
    }
    return { ok: true, channel: 'C1', ts: '1.0' };
  });
  await expect(sink.deliver(samples.paused, signal)).rejects.toThrow('no answer');
  await sink.deliver(samples.paused, signal);
  expect(methods()).toEqual(['chat.postMessage', 'chat.postMessage', 'chat.postMessage']);
  expect(calls.filter(({ content }) => content.thread_ts === undefined)).toHaveLength(1);
  expect(nextBoard(nextBoard(undefined, samples.paused), samples.paused).lines).toHaveLength(1);
});

test('shifts of several routes have a message each', async () => {
  let posts = 0;
  const { sink, close, calls } = bot(({ method }) =>
    method === 'chat.postMessage' ? { ok: true, channel: 'C1', ts: `${(posts += 1)}.0` } : { ok: true },
  );
  const other = (event: FleetEvent): FleetEvent => ({ ...event, shift: 'r2', route: 'api' });
  for (const event of [samples.started, other(samples.started), step(2), other(step(2))]) {
    await sink.deliver(event, signal);
  }
  await close(signal);
  const shown = calls.map(({ content }) => [content.ts ?? 'new', /^\w+/.exec(content.text)![0]]);
  expect(shown).toEqual([
    ['new', 'traffic'],
    ['new', 'api'],
    ['1.0', 'traffic'],
    ['2.0', 'api'],
  ]);
});

test('a check that passes again leaves the message', () => {
  const failing = nextBoard(nextBoard(undefined, samples.started), samples.checkAnswered);
  expect(JSON.stringify(boardMessage(failing))).toContain('errors: fail: green: 12 of 90');
  const { check } = samples.checkAnswered;
  const passes = { ...samples.checkAnswered, id: 'r1-9', check: { ...check, status: 'pass' as const } };
  expect(JSON.stringify(boardMessage(nextBoard(failing, passes)))).not.toContain('errors');
});

test('an aborted signal ends the wait for the next update', async () => {
  const { sink } = new SlackThreads({ channel: 'C1' }, () =>
    Promise.resolve({ ok: true, channel: 'C1', ts: '1' }),
  );
  await sink.deliver(samples.started, signal);
  const begun = performance.now();
  await expect(sink.deliver(ended(2), AbortSignal.timeout(20))).rejects.toThrow(/abort|timeout/i);
  expect(performance.now() - begun).toBeLessThan(1_500);
});

describe('over HTTP', () => {
  let receiver: Receiver;
  afterEach(() => receiver.stop());

  const opened = (settings: object, env: Record<string, string>): ReturnType<typeof slack.open> =>
    slack.open(settings, {
      env,
      readFile: () => Promise.reject(new Error('no file')),
      http: receiver.standIn('https://slack.com'),
      aws: () => Promise.reject(new Error('no AWS')) as never,
      kubernetes: () => Promise.reject(new Error('no cluster')),
      base: '.',
    });

  test('the bot sends its token in a header, and reads where the message is', async () => {
    receiver = await Receiver.start((_got, response) =>
      json(response, { ok: true, channel: 'C1', ts: '1.0' }),
    );
    const sink = opened({ token: { env: 'T' }, channel: 'C0123456789' }, { T: 'xoxb-secret-token' });
    await sink.deliver(samples.paused, signal);
    expect(receiver.got.map(({ path }) => path)).toEqual(['/api/chat.postMessage', '/api/chat.postMessage']);
    expect(receiver.got[0]!.headers).toMatchObject({
      authorization: 'Bearer xoxb-secret-token',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(receiver.bodies('/api/chat.postMessage')[1].thread_ts).toBe('1.0');
  });

  test.each(['<html>login</html>', '[]', 'null', '"ok"', ''])('an answer %j is none', async (text) => {
    receiver = await Receiver.start((_got, response) => response.end(text));
    const sink = opened({ token: { env: 'T' }, channel: 'C0123456789' }, { T: 'xoxb-secret-token' });
    await expect(sink.deliver(samples.started, signal)).rejects.toBeInstanceOf(DeliveryFailed);
  });

  test('a webhook gets text and blocks; another answer than ok is final, so that nothing is posted twice', async () => {
    receiver = await Receiver.start((_got, response) => response.end('ok\n'));
    const sink = opened({ webhookUrl: { env: 'U' } }, { U: `${receiver.url}/services/T0/B0/secretsecret` });
    await sink.deliver(samples.rollingBack, signal);
    const [body] = receiver.bodies('/services/T0/B0/secretsecret');
    expect(body.text).toBe('traffic: rolls back. Rolls back: A check has failed: errors.');
    expect(body.blocks[0]).toEqual({
      type: 'header',
      text: { type: 'plain_text', text: 'traffic: rolls back', emoji: false },
    });
    receiver.answer = (_got, response) => response.end('<html>');
    await expect(sink.deliver(samples.ended, signal)).rejects.toMatchObject({ how: { final: true } });
  });
});

test.each<[object, string[]]>([
  [{ webhookUrl: { env: 'U' } }, []],
  [{ token: { env: 'T' }, channel: 'C0123456789', events: ['ended'] }, []],
  [{}, ['slack.token']],
  [{ channel: 'C0123456789' }, ['slack.token']],
  [{ token: { env: 'T' } }, ['slack.channel']],
  [{ token: { env: 'T' }, channel: '#ops' }, ['slack.channel']],
  [
    { webhookUrl: { env: 'U' }, token: { env: 'T' }, channel: 'C0123456789' },
    ['slack.token', 'slack.channel'],
  ],
  [{ webhookUrl: 'https://hooks.slack.com/services/T0/B0/x' }, ['slack.webhookUrl']],
])('settings %j', (settings, wrong) => {
  const problems = problemsOf(notifySchema, [{ slack: settings }]);
  expect(problems.map(({ path }) => path)).toEqual(wrong.map((path) => `[0].${path}`));
  expect(JSON.stringify(problems)).not.toContain('hooks.slack.com');
});

test('no text from outside makes a link, mentions anyone or grows beyond the limits of Slack', () => {
  const outside = fc.oneof(
    fc.fullUnicodeString({ maxLength: 300 }),
    fc.constantFrom(
      '<!channel>',
      '<@U1>',
      '<#C1|x>',
      '<https://evil.example|ok>',
      '&lt;!here&gt;',
      '&'.repeat(3_000),
    ),
  );
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(samples)), outside, outside, (event, one, other) => {
      const strange = strangeEvent(event, one, other, {
        page: `https://example.com/${encodeURI(one.replace(/[\uD800-\uDFFF]/g, ''))}|<x>`,
        [other]: 'https://example.com/?a=1&b=2',
      });
      const board = nextBoard(nextBoard(undefined, strange), { ...strange, id: 'next' });
      const { text, blocks } = boardMessage(board);
      const message = messageOf(strange);
      expect(slackText(message)).not.toMatch(/[<>]/);
      let size = 0;
      for (const block of blocks as any[]) {
        const texts: { type: string; text: string }[] = [
          ...(block.text ? [block.text] : []),
          ...(block.fields ?? []),
          ...(block.elements ?? []),
        ];
        expect(texts.length).toBeGreaterThan(0);
        expect((block.fields ?? []).length).toBeLessThanOrEqual(10);
        for (const each of texts) {
          size += each.text.length;
          expect(each.text.length).toBeGreaterThan(0);
          expect(each.text.length).toBeLessThanOrEqual(block.type === 'header' ? 150 : 3_000);
          const left =
            each.type === 'mrkdwn'
              ? each.text.replace(/<https:\/\/example\.com\/[^<>|]*\|[^<>]*>/g, '')
              : each.text;
          expect(left).not.toMatch(/[<>]/);
          expect(left).not.toMatch(/&(?!amp;|lt;|gt;)/);
        }
      }
      expect(text).not.toMatch(/[<>]/);
      expect(size).toBeLessThan(13_000);
    }),
  );
});
