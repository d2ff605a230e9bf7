import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { WeightedProxy } from '../../lib/shift/demo/weighted-proxy';
import { clusterCanary, main, scratch } from './run-cli';
import { proxiedPlan, withoutAws as env } from './proxied-plan';

const plan = join(scratch, 'plan.yaml');
let proxy: WeightedProxy;

beforeEach(async () => {
  // Nothing is asked again within an hour: what people say must not wait for that.
  proxy = await proxiedPlan(plan, '{ step: [10, 50], every: 1ms, bake: 0s, pause: [10], checkEvery: 1h }');
});
afterEach(() => proxy.stop());

/** A shift of another process, with its page. */
async function serving(args: readonly string[] = ['--serve', '127.0.0.1:0'], more: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [main, 'shift', plan, '--json', ...args], {
    env: { ...process.env, ...env, ...more, NODE_OPTIONS: '', NODE_NO_WARNINGS: '1', _: '' },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const address = await new Promise<string>((resolve, reject) => {
    child.on('close', () => reject(new Error(stderr)));
    child.stderr.on('data', (data: Buffer) => {
      stderr += data.toString();
      const [found] = /http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/.exec(stderr) ?? [];
      if (found !== undefined) {
        resolve(found);
      }
    });
  });
  const url = new URL('/', address).href;
  const entry = await fetch(address, { redirect: 'manual' });
  const cookie = entry.headers.get('set-cookie')!.split(';')[0]!;
  const page = async (path = ''): Promise<string> =>
    (await fetch(url + path, { headers: { cookie } })).text();
  const until = async (text: string): Promise<string> => {
    for (;;) {
      const body = await page();
      if (body.includes(text)) {
        return body;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  /** Sends the form of a page, as a browser would. */
  const send = async (body: string, action: string): Promise<number> => {
    const form = new RegExp(`<form [^>]*action="${action}"[^]*?</form>`).exec(body)![0];
    const fields = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name!,
      value!,
    ]);
    const answer = await fetch(new URL(action, url), {
      ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) },
      headers: { cookie, origin: new URL(url).origin, 'content-type': 'application/x-www-form-urlencoded' },
    });
    return answer.status;
  };
  return { url, page, until, send, ended, out: () => stdout, said: () => stderr, child };
}

test('Continue at a pause: at once, by whom, and the document is as without a page', async () => {
  const shift = await serving();
  const body = await shift.until('Continue</button>');
  expect(body).toContain('It waits for a person at 10 % of the way');
  expect(await fetch(`${shift.url}?token=x`).then(({ status }) => status)).toBe(403);
  expect(await shift.send(body, '/continue')).toBe(303);
  expect(await shift.ended).toBe(0);
  const result = JSON.parse(shift.out());
  expect(result).toMatchObject({
    verdict: 'completed',
    approvals: [{ place: 10, by: expect.stringMatching(/@.*, on the page$/) }],
  });
  expect(proxy.weights).toEqual({ blue: 0, green: 100 });
  expect(shift.said().match(/token=/g)).toHaveLength(1);
  await expect(fetch(shift.url)).rejects.toThrow();
});

test('Back at a pause: one write, and by whom', async () => {
  const shift = await serving();
  await shift.until('Continue</button>');
  const ask = await shift.page('back?route=traffic');
  expect(ask).toContain('Take the traffic back to blue 100, green 0?');
  expect(proxy.weights).toEqual({ blue: 90, green: 10 });
  expect(await shift.send(ask, '/back')).toBe(303);
  expect(await shift.ended).toBe(1);
  const { verdict, reason, writes } = JSON.parse(shift.out());
  expect([verdict, reason.split('\n')[0], writes.length]).toEqual([
    'rolledBack',
    expect.stringMatching(/@.*, on the page requested a rollback\.$/),
    2,
  ]);
  expect(proxy.weights).toEqual({ blue: 100, green: 0 });
});

test('an interrupt ends it, and its page', async () => {
  const shift = await serving();
  await shift.until('Continue</button>');
  shift.child.kill('SIGINT');
  expect(await shift.ended).toBe(130);
  expect(JSON.parse(shift.out())).toMatchObject({ verdict: 'held' });
  await expect(fetch(shift.url)).rejects.toThrow();
});

test('a signed link in the notification: a preview changes nothing, its page does, and it is kept nowhere', async () => {
  const events: any[] = [];
  const hook = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => (body += data));
    request.on('end', () => {
      events.push(JSON.parse(body).data);
      response.end();
    });
  });
  const spare = createServer();
  const port = (server: typeof hook): Promise<number> =>
    new Promise((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
    );
  const [hookPort, pagePort] = [await port(hook), await port(spare)];
  await new Promise((resolve) => spare.close(resolve));
  appendFileSync(
    plan,
    'notify: [{ webhook: { url: { env: HOOK } } }]\napprovals: { link: { key: { env: KEY } } }\n',
  );
  const [key, origin] = ['k'.repeat(32), `http://127.0.0.1:${pagePort}`];
  const variables = { HOOK: `http://127.0.0.1:${hookPort}/`, KEY: key };
  const args = ['--serve', `127.0.0.1:${pagePort}`, '--public-url', origin];
  const short = await clusterCanary(['shift', plan, ...args], {
    env: { ...env, ...variables, KEY: 'short' },
  });
  expect([short.status, short.stderr]).toEqual([
    2,
    expect.stringContaining(
      'approvals.link.key: must be a key of at least 32 bytes, in the variable KEY; create one with: openssl rand -base64 32',
    ),
  ]);
  expect(proxy.weights).toEqual({ blue: 100, green: 0 });

  const shift = await serving(args, variables);
  await shift.until('It waits for a person');
  let links: any;
  while (!links) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    links = events.find(({ type }) => type === 'paused')?.links;
  }
  expect(links).toEqual({
    page: `${origin}/`,
    approve: expect.stringContaining(`${origin}/approve/`),
    approveExpires: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
  });
  expect(Math.abs(Date.parse(links.approveExpires) - Date.now() - 3_600_000)).toBeLessThan(60_000);
  const { text } = events.find(({ type }) => type === 'paused')!;
  expect(text).toMatch(
    /^Paused at 10 % of the way\. To continue: use the approval link, until [\d-]+ [\d:]+ UTC\.$/,
  );
  expect(shift.said()).toContain('use the link in the notification within 1h; or open ');
  const { approve } = links;
  for (const method of ['GET', 'HEAD', 'GET']) {
    const headers = { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' };
    expect((await fetch(approve, { method, headers })).status).toBe(200);
  }
  const shown = await fetch(approve);
  const body = await shown.text();
  expect(proxy.weights).toEqual({ blue: 90, green: 10 });
  const [, value = ''] = /name="value" value="([^"]*)"/.exec(body)!;
  const done = await fetch(approve, {
    ...{ method: 'POST', body: new URLSearchParams({ value, name: 'Kim' }) },
    headers: { cookie: shown.headers.get('set-cookie')!.split(';')[0]!, origin },
  });
  expect(done.status).toBe(200);
  expect(await shift.ended).toBe(0);
  hook.close();
  hook.closeAllConnections();
  expect(JSON.parse(shift.out()).approvals).toMatchObject([
    { place: 10, by: 'Kim (as written there), by the link' },
  ]);
  const token = approve.split('/approve/')[1]!;
  expect(
    [shift.said(), shift.out()].filter((text) => text.includes(token) || text.includes('/approve/')),
  ).toEqual([]);
  expect(events.filter((event) => JSON.stringify(event).includes(token))).toHaveLength(1);
});

test.each([
  [['--serve', '8080'], '--serve: "8080": must be an address of this machine and a port'],
  [['--serve', '127.0.0.1:80800'], '--serve: "127.0.0.1:80800": must be an address of this machine'],
  [['--serve', '0.0.0.0:8080'], 'must be an address of loopback, or together with --public-url'],
  [
    ['--serve', '127.0.0.1:0', '--public-url', 'http://shift.example.com'],
    '--public-url: "http://shift.example.com"',
  ],
  [['--public-url', 'https://shift.example.com'], '--public-url: must be together with --serve'],
  [['--serve', '127.0.0.1:0', '--approver-header', 'X-Email'], 'must be together with --public-url'],
  [['--serve', '127.0.0.1:0', '--to-pause'], '--to-pause: must be without --serve'],
  [['--serve', '127.0.0.1:0', '--dry-run'], '--serve: must be without --dry-run'],
  [['--serve', '127.0.0.1:0', '--rights'], '--rights: must be without --serve'],
])('%j: 2', async (flags, message) => {
  const { status, stderr } = await clusterCanary(['shift', plan, ...flags], { env });
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(proxy.weights).toEqual({ blue: 100, green: 0 });
});

test('an address that is taken: 2, and nothing is written', async () => {
  const taken = new URL(proxy.adminUrl).host;
  const { status, stderr } = await clusterCanary(['shift', plan, '--serve', taken], { env });
  expect([status, stderr]).toEqual([2, expect.stringContaining('that is free (EADDRINUSE)')]);
  expect(proxy.weights).toEqual({ blue: 100, green: 0 });
});
