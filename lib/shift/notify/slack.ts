import type { SecretSource } from '../../core/secret-source';
import { readSecret, secretSource } from '../../core/secret-source';
import { across, object, optional } from '../../core/validation/collections';
import type { Schema } from '../../core/validation/schema';
import { text } from '../../core/validation/values';
import type { EventType, FleetEvent } from './event';
import { postJson, readAddress } from './http-post';
import { messageOf } from './message';
import { slackBlocks, slackText } from './slack-blocks';
import { SlackThreads } from './slack-threads';
import type { SlackAnswer } from './slack-threads';
import { DeliveryFailed, everyEvent, sinkEntries, sinkKind } from './sink';
import type { CommonSinkSettings, SinkContext } from './sink';

/** A channel of Slack: by an incoming webhook, or by a bot, which keeps one message up to date. */
export interface SlackSettings extends CommonSinkSettings {
  /** Where the URL of an incoming webhook is read from; whoever has it can post. @default - the bot's `token` and `channel` */
  readonly webhookUrl?: SecretSource;
  /** Where the token of a bot is read from (`xoxb-…`), which has the scope `chat:write` and is in the channel. @default - `webhookUrl` */
  readonly token?: SecretSource;
  /** ID of the bot's channel, as its details in Slack show it: `C0123456789`. @default - that of the webhook */
  readonly channel?: string;
}

/** What no value fits. */
const never = { not: {} };

const settings: Schema<SlackSettings> = across(
  object<SlackSettings>({
    webhookUrl: optional(secretSource),
    token: optional(secretSource),
    channel: optional(text('the ID of a channel, such as "C0123456789"', /^[CDG][A-Z0-9]{2,20}$/)),
    ...sinkEntries,
  }),
  ({ webhookUrl, token, channel }, { conflicts, mustBe, mustBeSecretly }) => {
    if (webhookUrl !== undefined) {
      [...(token === undefined ? [] : ['token']), ...(channel === undefined ? [] : ['channel'])].forEach(
        (key) => conflicts([key], 'webhookUrl, whose channel Slack knows'),
      );
    } else if (token === undefined) {
      mustBeSecretly(['token'], 'there beside channel, unless webhookUrl is there');
    } else if (channel === undefined) {
      mustBe(['channel'], 'the ID of a channel, such as "C0123456789"');
    }
  },
  {
    oneOf: [
      { required: ['webhookUrl'], properties: { webhookUrl: {}, token: never, channel: never } },
      { required: ['token', 'channel'], properties: { token: {}, channel: {}, webhookUrl: never } },
    ],
  },
);

/** A webhook's messages can't be changed afterwards: those that a person has to see. */
const webhookEvents: readonly EventType[] = ['started', 'paused', 'rollingBack', 'ended'];

/**
 * With a webhook a message at the start, at each pause, at a rollback and at the end. With a bot one message for each shift and
 * process, which `chat.update` keeps up to date, and replies to it where a person has to act or to know why.
 *
 * @see https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 * @see https://docs.slack.dev/reference/methods/chat.postMessage
 * @see https://docs.slack.dev/reference/methods/chat.update
 */
export const slack = sinkKind<SlackSettings>({
  tells: 'Slack: one message for each shift, kept up to date by a bot; or a few by a webhook',
  events: everyEvent,
  eventsOf: ({ webhookUrl }) => (webhookUrl === undefined ? everyEvent : webhookEvents),
  settings,
  open: ({ webhookUrl, token, channel }, context) =>
    webhookUrl === undefined
      ? {
          name: `slack ${channel}`,
          ...new SlackThreads({ channel: channel!, clock: context.clock }, (method, body, signal) =>
            callSlack(context, token!, method, body, signal),
          ).sink,
        }
      : {
          name: 'slack',
          deliver: (event, signal) => postToWebhook(context, webhookUrl, event, signal),
        },
});

async function postToWebhook(
  context: SinkContext,
  source: SecretSource,
  event: FleetEvent,
  signal: AbortSignal,
): Promise<void> {
  const url = await readAddress(context, "the URL of Slack's webhook", source);
  const message = messageOf(event);
  const body = JSON.stringify({ text: slackText(message), blocks: slackBlocks(message) });
  const answer = await postJson({ http: context.http, to: "Slack's webhook" }, { url, body }, signal);
  if (answer.text.trim() !== 'ok') {
    // What it may have posted must not be posted again.
    throw new DeliveryFailed("Slack's webhook answers without ok: is it another service?", { final: true });
  }
}

async function callSlack(
  context: SinkContext,
  source: SecretSource,
  method: string,
  content: object,
  signal: AbortSignal,
): Promise<SlackAnswer> {
  const token = await readSecret(context, 'the token of the Slack bot', [source]);
  const answer = await postJson(
    { http: context.http, to: 'Slack' },
    {
      url: new URL(`https://slack.com/api/${method}`),
      body: JSON.stringify(content),
      headers: { authorization: `Bearer ${token}` },
    },
    signal,
  );
  try {
    const { ok, error, channel, ts } = JSON.parse(answer.text) as Readonly<Record<string, unknown>>;
    return {
      ok: ok === true,
      ...(typeof error === 'string' && { error }),
      ...(typeof channel === 'string' && { channel }),
      ...(typeof ts === 'string' && { ts }),
    };
  } catch {
    throw new DeliveryFailed(`Slack answers ${method} with something else than an object in JSON`);
  }
}
