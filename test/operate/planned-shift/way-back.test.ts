import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NotBegun, ShiftAborted, planMover } from '../../../lib/operate/planned-shift';
import type { WeightedProxy } from '../../../lib/shift/demo/weighted-proxy';
import { proxiedPlan } from '../../cli/proxied-plan';
import { unanswered } from './leases-in-memory';
import type { Memories } from './leases-in-memory';

const mockHeld: Memories = {};
jest.mock('../../../lib/shift/leases', () => {
  const { leasesInMemory } = jest.requireActual('./leases-in-memory');
  return leasesInMemory(jest.requireActual('../../../lib/shift/leases'), () => mockHeld);
});

const folder = mkdtempSync(join(tmpdir(), 'way-back-'));
const status = join(folder, 'status');
const [blue, half, green] = [
  { blue: 100, green: 0 },
  { blue: 50, green: 50 },
  { blue: 0, green: 100 },
];
const never = new AbortController().signal;
const proxies: WeightedProxy[] = [];

/** What the check of every plan ends with: 0 it passes, 1 it fails, 2 it is inconclusive. */
const checkEnds = (value: number): void => writeFileSync(status, String(value));

beforeEach(() => checkEnds(0));
afterEach(() => Promise.all(proxies.splice(0).map((proxy) => proxy.stop())));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const settings = (more = '') =>
  `{ step: [50], every: 1ms, bake: 0s${more}, checks: [{ program: { command: [sh, -c, 'exit $(cat ${status})'], stages: [after] } }] }`;

async function planned(shift = settings(), more = '') {
  const file = join(folder, `plan-${proxies.length}.yaml`);
  const proxy = await proxiedPlan(file, shift);
  proxies.push(proxy);
  writeFileSync(file, `${readFileSync(file, 'utf8')}lease: { kubernetes: { namespace: apps } }\n${more}`);
  return { file, proxy, mover: planMover(file, { fleet: 'apps', takeOff: () => Promise.resolve() }) };
}

type Mover = ReturnType<typeof planMover>;

/** Is cut off at 50 %, by an interrupt. */
async function cutOff(mover: Mover): Promise<void> {
  checkEnds(2);
  const stop = new AbortController();
  const say = (line: string): void => void (line.includes('Not yet') && stop.abort(new Error('cut off')));
  await expect(mover.move(green, { back: false, say }, stop.signal)).rejects.toThrow('cut off');
}

async function back(mover: Mover, wanted = blue): Promise<readonly string[]> {
  const lines: string[] = [];
  await mover.move(wanted, { back: true, say: (line) => void lines.push(line) }, never);
  return lines;
}

async function putWeights({ adminUrl }: WeightedProxy, weights: object): Promise<void> {
  const { headers } = await fetch(`${adminUrl}/weights`);
  await fetch(`${adminUrl}/weights`, {
    method: 'PUT',
    headers: { 'if-match': headers.get('etag')!, 'content-type': 'application/json' },
    body: JSON.stringify({ weights }),
  });
}

test.each([
  ['a rollback to the old slot', ', onFailure: { rollbackTo: blue }'],
  ['a deadline', ', deadline: 10m'],
])('a shift that was cut off goes back in one write, whatever the checks say: %s', async (_what, more) => {
  const { proxy, mover } = await planned(settings(more));
  await cutOff(mover);
  expect(proxy.weights).toEqual(half);
  checkEnds(1);
  await back(mover);
  expect(proxy.weights).toEqual(blue);
});

test.each([
  ['a rollback to the slot that gets everything', ', onFailure: { rollbackTo: blue }', ''],
  ['a deadline that is over at once', ', deadline: 1ms', ''],
  [
    'a pause',
    ', pause: [50]',
    'approvals: { github: { repository: a/b, environment: production, workflow: w.yaml, token: { env: NONE } } }\n',
  ],
])('of the way forward alone, after a shift that was complete: %s', async (_what, more, top) => {
  const { proxy, mover } = await planned(settings(more), top);
  await putWeights(proxy, green);
  await back(mover);
  expect(proxy.weights).toEqual(blue);
});

test('a shift that began where a person had left the traffic goes back in one write', async () => {
  const { proxy, mover } = await planned();
  await putWeights(proxy, { blue: 80, green: 20 });
  await cutOff(mover);
  expect(proxy.weights.blue).toBeLessThan(80);
  checkEnds(1);
  await back(mover);
  expect(proxy.weights).toEqual(blue);
});

test('labels that can not be written are no reason to leave an unfinished shift where it is', async () => {
  const { file, proxy, mover } = await planned();
  await cutOff(mover);
  const hub = '{ hubs: [{ kubeconfig: /nowhere/hub }], fleet: apps }';
  writeFileSync(file, `${readFileSync(file, 'utf8')}labels: ${hub}\n`);
  checkEnds(1);
  expect((await back(mover)).join('\n')).toContain('it is taken back without labels');
  expect(proxy.weights).toEqual(blue);
});

test('capacity that can not be moved is no reason either', async () => {
  const { file, proxy, mover } = await planned();
  await cutOff(mover);
  const capacity = `capacity: { scale: [hpa], contexts: { blue: blue, green: green }, kubeconfig: /nowhere/kubeconfig }`;
  writeFileSync(file, readFileSync(file, 'utf8').replace('bake: 0s', `bake: 0s, ${capacity}`));
  checkEnds(1);
  await back(mover);
  expect(proxy.weights).toEqual(blue);
});

test('of several routes, what was cut off goes back first, and is kept there by no other route', async () => {
  const [eu, us] = [await planned(), await planned()];
  const routeOf = ({ proxy }: typeof eu): string =>
    `{ router: { httpProxy: { address: "${proxy.adminUrl}" } }, slots: { blue: , green: } }`;
  const file = join(folder, 'waves.yaml');
  writeFileSync(
    file,
    `routes:\n  eu: ${routeOf(eu)}\n  us: ${routeOf(us)}\nweights: { green: 100 }\nlease: { kubernetes: { namespace: apps } }\nshift: ${settings()}\n`,
  );
  const mover = planMover(file, { fleet: 'apps', takeOff: () => Promise.resolve() });
  const stop = new AbortController();
  const say = (line: string): void => {
    if (line.startsWith('eu: completed') || line.startsWith('us: From')) {
      checkEnds(2);
    }
    if (/^us: .*Not yet/.test(line)) {
      stop.abort(new Error('cut off'));
    }
  };
  await expect(mover.move(green, { back: false, say }, stop.signal)).rejects.toThrow('cut off');
  expect([eu.proxy.weights, us.proxy.weights]).toEqual([green, half]);
  checkEnds(1);
  await expect(back(mover)).rejects.toThrow(/was rolled back/);
  expect([eu.proxy.weights, us.proxy.weights]).toEqual([green, blue]);
  checkEnds(0);
  await back(mover);
  expect([eu.proxy.weights, us.proxy.weights]).toEqual([blue, blue]);
});

describe('several routes that were complete', () => {
  async function completed(waves: string) {
    const [eu, us] = [await planned(), await planned()];
    const file = join(folder, `complete-${proxies.length}.yaml`);
    const routeOf = ({ proxy }: typeof eu): string =>
      `{ router: { httpProxy: { address: "${proxy.adminUrl}" } }, slots: { blue: , green: } }`;
    writeFileSync(
      file,
      `routes:\n  eu: ${routeOf(eu)}\n  us: ${routeOf(us)}\nwaves: ${waves}\nweights: { green: 100 }\nlease: { kubernetes: { namespace: apps } }\nshift: { step: [50], every: 1ms, bake: 0s }\n`,
    );
    const mover = planMover(file, { fleet: 'apps', takeOff: () => Promise.resolve() });
    await mover.move(green, { back: false, say: () => undefined }, never);
    return { file, eu, us, mover };
  }

  test('go back whatever becomes of another one, and none returns to the slot that is given up', async () => {
    const { eu, us, mover } = await completed('[[eu, us]]');
    const seen = new Set<number>();
    const watch = setInterval(() => seen.add(eu.proxy.weights.blue!), 1);
    await us.proxy.stop();
    proxies.splice(proxies.indexOf(us.proxy), 1);
    const stop = new AbortController();
    const moved = mover.move(blue, { back: true, say: () => undefined }, stop.signal);
    for (let left = 400; left > 0 && eu.proxy.weights.blue !== 100; left -= 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    stop.abort(new Error('enough'));
    await expect(moved).rejects.toThrow();
    clearInterval(watch);
    expect(eu.proxy.weights).toEqual(blue);
    expect([...seen]).toEqual([...seen].sort((one, other) => one - other));
  }, 60_000);

  test('go back though labels can not be opened, under their checks', async () => {
    const { file, eu, us, mover } = await completed('[[eu, us]]');
    writeFileSync(
      file,
      `${readFileSync(file, 'utf8')}labels: { hubs: [{ kubeconfig: /nowhere/hub }], fleet: apps }\n`,
    );
    expect((await back(mover)).join('\n')).toMatch(/it is taken back without labels, sync windows and sinks/);
    expect([eu.proxy.weights, us.proxy.weights]).toEqual([blue, blue]);
  });
});

test('the new slot is put on once the lease of a run that was killed has expired', async () => {
  const { proxy, mover } = await planned();
  const held = (mockHeld[new URL('/weights', proxy.adminUrl).href] ??= {});
  Object.assign(held, { holder: 'a killed run', expiresAt: Date.now() + 400 });
  const order: string[] = [];
  const options = {
    say: (line: string) => void order.push(line),
    confirm: () => Promise.resolve(void order.push('confirmed')),
  };
  await mover.putOn('green', ['blue', 'green'], options, never);
  expect(order).toEqual([expect.stringMatching(/^a killed run has the lease of /), 'confirmed']);
});

test('who may not write any more moves nothing', async () => {
  const { proxy, mover } = await planned();
  const confirm = () => Promise.reject(new Error('the lease is lost'));
  const options = { say: () => undefined, confirm };
  await expect(mover.move(green, { back: false, ...options }, never)).rejects.toThrow('the lease is lost');
  await expect(mover.move(blue, { back: true, ...options }, never)).rejects.toThrow('the lease is lost');
  await expect(mover.putOn('green', ['blue', 'green'], options, never)).rejects.toThrow('the lease is lost');
  expect(proxy.weights).toEqual(blue);
});

test('the lease of a run that was killed is waited for', async () => {
  const { proxy, mover } = await planned();
  const id = new URL('/weights', proxy.adminUrl).href;
  const held = (mockHeld[id] ??= {});
  Object.assign(held, { holder: 'a killed run', expiresAt: Date.now() + 400 });
  const lines: string[] = [];
  await mover.move(green, { back: false, say: (line) => void lines.push(line) }, never);
  expect(lines[0]).toMatch(/^a killed run has the lease of .*: waits up to .* for its end\.$/);
  expect(proxy.weights).toEqual(green);
});

test('weights that somebody else has set are told apart from a failure', async () => {
  const { proxy, mover } = await planned('{ step: [50], every: 1s, bake: 0s }');
  const say = (line: string): void =>
    void (line.startsWith('Step 1') && void putWeights(proxy, { blue: 5, green: 95 }));
  const moved = mover.move(green, { back: false, say }, never);
  await expect(moved).rejects.toThrow(ShiftAborted);
  expect(proxy.weights).toEqual({ blue: 5, green: 95 });
});

test('also where the time of the phase ends at that moment', async () => {
  const { proxy, mover } = await planned('{ step: [50], every: 1s, bake: 0s }');
  const stop = new AbortController();
  const say = (line: string): void => {
    if (line.startsWith('Step 1')) {
      void putWeights(proxy, { blue: 5, green: 95 }).then(() => stop.abort(new Error('no answer within 6h')));
    }
  };
  await expect(mover.move(green, { back: false, say }, stop.signal)).rejects.toThrow(ShiftAborted);
  expect(proxy.weights).toEqual({ blue: 5, green: 95 });
});

test('a lease that does not answer once says nothing of the traffic, and is tried again', async () => {
  const { proxy, mover } = await planned();
  await cutOff(mover);
  unanswered[new URL('/weights', proxy.adminUrl).href] = 1;
  checkEnds(1);
  await expect(back(mover)).rejects.toThrow(NotBegun);
  expect(proxy.weights).toEqual(half);
  await back(mover);
  expect(proxy.weights).toEqual(blue);
});
