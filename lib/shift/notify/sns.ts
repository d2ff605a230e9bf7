import type { MessageAttributeValue, PublishCommandInput } from '@aws-sdk/client-sns';
import { awsAccess } from '../../core/aws/access-schema';
import { parseArn } from '../../core/aws/arns';
import { object, optional } from '../../core/validation/collections';
import { text } from '../../core/validation/values';
import { deliverToAws } from './aws-delivery';
import type { FleetEvent } from './event';
import { cut, messageOf, messageText } from './message';
import { everyEvent, sinkEntries, sinkKind } from './sink';
import type { CommonSinkSettings } from './sink';

/** A topic of Amazon SNS. */
export interface SnsSettings extends CommonSinkSettings {
  /** ARN of the topic; one that ends in `.fifo` is first-in-first-out. */
  readonly topicArn: string;
  /** ARN of the KMS key of your own that the topic is encrypted with, for the rights that publishing then takes. @default - no key of your own */
  readonly kmsKeyArn?: string;
  /** ARN of an IAM role that publishes. @default - the credentials that the plan runs with */
  readonly roleArn?: string;
}

/**
 * Each event as a message: JSON for programs, a text for mail subscribers, and attributes `type`, `route`, `fleet`, `shift` and
 * `verdict` for filter policies.
 *
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
 */
export const sns = sinkKind<SnsSettings>({
  tells: 'Amazon SNS: each event as JSON, for mail as a text, with attributes for filter policies',
  events: everyEvent,
  settings: object<SnsSettings>({
    topicArn: text(
      'the ARN of an SNS topic: arn:aws:sns:REGION:ACCOUNT:NAME',
      /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}(\.fifo)?$/,
    ),
    kmsKeyArn: optional(
      text(
        'the ARN of a KMS key: arn:aws:kms:REGION:ACCOUNT:key/ID',
        /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[A-Za-z0-9-]+$/,
      ),
    ),
    roleArn: awsAccess.roleArn,
    ...sinkEntries,
  }),
  open: ({ topicArn, roleArn }, context) => {
    const { region } = parseArn(topicArn)!;
    const clients = context.aws({ region, ...(roleArn !== undefined && { roleArn }) });
    return {
      name: `sns ${topicArn}`,
      deliver: async (event, signal) => {
        const call = { action: 'sns:Publish', subject: `SNS topic ${topicArn}`, region };
        await deliverToAws(call, signal, async () =>
          (await clients.sns()).publish(publication(topicArn, event), { abortSignal: signal }),
        );
      },
    };
  },
  permissions: ({ topicArn, kmsKeyArn, roleArn }) => ({
    roleArn,
    statements: [
      { Sid: 'PublishEvents', Effect: 'Allow', Action: ['sns:Publish'], Resource: topicArn },
      ...(kmsKeyArn === undefined
        ? []
        : [
            {
              Sid: 'EncryptEvents',
              Effect: 'Allow' as const,
              Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
              Resource: kmsKeyArn,
            },
          ]),
    ],
  }),
});

/** A subject is shorter than 100 characters. */
const longestSubject = 99;

/** What SNS gets of an event. */
export function publication(topicArn: string, event: FleetEvent): PublishCommandInput {
  const message = messageOf(event);
  return {
    TopicArn: topicArn,
    Subject: cut(message.headline, longestSubject),
    MessageStructure: 'json',
    Message: JSON.stringify({
      default: JSON.stringify(event),
      email: messageText(message),
      sms: cut(message.headline, longestSubject),
    }),
    MessageAttributes: attributesOf(event),
    ...(topicArn.endsWith('.fifo') && {
      MessageGroupId: plain(event.route),
      MessageDeduplicationId: plain(event.id),
    }),
  };
}

function attributesOf(event: FleetEvent): Record<string, MessageAttributeValue> {
  const { type, route, fleet, shift } = event;
  const texts = { type, route, fleet, shift, verdict: event.type === 'ended' ? event.verdict : undefined };
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, value]) => {
      // An empty one is refused, with the whole message.
      const StringValue = cut(value ?? '', 256);
      return StringValue === '' ? [] : [[name, { DataType: 'String', StringValue }]];
    }),
  );
}

/** Letters, digits and punctuation of ASCII, as ids of FIFO topics want. */
function plain(value: string): string {
  return value.replace(/[^!-~]/g, '_').slice(0, 128) || '_';
}
