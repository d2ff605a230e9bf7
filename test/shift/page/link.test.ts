import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { linkExpiry, linkToken, readLink } from '../../../lib/shift/page/link';
import type { PageModel } from '../../../lib/shift/page/model';
import { ShiftPage, parseAddress } from '../../../lib/shift/page';
import { address, ask, model, progress, start } from './request';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const key = 'k'.repeat(32);
const shift = '20260101T120000Z-1a2b3c4d';
const expires = start / 1_000 + 3_600;
const token = linkToken(key, { shift, route: 'traffic', place: 50, expires });

/** A page of a shift that waits at 50 % of the way. */
function page(more: Partial<PageModel> & { readonly used?: readonly string[] } = {}, so = {}): PageModel {
  const links = { key, shiftOf: () => shift, used: new Set(more.used), isNewest: () => true };
  return model({ links, ...more }, { activity: 'paused', pausedAt: 50, standsUntil: null, ...so });
}

/** What the form of a page holds, and the cookie that came with it. */
function opened(link = token, on = page()) {
  const { status, headers, body } = ask(`/approve/${link}`, on);
  const [, value = ''] = /name="value" value="([^"]*)"/.exec(body) ?? [];
  return {
    status,
    body,
    value,
    cookie: headers['set-cookie']?.split(';')[0] ?? '',
    set: headers['set-cookie'],
  };
}

function agree(
  fields: Readonly<Record<string, string>> = {},
  headers: object = {},
  on = page(),
  link = token,
) {
  const { value, cookie } = opened(link, on);
  return ask(`/approve/${link}`, on, {
    method: 'POST',
    headers: { origin: `http://${address}`, cookie, ...headers },
    body: new URLSearchParams({ value, name: 'Kim', ...fields }).toString(),
  });
}

test('the page says what it would do; its form does it, with a name, once', () => {
  const { status, body, set } = opened();
  expect(status).toBe(200);
  for (const text of [
    'Let it continue beyond 50 % of the way?',
    'Live: blue 98, green 2.',
    'after step 2 of 7',
  ]) {
    expect(body).toContain(text);
  }
  expect(set).toMatch(/^cluster-canary-link-8080=[\w-]{22,}; HttpOnly; SameSite=Strict; Path=\/approve$/);
  const { status: done, action } = agree();
  expect([done, action]).toEqual([
    200,
    {
      type: 'continue',
      route: 'traffic',
      place: 50,
      by: 'Kim (as written there), by the link',
      link: expect.any(String),
    },
  ]);
  const used = action && 'link' in action ? [action.link!] : [];
  expect(opened(token, page({ used }))).toMatchObject({
    status: 409,
    body: expect.stringContaining('used already'),
  });
});

test.each([
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
  'Mozilla/5.0 (X11; Linux x86_64) Chrome/140',
])('a preview of the link changes nothing, however often: %s', (agent) => {
  for (const method of ['GET', 'HEAD', 'GET', 'OPTIONS', 'PUT', 'DELETE']) {
    for (const cookie of [undefined, opened().cookie]) {
      const headers = { 'user-agent': agent, range: 'bytes=0-9999', cookie, origin: `http://${address}` };
      expect(ask(`/approve/${token}`, page(), { method, headers }).action).toBeUndefined();
    }
  }
  expect(agree().status).toBe(200);
});

test.each<[string, object, object]>([
  ['the value of the page', { value: '' }, {}],
  [
    'the value of another link',
    { value: opened(linkToken(key, { shift, route: 'traffic', place: 50, expires })).value },
    {},
  ],
  ['the cookie of the page', {}, { cookie: undefined }],
  ['the same browser', {}, { cookie: 'cluster-canary-link-8080=the-nonce-of-another-browser' }],
  ['the same site', {}, { origin: 'https://chat.example.com' }],
  ['an origin', {}, { origin: undefined }],
])('without %s: 403, and nothing', (_what, fields, headers) => {
  const { status, action } = agree(fields as Record<string, string>, headers);
  expect([status, action]).toEqual([403, undefined]);
});

test('without a name: nothing; a header that is trusted is one', () => {
  expect(agree({ name: ' ' })).toMatchObject({ status: 400 });
  const on = page({ approverHeader: 'x-email', places: { address, publicUrl: 'https://shift.example.com' } });
  const headers = {
    'x-email': 'kim@example.com',
    host: 'shift.example.com',
    origin: 'https://shift.example.com',
  };
  expect(agree({ name: '' }, headers, on).action).toMatchObject({
    by: 'kim@example.com (x-email), by the link',
  });
  expect(agree({ name: '' }, { 'x-email': 'kim@example.com' }).status).toBe(400);
});

const other = (more: object) => linkToken(key, { shift, route: 'traffic', place: 50, expires, ...more });

test.each<[string, string, PageModel, number, string]>([
  ['expired', other({ expires: start / 1_000 }), page(), 410, 'has expired'],
  ['for another place', other({ place: 25 }), page(), 409, 'It does not wait there any more'],
  ['for another run', other({ shift: 'another' }), page(), 409, 'is of another run'],
  ['for another route', other({ route: 'us' }), page(), 409, 'is of another run'],
  [
    'signed by another key',
    linkToken('x'.repeat(32), { shift, route: 'traffic', place: 50, expires }),
    page(),
    404,
    'does not belong to this shift',
  ],
  [
    'for an earlier pause at the same place',
    token,
    page({ links: { key, shiftOf: () => shift, used: new Set(), isNewest: () => false } }),
    409,
    'is of another pause',
  ],
  ['when it waits no more', token, page({}, { activity: 'standing', pausedAt: null }), 409, 'any more'],
  [
    'where there are no links',
    token,
    model({}, { activity: 'paused', pausedAt: 50 }),
    404,
    'does not belong to this shift',
  ],
  ['without a signature', token.split('.')[0]!, page(), 404, 'does not belong to this shift'],
  ['with more', `${token}.x`, page(), 404, 'does not belong to this shift'],
  ['empty', '', page(), 404, 'does not belong to this shift'],
])('a link %s', (_what, link, on, status, text) => {
  const seen = opened(link, on);
  expect([seen.status, seen.body]).toEqual([status, expect.stringContaining(text)]);
  const sent = ask(`/approve/${link}`, on, { method: 'POST', headers: { origin: `http://${address}` } });
  expect([sent.status, sent.action]).toEqual([status, undefined]);
});

test('each pause of each run has a link of its own', async () => {
  const opens = async () => {
    const host = `127.0.0.1:${await freePort()}`;
    return ShiftPage.open({
      ...{ title: 'Shift', by: 'alex', address: parseAddress(host)!, publicUrl: `http://${host}` },
      links: { key, expiresMs: 60_000 },
    });
  };
  const waits = (run: ShiftPage) => {
    const { observer, people } = run.route('traffic');
    observer.progress!(progress({ activity: 'paused', pausedAt: 50, startedAt: start }));
    void people.resumed(50);
    return people;
  };
  const statusOf = async (url: string) => (await fetch(url)).status;
  const first = await opens();
  const people = waits(first);
  const [earlier, newest] = [1, 2].map(() => first.approveUrl(String(start), 'traffic', 50)!);
  const ofFirst = [await statusOf(earlier!), await statusOf(newest!)];
  people.letContinue(50, 'kim');
  await first.close();
  const next = await opens();
  const others = waits(next);
  const ofNext = [
    await statusOf(newest!.replace(first.url, next.url)),
    await statusOf(next.approveUrl(String(start), 'traffic', 50)!),
  ];
  others.letContinue(50, 'kim');
  await next.close();
  expect([ofFirst, ofNext]).toEqual([
    [409, 200],
    [409, 200],
  ]);
});

test('no byte of a link can be another one', () => {
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.constantFrom(...'Aa0-_.é '), (at, letter) => {
      const altered = token.slice(0, at) + letter + token.slice(at + 1);
      fc.pre(altered !== token);
      expect(readLink(key, altered, start)).toBe('altered');
    }),
  );
});

test('whatever is in the place of a link is read without an error', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => readLink(key, text, start) === 'altered'));
  expect(new Set(Array.from({ length: 50 }, () => other({}))).size).toBe(50);
});

test('a link says itself when it expires; another address says nothing', () => {
  const token = linkToken('k'.repeat(32), { shift: 's', route: 'web', place: 50, expires: 1_900_000_000 });
  expect(linkExpiry(`https://shift.example.com/approve/${token}`)).toBe('2030-03-17T17:46:40.000Z');
  const written = (content: unknown) =>
    `https://x.example/approve/${Buffer.from(JSON.stringify(content)).toString('base64url')}.x`;
  const others = ['', 'https://x.example/approve', 'https://x.example/approve/abc.def', written(null)];
  for (const other of [...others, written([1, 2, 3, '4', 5]), written([1, 2, 3, 1e300, 5]), written({})]) {
    expect(linkExpiry(other)).toBeUndefined();
  }
});
