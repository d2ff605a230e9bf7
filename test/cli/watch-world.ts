import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Xoshiro128 } from '../../lib/core/random';
import { WeightedProxy } from '../../lib/shift/demo/weighted-proxy';
import { ApiServer } from '../core/kubernetes/api-server';
import { scratch } from './run-cli';

/** Of every command. */
export const env = { AWS_REGION: '', AWS_ENDPOINT_URL: 'http://127.0.0.1:1', AWS_ACCESS_KEY_ID: '' };
/** A plan that can be watched, and one that can not. */
export const plan = join(scratch, 'plan.yaml');
export const closed = join(scratch, 'closed.yaml');
let server: ApiServer;
export let proxy: WeightedProxy;
/** What the API server has, by name. */
export let leases: Map<string, any>;

beforeAll(async () => {
  server = await ApiServer.start();
  writeFileSync(join(scratch, 'hub.json'), server.kubeconfig());
});
afterAll(() => server.stop());
beforeEach(async () => {
  leases = new Map();
  let version = 0;
  server.script(({ method, path, body }) => {
    if (path === '/apis/coordination.k8s.io/v1') {
      const resources = [{ name: 'leases', kind: 'Lease', namespaced: true }];
      return { json: { kind: 'APIResourceList', groupVersion: 'coordination.k8s.io/v1', resources } };
    }
    const name = body?.metadata?.name ?? path.split('/').at(-1);
    if (method !== 'GET') {
      version += 1;
      leases.set(name, { ...body, metadata: { ...body.metadata, resourceVersion: String(version) } });
    }
    return leases.has(name)
      ? { json: leases.get(name) }
      : { status: 404, json: { kind: 'Status', reason: 'NotFound', message: 'leases not found' } };
  });
  const upstreams = { blue: () => 1, green: () => 1 };
  proxy = new WeightedProxy({ upstreams, weights: { blue: 100, green: 0 }, random: Xoshiro128.fromSeed(1) });
  await proxy.start();
  const text = `router: { httpProxy: { address: "${proxy.adminUrl}" } }
slots: { blue: , green: }
weights: { green: 100 }
shift: { step: [10, 50], every: 1ms, bake: 0s, pause: [10], checkEvery: 1h }
lease: { kubernetes: { namespace: apps, kubeconfig: hub.json } }
`;
  writeFileSync(closed, text);
  writeFileSync(plan, `${text}watch: true\n`);
});
afterEach(() => proxy.stop());
