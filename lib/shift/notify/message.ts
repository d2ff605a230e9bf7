import { formatDuration } from '../../core/durations';
import { oneLine } from '../../core/printable-text';
import { formatWeights } from '../engine';
import type { CheckRecord } from '../engine';
import { eventText } from './event';
import type { FleetEvent } from './event';

/** How good the news is. */
export type Tone = 'plain' | 'good' | 'warning' | 'bad';

/** A page to open. */
export interface MessageLink {
  readonly title: string;
  /** `http` or `https`. */
  readonly url: string;
}

/** An event for a person. All texts are one line each, and no longer than a chat shows. */
export interface Message {
  /** What happened, in a few words: `web of fleet apps: step 2 of 7`. */
  readonly headline: string;
  /** The same in a sentence or two. */
  readonly text: string;
  readonly tone: Tone;
  /** What else is to know, by its name. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly links: readonly MessageLink[];
}

/** In characters; Slack takes 150 in a header. */
const longestHeadline = 140;
const longestText = 1_200;
const longestFact = 300;
const longestUrl = 1_000;
const mostLinks = 4;
/** Of more, the first ones: which check failed is known by then. */
const mostChecks = 5;

/** What a person reads of an event. It is total. */
export function messageOf(event: FleetEvent): Message {
  return {
    headline: cut(`${whereOf(event)}: ${whatOf(event)}`, longestHeadline),
    text: cut(eventText(event), longestText),
    tone: toneOf(event),
    facts: factsOf(event).map(([name, value]) => [cut(name, longestFact), cut(value, longestFact)]),
    links: linksOf(event),
  };
}

/** The message as plain text, as a mail has it. */
export function messageText({ headline, text, facts, links }: Message): string {
  return [
    headline,
    '',
    text,
    '',
    ...facts.map(([name, value]) => `${name}: ${value}`),
    ...links.map(({ title, url }) => `${title}: ${url}`),
  ].join('\n');
}

/** One line, at most so long; a character outside of the basic plane is not halved. */
export function cut(text: string, most: number): string {
  const line = oneLine(text).trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function whereOf({ route, fleet }: FleetEvent): string {
  return fleet === undefined ? route : `${route} of fleet ${fleet}`;
}

function whatOf(event: FleetEvent): string {
  switch (event.type) {
    case 'started':
      return 'the shift starts';
    case 'stepWritten':
      return event.rollback === true ? 'the traffic is back' : `step ${event.step} of ${event.steps}`;
    case 'checkAnswered':
      return `${event.check.name}: ${event.check.status}`;
    case 'waiting':
      return 'waits for checks';
    case 'paused':
      return `paused at ${event.place} %`;
    case 'resumed':
      return `continues beyond ${event.place} %`;
    case 'rollingBack':
      return 'rolls back';
    case 'ended':
      return endWords[event.verdict];
  }
}

const endWords = {
  completed: 'completed',
  rolledBack: 'rolled back',
  held: 'held where it is',
  aborted: 'aborted',
} as const;

function toneOf(event: FleetEvent): Tone {
  switch (event.type) {
    case 'started':
    case 'resumed':
      return 'plain';
    case 'stepWritten':
      return event.rollback === true ? 'warning' : 'plain';
    case 'checkAnswered':
      return checkTones[event.check.status];
    case 'waiting':
    case 'paused':
      return 'warning';
    case 'rollingBack':
      return 'bad';
    case 'ended':
      return event.verdict === 'completed' ? 'good' : event.verdict === 'held' ? 'warning' : 'bad';
  }
}

const checkTones = { pass: 'good', inconclusive: 'warning', fail: 'bad' } as const;

function factsOf(event: FleetEvent): readonly (readonly [string, string])[] {
  const { weights, wanted, by, source } = event;
  return [
    ['Live weights', weights === null ? 'not known' : formatWeights(weights)] as const,
    ...(event.type === 'ended' ? [] : [['Wanted weights', formatWeights(wanted)] as const]),
    ...timeFacts(event),
    ...failedIn(event)
      .slice(0, mostChecks)
      .map(({ name, reason }) => ['Check failed', `${name}: ${reason}`] as const),
    ['Run by', by],
    ['Plan', source],
  ];
}

function timeFacts(event: FleetEvent): readonly (readonly [string, string])[] {
  if (event.type === 'started' && event.endsAt !== undefined) {
    return [['Ends at the earliest', event.endsAt]];
  }
  if (event.type === 'stepWritten' && event.standsUntil !== undefined) {
    return [['Next step at the earliest', event.standsUntil]];
  }
  const lasted = event.type === 'ended' ? Date.parse(event.at) - Date.parse(event.startedAt) : NaN;
  return lasted >= 0 ? [['Duration', formatDuration(Math.round(lasted / 1_000) * 1_000)]] : [];
}

function failedIn(event: FleetEvent): readonly CheckRecord[] {
  return event.type === 'rollingBack' || event.type === 'ended' ? event.failed : [];
}

const linkTitles: Readonly<Record<string, string>> = {
  approve: 'Review and approve',
  page: 'Live page',
  report: 'Report',
};

/** Whoever has the link to approve can do so: it is left out where nothing waits for it. */
function linksOf({ links = {}, type }: FleetEvent): readonly MessageLink[] {
  const known = Object.keys(linkTitles).filter((name) => Object.hasOwn(links, name));
  const others = Object.keys(links).filter((name) => !known.includes(name));
  return [...known, ...others]
    .filter((name) => name !== 'approveExpires' && (name !== 'approve' || type === 'paused'))
    .flatMap((name) => {
      const url = webAddress(links[name]!);
      return url === undefined
        ? []
        : [{ title: Object.hasOwn(linkTitles, name) ? linkTitles[name]! : cut(name, 60), url }];
    })
    .slice(0, mostLinks);
}

/** The address in its normal form, in which nothing ends a link or starts a tag; `undefined` for what no browser opens. */
function webAddress(text: string): string | undefined {
  if (!URL.canParse(text)) {
    return undefined;
  }
  const url = new URL(text);
  const href = url.href.replace(/["'<>|\\^`{}()\s]/g, (found) =>
    encodeURIComponent(found).replace(/['()]/g, hex),
  );
  return /^https?:$/.test(url.protocol) && href.length <= longestUrl ? href : undefined;
}

function hex(found: string): string {
  return `%${found.charCodeAt(0).toString(16).toUpperCase()}`;
}
