import fc from 'fast-check';
import { pagePolicy } from '../../../lib/shift/page/document';
import { formValue } from '../../../lib/shift/page/guard';
import { ask, model, send, start, token } from './request';

const paused = model({}, { activity: 'paused', pausedAt: 50, standsUntil: null });
const publicUrl = 'https://shift.example.com';
const atPublicUrl = { places: { ...model().places, publicUrl } };

describe('what a person may do', () => {
  test.each([
    ['/continue', { place: '50' }, paused, { type: 'continue', place: 50 }],
    ['/hold', {}, model(), { type: 'hold' }],
    ['/back', {}, model(), { type: 'rollBack' }],
    ['/back', {}, paused, { type: 'rollBack' }],
  ] as const)('%s', (url, fields, page, action) => {
    expect(send(url, fields, page)).toMatchObject({
      status: 303,
      headers: { location: '/routes/traffic' },
      action: { ...action, route: 'traffic', by: 'alex@laptop, on the page' },
    });
  });

  test.each([
    ['/continue', { place: '25' }, paused, 409],
    ['/continue', { place: '50' }, model(), 409],
    ['/continue', {}, paused, 409],
    ['/hold', {}, paused, 409],
    ['/hold', {}, model({}, { heldBy: 'kim' }), 409],
    ['/hold', {}, model({}, { activity: 'baking' }), 409],
    ['/back', {}, model({}, { activity: 'rollingBack' }), 409],
    ['/back', {}, model({}, { activity: 'starting' }), 409],
    ['/hold', { route: 'other' }, model(), 404],
    ['/other', {}, model(), 404],
    ['/control', { do: 'errors' }, model(), 404],
  ] as const)('%s with %j: too late, or nothing that there is', (url, fields, page, status) => {
    const answer = send(url, fields, page);
    expect([answer.status, answer.action]).toEqual([status, undefined]);
  });

  test('a pause of a run that asks for no one has no button', () => {
    const [route] = paused.routes;
    const page = model({ routes: [{ name: 'traffic', soFar: route!.soFar }] });
    expect(send('/continue', { place: '50' }, page).status).toBe(409);
  });

  test('buttons of a demo', () => {
    const controls = {
      ...{ title: 'Break green', text: '', act: () => {}, chosen: () => 'errors' },
      actions: [
        { name: 'errors', label: 'Errors' },
        { name: 'none', label: 'Repair' },
      ],
    };
    const page = model({ controls });
    expect(send('/control', { do: 'none' }, page).action).toEqual({ type: 'control', name: 'none' });
    expect(send('/control', { do: 'toString' }, page).status).toBe(404);
    expect(send('/control', { do: 'none', value: 'x' }, page).status).toBe(403);
  });
});

describe('who may do it', () => {
  const nothing = { status: 403, action: undefined };
  const seen = ({ status, action }: ReturnType<typeof ask>) => ({ status, action });

  test.each([
    ['no cookie', { cookie: undefined }],
    ['another token', { cookie: 'cluster-canary-8080=another' }],
    ['the cookie of another port', { cookie: `cluster-canary-8081=${token}` }],
    ['another site', { origin: 'https://evil.example.com' }],
    ['a page without an origin', { origin: 'null' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:9090' }],
    ['another site, as the browser says', { 'sec-fetch-site': 'cross-site' }],
    ['no origin and no word of the browser', { origin: undefined, 'sec-fetch-site': undefined }],
    ['no origin, from another site', { origin: undefined, 'sec-fetch-site': 'same-site' }],
    ['a name that leads here', { host: 'evil.example.com:8080' }],
    ['no name', { host: undefined }],
  ] as const)('%s: nothing', (_what, headers) => {
    expect(seen(send('/hold', {}, model(), headers))).toEqual(nothing);
  });

  test('a form without its value: nothing', () => {
    expect(seen(send('/hold', { value: formValue('another', 'act') }))).toEqual(nothing);
    expect(seen(send('/hold', { value: token }))).toEqual(nothing);
  });

  test('an old browser says no origin, but that it is the same', () => {
    expect(send('/hold', {}, model(), { origin: undefined }).status).toBe(303);
  });

  test.each(['localhost:8080', '[::1]:8080', '127.0.0.1:8080'])('by the name %s', (host) => {
    const headers = { host, origin: `http://${host}` };
    expect(send('/hold', {}, model(), headers).status).toBe(303);
  });

  test('behind TLS of their own: by the public name, and by none else', () => {
    const headers = { host: 'shift.example.com', origin: publicUrl };
    expect(send('/hold', {}, model(atPublicUrl), headers).status).toBe(303);
    expect(seen(send('/hold', {}, model(), headers))).toEqual(nothing);
    expect(seen(send('/hold', {}, model(atPublicUrl), { ...headers, origin: `${publicUrl}.evil` }))).toEqual(
      nothing,
    );
  });

  test.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])(
    '%s changes nothing, whatever it asks for',
    (method) => {
      const cookie = `cluster-canary-8080=${token}`;
      for (const url of ['/hold', '/back', '/continue?place=50&route=traffic', '/control?do=errors', '/']) {
        const headers = { cookie, origin: 'http://127.0.0.1:8080' };
        expect(ask(url, paused, { method, headers }).action).toBeUndefined();
      }
    },
  );

  test('whatever is sent without the token changes nothing, and is answered', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 });
    const path = fc.oneof(fc.constantFrom('/hold', '/back', '/continue', '/control', '/approve/x.y'), text);
    const request = fc.record({
      method: fc.constantFrom('GET', 'POST', 'HEAD', 'PATCH'),
      url: path,
      headers: fc.record({ host: fc.constantFrom('127.0.0.1:8080', 'x'), origin: text, cookie: text }),
      body: text,
    });
    fc.assert(
      fc.property(request, ({ url, ...rest }) => {
        const { status, action } = ask(url, paused, rest);
        expect([status >= 200 && status < 500, action]).toEqual([true, undefined]);
      }),
    );
  });
});

describe('who it was', () => {
  const by = (page: ReturnType<typeof model>, fields = {}, headers = {}) => {
    const { action } = send('/hold', fields, page, headers);
    return action && 'by' in action && action.by;
  };

  test.each<[string, ReturnType<typeof model>, object, object, string]>([
    ['who runs it', model(), {}, {}, 'alex@laptop, on the page'],
    ['a name that was written', model(), { name: ' Kim ' }, {}, 'Kim (as written there), on the page'],
    [
      'controls in it',
      model(),
      { name: 'K\u001b[31m\u202eim' },
      {},
      'K\\u001b[31m\\u202eim (as written there), on the page',
    ],
    [
      'a long one',
      model(),
      { name: 'k'.repeat(900) },
      {},
      `${'k'.repeat(60)} (as written there), on the page`,
    ],
    [
      'no name at a public address',
      model(atPublicUrl),
      {},
      {},
      'a person with the address that alex@laptop has, on the page',
    ],
    [
      'a header that is trusted',
      model({ ...atPublicUrl, approverHeader: 'x-forwarded-email' }),
      { name: 'Kim' },
      { 'x-forwarded-email': 'kim@example.com' },
      'kim@example.com (x-forwarded-email), on the page',
    ],
    ['one that is not', model(), {}, { 'x-forwarded-email': 'kim@example.com' }, 'alex@laptop, on the page'],
  ])('%s', (_what, page, fields, headers, name) => {
    expect(by(page, fields, headers)).toBe(name);
  });
});

describe('the token', () => {
  test('becomes a cookie, and leaves the address', () => {
    const { status, headers } = ask(`/?token=${token}`);
    expect([status, headers.location]).toEqual([303, '/']);
    expect(headers['set-cookie']).toBe(`cluster-canary-8080=${token}; HttpOnly; SameSite=Strict; Path=/`);
  });

  test.each(['/.//evil.example/x', '/..//evil.example/x', '/x/..///evil.example/x'])(
    'leads to no other site: %s',
    (path) => {
      expect(ask(`${path}?token=${token}`).headers.location).toBe('/evil.example/x');
    },
  );

  test('behind TLS only there', () => {
    const { headers } = ask(`/?token=${token}`, model(atPublicUrl), {
      headers: { host: 'shift.example.com' },
    });
    expect(headers['set-cookie']).toContain('; Secure');
  });

  test('of another run: it says so, and sets nothing', () => {
    const { status, headers, body } = ask('/?token=other');
    expect([status, headers['set-cookie']]).toEqual([403, undefined]);
    expect(body).toContain('This token is of another run');
  });

  test('is on no page', () => {
    const cookie = `cluster-canary-8080=${token}`;
    for (const url of ['/', '/parts/traffic', '/back?route=traffic', '/page.js', '/nothing']) {
      expect(ask(url, paused, { headers: { cookie } }).body).not.toContain(token);
    }
  });
});

describe('what is answered', () => {
  const cookie = `cluster-canary-8080=${token}`;

  test('every answer has the policy, and no other site reads it', () => {
    const answers = ['/', '/page.css', '/page.js', '/parts/traffic', '/nothing', '/back'].map((url) =>
      ask(url),
    );
    for (const { headers } of [
      ...answers,
      send('/hold', {}),
      ask('/', model(), { headers: { host: 'x' } }),
    ]) {
      expect(headers).toMatchObject({
        'content-security-policy': pagePolicy,
        'x-content-type-options': 'nosniff',
      });
      expect(Object.keys(headers)).not.toContain('access-control-allow-origin');
    }
    expect(pagePolicy).not.toContain('unsafe');
  });

  test('no page has a style or a script of its own', () => {
    for (const url of ['/', '/parts/traffic', '/back?route=traffic']) {
      const { status, body } = ask(url, model(), { headers: { cookie } });
      expect(status).toBe(200);
      expect(body).not.toMatch(
        / style=|<style| on[a-z]+=|<script(?! src="\/page\.js" defer="defer"><\/script>)/,
      );
    }
  });

  test('who only looks has no button, and reads why', () => {
    const { body } = ask('/');
    expect(body).not.toContain('<button');
    expect(body).toContain('You are looking only.');
    expect(ask('/', model(), { headers: { cookie } }).body).toContain('>Hold</button>');
  });

  test('parts that have not changed are not sent again', () => {
    const first = ask('/parts/traffic');
    const again = (page: ReturnType<typeof model>) =>
      ask('/parts/traffic', page, { headers: { 'if-none-match': first.headers.etag! } });
    expect([again(model()).status, again(model()).body]).toEqual([304, '']);
    expect(again(model({ revision: 2 })).status).toBe(200);
    expect(
      ask('/parts/traffic', model(), { headers: { cookie, 'if-none-match': first.headers.etag! } }).status,
    ).toBe(200);
  });

  test('what is of others is text', () => {
    const evil = '<img src=x onerror=alert(1)>';
    const page = model({ title: evil }, { heldBy: evil });
    const check = {
      at: new Date(start).toISOString(),
      name: evil,
      stage: 'after',
      status: 'fail',
      reason: evil,
      figures: [],
    } as const;
    const [route] = model({}, { checks: [check] }).routes;
    for (const each of [page, model({ routes: [route!] })]) {
      expect(ask('/', each).body).not.toContain('<img');
    }
  });

  test('before a shift is there, it says so', () => {
    expect(ask('/', model({ routes: [] }))).toMatchObject({ status: 503 });
  });

  test('a plan with several routes has a page for each', () => {
    const [route] = model().routes;
    const page = model({
      routes: [
        { ...route!, name: 'eu' },
        { ...route!, name: 'us' },
      ],
    });
    const { body } = ask('/routes/us', page);
    expect(body).toContain('plan.yaml: us</h1>');
    expect(body).toContain('<a href="/routes/us" aria-current="page">us</a>');
    expect(ask('/routes/ap', page).status).toBe(404);
  });
});
