import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import type { PlannedShift } from '../../lib/shift/plan-file';
import { ApiServer, failure } from '../core/kubernetes/api-server';
import type { Received, Reply } from '../core/kubernetes/api-server';
import { FleetServer, groupOf, ruleOf } from '../shift/evacuate/fleet-server';
import { root, scratch } from './run-cli';
import { clusterCanary } from './run-here';

const groups: Readonly<Record<string, object>> = {
  '/apis/apps/v1': [
    { name: 'deployments', kind: 'Deployment', namespaced: true },
    { name: 'statefulsets', kind: 'StatefulSet', namespaced: true },
  ],
  '/apis/autoscaling/v2': [
    { name: 'horizontalpodautoscalers', kind: 'HorizontalPodAutoscaler', namespaced: true },
  ],
  '/apis/policy/v1': [{ name: 'poddisruptionbudgets', kind: 'PodDisruptionBudget', namespaced: true }],
  '/apis/coordination.k8s.io/v1': [{ name: 'leases', kind: 'Lease', namespaced: true }],
};

/** A slot's cluster: one workload with an autoscaler, and Leases. */
class Cluster {
  public readonly hpa: any;
  public readonly deployment: any;
  /** Minimums that were written, in order. */
  public readonly written: number[] = [];
  public refuses = false;
  /** Whether the autoscaler is there. */
  public isScaled = true;
  private lease: any;
  private versions = 0;

  public constructor(ready: number) {
    const metadata = { name: 'web', namespace: 'shop', resourceVersion: '0' };
    this.deployment = {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata },
      spec: {
        replicas: ready,
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } } },
      },
      status: { readyReplicas: ready },
    };
    this.hpa = {
      ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { ...metadata } },
      spec: {
        ...{ minReplicas: 2, maxReplicas: 40 },
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      },
    };
  }

  public readonly reply = ({ method, path, query, body }: Received): Reply => {
    if (groups[path]) {
      return { json: { kind: 'APIResourceList', resources: groups[path] } };
    }
    if (path.includes('/leases')) {
      return this.leases(method, body);
    }
    if (method === 'PATCH') {
      return this.patched(this.isScaled ? this.hpa : this.deployment, body, query['dryRun'] !== undefined);
    }
    const lists: Readonly<Record<string, readonly object[]>> = {
      services: [{ metadata: { name: 'web', namespace: 'shop' }, spec: { selector: { app: 'web' } } }],
      deployments: [this.deployment],
      horizontalpodautoscalers: this.isScaled ? [this.hpa] : [],
      ...{ statefulsets: [], poddisruptionbudgets: [], pods: [] },
    };
    const items = lists[path.split('/').at(-1)!];
    return items
      ? { json: { kind: 'List', items } }
      : path.endsWith('/horizontalpodautoscalers/web') || path.endsWith('/deployments/web')
        ? { json: path.endsWith('/deployments/web') ? this.deployment : this.hpa }
        : failure(404, 'NotFound', 'not found');
  };

  private patched(object: any, { metadata, spec }: any, dryRun: boolean): Reply {
    if (this.refuses) {
      return failure(403, 'Forbidden', 'horizontalpodautoscalers is forbidden');
    }
    if (!dryRun) {
      this.versions += 1;
      const annotations = { ...object.metadata.annotations, ...metadata.annotations };
      object.metadata.annotations = Object.fromEntries(
        Object.entries(annotations).filter(([, value]) => value !== null),
      );
      object.metadata.resourceVersion = String(this.versions);
      Object.assign(object.spec, spec);
      if (spec) {
        const least = spec.minReplicas ?? spec.replicas;
        this.written.push(least);
        // The autoscaler: what is not needed yet stays for its five minutes.
        const { status } = this.deployment;
        status.readyReplicas = Math.max(status.readyReplicas, least);
      }
    }
    return { json: object };
  }

  private leases(method: string, body: any): Reply {
    if (method !== 'GET') {
      this.versions += 1;
      this.lease = { ...body, metadata: { ...body.metadata, resourceVersion: String(this.versions) } };
    }
    return this.lease ? { json: this.lease } : failure(404, 'NotFound', 'leases not found');
  }

  public get record(): any {
    return JSON.parse(this.lease.metadata.annotations['cluster-canary/shift-record']);
  }
}

let servers: readonly ApiServer[];
let blue: Cluster;
let green: Cluster;
const kubeconfig = join(scratch, 'slots.json');

beforeAll(async () => {
  servers = await Promise.all([ApiServer.start(), ApiServer.start()]);
  const [one, two] = servers.map((server) => JSON.parse(server.kubeconfig()));
  const named = (name: string, { clusters, users }: any) => ({
    clusters: [{ ...clusters[0], name }],
    users: [{ ...users[0], name }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  });
  const parts = [named('apps-blue', one), named('apps-green', two)];
  const merged = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'apps-blue' },
    clusters: parts.flatMap(({ clusters }) => clusters),
    users: parts.flatMap(({ users }) => users),
    contexts: parts.flatMap(({ contexts }) => contexts),
  };
  writeFileSync(kubeconfig, JSON.stringify(merged));
});
afterAll(() => Promise.all(servers.map((server) => server.stop())));
beforeEach(() => {
  blue = new Cluster(20);
  green = new Cluster(2);
  servers[0]!.script(blue.reply);
  servers[1]!.script(green.reply);
});

const minimums = () => [blue.hpa.spec.minReplicas, green.hpa.spec.minReplicas];
const capacity = { scale: 'hpa', kubeconfig, services: [{ namespace: 'shop', name: 'web' }] } as const;

/** A plan whose weights are in its process alone. */
function plan(shift: PlannedShift): string {
  const file = join(scratch, 'capacity-plan.json');
  const quick = { step: [25, 50], every: '30ms', checkEvery: '30ms', bake: '30ms' };
  const content = {
    router: { simulated: { live: { blue: 100, green: 0 } } },
    slots: { blue: { clusterName: 'apps-blue' }, green: { clusterName: 'apps-green' } },
    weights: { green: 100 },
    shift: { ...quick, ...shift },
    lease: { kubernetes: { kubeconfig, context: 'apps-blue', namespace: 'shop' } },
  };
  writeFileSync(file, JSON.stringify(content));
  return file;
}

test('a shift raises the new slot before each step, holds the old one, and gives both back', async () => {
  const { status, stdout, stderr } = await clusterCanary(['shift', plan({ capacity }), '--json']);
  expect([status, stderr]).toEqual([0, expect.not.stringContaining('given back')]);
  expect(JSON.parse(stdout).verdict).toBe('completed');
  // The pods of the step after the next one start early.
  expect(green.written).toEqual([10, 20, 2]);
  expect(blue.written).toEqual([20, 2]);
  expect(blue.record.raised).toBeUndefined();
  for (const { hpa } of [blue, green]) {
    expect(hpa.metadata.annotations).toEqual({});
  }
});

test('a shift without the setting leaves the clusters alone', async () => {
  expect((await clusterCanary(['shift', plan({}), '--json'])).status).toBe(0);
  expect([...blue.written, ...green.written]).toEqual([]);
});

test('a dry run says what would be raised for the first step, and writes nothing', async () => {
  const file = plan({ capacity });
  const { status, stdout } = await clusterCanary(['shift', file, '--dry-run']);
  expect(status).toBe(0);
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    'shift.capacity now: inconclusive: blue: hpa shop/web: minReplicas 2 → 20, held until the bake is over; ' +
      'green: hpa shop/web: minReplicas 2 → 10 for 25 % and the 50 % after it; green: deployment shop/web 2 of 5 ready A step waits for it.',
  );
  const { stdout: text } = await clusterCanary(['shift', file, '--dry-run', '--json']);
  const document = JSON.parse(text);
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
    JSON.parse(readFileSync(join(root, 'schemas', 'shift-dry-run.json'), 'utf8')),
  );
  expect([validate(document), validate.errors]).toEqual([true, null]);
  expect(document.bounds.map(({ name }: { name: string }) => name)).toEqual(['shift.capacity']);
  expect(document.steps).toHaveLength(3);
  expect([...blue.written, ...green.written]).toEqual([]);
});

test('a dry run names what would stop the shift', async () => {
  green.hpa.spec.maxReplicas = 10;
  const { stdout } = await clusterCanary(['shift', plan({ capacity }), '--dry-run']);
  expect(stdout.replace(/\s+/g, ' ')).toMatch(
    /shift\.capacity now: fail: green: deployment shop\/web: 20 pods needed at 100 %, and maxReplicas of hpa shop\/web is 10/,
  );
});

test('a dry run asks the clusters also where the live weights can not be read', async () => {
  const denied = await new FleetServer({ rules: [], healthy: {} }).start();
  try {
    const file = plan({ capacity });
    const content = JSON.parse(readFileSync(file, 'utf8'));
    content.router = { albRule: { ruleArn: ruleOf(0) } };
    for (const slot of ['blue', 'green']) {
      content.slots[slot].targetGroupArn = groupOf(slot);
    }
    writeFileSync(file, JSON.stringify(content));
    const { status, stdout } = await clusterCanary(['shift', file, '--dry-run'], { env: denied.env });
    expect(status).toBe(0);
    expect(stdout).toContain('The live weights could not be read');
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'green: hpa shop/web: minReplicas 2 → 10 for 25 % and the 50 % after it',
    );
    expect([...blue.written, ...green.written]).toEqual([]);
  } finally {
    denied.stop();
  }
});

test('--forget leaves replicas that nothing scales to a slot with traffic, and takes them from the other', async () => {
  blue.isScaled = green.isScaled = false;
  const replicas = () => [blue.deployment.spec.replicas, green.deployment.spec.replicas];
  const paused = plan({ capacity: { ...capacity, scale: 'replicas' }, pause: [50] });
  expect((await clusterCanary(['shift', paused, '--to-pause'])).status).toBe(0);
  expect(replicas()).toEqual([20, 10]);
  // The weights of a process are gone with it: all traffic is on blue again.
  expect((await clusterCanary(['shift', plan({}), '--forget'])).status).toBe(0);
  expect(replicas()).toEqual([20, 2]);
});

describe('a shift that waits for a person', () => {
  beforeEach(async () => {
    const paused = plan({ capacity, pause: [50] });
    expect((await clusterCanary(['shift', paused, '--to-pause'])).status).toBe(0);
    expect(minimums()).toEqual([20, 10]);
  });

  test('keeps what it raised, and --forget gives it back, whatever the plan says by now', async () => {
    const { status, stdout } = await clusterCanary(['shift', plan({}), '--forget']);
    expect([status, stdout]).toEqual([0, expect.stringContaining('is forgotten')]);
    expect(minimums()).toEqual([2, 2]);
    expect(blue.record).not.toHaveProperty('raised');
  });

  test('--forget names what could not be given back, which a later one gives back', async () => {
    green.refuses = true;
    const refused = await clusterCanary(['shift', plan({}), '--forget']);
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/Not all capacity could be given back.*green: a minimum is not given back/),
    ]);
    expect(minimums()).toEqual([2, 10]);
    expect(Object.keys(blue.record.raised)).toEqual(['green']);
    green.refuses = false;
    expect((await clusterCanary(['shift', plan({}), '--forget'])).status).toBe(0);
    expect(minimums()).toEqual([2, 2]);
    expect(blue.record).not.toHaveProperty('raised');
  });
});
