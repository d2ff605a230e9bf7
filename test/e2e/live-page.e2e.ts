import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DemoWorld } from '../../lib/shift/demo/world';
import { previewHeader } from '../../lib/shift/demo/weighted-proxy';
import { barriers } from './bench/accessibility';
import type { View } from './bench/browser';
import { Browser } from './bench/browser';
import { onCleanUp } from './bench/clean-up';
import { startCommand } from './bench/command';
import type { RunningCommand } from './bench/command';
import { eventually } from './bench/eventually';
import { temporaryFolder } from './bench/temporary';

const desk: View = { scheme: 'light', width: 1280 };
const views: readonly View[] = (['light', 'dark'] as const).flatMap((scheme) =>
  [1280, 360].map((width) => ({ scheme, width })),
);

let browser: Browser;
let world: DemoWorld;
let plan: string;
let folders = 0;

beforeAll(async () => {
  browser = await Browser.start();
});

beforeEach(async () => {
  browser.complaints.length = 0;
  world = new DemoWorld({ seed: 1, visitorsPerSecond: 60 });
  await world.start();
  onCleanUp(() => world.stop());
  const { adminUrl, url } = world.proxy;
  const preview = (slot: string) => ({ preview: { url, headers: { [previewHeader]: slot } } });
  folders += 1;
  plan = join(temporaryFolder(`live-page-${folders}`), 'plan.yaml');
  const content = {
    router: { httpProxy: { address: adminUrl } },
    slots: { blue: preview('blue'), green: preview('green') },
    weights: { green: 100 },
    shift: {
      ...{ step: [10, 50], every: '30s', bake: '3s', checkEvery: '500ms', pause: [10] },
      checks: [{ 'httpProxy.comparison': { address: adminUrl, period: '1s', history: '10s', warmUp: '1s' } }],
    },
  };
  writeFileSync(plan, JSON.stringify(content));
});

afterEach(() => world.stop());

interface Shift extends RunningCommand {
  /** With the token. */
  readonly address: string;
}

async function serving(
  env: Readonly<Record<string, string>> = {},
  at = '127.0.0.1:0',
  ...args: string[]
): Promise<Shift> {
  const command = startCommand(env, 'shift', plan, '--json', '--serve', at, ...args);
  const address = await eventually(
    'the address of the page',
    () => /http:\S+\?token=\S+/.exec(command.printed.stderr)?.[0],
  );
  return { ...command, address };
}

/** Waits until the page shows something. */
function shows(selector: string, text = ''): Promise<unknown> {
  const found = `[...document.querySelectorAll(${JSON.stringify(selector)})].some((each) => each.textContent.includes(${JSON.stringify(text)}))`;
  return eventually(`${selector} with ${text}`, () => browser.evaluate<boolean>(found));
}

const click = (selector: string) =>
  browser.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);

/** Presses Tab until an element has the focus. */
async function tabTo(selector: string): Promise<void> {
  for (let count = 0; count < 40; count += 1) {
    await browser.press('Tab');
    if (await browser.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) {
      return;
    }
  }
  throw new Error(`${selector} is not to be reached by the keyboard`);
}

/** What is in a reader's way, in the light and the dark, on a desk and on a telephone. */
async function hindrances(): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const view of views) {
    await browser.look(view);
    const width = await browser.evaluate('document.documentElement.scrollWidth');
    found.push(...(await barriers(browser)), ...(width === view.width ? [] : [{ view, width }]));
  }
  await browser.look(desk);
  return found;
}

async function ended({ result }: Shift): Promise<any> {
  const { stdout } = await result;
  return JSON.parse(stdout);
}

test('a pause and a hold, by the keyboard alone: who let it continue is on record', async () => {
  const shift = await serving();
  await browser.open(shift.address, desk);
  await shows('.sentence', 'It waits for a person at 10 % of the way');
  expect(await browser.evaluate('location.search')).toBe('');
  expect(await hindrances()).toEqual([]);
  await tabTo('#do-continue');
  await browser.press('Enter');
  await shows('#do-hold');
  await shows('strong', 'Step 2 of 3');
  await tabTo('#do-hold');
  await browser.press('Enter');
  await shows('.verdict p', 'asked it to hold: it pauses before its next step.');
  expect(await hindrances()).toEqual([]);
  await shows('.sentence', 'on the page holds it at 50 % of the way');
  // Whoever does not see the page hears of it.
  expect(await browser.evaluate('document.getElementById("spoken").textContent')).toContain('On hold');
  await tabTo('#do-continue');
  await browser.press(' ');
  await shows('.verdict-completed', 'Completed');
  const { verdict, approvals } = await ended(shift);
  expect([verdict, approvals.map(({ place }: { place: number }) => place)]).toEqual(['completed', [10, 50]]);
  expect(approvals[0].by).toMatch(/@.*, on the page$/);
  // The page stays as it was last.
  expect(await hindrances()).toEqual([]);
  expect(browser.complaints.filter((text) => !text.includes('ERR_CONNECTION_REFUSED'))).toEqual([]);
});

test('the way back asks first, and is one write', async () => {
  const shift = await serving();
  await browser.open(shift.address, desk);
  await shows('.sentence', 'It waits for a person');
  await tabTo('a.back');
  await browser.press('Enter');
  await shows('h1', 'Take the traffic back to blue 100, green 0?');
  expect(await hindrances()).toEqual([]);
  expect(world.proxy.weights).toEqual({ blue: 90, green: 10 });
  await tabTo('#do-back');
  await browser.press('Enter');
  await shows('.verdict-rolledBack', 'requested a rollback');
  const { verdict, writes } = await ended(shift);
  expect([verdict, writes.length, world.proxy.weights]).toEqual(['rolledBack', 2, { blue: 100, green: 0 }]);
  expect(browser.complaints.filter((text) => !text.includes('ERR_CONNECTION_REFUSED'))).toEqual([]);
});

test('without JavaScript all of it works as well', async () => {
  const shift = await serving();
  await browser.runScripts(false);
  try {
    await browser.open(shift.address, desk);
    await shows('.sentence', 'It waits for a person');
    expect(await browser.evaluate('document.querySelector("noscript meta") !== null')).toBe(true);
    await click('#do-continue');
    // The page loads itself anew.
    await shows('#do-hold');
    await click('#do-hold');
    await shows('.sentence', 'on the page holds it at');
    await click('a.back');
    await shows('h1', 'Take the traffic back');
    await click('#do-back');
    await shows('.verdict-rolledBack');
  } finally {
    await browser.runScripts(true);
  }
  expect((await ended(shift)).verdict).toBe('rolledBack');
  expect(browser.complaints.filter((text) => !text.includes('ERR_CONNECTION_REFUSED'))).toEqual([]);
});

/** A port that is free, and a server at another one that keeps what it gets. */
async function receiver(): Promise<{ readonly url: string; readonly got: any[]; readonly free: number }> {
  const got: any[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => (body += data));
    request.on('end', () => {
      got.push(JSON.parse(body).data);
      response.end();
    });
  });
  const spare = createServer();
  const [port, free] = await Promise.all(
    [server, spare].map(
      (each) =>
        new Promise<number>((resolve) =>
          each.listen(0, '127.0.0.1', () => resolve((each.address() as AddressInfo).port)),
        ),
    ),
  );
  await new Promise((resolve) => spare.close(resolve));
  onCleanUp(() => void server.closeAllConnections());
  onCleanUp(() => void server.close());
  return { url: `http://127.0.0.1:${port}/`, got, free: free! };
}

test('a signed link of a notification: its page says what it does, and asks for a name', async () => {
  const { url, got, free } = await receiver();
  const content = JSON.parse(readFileSync(plan, 'utf8'));
  const link = {
    approvals: { link: { key: { env: 'KEY' } } },
    notify: [{ webhook: { url: { env: 'HOOK' } } }],
  };
  writeFileSync(plan, JSON.stringify({ ...content, ...link }));
  const origin = `http://127.0.0.1:${free}`;
  const env = { KEY: 'k'.repeat(32), HOOK: url };
  const shift = await serving(env, `127.0.0.1:${free}`, '--public-url', origin);
  const { approve } = await eventually('the link', () => got.find(({ type }) => type === 'paused')?.links);
  await browser.open(approve, desk);
  await shows('h1', 'Let it continue beyond 10 % of the way?');
  expect(await hindrances()).toEqual([]);
  expect(world.proxy.weights).toEqual({ blue: 90, green: 10 });
  await tabTo('input[name="name"]');
  await browser.evaluate(`document.activeElement.value = 'Kim'`);
  await tabTo('#do-approve');
  await browser.press('Enter');
  await shows('h1', 'It continues');
  expect(await hindrances()).toEqual([]);
  await browser.open(approve, desk);
  await shows('h1', 'This link was used already');
  expect(await hindrances()).toEqual([]);
  const { verdict, approvals } = await ended(shift);
  expect([verdict, approvals[0].by]).toEqual(['completed', 'Kim (as written there), by the link']);
  expect(browser.complaints.filter((text) => !/ERR_CONNECTION_REFUSED|409/.test(text))).toEqual([]);
});

test('several routes: each has a page of its own, and its own buttons', async () => {
  const second = new DemoWorld({ seed: 2, visitorsPerSecond: 60 });
  await second.start();
  onCleanUp(() => second.stop());
  const { router: _router, slots: _slots, ...rest } = JSON.parse(readFileSync(plan, 'utf8'));
  const routeOf = ({ proxy }: DemoWorld) => ({
    router: { httpProxy: { address: proxy.adminUrl } },
    slots: { blue: {}, green: {} },
  });
  const slow = { ...rest.shift, every: '5s', checks: [] };
  const routes = { eu: routeOf(world), us: routeOf(second) };
  writeFileSync(plan, JSON.stringify({ ...rest, routes, waves: [['eu', 'us']], shift: slow }));
  const shift = await serving();
  await browser.open(shift.address, desk);
  await shows('h1', ': eu');
  await shows('.sentence', 'It waits for a person at 10 % of the way');
  expect(await hindrances()).toEqual([]);
  await tabTo('nav a[href="/routes/us"]');
  await browser.press('Enter');
  await shows('h1', ': us');
  await shows('.sentence', 'It waits for a person at 10 % of the way');
  await tabTo('#do-continue');
  await browser.press('Enter');
  await shows('.verdict-completed');
  expect([world.proxy.weights, second.proxy.weights]).toEqual([
    { blue: 90, green: 10 },
    { blue: 0, green: 100 },
  ]);
  expect(await hindrances()).toEqual([]);
  await tabTo('nav a[href="/routes/eu"]');
  await browser.press('Enter');
  await shows('h1', ': eu');
  await tabTo('#do-continue');
  await browser.press('Enter');
  await shows('.verdict-completed');
  expect((await ended(shift)).verdict).toBe('completed');
  await second.stop();
});

test('who looks without the token sees all of it, and has no button', async () => {
  const shift = await serving();
  const { origin } = new URL(shift.address);
  await browser.open(origin.replace('127.0.0.1', 'localhost'), desk);
  await shows('.sentence', 'It waits for a person');
  await shows('.looks', 'You are looking only.');
  expect(await browser.evaluate('document.querySelectorAll("button, form").length')).toBe(0);
  expect(await hindrances()).toEqual([]);
  shift.interrupt();
  expect((await ended(shift)).verdict).toBe('held');
});

test('a page of another site changes nothing', async () => {
  const shift = await serving();
  await browser.open(shift.address, desk);
  await shows('#do-continue');
  const other = join(temporaryFolder('other-site'), 'other.html');
  const { origin } = new URL(shift.address);
  const fields = ['route:traffic', 'place:10', 'value:x'].map((each) => each.split(':'));
  const inputs = fields.map(([name, value]) => `<input name="${name}" value="${value}">`).join('');
  writeFileSync(other, `<form method="post" action="${origin}/continue">${inputs}<button>go</button></form>`);
  await browser.open(`file://${other}`, desk);
  await click('button');
  await shows('body', 'A form of another site changes nothing here.');
  expect(world.proxy.weights).toEqual({ blue: 90, green: 10 });
  shift.interrupt();
  expect((await ended(shift)).verdict).toBe('held');
});

test('the demo breaks by a button, and the checks find it', async () => {
  const command = startCommand({}, 'demo', '--fault', 'none', '--json');
  const address = await eventually(
    'the address of the page',
    () => /http:\S+\?token=\S+/.exec(command.printed.stderr)?.[0],
  );
  await browser.open(address, desk);
  await shows('#do-control-errors');
  await click('#do-control-errors');
  await shows('#do-control-errors[aria-pressed="true"]');
  expect(await hindrances()).toEqual([]);
  await shows('.verdict-rolledBack');
  const { stdout } = await command.result;
  const { asExpected, faults } = JSON.parse(stdout);
  expect([asExpected, faults[0].fault]).toEqual([true, 'errors']);
});
