import { secretSource } from '../../core/secret-source';
import type { SecretSource } from '../../core/secret-source';
import { object } from '../../core/validation/collections';
import { postJson, readAddress } from './http-post';
import { cut, messageOf } from './message';
import type { Message, Tone } from './message';
import { DeliveryFailed, sinkEntries, sinkKind } from './sink';
import type { CommonSinkSettings } from './sink';

/** A channel of Microsoft Teams, by a workflow of Power Automate. */
export interface TeamsSettings extends CommonSinkSettings {
  /** Where the URL of the workflow is read from: "When a Teams webhook request is received". Whoever has it can post. */
  readonly webhookUrl: SecretSource;
}

/** In bytes. Teams refuses 28 KB, in which the flow has wrapped the card by then, and nobody hears of it. */
export const longestCard = 16_000;

/**
 * A card at the start, at each pause, at a rollback and at the end. The workflow answers before it runs: that a card was accepted does
 * not prove that the channel shows it.
 *
 * @see https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook
 * @see https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 */
export const teams = sinkKind<TeamsSettings>({
  tells: 'Microsoft Teams: a card at the start, pauses, a rollback and the end',
  events: ['started', 'paused', 'rollingBack', 'ended'],
  settings: object<TeamsSettings>({ webhookUrl: secretSource, ...sinkEntries }),
  open: ({ webhookUrl }, context) => ({
    name: 'teams',
    deliver: async (event, signal) => {
      const url = await readAddress(context, 'the URL of the Teams workflow', webhookUrl);
      if (/(^|\.)webhook\.office\.com$/i.test(url.hostname)) {
        throw new DeliveryFailed(
          'the URL of the Teams workflow is that of an Office 365 connector, which Microsoft has retired: create a workflow ' +
            '"Post to a channel when a webhook request is received", and use its URL',
          { final: true },
        );
      }
      const body = JSON.stringify(teamsMessage(messageOf(event)));
      const { text } = await postJson(
        { http: context.http, to: 'the Teams workflow' },
        { url, body },
        signal,
      );
      // Connectors, and what stands in for them, say so with status 200.
      if (/Microsoft Teams endpoint returned HTTP error/i.test(text)) {
        throw new DeliveryFailed('the Teams workflow accepts the card, and Teams does not', { final: true });
      }
    },
  }),
});

const colors: Readonly<Record<Tone, string>> = {
  plain: 'Default',
  good: 'Good',
  warning: 'Warning',
  bad: 'Attention',
};

/** The message as a card. Its texts are text runs, which know no Markdown: nothing in them makes a link. */
export function teamsMessage(message: Message): object {
  const whole = envelope(card(message));
  // A text of three or four bytes a character may be too long all the same.
  return Buffer.byteLength(JSON.stringify(whole)) <= longestCard
    ? whole
    : envelope(
        card({ ...message, text: cut(message.text, 400), facts: [], links: message.links.slice(0, 2) }),
      );
}

function card({ headline, text, tone, facts, links }: Message): object {
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.2',
    msteams: { width: 'full' },
    body: [
      runs({ text: headline, weight: 'Bolder', size: 'Medium', color: colors[tone] }),
      runs({ text }),
      ...facts.map(([name, value]) => runs({ text: `${name}: `, weight: 'Bolder' }, { text: value })),
    ],
    ...(links.length > 0 && {
      actions: links.map(({ title, url }) => ({ type: 'Action.OpenUrl', title, url })),
    }),
  };
}

function runs(...inlines: readonly object[]): object {
  return { type: 'RichTextBlock', inlines: inlines.map((inline) => ({ type: 'TextRun', ...inline })) };
}

function envelope(content: object): object {
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}
