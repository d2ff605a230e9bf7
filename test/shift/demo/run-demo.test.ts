import { request as sendRequest } from 'node:http';
import type { CheckRecord, ShiftSettings } from '../../../lib/shift/engine';
import { demoResult, runDemo } from '../../../lib/shift/demo';
import type { DemoControls, DemoOptions, DemoResult } from '../../../lib/shift/demo';

jest.setTimeout(180_000);

/** Two steps in place of seven. */
const quick: ShiftSettings = {
  step: [20],
  every: '1s',
  checkEvery: '250ms',
  bake: '0s',
  inconclusiveLimit: '2m',
};

async function demo(options: DemoOptions): Promise<DemoResult & { readonly url: string }> {
  let url = '';
  const run = await runDemo({
    shift: quick,
    visitorsPerSecond: 40,
    ...options,
    onStarted: async (controls) => {
      url = controls.url;
      await options.onStarted?.(controls);
    },
  });
  return { ...demoResult(run, 1), url };
}

function isOpen(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = sendRequest(url, { agent: false }, (answer) => {
      answer.resume();
      resolve(true);
    });
    request.on('error', () => resolve(false));
    request.end();
  });
}

/** They take their time, so they run at once. */
const results = Promise.all([demo({ fault: 'none' }), demo({ fault: 'errors' }), demo({ fault: 'outage' })]);

test('without a fault the shift completes, and each request is counted once', async () => {
  const [none] = await results;
  expect(none).toMatchObject({
    expected: 'completed',
    asExpected: true,
    faults: [],
    detectionSeconds: null,
    shift: { verdict: 'completed', final: { blue: 0, green: 100 } },
    traffic: { exposed: { requests: 0, failed: 0 } },
  });
  const { visitors, slots } = none.traffic;
  expect(slots['green']!.requests).toBeGreaterThan(0);
  // One under way at the end is in one of them, or in both.
  expect(Math.abs(slots['blue']!.requests + slots['green']!.requests - visitors.sent)).toBeLessThan(20);
  expect(none.shift.writes.map(({ weights }) => weights['green'])).toEqual([20, 100]);
});

test('errors of green take the traffic back', async () => {
  const [, result] = await results;
  expect(result).toMatchObject({
    expected: 'rolledBack',
    asExpected: true,
    faults: [{ fault: 'errors', until: null }],
    shift: { verdict: 'rolledBack', final: { blue: 100, green: 0 } },
  });
  const { exposed, slots } = result.traffic;
  expect(exposed.failed).toBeGreaterThan(0);
  expect(exposed.requests).toBeGreaterThan(exposed.failed);
  expect(exposed.requests).toBeLessThanOrEqual(slots['green']!.requests);
  expect(result.detectionSeconds).toBeGreaterThan(0);
});

test('an outage is found before the first percent: no visitor meets it', async () => {
  const [, , outage] = await results;
  expect(outage).toMatchObject({
    asExpected: true,
    shift: { verdict: 'rolledBack', writes: [] },
    traffic: { slots: { green: { requests: 0 } }, exposed: { requests: 0 } },
  });
});

test('nothing listens any more', async () => {
  const all = await results;
  expect(await Promise.all(all.map(({ url }) => isOpen(url)))).toEqual(all.map(() => false));
});

test('green can be broken and repaired by hand, and an interrupt ends it', async () => {
  const interrupt = new AbortController();
  const checked: CheckRecord[] = [];
  let controls: DemoControls | undefined;
  const result = await demo({
    fault: 'none',
    onStarted: (given) => {
      controls = given;
    },
    run: {
      signal: interrupt.signal,
      observer: {
        checked: (check) => {
          checked.push(check);
          if (checked.length === 1) {
            controls!.breakGreen('latency');
            controls!.breakGreen('errors');
            controls!.fixGreen();
            controls!.fixGreen();
            interrupt.abort();
          }
        },
      },
    },
  });
  expect(result).toMatchObject({
    expected: null,
    asExpected: false,
    faults: [
      { fault: 'latency', until: expect.any(String) },
      { fault: 'errors', until: expect.any(String) },
    ],
    shift: { verdict: 'held' },
  });
  expect(await isOpen(controls!.url)).toBe(false);
});
