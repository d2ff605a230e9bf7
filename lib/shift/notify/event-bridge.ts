import { awsAccess } from '../../core/aws/access-schema';
import { parseArn } from '../../core/aws/arns';
import { object } from '../../core/validation/collections';
import { text } from '../../core/validation/values';
import { deliverToAws } from './aws-delivery';
import type { FleetEvent } from './event';
import { DeliveryFailed, everyEvent, sinkEntries, sinkKind } from './sink';
import type { CommonSinkSettings } from './sink';

/** A bus of Amazon EventBridge. */
export interface EventBridgeSettings extends CommonSinkSettings {
  /** ARN of the bus; `event-bus/default` is that of the account. */
  readonly eventBusArn: string;
  /** ARN of an IAM role that puts the events. @default - the credentials that the plan runs with */
  readonly roleArn?: string;
}

/** Source of every event, for rules. */
const eventSource = 'cluster-canary';

/** Errors of one entry after which another try may help. */
const passing = ['InternalFailure', 'InternalException', 'ThrottlingException'];

/**
 * Each event as one of source `cluster-canary` and detail type `shift.TYPE`, such as `shift.ended`; its detail is the event.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-conditions.html
 */
export const eventBridge = sinkKind<EventBridgeSettings>({
  tells:
    'Amazon EventBridge: each event, with source `cluster-canary` and a detail type such as `shift.ended`',
  events: everyEvent,
  settings: object<EventBridgeSettings>({
    eventBusArn: text(
      'the ARN of an event bus: arn:aws:events:REGION:ACCOUNT:event-bus/NAME',
      /^arn:aws[a-z-]*:events:[a-z0-9-]+:\d{12}:event-bus\/[/.\w-]{1,256}$/,
    ),
    roleArn: awsAccess.roleArn,
    ...sinkEntries,
  }),
  open: ({ eventBusArn, roleArn }, context) => {
    const { region } = parseArn(eventBusArn)!;
    const clients = context.aws({ region, ...(roleArn !== undefined && { roleArn }) });
    const call = { action: 'events:PutEvents', subject: `event bus ${eventBusArn}`, region };
    return {
      name: `eventBridge ${eventBusArn}`,
      deliver: async (event, signal) => {
        const entry = entryOf(eventBusArn, event);
        const { FailedEntryCount: failed, Entries: entries = [] } = await deliverToAws(
          call,
          signal,
          async () => (await clients.eventBridge()).putEvents({ Entries: [entry] }, { abortSignal: signal }),
        );
        if (failed === undefined) {
          throw new DeliveryFailed(
            `what answers for event bus ${eventBusArn} is not AWS: it names no FailedEntryCount`,
          );
        }
        // The call itself succeeds all the same.
        if (failed > 0) {
          const { ErrorCode: code = 'no reason', ErrorMessage: why = '' } = entries[0] ?? {};
          throw new DeliveryFailed(
            `event bus ${eventBusArn} does not accept the event: ${code}${why === '' ? '' : `: ${why}`}`,
            { final: !passing.includes(code) },
          );
        }
      },
    };
  },
  permissions: ({ eventBusArn, roleArn }) => ({
    roleArn,
    statements: [
      {
        Sid: 'PutEvents',
        Effect: 'Allow',
        Action: ['events:PutEvents'],
        Resource: eventBusArn,
        Condition: { StringEquals: { 'events:source': [eventSource] } },
      },
    ],
  }),
});

/** What EventBridge gets of an event. */
export function entryOf(
  eventBusArn: string,
  event: FleetEvent,
): {
  readonly EventBusName: string;
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
  readonly Time: Date;
} {
  return {
    EventBusName: eventBusArn,
    Source: eventSource,
    DetailType: `shift.${event.type}`,
    Detail: JSON.stringify(event),
    Time: new Date(event.at),
  };
}
