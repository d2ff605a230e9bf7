import { join } from 'node:path';
import type { WeightedProxy } from '../../lib/shift/demo/weighted-proxy';
import { openRouter } from '../../lib/shift/routers';
import { scratch } from './run-cli';
import { clusterCanary } from './run-here';
import { proxiedPlan, withoutAws as env } from './proxied-plan';

const plan = join(scratch, 'plan.yaml');
let proxy: WeightedProxy;

beforeAll(async () => {
  proxy = await proxiedPlan(plan, '{ step: [50], every: 1ms, bake: 0s }');
});
afterAll(() => proxy.stop());

const run = async (...args: readonly string[]) => {
  const { status, stdout, stderr } = await clusterCanary(args, { env });
  return { status, stderr, result: stdout.startsWith('{') ? JSON.parse(stdout) : stdout };
};

test('a proxy of your own: what a shift would do, the shift, and an evacuation, without AWS', async () => {
  expect(await run('shift', plan, '--dry-run', '--json')).toMatchObject({
    status: 0,
    result: { live: true, from: { blue: 100, green: 0 }, steps: [{ weights: { green: 50 } }, {}] },
  });
  expect(await run('shift', plan, '--json')).toMatchObject({ status: 0, result: { verdict: 'completed' } });
  expect(proxy.weights).toEqual({ blue: 0, green: 100 });
  const slots = { blue: {}, green: {} };
  await openRouter({ router: { httpProxy: { address: proxy.adminUrl } }, slots }).write({
    blue: 50,
    green: 50,
  });
  expect(await run('evacuate', 'green', '--plan', plan, '--yes', '--json')).toMatchObject({
    status: 0,
    result: { verdict: 'evacuated', writes: [{ weights: { blue: 100, green: 0 } }] },
  });
  expect(proxy.weights).toEqual({ blue: 100, green: 0 });
});
