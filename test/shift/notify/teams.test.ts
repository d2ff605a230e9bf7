import * as fc from 'fast-check';
import { httpClient } from '../../../lib/core/http';
import { messageOf } from '../../../lib/shift/notify/message';
import { longestCard, teams, teamsMessage } from '../../../lib/shift/notify/teams';
import { samples, strangeEvent } from './events';
import { Receiver } from './receiver';

const signal = new AbortController().signal;

function opened(url: string): ReturnType<typeof teams.open> {
  return teams.open(
    { webhookUrl: { file: 'teams' } },
    {
      env: {},
      readFile: () => Promise.resolve(`${url}\n`),
      http: httpClient({ env: {} }),
      aws: () => Promise.reject(new Error('no AWS')) as never,
      kubernetes: () => Promise.reject(new Error('no cluster')),
      base: '.',
    },
  );
}

test('a card says what has happened, and links are its buttons', () => {
  const links = { page: 'https://example.com/', approve: 'https://example.com/approve?token=1' };
  expect(teamsMessage(messageOf({ ...samples.paused, links }))).toEqual({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.2',
          msteams: { width: 'full' },
          body: [
            {
              type: 'RichTextBlock',
              inlines: [
                {
                  ...{ type: 'TextRun', text: 'traffic: paused at 50 %' },
                  ...{ weight: 'Bolder', size: 'Medium', color: 'Warning' },
                },
              ],
            },
            {
              type: 'RichTextBlock',
              inlines: [
                {
                  type: 'TextRun',
                  text: 'kim@desk holds it at 50 % of the way. To continue: use the approval link.',
                },
              ],
            },
            ...[
              ['Live weights', 'blue 99, green 1'],
              ['Wanted weights', 'blue 0, green 100'],
              ['Run by', 'alex@laptop'],
              ['Plan', 'plan.yaml'],
            ].map(([name, value]) => ({
              type: 'RichTextBlock',
              inlines: [
                { type: 'TextRun', text: `${name}: `, weight: 'Bolder' },
                { type: 'TextRun', text: value },
              ],
            })),
          ],
          actions: [
            {
              type: 'Action.OpenUrl',
              title: 'Review and approve',
              url: 'https://example.com/approve?token=1',
            },
            { type: 'Action.OpenUrl', title: 'Live page', url: 'https://example.com/' },
          ],
        },
      },
    ],
  });
});

test('an accepted card is delivered, whatever the answer says but for a failure of Teams', async () => {
  const receiver = await Receiver.start((_got, response) => response.writeHead(202).end());
  try {
    const sink = opened(`${receiver.url}/workflows/1/triggers?sig=secretsecret`);
    await sink.deliver(samples.ended, signal);
    expect(receiver.got.map(({ method, path }) => [method, path])).toEqual([
      ['POST', '/workflows/1/triggers?sig=secretsecret'],
    ]);
    receiver.answer = (_got, response) =>
      response.end(
        'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 413',
      );
    await expect(sink.deliver(samples.ended, signal)).rejects.toMatchObject({ how: { final: true } });
  } finally {
    await receiver.stop();
  }
});

test.each([
  'https://webhook.office.com/webhookb2/x',
  'https://contoso.webhook.office.com/webhookb2/secretsecret',
])('a connector that Microsoft has retired is refused before it is asked: %s', async (url) => {
  const failure = await opened(url)
    .deliver(samples.ended, signal)
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({
    message: expect.stringMatching(/^the URL of the Teams workflow is that of an Office 365 connector/),
    how: { final: true },
  });
  expect(String(failure)).not.toContain('webhookb2');
});

test('no card is longer than Teams takes after its flow has wrapped it, and none uses Markdown', () => {
  const outside = fc.oneof(
    fc.fullUnicodeString({ maxLength: 300 }),
    fc.constantFrom(
      '[here](https://evil.example)',
      '語'.repeat(3_000),
      '😀'.repeat(2_000),
      '"\\'.repeat(3_000),
    ),
  );
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(samples)), outside, outside, (event, one, other) => {
      const strange = strangeEvent(event, one, other, {
        page: `https://example.com/${'語'.repeat(100)}`,
        [other]: 'https://example.com/?a=1',
      });
      const text = JSON.stringify(teamsMessage(messageOf(strange)));
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(longestCard);
      expect(text).not.toMatch(/"type":"(TextBlock|FactSet)"/);
    }),
  );
});
