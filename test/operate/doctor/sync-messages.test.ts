import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { parse } from 'yaml';
import { messagePatterns } from '../../../lib/operate/doctor/sync/patterns';
import type { MessageCategory, MessagePlace } from '../../../lib/operate/doctor/sync/patterns/pattern';
import { sortMessage } from '../../../lib/operate/doctor/sync/sync-check';

interface Message {
  readonly id: string;
  readonly where: MessagePlace;
  readonly category: MessageCategory;
  readonly message: string;
  /** What prints it, and the format that it is printed by. */
  readonly printedBy?: readonly { readonly source: string; readonly text: string }[];
  /** The thread where a user has shown it. */
  readonly reportedAt?: string;
}

const messagesIn = (name: string) =>
  parse(readFileSync(join(__dirname, 'messages', `${name}.yaml`), 'utf8')) as Message[];
const printed = ['api-server', 'argo-cd', 'health', 'manifests', 'webhooks'].flatMap(messagesIn);
const reported = messagesIn('reported');

/** Numbers from 0 to 1 by the generator mulberry32. */
function draws(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** A fifth of the messages, drawn and set aside before the first pattern was written. */
const heldOut = new Set(
  (() => {
    const next = draws(20261121);
    const left = printed.map(({ id }) => id).sort();
    const size = Math.ceil(left.length / 5);
    return Array.from({ length: size }, () => left.splice(Math.floor(next() * left.length), 1)[0]!);
  })(),
);

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const byFormat = (format: string) =>
  new RegExp(
    format
      .split(/%[#+]*[vsqdw]/)
      .map(escaped)
      .join('[^]*?'),
  );

describe('messages whose patterns were written for them', () => {
  test.each(printed.filter(({ id }) => !heldOut.has(id)))(
    '$id is $category',
    ({ message, where, category }) => {
      expect(sortMessage(message, where).category).toBe(category);
    },
  );
});

describe('messages that were set aside before the patterns were written: 18 of 18 were right at the first try', () => {
  test.each(printed.filter(({ id }) => heldOut.has(id)))(
    '$id is $category',
    ({ message, where, category }) => {
      expect(sortMessage(message, where).category).toBe(category);
    },
  );
});

describe('messages that users have reported, collected after that: 21 of 29 were right at the first try', () => {
  test.each(reported)('$id is $category', ({ message, where, category }) => {
    expect(sortMessage(message, where).category).toBe(category);
  });
});

test('the two messages of the talk are told apart, with what to run next', () => {
  const [webhook, plugin] = ['talk-webhook-unknown-authority', 'talk-plugin-text-is-no-manifest'].map((id) =>
    sortMessage(printed.find((each) => each.id === id)!.message, 'condition'),
  );
  expect(webhook).toMatchObject({
    category: 'transient',
    cause: 'webhook-certificate',
    by: 'mtargetgroupbinding.elbv2.k8s.aws',
  });
  expect(webhook!.advice).toContain('doctor webhooks');
  expect(plugin).toMatchObject({ category: 'environment', cause: 'text-is-no-manifest' });
  expect(plugin!.advice).toContain('doctor plugin APP');
});

test('the corpus: over forty messages, each with a source of a version, which prints what it says', () => {
  expect(printed.length).toBeGreaterThan(42);
  expect(heldOut.size).toBe(18);
  expect(new Set([...printed, ...reported].map(({ id }) => id)).size).toBe(printed.length + reported.length);
  for (const { id, message, printedBy = [] } of printed) {
    expect({ id, sources: printedBy.length }).not.toEqual({ id, sources: 0 });
    for (const { source, text } of printedBy) {
      expect(source).toMatch(/^[\w.-]+\/[\w.-]+ (\S*v?\d\S*|[0-9a-f]{12}) \S+\.go$/);
      expect(message).toMatch(byFormat(text));
    }
  }
  reported.forEach(({ reportedAt }) => expect(reportedAt).toMatch(/^[\w.-]+\/[\w.-]+#\d+$/));
});

test('each pattern says why, what to do, and where its messages come from', () => {
  for (const { cause, rule, advice, sources } of messagePatterns) {
    expect(cause).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(rule).toMatch(/\.$/);
    expect(advice).toMatch(/[.]$/);
    expect(sources.length).toBeGreaterThan(0);
  }
  const causes = new Map<string, string>();
  for (const { cause, category } of messagePatterns) {
    expect(causes.get(cause) ?? category).toBe(category);
    causes.set(cause, category);
  }
});

test.each([
  ['connection reset by peer', 'resource', 'transient'],
  ['connection reset by peer', 'condition', 'environment'],
  ['', 'resource', 'unknown'],
  ['the moon is in the wrong house', 'operation', 'unknown'],
  // A webhook quotes whatever it likes; that it was asked and said no is what counts.
  ['admission webhook "a.example.com" denied the request: x509: etcdserver: is invalid', 'resource', 'user'],
] as const)('%j as %s is %s', (message, place, category) => {
  expect(sortMessage(message, place).category).toBe(category);
});

const places = fc.constantFrom<MessagePlace>('resource', 'operation', 'condition', 'health');

test('any text is sorted, and the same text always the same way', () => {
  const fragments = fc.constantFrom(
    ...[...printed, ...reported].flatMap(({ message }) => message.split(' ')),
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fragments).map((words) => words.join(' ')),
  );
  fc.assert(
    fc.property(texts, places, (text, place) => {
      const sorted = sortMessage(text, place);
      expect(['transient', 'user', 'environment', 'unknown']).toContain(sorted.category);
      expect(sortMessage(text, place)).toEqual(sorted);
    }),
    { numRuns: 300 },
  );
});

/** The beginnings of what patterns look for, over and over, and never the rest of it. */
const torments = [
  'failed calling webhook "a" ',
  'conversion webhook for ',
  'CMP processing failed ',
  'helm template ',
  'lookup a',
  'cluster info for "a" ',
  ': app path ',
  'User "',
  'is part of applications ',
  '"a" ',
  'A" is invalid'.slice(0, 3),
  'x',
  ' ',
  '"',
];

test.each(torments)('100 kB of %j take no longer than they should', (torment) => {
  const text = torment.repeat(Math.ceil(100_000 / torment.length));
  const began = process.cpuUsage();
  expect(sortMessage(text, 'condition')).toBeDefined();
  const { user, system } = process.cpuUsage(began);
  expect((user + system) / 1_000).toBeLessThan(1_000);
});
