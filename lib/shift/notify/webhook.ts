import { createHmac } from 'node:crypto';
import { readSecret, secretSource } from '../../core/secret-source';
import type { SecretSource } from '../../core/secret-source';
import { object, optional } from '../../core/validation/collections';
import type { FleetEvent } from './event';
import { eventText } from './event';
import { postJson, readAddress } from './http-post';
import { everyEvent, sinkEntries, sinkKind } from './sink';
import type { CommonSinkSettings } from './sink';

/** A service of your own that takes CloudEvents. */
export interface WebhookSettings extends CommonSinkSettings {
  /** Where its address is read from, since an address may hold a token: an `https` URL, or `http` on this machine. */
  readonly url: SecretSource;
  /**
   * Where the key is read from that events are signed with: `whsec_` and base64, or any other text.
   *
   * @default - events are not signed
   */
  readonly key?: SecretSource;
}

/**
 * Each event as a CloudEvent 1.0 in structured mode, signed as Standard Webhooks define it: `webhook-id`, `webhook-timestamp`
 * and `webhook-signature`. A receiver that gets an id twice has it already: a lost answer is tried again.
 *
 * @see https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const webhook = sinkKind<WebhookSettings>({
  tells: 'a service of your own: each event as a CloudEvent, signed with a key',
  events: everyEvent,
  settings: object<WebhookSettings>({ url: secretSource, key: optional(secretSource), ...sinkEntries }),
  open: ({ url, key }, context) => ({
    name: 'webhook',
    deliver: async (event, signal) => {
      const address = await readAddress(context, 'the address of the webhook', url);
      const body = JSON.stringify(cloudEvent(event));
      const signed =
        key && signatureHeaders(await readSecret(context, 'the key of the webhook', [key]), event.id, body);
      await postJson(
        { http: context.http, to: 'the webhook' },
        { url: address, body, headers: { 'content-type': cloudEventType, ...signed } },
        signal,
      );
    },
  }),
});

const cloudEventType = 'application/cloudevents+json; charset=utf-8';

/** The event as other systems know events: what is about it in attributes, itself as data. */
export function cloudEvent(event: FleetEvent): object {
  const { id, at, type, source, route } = event;
  return {
    specversion: '1.0',
    id,
    source: `/cluster-canary/${encodeURIComponent(source)}`,
    type: `cluster-canary.shift.${type}`,
    subject: route,
    time: at,
    datacontenttype: 'application/json',
    data: { ...event, text: eventText(event) },
  };
}

/**
 * Headers that prove who sent a body, and when.
 *
 * @param at seconds since 1970
 */
export function signatureHeaders(
  key: string,
  id: string,
  body: string,
  at = Math.floor(Date.now() / 1_000),
): Readonly<Record<string, string>> {
  const bytes = key.startsWith('whsec_')
    ? Buffer.from(key.slice('whsec_'.length), 'base64')
    : Buffer.from(key);
  const signature = createHmac('sha256', bytes).update(`${id}.${at}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` };
}
