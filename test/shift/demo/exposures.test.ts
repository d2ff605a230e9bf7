import { courierSteps } from '../../../bench/shift-courier';
import type { HttpClient } from '../../../lib/core/http';
import { Xoshiro128 } from '../../../lib/core/random';
import { checkContext, createChecks } from '../../../lib/shift/checks';
import { runShift, shiftPlan } from '../../../lib/shift/engine';
import type { ShiftOutcome } from '../../../lib/shift/engine';
import { answerAdmin } from '../../../lib/shift/demo/admin-api';
import type { ProxyState } from '../../../lib/shift/demo/admin-api';
import { TrafficCounts } from '../../../lib/shift/demo/traffic-counts';
import { memoryLease } from '../../../lib/shift/leases';
import { openRouter, subjectOf } from '../../../lib/shift/routers';
import type { RouteSettings } from '../../../lib/shift/routers';
import { FakeClock } from '../engine/world';

const second = 1_000;

/** When green breaks, and for how long is looked at, in milliseconds. */
const [breaksAt, lasts] = [35 * second, 200 * second];

const perSecond = 100;

/** Visitors at the proxy of the demo, without its sockets and by a clock that does not wait: each request is led and counted. */
class Visited {
  public readonly clock = new FakeClock();
  public readonly start = this.clock.now();
  public readonly state: ProxyState = {
    ...{ weights: { blue: 100, green: 0 }, version: '1' },
    counts: new TrafficCounts(),
  };
  /** Requests that reached green while it was broken, and those of them that failed. */
  public readonly exposed = { requests: 0, failed: 0 };
  private readonly random = Xoshiro128.fromSeed(3);

  public readonly http: HttpClient = {
    send: ({ method, url, headers, body = '' }) => {
      const request = { method, path: url.pathname + url.search, ifMatch: headers['if-match'], body };
      const { status, etag, content } = answerAdmin(this.state, request, this.clock.now());
      return Promise.resolve({ status, headers: { etag }, text: JSON.stringify(content) });
    },
  };

  public async visit(): Promise<void> {
    for (let request = 0; request < (lasts / second) * perSecond; request += 1) {
      await this.clock.sleep(second / perSecond);
      const { green = 0 } = this.state.weights;
      const slot = this.random.uniform() * 100 < green ? 'green' : 'blue';
      const isBroken = slot === 'green' && this.clock.now() - this.start >= breaksAt;
      const failed = this.random.uniform() < (isBroken ? 1 / 3 : 0.001);
      this.state.counts.add({ slot, at: this.clock.now(), milliseconds: 10, failed });
      this.exposed.requests += isBroken ? 1 : 0;
      this.exposed.failed += isBroken && failed ? 1 : 0;
    }
  }
}

async function ours(): Promise<Visited & { readonly outcome: ShiftOutcome }> {
  const world = new Visited();
  const { clock, http } = world;
  const address = 'http://127.0.0.1:9000';
  const route: RouteSettings = { router: { httpProxy: { address } }, slots: { blue: {}, green: {} } };
  const clocks = { wall: () => clock.now(), monotonic: () => clock.now() };
  const comparison = { address, period: '1s', history: '1m', warmUp: '1s', minRequests: 5 };
  const running = runShift({
    plan: shiftPlan(
      ['blue', 'green'],
      { green: 100 },
      {
        ...{ step: 10, firstStep: 1, every: '10s', checkEvery: '10s', bake: '10s' },
      },
    ),
    router: openRouter(route, { http, clocks }),
    checks: createChecks(
      [{ 'httpProxy.comparison': comparison }],
      checkContext(subjectOf(route), { http, clock }),
    ),
    lease: memoryLease({ clock }),
    clock,
  });
  const [outcome] = await Promise.all([running, world.visit()]);
  return Object.assign(world, { outcome });
}

/** The model of the provider: the same steps, and a limit of two percent of errors in the last ten seconds. */
async function theirs(): Promise<Visited & { readonly writes: number }> {
  const world = new Visited();
  const { clock, state, start } = world;
  const random = Xoshiro128.fromSeed(7);
  let writes = 0;
  const apply = async (): Promise<void> => {
    const steps = courierSteps(
      {
        ...{ destinations: [0, 100], exists: true, stepWeight: 10, stepIntervalMs: 10 * second },
        ...{ callsPerSecond: 200, random: () => random.uniform() },
      },
      true,
    );
    let answer: boolean | undefined;
    for (let step = steps.next(); step.done !== true; step = steps.next(answer)) {
      await clock.sleep(Math.max(0, start + step.value.atMs - clock.now()));
      if (step.value.type === 'write') {
        const [blue, green] = step.value.weights;
        state.weights = { blue, green };
        writes += step.value.times;
      } else {
        const counts = state.counts.between(clock.now() - 10 * second, clock.now(), second);
        const sum = (of: 'requests' | 'errors') =>
          counts.reduce((total, count) => total + (count.slot === 'green' ? count[of] : 0), 0);
        answer = sum('errors') <= 0.02 * sum('requests');
      }
    }
  };
  await Promise.all([apply(), world.visit()]);
  return Object.assign(world, { writes });
}

test('the same fault behind the same proxy: what reaches the broken cluster, counted request by request', async () => {
  const [own, other] = await Promise.all([ours(), theirs()]);
  expect(own.outcome).toMatchObject({ verdict: 'rolledBack', final: { blue: 100, green: 0 } });
  expect(own.outcome.writes.map(({ weights }) => weights['green'])).toEqual([1, 11, 21, 31, 0]);
  expect(own.state.weights).toEqual({ blue: 100, green: 0 });
  // The provider has found it, too, and goes on to all of the traffic.
  expect(other.state.weights).toEqual({ blue: 0, green: 100 });
  expect(other.writes).toBeGreaterThan(1_000);
  expect({ own: own.exposed, other: other.exposed }).toEqual({
    own: { requests: 147, failed: 51 },
    other: { requests: 9_109, failed: 3_145 },
  });
});
