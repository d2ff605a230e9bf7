import * as fc from 'fast-check';
import type { FleetEvent } from '../../../lib/shift/notify';
import { messageOf, messageText } from '../../../lib/shift/notify/message';
import { samples } from './events';

test.each<[FleetEvent['type'], string, string, string]>([
  [
    'started',
    'traffic: the shift starts',
    'plain',
    'From blue 100, green 0 to blue 0, green 100 in 7 steps, at least 1h30m.',
  ],
  ['stepWritten', 'traffic: step 2 of 7', 'plain', 'Step 2 of 7: blue 99, green 1.'],
  ['checkAnswered', 'traffic: errors: fail', 'bad', 'errors: fail: green: 12 of 90 requests failed'],
  ['waiting', 'traffic: waits for checks', 'warning', 'Waits for capacity (3 of 9 targets).'],
  [
    'paused',
    'traffic: paused at 50 %',
    'warning',
    'kim@desk holds it at 50 % of the way. To continue: touch go-50.',
  ],
  [
    'resumed',
    'traffic: continues beyond 50 %',
    'plain',
    'Continues beyond 50 % of the way: kim@desk agrees.',
  ],
  ['rollingBack', 'traffic: rolls back', 'bad', 'Rolls back: A check has failed: errors.'],
  ['ended', 'traffic: rolled back', 'bad', 'Rolled back: A check has failed: errors.'],
])('%s', (type, headline, tone, text) => {
  expect(messageOf(samples[type])).toMatchObject({ headline, tone, text });
});

test('a fleet stands behind the route, and only a shift that completed is good news', () => {
  const ends = (['completed', 'rolledBack', 'held', 'aborted'] as const).map((verdict) => {
    const { headline, tone } = messageOf({ ...samples.ended, fleet: 'apps', verdict });
    return [headline, tone];
  });
  expect(ends).toEqual([
    ['traffic of fleet apps: completed', 'good'],
    ['traffic of fleet apps: rolled back', 'bad'],
    ['traffic of fleet apps: held where it is', 'warning'],
    ['traffic of fleet apps: aborted', 'bad'],
  ]);
});

test('facts say where the traffic is, how long it took, what failed, and who ran what', () => {
  expect(messageOf(samples.ended).facts).toEqual([
    ['Live weights', 'blue 99, green 1'],
    ['Duration', '12m30s'],
    ['Check failed', 'errors: green: 12 of 90 requests failed'],
    ['Run by', 'alex@laptop'],
    ['Plan', 'plan.yaml'],
  ]);
  expect(messageOf(samples.started).facts).toContainEqual([
    'Ends at the earliest',
    '2031-05-06T08:38:09.000Z',
  ]);
  expect(messageOf(samples.stepWritten).facts).toContainEqual([
    'Next step at the earliest',
    '2031-05-06T07:18:09.000Z',
  ]);
  expect(messageOf({ ...samples.stepWritten, weights: null }).facts).toContainEqual([
    'Live weights',
    'not known',
  ]);
});

test('a link to approve is how a reader continues, and until when', () => {
  const approve = 'https://example.com/approve?token=1';
  const textOf = (links?: Record<string, string>) =>
    messageOf({ ...samples.paused, how: 'open the page with the token', ...(links && { links }) }).text;
  expect(textOf()).toContain('To continue: open the page with the token.');
  expect(textOf({ approve })).toMatch(/To continue: use the approval link\.$/);
  const links = { approve, approveExpires: '2031-05-06T08:08:09.000Z' };
  expect(textOf(links)).toMatch(/To continue: use the approval link, until 2031-05-06 08:08:09 UTC\.$/);
  const { links: shown } = messageOf({ ...samples.paused, links });
  expect(shown.map(({ title }) => title)).toEqual(['Review and approve']);
});

test('a link to approve is there only while the shift waits for it', () => {
  const links = {
    zed: 'https://example.com/z',
    page: 'https://example.com/page',
    approve: 'https://example.com/approve?token=1',
  };
  expect(messageOf({ ...samples.paused, links }).links).toEqual([
    { title: 'Review and approve', url: 'https://example.com/approve?token=1' },
    { title: 'Live page', url: 'https://example.com/page' },
    { title: 'zed', url: 'https://example.com/z' },
  ]);
  const others = Object.values(samples).filter(({ type }) => type !== 'paused');
  const titles = others.flatMap((event) => messageOf({ ...event, links }).links.map(({ title }) => title));
  expect(new Set(titles)).toEqual(new Set(['Live page', 'zed']));
});

test.each([
  'javascript:alert(1)',
  'file:///etc/passwd',
  'nothing',
  '',
  `https://e.example/${'x'.repeat(3_000)}`,
])('no link leads to %j', (page) => {
  expect(messageOf({ ...samples.started, links: { page } }).links).toEqual([]);
});

test('a link has nothing in it that ends it', () => {
  const page = 'https://example.com/a|b>c<d (e)\'f"?g=h|i>j)#k|l>';
  const [link] = messageOf({ ...samples.started, links: { page } }).links;
  expect(link!.url).not.toMatch(/[\s"'<>|()]/);
  expect(decodeURIComponent(link!.url)).toBe(page);
});

test('as plain text', () => {
  expect(messageText(messageOf({ ...samples.paused, links: { page: 'https://example.com/' } }))).toBe(
    [
      'traffic: paused at 50 %',
      '',
      'kim@desk holds it at 50 % of the way. To continue: touch go-50.',
      '',
      'Live weights: blue 99, green 1',
      'Wanted weights: blue 0, green 100',
      'Run by: alex@laptop',
      'Plan: plan.yaml',
      'Live page: https://example.com/',
    ].join('\n'),
  );
});

test('whatever texts come from outside: one line each, within bounds, no half characters', () => {
  const outside = fc.oneof(
    fc.fullUnicodeString({ maxLength: 400 }),
    fc.constantFrom('\u001b[2J\n', '\u202e', '😀'.repeat(900), 'x\n'.repeat(2_000), '##[error]'),
  );
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(samples)), outside, outside, (event, one, other) => {
      const check = { ...samples.rollingBack.failed[0]!, name: one, reason: other };
      const message = messageOf({
        ...event,
        ...{ route: one, source: other, by: one, how: other, reason: other, heldBy: one },
        ...{ failed: Array.from({ length: 20 }, () => check), checks: [check], check },
        ...{ links: { page: one, [other]: 'https://example.com/' } },
      } as FleetEvent);
      const { headline, text, facts, links } = message;
      const texts = [headline, text, ...facts.flat(), ...links.flatMap(({ title, url }) => [title, url])];
      expect(texts.filter((each) => /[\p{Cc}\p{Cf}\p{Cs}]/u.test(each))).toEqual([]);
      expect(headline.length).toBeLessThanOrEqual(140);
      expect(text.length).toBeLessThanOrEqual(1_200);
      expect(Math.max(...facts.flat().map(({ length }) => length))).toBeLessThanOrEqual(300);
      expect(facts.length).toBeLessThanOrEqual(10);
    }),
  );
});
