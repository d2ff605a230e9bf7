import { writeFileSync } from 'node:fs';
import { Xoshiro128 } from '../../lib/core/random';
import { WeightedProxy } from '../../lib/shift/demo/weighted-proxy';

/** No credentials of AWS, no region and no address that leads to it. */
export const withoutAws = {
  AWS_REGION: '',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
  AWS_ACCESS_KEY_ID: '',
};

/** Starts a proxy that gives blue everything, and writes a plan that shifts it to green. */
export async function proxiedPlan(plan: string, shift: string): Promise<WeightedProxy> {
  const upstreams = { blue: () => 1, green: () => 1 };
  const weights = { blue: 100, green: 0 };
  const proxy = new WeightedProxy({ upstreams, weights, random: Xoshiro128.fromSeed(1) });
  await proxy.start();
  writeFileSync(
    plan,
    `router: { httpProxy: { address: "${proxy.adminUrl}" } }
slots: { blue: , green: }
weights: { green: 100 }
shift: ${shift}
`,
  );
  return proxy;
}
