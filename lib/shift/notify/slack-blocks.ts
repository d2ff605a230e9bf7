import { cut } from './message';
import type { Message, Tone } from './message';

const icons: Readonly<Record<Tone, string>> = {
  plain: ':arrow_forward:',
  good: ':white_check_mark:',
  warning: ':warning:',
  bad: ':rotating_light:',
};

/** In characters, with escapes. Slack takes 3,000 a text, and about 13,000 in all blocks of a message. */
const longest = { header: 150, section: 2_000, field: 600, history: 2_400, link: 1_200 };

/**
 * The message in blocks. All text is `plain_text`, but for links: nothing in it can mention a person or a channel.
 *
 * @param lines further lines, the oldest first
 * @see https://docs.slack.dev/reference/block-kit/blocks
 */
export function slackBlocks(message: Message, lines: readonly string[] = []): readonly object[] {
  const { headline, text, tone, facts, links } = message;
  const history = lines.join('\n');
  const shownLinks = links
    .map(({ title, url }) => `<${escaped(url)}|${escaped(title)}>`)
    .filter(({ length }) => length <= longest.link);
  return [
    { type: 'header', text: plain(headline, longest.header) },
    {
      type: 'section',
      text: plain(text),
      ...(facts.length > 0 && {
        fields: facts.slice(0, 10).map(([name, value]) => plain(`${name}: ${value}`, longest.field)),
      }),
    },
    ...(history === ''
      ? []
      : [{ type: 'section', text: { ...plain(''), text: escaped(history, longest.history) } }]),
    { type: 'context', elements: [icons[tone], ...shownLinks].map((text) => ({ type: 'mrkdwn', text })) },
  ];
}

/** The line of a message that notifications show. */
export function slackText({ headline, text }: Pick<Message, 'headline' | 'text'>): string {
  return escaped(`${headline}. ${text}`);
}

function plain(text: string, most = longest.section): object {
  // An empty text is refused.
  return { type: 'plain_text', text: escaped(cut(text, most) || '-', most), emoji: false };
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * The three characters that begin links and mentions. What would be too long then is cut between characters.
 *
 * @see https://docs.slack.dev/messaging/formatting-message-text
 */
function escaped(text: string, most = Infinity): string {
  let result = '';
  for (const character of text) {
    const next = entities[character] ?? character;
    if (result.length + next.length > most) {
      break;
    }
    result += next;
  }
  return result;
}
