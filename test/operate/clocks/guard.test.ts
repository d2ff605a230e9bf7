import { serveMetrics } from '../../../lib/cli/actions/guard-clocks';
import type { KubernetesObject } from '../../../lib/core/kubernetes/api';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import { clockTaint } from '../../../lib/core/names';
import type { GateLimits } from '../../../lib/manifests/clock-guard';
import { defaultGateLimits } from '../../../lib/manifests/clock-guard';
import type { GuardState, NodeClock } from '../../../lib/operate/clocks';
import { gateDecision, guardClocks, metricsText } from '../../../lib/operate/clocks';
import type { Kubelet } from './kubelets';
import { Kubelets } from './kubelets';

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
const node = (taints?: unknown, name = 'a'): KubernetesObject => ({
  ...{ apiVersion: 'v1', kind: 'Node', metadata: { name, resourceVersion: '7' } },
  spec: taints === undefined ? {} : { taints },
});
const clock = (seconds: number, more: Partial<NodeClock> = {}): NodeClock => ({
  ...{ node: 'a', lease: 'u', seconds, uncertainty: 0.2, median: seconds, spread: 0.4, samples: 3 },
  ...more,
});

describe('gateDecision', () => {
  test.each<[string, KubernetesObject, NodeClock | undefined, object]>([
    ['no taints', node(), clock(100), { gate: 'isOpen' }],
    ['taints of others', node([notReady]), clock(100), { gate: 'isOpen' }],
    ['a right clock', node([notReady, clockTaint]), clock(-4), { gate: 'open', taints: [notReady] }],
    [
      'whatever its value and effect',
      node([{ key: clockTaint.key }]),
      clock(0),
      { gate: 'open', taints: [] },
    ],
    ['a clock that is off', node([clockTaint]), clock(-91), { gate: 'wait' }],
    ['a clock that may be off', node([clockTaint]), clock(4.9), { gate: 'wait' }],
    [
      'too few heartbeats',
      node([clockTaint]),
      clock(0, { samples: 1 }),
      { gate: 'wait', why: '1 of 2 heartbeats' },
    ],
    ['no heartbeat', node([clockTaint]), undefined, { gate: 'wait', why: '0 of 2 heartbeats' }],
    ['a clock that was set meanwhile', node([clockTaint]), clock(0, { uncertainty: 45 }), { gate: 'wait' }],
    ['taints that are none', node('x'), clock(100), { gate: 'isOpen' }],
    ['a taint that is nothing', node([null, clockTaint]), clock(0), { gate: 'open', taints: [null] }],
  ])('%s', (_, given, measured, expected) => {
    expect(gateDecision(given, measured, defaultGateLimits)).toMatchObject(expected);
  });
});

test('options that guard nothing are refused, all at once', async () => {
  const wrong = { gate: { limit: '5', sample: 2 }, concurrency: 0, log: console.log };
  await expect(guardClocks(new Kubelets([]) as never, wrong as never)).rejects.toThrow(
    [
      'guardClocks: 6 problems',
      '  gate.sample: unknown key, did you mean "samples"?; known keys: limit, samples',
      '  gate.limit: "5": must be a number of seconds, at least 0',
      '  gate.samples: is required: a whole number, at least 1',
      '  concurrency: 0: must be a whole number, at least 1',
      '  onState: is required: a function',
      '  signal: is required: an AbortSignal',
    ].join('\n'),
  );
});

/** A cluster with Nodes, whose Leases are renewed. */
class Cluster extends Kubelets {
  public readonly nodes = new Map<string, KubernetesObject>();
  public readonly patches: any[] = [];
  public gets = 0;
  public conflicts = 0;

  public constructor(kubelets: readonly Kubelet[], taints: unknown = [clockTaint]) {
    super(kubelets);
    kubelets.forEach(({ name }) => this.nodes.set(name, node(taints, name)));
  }

  public override get({ metadata }: { kind: string; metadata: { name: string } }): Promise<KubernetesObject> {
    this.gets += 1;
    const found = this.nodes.get(metadata.name);
    return found ? Promise.resolve(found) : Promise.reject(new KubernetesError('notFound', 'gone', 404));
  }

  public patch({ metadata: { name } }: any, patch: any): Promise<KubernetesObject> {
    this.patches.push({ name, ...patch });
    if (this.conflicts > 0) {
      this.conflicts -= 1;
      return Promise.reject(new KubernetesError('conflict', 'it has changed', 409));
    }
    const patched = node(patch.spec.taints, name);
    this.nodes.set(name, patched);
    return Promise.resolve(patched);
  }
}

/** Guards a cluster for so many looks. */
async function guard(cluster: Cluster, looks: number, gate?: GateLimits, each?: (look: number) => void) {
  const end = new AbortController();
  const states: GuardState[] = [];
  const lines: string[] = [];
  await guardClocks(cluster, {
    ...(gate ? { gate } : {}),
    signal: end.signal,
    elapsed: cluster.elapsed,
    now: () => Date.parse('2026-11-21T12:00:00Z'),
    wait: cluster.wait,
    log: (line) => lines.push(line),
    onState: (state) => {
      states.push(state);
      each?.(states.length);
      if (states.length === looks) {
        end.abort();
      }
    },
  });
  return { states, lines, last: states.at(-1)! };
}

const kubelets: readonly Kubelet[] = [
  { name: 'right', skew: 0.3 },
  { name: 'slow', skew: -91 },
];

describe('guardClocks', () => {
  test('it opens the node whose clock is right, and asks no more about it', async () => {
    const cluster = new Cluster(kubelets);
    const { last, lines } = await guard(cluster, 6, defaultGateLimits);
    expect(cluster.patches).toEqual([
      { name: 'right', metadata: { resourceVersion: '7' }, spec: { taints: [] } },
    ]);
    expect([...last.waiting.keys()]).toEqual(['slow']);
    expect(last.waiting.get('slow')).toMatch(/^its clock is off by -9[01]/);
    expect(last).toMatchObject({ opened: 1, failedLooks: 0 });
    expect(lines).toEqual([expect.stringMatching(/^Node right: opened/)]);
    // Two looks until it has two heartbeats, or three, and six at the slow one.
    expect(cluster.gets).toBeLessThanOrEqual(9);
  });

  test('a node whose clock is set right is opened then', async () => {
    const late: Kubelet[] = [{ name: 'late', skew: -91 }];
    const cluster = new Cluster(late);
    const { states } = await guard(cluster, 12, defaultGateLimits, (look) => {
      late[0] = { name: 'late', skew: look < 4 ? -91 : 0 };
    });
    const opened = states.findIndex((state) => state.opened === 1);
    // Not before all heartbeats of the wrong clock are forgotten.
    expect(opened).toBeGreaterThan(6);
  });

  test('a new node of an old name is looked at anew', async () => {
    const cluster = new Cluster([{ name: 'right', skew: 0 }]);
    await guard(cluster, 8, defaultGateLimits, (look) => {
      if (look === 4) {
        cluster.nodes.set('right', node([clockTaint], 'right'));
        cluster.uid = 'another';
      }
    });
    expect(cluster.patches).toHaveLength(2);
  });

  test('a conflict is tried again, and taints of others stay', async () => {
    const cluster = new Cluster([{ name: 'right', skew: 0 }], [clockTaint, notReady]);
    cluster.conflicts = 2;
    const { last, lines } = await guard(cluster, 8, defaultGateLimits);
    expect(cluster.patches.map(({ spec }) => spec)).toEqual(Array(3).fill({ taints: [notReady] }));
    expect([last.opened, lines.length]).toEqual([1, 1]);
  });

  test('without a gate nothing is called for nodes, and nothing written', async () => {
    const cluster = new Cluster(kubelets);
    const { last } = await guard(cluster, 5);
    expect([cluster.gets, cluster.patches.length]).toEqual([0, 0]);
    expect(last.measurement!.nodes.map(({ seconds }) => Math.round(seconds))).toEqual([0, -91]);
  });

  test('a look that fails is told of, and the next one goes on', async () => {
    const cluster = new Cluster(kubelets);
    const failure = new KubernetesError('unreachable', 'no answer');
    const { last, lines } = await guard(cluster, 5, undefined, (look) => {
      cluster.failures = look === 2 ? { Lease: failure } : {};
    });
    expect([last.failedLooks, lines]).toEqual([1, ['no answer']]);
    expect(last.measurement!.nodes).toHaveLength(2);
  });
});

describe('metrics', () => {
  const state: GuardState = {
    measurement: {
      nodes: [clock(-91.25, { node: 'a"b' })],
      silent: [{ node: 'down', seconds: 300 }],
      unreadable: [{ node: 'bare', reason: 'no managedFields' }],
    },
    waiting: new Map([['a"b', 'it is slow']]),
    lookedAt: 1_700_000_000_900,
    failedLooks: 2,
    opened: 3,
  };

  test('every family is told with type and help, and nodes by a label', () => {
    const lines = metricsText(state).split('\n');
    expect(lines.filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
      'cluster_canary_node_clock_skew_seconds{node="a\\"b"} -91.25',
      'cluster_canary_node_clock_uncertainty_seconds{node="a\\"b"} 0.2',
      'cluster_canary_node_silent_seconds{node="down"} 300',
      'cluster_canary_node_clock_unreadable{node="bare"} 1',
      'cluster_canary_clock_gate_waiting{node="a\\"b"} 1',
      'cluster_canary_clock_gate_opened_total 3',
      'cluster_canary_clock_last_look_timestamp_seconds 1700000000',
      'cluster_canary_clock_failed_looks_total 2',
    ]);
    expect(lines.filter((line) => line.startsWith('# TYPE'))).toHaveLength(8);
  });

  test('they are served, and the health with them', async () => {
    let isHealthy = true;
    const served = { metrics: () => 'some_metric 1\n', isHealthy: () => isHealthy };
    const server = await serveMetrics(served, 0, '127.0.0.1');
    const ask = async (path: string, method = 'GET') => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
      return [response.status, await response.text()];
    };
    try {
      expect(await ask('/metrics')).toEqual([200, 'some_metric 1\n']);
      expect(await ask('/healthz')).toEqual([200, 'ok\n']);
      isHealthy = false;
      expect(await ask('/healthz')).toEqual([503, 'no look for a while\n']);
      expect((await ask('/other'))[0]).toBe(404);
      expect((await ask('/metrics', 'POST'))[0]).toBe(405);
    } finally {
      server.close();
    }
  });
});
