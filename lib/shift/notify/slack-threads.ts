import { orAborted, systemClock } from '../../core/async';
import type { Clock } from '../../core/async';
import type { CheckRecord } from '../engine';
import { eventText } from './event';
import type { EventType, FleetEvent } from './event';
import { cut, messageOf } from './message';
import { DeliveryFailed } from './sink';
import type { Sink } from './sink';
import { slackBlocks, slackText } from './slack-blocks';

/** What the message of a shift says. */
export interface Board {
  /** What happened last; an answer of a check is no such thing. */
  readonly event: FleetEvent;
  /** The newest answers that are not `pass`. */
  readonly checks: ReadonlyMap<string, CheckRecord>;
  /** What has happened, the oldest first. */
  readonly lines: readonly string[];
  /** Id of the event that it knows last. */
  readonly last: string;
}

/** Of more, the newest. */
const mostLines = 12;

/** The board after an event. An event that it knows changes nothing: a delivery is tried again. */
export function nextBoard(board: Board | undefined, event: FleetEvent): Board {
  if (board?.last === event.id) {
    return board;
  }
  const checks = new Map(board?.checks);
  if (event.type === 'checkAnswered') {
    checks.delete(event.check.name);
    if (event.check.status !== 'pass') {
      checks.set(event.check.name, event.check);
    }
    return { event: board?.event ?? event, checks, lines: board?.lines ?? [], last: event.id };
  }
  const line = `${event.at.slice(11, 16)} ${cut(eventText(event), 200)}`;
  return { event, checks, lines: [...(board?.lines ?? []), line].slice(-mostLines), last: event.id };
}

/** What Slack gets of a board. */
export function boardMessage({ event, checks, lines }: Board): {
  readonly text: string;
  readonly blocks: readonly object[];
} {
  const message = messageOf(event);
  const open = [...checks.values()]
    .slice(-5)
    .map(({ name, status, reason }): readonly [string, string] => [name, cut(`${status}: ${reason}`, 300)]);
  return {
    text: slackText(message),
    blocks: slackBlocks({ ...message, facts: [...message.facts.slice(0, 5), ...open] }, lines.slice(0, -1)),
  };
}

/** These are in the thread as well: an update of a message notifies no one. */
const repliedTo: readonly EventType[] = ['paused', 'rollingBack', 'ended'];

/** What may wait for its turn until the next update. */
const minor: readonly EventType[] = ['stepWritten', 'checkAnswered', 'waiting'];

/** Slack takes about one update of a message a second; people read slower. In milliseconds. */
const betweenUpdatesMs = 3_000;

/** Another try may help. */
const passing = [
  'ratelimited',
  'rate_limited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
];

/** The message is not to be changed any more: a new one takes its place. */
const gone = ['message_not_found', 'edit_window_closed', 'cant_update_message'];

/** A message of a shift, as far as it is there. */
interface Thread {
  board: Board;
  /** Id of the last event that the message shows. */
  shown?: string;
  /** Id of the last event that was replied to. */
  replied?: string;
  /** Where it is. */
  posted?: { readonly channel: string; readonly ts: string };
}

/** What a method of Slack's Web API answers. */
export interface SlackAnswer {
  readonly ok: boolean;
  /** A word, where it is not ok: `message_not_found`. */
  readonly error?: string;
  /** Channel and time of the message, by which it can be changed. */
  readonly channel?: string;
  readonly ts?: string;
}

/** Calls a method of Slack's Web API. */
export type CallSlack = (method: string, content: object, signal: AbortSignal) => Promise<SlackAnswer>;

/** One message for each shift of this process: posted once, then updated, at most every three seconds; the newest state wins. */
export class SlackThreads {
  private readonly threads = new Map<string, Thread>();
  private readonly clock: Clock;
  private nextAt = -Infinity;
  private timer: NodeJS.Timeout | undefined;
  private updating: Promise<void> = Promise.resolve();

  public constructor(
    private readonly options: { readonly channel: string; readonly clock?: Clock | undefined },
    private readonly call: CallSlack,
  ) {
    this.clock = options.clock ?? systemClock;
  }

  public get sink(): Pick<Sink, 'deliver' | 'close'> {
    return {
      deliver: (event, signal) => this.deliver(event, signal),
      close: (signal) => this.close(signal),
    };
  }

  private async deliver(event: FleetEvent, signal: AbortSignal): Promise<void> {
    const known = this.threads.get(event.shift);
    const thread: Thread = known ?? { board: nextBoard(undefined, event) };
    thread.board = nextBoard(thread.board, event);
    this.threads.set(event.shift, thread);
    if (minor.includes(event.type) && thread.posted && this.clock.now() < this.nextAt) {
      this.updateLater();
      return;
    }
    // No two updates at once: what the timer was for is done here, or later.
    clearTimeout(this.timer);
    this.timer = undefined;
    try {
      await this.update(thread, signal);
      if (repliedTo.includes(event.type) && thread.replied !== event.id) {
        await this.reply(thread, event, signal);
      }
    } finally {
      if ([...this.threads.values()].some((each) => each.posted && each.shown !== each.board.last)) {
        this.updateLater();
      }
    }
  }

  /** What has waited for its turn is shown now. */
  private async close(signal: AbortSignal): Promise<void> {
    clearTimeout(this.timer);
    for (const thread of this.threads.values()) {
      await this.update(thread, signal);
    }
  }

  /** Whether it fails shows with the next event, or at the end. */
  private updateLater(): void {
    this.timer ??= setTimeout(
      () => {
        this.timer = undefined;
        const within = AbortSignal.timeout(5_000);
        this.updating = (async () => {
          for (const thread of this.threads.values()) {
            await this.update(thread, within, Promise.resolve());
          }
        })().catch(() => undefined);
      },
      Math.max(this.nextAt - this.clock.now(), 0),
    ).unref();
  }

  private async update(thread: Thread, signal: AbortSignal, after = this.updating): Promise<void> {
    await orAborted(after, signal);
    const { board } = thread;
    if (thread.shown === board.last) {
      return;
    }
    const wait = this.nextAt - this.clock.now();
    if (wait > 0) {
      await this.clock.sleep(wait, signal);
      signal.throwIfAborted();
    }
    this.nextAt = this.clock.now() + betweenUpdatesMs;
    const content = boardMessage(board);
    const { posted } = thread;
    const answer = posted && (await this.asked('chat.update', { ...content, ...posted }, signal, gone));
    if (answer?.ok !== true) {
      thread.posted = undefined;
      const { channel } = this.options;
      const made = await this.asked('chat.postMessage', { channel, ...content, ...quiet }, signal);
      // Without these it can't be updated; the next event is a message of its own.
      const { channel: at, ts } = made;
      thread.posted = at === undefined || ts === undefined ? undefined : { channel: at, ts };
    }
    thread.shown = board.last;
  }

  private async reply(thread: Thread, event: FleetEvent, signal: AbortSignal): Promise<void> {
    if (thread.posted) {
      const { channel, ts } = thread.posted;
      const message = messageOf(event);
      const content = { text: slackText(message), blocks: slackBlocks(message) };
      await this.asked('chat.postMessage', { channel, thread_ts: ts, ...content, ...quiet }, signal);
    }
    thread.replied = event.id;
  }

  /** @param expected errors that the caller takes as answers */
  private async asked(
    method: string,
    content: object,
    signal: AbortSignal,
    expected: readonly string[] = [],
  ): Promise<SlackAnswer> {
    const answer = await this.call(method, content, signal);
    const { ok, error = 'no reason' } = answer;
    if (ok || expected.includes(error)) {
      return answer;
    }
    throw new DeliveryFailed(`Slack does not accept ${method}: ${error.slice(0, 100)}`, {
      final: !passing.includes(error),
    });
  }
}

/** Slack does not fetch the pages that links lead to. */
const quiet = { unfurl_links: false, unfurl_media: false };
