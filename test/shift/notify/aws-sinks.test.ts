import * as fc from 'fast-check';
import type { AwsAccess } from '../../../lib/core/aws/arns';
import type { FleetEvent, SinkContext, SinkKind } from '../../../lib/shift/notify';
import { entryOf, eventBridge } from '../../../lib/shift/notify/event-bridge';
import { loadBalancerTags, stateTag } from '../../../lib/shift/notify/load-balancer-tags';
import { publication, sns } from '../../../lib/shift/notify/sns';
import { RecordingClients, sdkError } from '../../core/aws/recording-clients';
import type { Answers } from '../../core/aws/recording-clients';
import { samples } from './events';

const signal = new AbortController().signal;
const topicArn = 'arn:aws:sns:eu-west-1:123456789012:shifts';
const eventBusArn = 'arn:aws:events:eu-central-1:123456789012:event-bus/ops';
const loadBalancerArn =
  'arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/app/edge/50dc6c495c0c9188';
const roleArn = 'arn:aws:iam::123456789012:role/notify';

/** A sink whose calls a table answers, and what its clients were made for. */
function opened<Settings extends object>(kind: SinkKind<Settings>, settings: Settings, answers: Answers) {
  const clients = new RecordingClients(answers);
  const asked: AwsAccess[] = [];
  const context: SinkContext = {
    env: {},
    readFile: () => Promise.reject(new Error('no file')),
    http: { send: () => Promise.reject(new Error('no HTTP')) },
    aws: (access) => {
      asked.push(access);
      return clients;
    },
    kubernetes: () => Promise.reject(new Error('no cluster')),
    base: '.',
  };
  return { sink: kind.open(settings, context), clients, asked };
}

describe('sns', () => {
  test('publishes JSON, a text for mail, and attributes for filters', async () => {
    const { sink, clients, asked } = opened(
      sns,
      { topicArn, roleArn },
      { Publish: () => ({ MessageId: 'm' }) },
    );
    await sink.deliver({ ...samples.ended, fleet: 'apps' }, signal);
    expect(asked).toEqual([{ region: 'eu-west-1', roleArn }]);
    const [input] = clients.inputs('Publish');
    expect(input).toEqual({
      TopicArn: topicArn,
      Subject: 'traffic of fleet apps: rolled back',
      MessageStructure: 'json',
      Message: expect.any(String),
      MessageAttributes: {
        type: { DataType: 'String', StringValue: 'ended' },
        route: { DataType: 'String', StringValue: 'traffic' },
        fleet: { DataType: 'String', StringValue: 'apps' },
        shift: { DataType: 'String', StringValue: 'r1' },
        verdict: { DataType: 'String', StringValue: 'rolledBack' },
      },
    });
    const texts = JSON.parse(input.Message);
    expect(JSON.parse(texts.default)).toEqual({ ...samples.ended, fleet: 'apps' });
    expect(texts.email).toContain(
      'Rolled back: A check has failed: errors.\n\nLive weights: blue 99, green 1\n',
    );
    expect(texts.sms).toBe('traffic of fleet apps: rolled back');
    expect(clients.sent[0]!.signal).toBe(signal);
  });

  test('a FIFO topic has a group for each route, and an event that is tried again is a duplicate', () => {
    const input = publication(`${topicArn}.fifo`, { ...samples.started, route: 'wéb app' });
    expect(input).toMatchObject({ MessageGroupId: 'w_b_app', MessageDeduplicationId: 'r1-1' });
    expect(publication(topicArn, samples.started)).not.toHaveProperty('MessageGroupId');
  });

  test('whatever texts come from outside, SNS takes what it gets', () => {
    const outside = fc.oneof(
      fc.fullUnicodeString({ maxLength: 300 }),
      fc.constantFrom('', ' ', 'a\nb\u0007', '😀'.repeat(300)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(samples)), outside, (event, one) => {
        const strange = { ...event, id: one, route: one, fleet: one, shift: one, reason: one } as FleetEvent;
        const { Subject, MessageAttributes, ...rest } = publication(`${topicArn}.fifo`, strange);
        expect(Subject).toMatch(/^[^\p{Cc}]{1,99}$/u);
        expect(Subject!.length).toBeLessThan(100);
        expect(rest.MessageGroupId).toMatch(/^[!-~]{1,128}$/);
        expect(rest.MessageDeduplicationId).toMatch(/^[!-~]{1,128}$/);
        const values = Object.values(MessageAttributes!).map(({ StringValue }) => StringValue);
        expect(values.filter((value) => !/^[^\p{Cc}]+$/u.test(value ?? ''))).toEqual([]);
        expect(Object.keys(JSON.parse(rest.Message!))).toEqual(['default', 'email', 'sms']);
      }),
    );
  });

  test('its least rights, statement by statement', () => {
    expect(sns.permissions!({ topicArn, roleArn })).toEqual({
      roleArn,
      statements: [{ Sid: 'PublishEvents', Effect: 'Allow', Action: ['sns:Publish'], Resource: topicArn }],
    });
    const kmsKeyArn = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
    expect(sns.permissions!({ topicArn, kmsKeyArn }).statements[1]).toEqual({
      Sid: 'EncryptEvents',
      Effect: 'Allow',
      Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
      Resource: kmsKeyArn,
    });
  });
});

describe('eventBridge', () => {
  const put = (answer: object) => opened(eventBridge, { eventBusArn }, { PutEvents: () => answer });

  test('puts one entry, whose detail is the event', async () => {
    const { sink, clients, asked } = put({ FailedEntryCount: 0, Entries: [{ EventId: 'e' }] });
    await sink.deliver(samples.paused, signal);
    expect(asked).toEqual([{ region: 'eu-central-1' }]);
    const { Detail, ...entry } = entryOf(eventBusArn, samples.paused);
    expect(clients.inputs('PutEvents')).toEqual([{ Entries: [{ ...entry, Detail }] }]);
    expect(entry).toEqual({
      EventBusName: eventBusArn,
      Source: 'cluster-canary',
      DetailType: 'shift.paused',
      Time: new Date(samples.paused.at),
    });
    expect(JSON.parse(Detail)).toEqual(samples.paused);
  });

  test.each<[string, boolean]>([
    ['AccessDeniedException', true],
    ['MalformedDetail', true],
    ['InternalFailure', false],
    ['ThrottlingException', false],
  ])('a call that succeeds, with an entry that does not: %s is final: %s', async (ErrorCode, final) => {
    const { sink } = put({ FailedEntryCount: 1, Entries: [{ ErrorCode, ErrorMessage: 'why' }] });
    await expect(sink.deliver(samples.started, signal)).rejects.toMatchObject({
      name: 'DeliveryFailed',
      message: `event bus ${eventBusArn} does not accept the event: ${ErrorCode}: why`,
      how: { final },
    });
  });

  test('an answer without a count is not of AWS', async () => {
    await expect(put({}).sink.deliver(samples.started, signal)).rejects.toMatchObject({
      message: expect.stringContaining('is not AWS'),
      how: {},
    });
  });

  test('its least rights are those of its own source', () => {
    expect(eventBridge.permissions!({ eventBusArn, roleArn })).toEqual({
      roleArn,
      statements: [
        {
          Sid: 'PutEvents',
          Effect: 'Allow',
          Action: ['events:PutEvents'],
          Resource: eventBusArn,
          Condition: { StringEquals: { 'events:source': ['cluster-canary'] } },
        },
      ],
    });
  });
});

describe('loadBalancerTags', () => {
  test('one tag for a route, which each event writes over', async () => {
    const { sink, clients } = opened(loadBalancerTags, { loadBalancerArn }, { AddTags: () => ({}) });
    for (const event of [samples.stepWritten, samples.ended]) {
      await sink.deliver(event, signal);
    }
    expect(clients.inputs('AddTags')).toEqual(
      [
        'step 2 of 7 blue=99 green=1 2031-05-06T07:08:09Z',
        'rolled back blue=99 green=1 2031-05-06T07:20:39Z',
      ].map((Value) => ({
        ResourceArns: [loadBalancerArn],
        Tags: [{ Key: 'cluster-canary-shift/traffic', Value }],
      })),
    );
  });

  test('whatever a route or a slot is called, AWS takes the tag', () => {
    const outside = fc.oneof(
      fc.fullUnicodeString({ maxLength: 300 }),
      fc.constantFrom('a\u2028b', ' ', '😀'.repeat(200), '\n', '100 %'),
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(samples)), outside, (event, one) => {
        const { Key, Value } = stateTag('x/', { ...event, route: one, weights: { [one]: 100 } });
        expect(Key).toMatch(/^[\p{L}\p{Z}\p{N}_.:/=+\-@]{1,127}$/u);
        expect(Value).toMatch(/^[\p{L}\p{Z}\p{N}_.:/=+\-@]{0,255}$/u);
        expect([Key, Value]).toEqual([Key.trim(), Value.trim()]);
        expect(Key.length).toBeLessThanOrEqual(127);
        expect(Value.length).toBeLessThanOrEqual(255);
      }),
    );
  });

  test('its least rights', () => {
    expect(loadBalancerTags.permissions!({ loadBalancerArn, roleArn })).toEqual({
      roleArn,
      statements: [
        {
          ...{ Sid: 'TagLoadBalancer', Effect: 'Allow' },
          ...{ Action: ['elasticloadbalancing:AddTags'], Resource: loadBalancerArn },
        },
      ],
    });
  });
});

test.each<[string, Error, boolean]>([
  ['a missing right', sdkError('AuthorizationErrorException', 'x', { status: 403 }), true],
  ['a topic that is not there', sdkError('NotFoundException', 'x', { status: 404 }), true],
  ['a wrong parameter', sdkError('InvalidParameterException', 'x', { status: 400 }), true],
  ['a throttled call', sdkError('ThrottledException', 'x', { status: 429 }), false],
  ['a fault of AWS', sdkError('InternalErrorException', 'x', { status: 500 }), false],
  ['no network', sdkError('Error', 'connect', { code: 'ECONNREFUSED' }), false],
])('%s', async (_, error, final) => {
  const { sink } = opened(
    sns,
    { topicArn },
    {
      Publish: () => {
        throw error;
      },
    },
  );
  await expect(sink.deliver(samples.started, signal)).rejects.toMatchObject({
    name: 'DeliveryFailed',
    message: expect.stringContaining(`SNS topic ${topicArn}`),
    how: { final },
  });
});
