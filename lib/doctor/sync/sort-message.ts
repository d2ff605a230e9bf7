import type { MessageCategory, MessagePattern, MessagePlace } from './message-pattern';
import { messagePatterns } from './patterns';

/** What a message tells of. */
export interface SortedMessage {
  readonly category: MessageCategory;
  /** Name of the cause; `unknown` where no pattern fits. */
  readonly cause: string;
  /** What several failures of this cause have in common: a webhook, an account, a cluster. */
  readonly by?: string;
  /** The rule of thumb that led there. */
  readonly rule: string;
  readonly advice: string;
}

/** The beginning names who speaks, the end what is wrong; in characters. */
const head = 12_000;
const tail = 4_000;

/**
 * Sorts a message by the first pattern that fits. Of a very long text the middle is left out, so the time is bounded.
 *
 * @param patterns default: all that there are
 */
export function sortMessage(
  message: string,
  place: MessagePlace,
  patterns: readonly MessagePattern[] = messagePatterns,
): SortedMessage {
  const text = message.length > head + tail ? `${message.slice(0, head)}\n${message.slice(-tail)}` : message;
  for (const { expression, places, category, cause, rule, advice } of patterns) {
    const found = places === undefined || places.includes(place) ? expression.exec(text) : null;
    if (found) {
      const by = Object.values(found.groups ?? {}).find((group) => group !== undefined);
      return { category, cause, rule, advice, ...(by === undefined ? {} : { by }) };
    }
  }
  return {
    category: 'unknown',
    cause: 'unknown',
    rule: 'No pattern knows this message.',
    advice: 'Read the message; the log of the application controller or the repository server may say more.',
  };
}
