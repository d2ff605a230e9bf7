import type { Action } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { OpenRouter } from 'cluster-canary/routers';
import type { RouterError } from 'cluster-canary/shift';
import { RecordingClients, sdkError } from '../../core/aws/recording-clients';
import type { Answers } from '../../core/aws/recording-clients';
import { albListenerArn, blueArn, greenArn, nlbListenerArn, ruleArn, targetGroupArns } from './arns';
import { albDefaultAction, albRule, nlbListener } from './open';

const actionsOf = (blue: number, green: number): Action[] => [
  {
    Type: 'forward',
    ForwardConfig: {
      TargetGroups: [
        { TargetGroupArn: blueArn, Weight: blue },
        { TargetGroupArn: greenArn, Weight: green },
      ],
      TargetGroupStickinessConfig: { Enabled: true, DurationSeconds: 600 },
    },
  },
];

/** A rule or a listener with memory. */
function memory(blue: number, green: number): { actions: Action[]; answers: Answers } {
  const held = { actions: actionsOf(blue, green), answers: {} as Answers };
  const modify = ({ Actions, DefaultActions }: { Actions?: Action[]; DefaultActions?: Action[] }) => {
    held.actions = (Actions ?? DefaultActions)!;
    return { Rules: [{ Actions }], Listeners: [{ DefaultActions }] };
  };
  held.answers = {
    DescribeRules: () => ({ Rules: [{ RuleArn: ruleArn, Actions: held.actions }] }),
    DescribeListeners: () => ({ Listeners: [{ DefaultActions: held.actions }] }),
    ModifyRule: modify,
    ModifyListener: modify,
  };
  return held;
}

function fail(error: Error): never {
  throw error;
}

const kinds: [string, (clients: RecordingClients) => OpenRouter, string, string, object, string][] = [
  [
    'albRule',
    (clients) => albRule({ ruleArn, targetGroupArns }, clients),
    'DescribeRules',
    'ModifyRule',
    { RuleArn: ruleArn, Actions: actionsOf(70, 30) },
    'http',
  ],
  [
    'albDefaultAction',
    (clients) => albDefaultAction({ listenerArn: albListenerArn, targetGroupArns }, clients),
    'DescribeListeners',
    'ModifyListener',
    { ListenerArn: albListenerArn, DefaultActions: actionsOf(70, 30) },
    'http',
  ],
  [
    'nlbListener',
    (clients) => nlbListener({ listenerArn: nlbListenerArn, targetGroupArns }, clients),
    'DescribeListeners',
    'ModifyListener',
    { ListenerArn: nlbListenerArn, DefaultActions: actionsOf(70, 30) },
    'connections',
  ],
];

describe.each(kinds)('%s', (_, make, describeName, modifyName, modification, layer) => {
  test('reads what it wrote; a write sends the actions and nothing else', async () => {
    const held = memory(90, 10);
    const clients = new RecordingClients(held.answers);
    const router = make(clients);
    expect(await router.read()).toEqual({ blue: 90, green: 10 });
    await router.write({ blue: 70, green: 30 });
    expect(await router.read()).toEqual({ blue: 70, green: 30 });
    expect(clients.names).toEqual([describeName, describeName, modifyName, describeName]);
    expect(clients.inputs(modifyName)).toEqual([modification]);
  });

  test('weights that do not add up are never sent', async () => {
    const clients = new RecordingClients(memory(90, 10).answers);
    await expect(make(clients).write({ blue: 0, green: 0 })).rejects.toThrow(/add up to 0/);
    await expect(make(clients).write({ blue: 90, red: 10 })).rejects.toThrow(/the slots are blue, green/);
    expect(clients.sent).toEqual([]);
  });

  test('one that is gone is not found, by an error or by an empty list', async () => {
    for (const answer of [
      () => ({ Rules: [], Listeners: [] }),
      () => {
        throw sdkError('ListenerNotFoundException', 'One or more listeners not found');
      },
    ]) {
      const router = make(new RecordingClients({ [describeName]: answer }));
      const expected = { name: 'RouterError', failure: 'notFound', live: undefined };
      await expect(router.read()).rejects.toMatchObject(expected);
      await expect(router.write({ blue: 90, green: 10 })).rejects.toMatchObject(expected);
    }
  });

  test('one that vanishes before the write is not found', async () => {
    let reads = 0;
    const gone = () => {
      throw sdkError('RuleNotFoundException', 'One or more rules not found');
    };
    const clients = new RecordingClients({
      [describeName]: (input) => (reads++ === 0 ? memory(90, 10).answers[describeName]!(input) : gone()),
      [modifyName]: gone,
    });
    await expect(make(clients).write({ blue: 80, green: 20 })).rejects.toMatchObject({
      failure: 'notFound',
      live: undefined,
      message: expect.stringMatching(/finds nothing there/),
    });
  });

  test.each<[string, Error, RouterError['failure']]>([
    ['throttling', sdkError('Throttling', 'Rate exceeded', { status: 400 }), 'throttled'],
    ['no right', sdkError('AccessDenied', 'no', { status: 403 }), 'denied'],
    ['expired credentials', sdkError('ExpiredToken', 'no', { status: 403 }), 'denied'],
    ['no such target group', sdkError('TargetGroupNotFoundException', 'no', { status: 400 }), 'notFound'],
    ['anything else', sdkError('ValidationError', 'no', { status: 400 }), 'unfit'],
  ])('a write that AWS refuses by %s tells what the look before it saw', async (_name, error, failure) => {
    const { answers } = memory(90, 10);
    const clients = new RecordingClients({
      ...answers,
      [modifyName]: () => {
        throw error;
      },
    });
    await expect(make(clients).write({ blue: 80, green: 20 })).rejects.toMatchObject({
      name: 'RouterError',
      failure,
      live: { blue: 90, green: 10 },
      message: expect.stringMatching(/; the live weights are blue 90, green 10$/),
    });
    expect(clients.names).toEqual([describeName, modifyName]);
  });

  test.each<[string, () => unknown]>([
    ['that times out', () => fail(sdkError('TimeoutError', 'no'))],
    ['whose connection breaks', () => fail(sdkError('Error', 'socket hang up', { code: 'ECONNRESET' }))],
    ['that is cancelled', () => fail(sdkError('AbortError', 'Request aborted'))],
    ['that AWS fails by itself', () => fail(sdkError('Odd', 'oh', { status: 503 }))],
    ['whose answer is nothing of AWS', () => ({})],
    ['whose answer names no holder', () => ({ Rules: [], Listeners: [] })],
  ])('a write %s says that its fate is not known, and leaves the look to the next try', async (_, answer) => {
    const clients = new RecordingClients({ ...memory(90, 10).answers, [modifyName]: answer });
    await expect(make(clients).write({ blue: 80, green: 20 })).rejects.toMatchObject({
      failure: 'unreachable',
      live: undefined,
    });
    expect(clients.names).toEqual([describeName, modifyName]);
  });

  test.each([{}, { Nonsense: 1 }])('an answer without a list, %j, is none of AWS', async (answer) => {
    const router = make(new RecordingClients({ [describeName]: () => answer }));
    const expected = { failure: 'unreachable', message: expect.stringMatching(/is not AWS/) };
    await expect(router.read()).rejects.toMatchObject(expected);
    await expect(router.write({ blue: 80, green: 20 })).rejects.toMatchObject(expected);
  });

  test('both calls get the signal', async () => {
    const { signal } = new AbortController();
    const clients = new RecordingClients(memory(90, 10).answers);
    await make(clients).write({ blue: 80, green: 20 }, signal);
    expect(clients.sent.map((sent) => sent.signal)).toEqual([signal, signal]);
  });

  test('weights that were not expected are told, and not written over', async () => {
    const held = memory(100, 0);
    const clients = new RecordingClients(held.answers);
    const expected = [
      { blue: 50, green: 50 },
      { blue: 25, green: 75 },
    ];
    await expect(make(clients).write({ blue: 25, green: 75 }, undefined, expected)).rejects.toMatchObject({
      failure: 'changed',
      live: { blue: 100, green: 0 },
      message: expect.stringMatching(
        /has blue 100, green 0 where blue 50, green 50 or blue 25, green 75 was expected/,
      ),
    });
    expect(clients.names).toEqual([describeName]);
    held.actions = actionsOf(50, 50);
    await make(clients).write({ blue: 25, green: 75 }, undefined, expected);
    expect(held.actions).toEqual(actionsOf(25, 75));
  });

  test('weights that no shift can have left are unfit where some were expected', async () => {
    const clients = new RecordingClients(memory(1, 2).answers);
    await expect(
      make(clients).write({ blue: 0, green: 100 }, undefined, [{ blue: 50, green: 50 }]),
    ).rejects.toMatchObject({ failure: 'unfit' });
    expect(clients.names).toEqual([describeName]);
  });

  test('what is unfit is refused by read and write, and described', async () => {
    const router = make(new RecordingClients(memory(1, 2).answers));
    await expect(router.read()).rejects.toMatchObject({ failure: 'unfit' });
    expect(await router.describe()).toEqual({
      name: router.name,
      weights: null,
      raw: { blue: 1, green: 2 },
      missing: [],
      notes: [expect.stringMatching(/no whole percents/)],
    });
    const fit = make(new RecordingClients(memory(60, 40).answers));
    expect(await fit.describe()).toEqual({
      name: fit.name,
      weights: { blue: 60, green: 40 },
      raw: { blue: 60, green: 40 },
      missing: [],
      notes: ['keeps the stickiness of 600 s'],
    });
  });

  test('the least wait covers stickiness, deregistration and slow start', async () => {
    const router = make(
      new RecordingClients({
        ...memory(90, 10).answers,
        DescribeTargetGroupAttributes: ({ TargetGroupArn }) => ({
          Attributes: [
            { Key: 'deregistration_delay.timeout_seconds', Value: TargetGroupArn === blueArn ? '900' : '0' },
            { Key: 'slow_start.duration_seconds', Value: TargetGroupArn === blueArn ? '0' : '30' },
            { Key: 'stickiness.enabled', Value: 'false' },
          ],
        }),
      }),
    );
    expect(await router.minimumWait()).toEqual({
      milliseconds: 900_000,
      writeMilliseconds: 0,
      because: [
        'a client may stay with its slot for 600 s (stickiness of the action)',
        'a request to blue may last 900 s (deregistration delay of its target group)',
        'a new target of green takes its full share after 30 s (slow start of its target group)',
      ],
    });
  });

  test('the least wait fails as the router does', async () => {
    const clients = new RecordingClients({
      ...memory(90, 10).answers,
      DescribeTargetGroupAttributes: () => {
        throw sdkError('AccessDenied', 'no');
      },
    });
    await expect(make(clients).minimumWait()).rejects.toMatchObject({
      failure: 'denied',
      message: expect.stringMatching(
        /target group .* lack the right elasticloadbalancing:DescribeTargetGroupAttributes/,
      ),
    });
  });

  test('checks learn what is shifted', () => {
    const { subject } = make(new RecordingClients({}));
    const kind = layer === 'connections' ? 'net' : 'app';
    expect(subject).toEqual({
      layer,
      slots: { blue: { targetGroupArn: blueArn }, green: { targetGroupArn: greenArn } },
      loadBalancerArn: `arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/${kind}/edge/50dc6c495c0c9188`,
      region: 'eu-west-1',
    });
  });
});
