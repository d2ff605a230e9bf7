import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Ajv2020 from 'ajv/dist/2020';
import { Xoshiro128 } from '../../lib/core/random';
import { runDemo } from '../../lib/shift/demo';
import type { DemoTraffic } from '../../lib/shift/demo';
import { DemoWorld } from '../../lib/shift/demo/world';
import { openRouter } from '../../lib/shift/routers';
import { courierSteps } from '../../bench/shift-courier';
import { startCommand } from './bench/command';
import { eventually } from './bench/eventually';

const root = resolve(__dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
ajv.addSchema(JSON.parse(read('schemas/shift.json')));
const isResult = ajv.compile(JSON.parse(read('schemas/demo.json')));

const minutes = 60_000;

/** Addresses that processes listen on; with a process, those of this one. */
function listening(pid?: number): readonly string[] {
  const lines = execFileSync('ss', ['-Hltnp'], { encoding: 'utf8' }).split('\n');
  return lines
    .filter((line) => pid === undefined || line.includes(`pid=${pid},`))
    .flatMap((line) => line.split(/\s+/).slice(3, 4));
}

test.each([
  ['none', 'completed', { blue: 0, green: 100 }],
  ['errors', 'rolledBack', { blue: 100, green: 0 }],
  ['latency', 'rolledBack', { blue: 100, green: 0 }],
  ['outage', 'rolledBack', { blue: 100, green: 0 }],
] as const)(
  'with %s it is %s, within a minute, and leaves no port open',
  async (fault, verdict, final) => {
    const demo = startCommand({}, 'demo', '--fault', fault, '--json');
    const own = await eventually('six servers, the proxy and the page', () => {
      const addresses = listening(demo.pid);
      return addresses.length > 7 && addresses;
    });
    const { status, stdout, stderr } = await demo.result;
    const result = JSON.parse(stdout);
    expect([status, isResult(result), isResult.errors]).toEqual([0, true, null]);
    expect(result).toMatchObject({ asExpected: true, shift: { verdict, final } });
    const { startedAt, endedAt } = result.shift;
    expect(Date.parse(endedAt) - Date.parse(startedAt)).toBeLessThan(60_000);
    const { exposed, slots, visitors } = result.traffic;
    expect(Math.abs(slots.blue.requests + slots.green.requests - visitors.sent)).toBeLessThan(10);
    // A tenth of the traffic for some seconds, not all of it.
    expect(exposed.requests).toBeLessThan(visitors.sent / 4);
    expect(exposed.requests > 0).toBe(fault === 'errors' || fault === 'latency');
    expect(stderr).toMatch(/^Blue and green are three HTTP servers each/);
    expect(listening().filter((each) => own.includes(each))).toEqual([]);
  },
  3 * minutes,
);

test(
  'what both READMEs show is what it prints, but for its numbers',
  async () => {
    const { status, stdout, stderr } = await startCommand({}, 'demo').result;
    expect(status).toBe(0);
    const shape = (line: string): string => line.trimEnd().replace(/\d[\d,.]*/g, '#');
    for (const readme of ['README.md', 'README.ja.md']) {
      const [, shown = ''] = /```text\n(From 10 %[^]*?)```/.exec(read(readme)) ?? [];
      const rest = `${stderr}${stdout}`.split('\n').map(shape);
      for (const line of shown.trim().split('\n')) {
        if (line !== '…') {
          const [begins = ''] = line.split(' …');
          const at = rest.findIndex((each) => each.startsWith(shape(begins)));
          expect([readme, line, at >= 0]).toEqual([readme, line, true]);
          rest.splice(0, at + 1);
        }
      }
    }
  },
  3 * minutes,
);

/** When green breaks, and for how long both are looked at, in milliseconds. */
const [breaksAt, lasts] = [14_000, 60_000];

async function ours(): Promise<DemoTraffic> {
  let timer: NodeJS.Timeout | undefined;
  const { outcome, traffic } = await runDemo({
    fault: 'none',
    shift: { step: 10, firstStep: 1, every: '4s', checkEvery: '1s', bake: '4s', inconclusiveLimit: '1m' },
    onStarted: ({ breakGreen }) => {
      timer = setTimeout(() => breakGreen('errors'), breaksAt);
    },
  });
  clearTimeout(timer);
  expect(outcome).toMatchObject({ verdict: 'rolledBack', final: { blue: 100, green: 0 } });
  return traffic;
}

/** Its minutes go by ten times as fast, as those of the demo do: a step every 4 s, a look at its metric every second. */
const speed = 10;

async function theirs(): Promise<DemoTraffic & { readonly last: unknown; readonly writes: number }> {
  const world = new DemoWorld({ seed: 1, visitorsPerSecond: 100 });
  await world.start();
  const timer = setTimeout(() => world.breakGreen('errors'), breaksAt);
  const random = Xoshiro128.fromSeed(7);
  const route = { router: { httpProxy: { address: world.proxy.adminUrl } }, slots: { blue: {}, green: {} } };
  const router = openRouter(route);
  const start = Date.now();
  let writes = 0;
  try {
    const steps = courierSteps(
      {
        ...{ destinations: [0, 100], exists: true, stepWeight: 10, stepIntervalMs: 4_000 * speed },
        ...{ callsPerSecond: 200 / speed, random: () => random.uniform() },
      },
      true,
    );
    let answer: boolean | undefined;
    for (let step = steps.next(); step.done !== true; step = steps.next(answer)) {
      await sleep(Math.max(0, start + step.value.atMs / speed - Date.now()));
      if (step.value.type === 'write') {
        const [blue, green] = step.value.weights;
        await router.write({ blue, green });
        writes += step.value.times;
      } else {
        const url = `${world.proxy.adminUrl}/counts?from=${Date.now() - 5_000}&to=${Date.now()}&period=1000`;
        const { counts } = (await (await fetch(url)).json()) as {
          counts: { slot: string; requests: number; errors: number }[];
        };
        const green = counts.filter(({ slot }) => slot === 'green');
        const sum = (of: 'requests' | 'errors') => green.reduce((total, count) => total + count[of], 0);
        answer = sum('errors') <= 0.02 * Math.max(sum('requests'), 50);
      }
    }
    await sleep(Math.max(0, start + lasts - Date.now()));
  } finally {
    clearTimeout(timer);
    await world.stop();
  }
  return { ...world.traffic, last: world.proxy.weights, writes };
}

test(
  'a contender at the same proxy with the same fault: requests to the broken slot, one by one',
  async () => {
    const [own, other] = await Promise.all([ours(), theirs()]);
    console.log({ own: own.exposed, other: other.exposed, writes: other.writes });
    expect(own.exposed.failed).toBeGreaterThan(0);
    // It finds the fault, and goes on to all of the traffic.
    expect(other.last).toEqual({ blue: 0, green: 100 });
    expect(other.exposed.failed).toBeGreaterThan(5 * own.exposed.failed);
  },
  3 * minutes,
);
