import { balancingClient } from '../../core/aws/recording-clients';
import { AwsError } from '../../../lib/core/aws/errors';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import type { DrainDependencies } from '../../../lib/operate/drain';
import { drainSlot, drainTimes, reportLines } from '../../../lib/operate/drain';

/** An AWS with things in it, and a cluster with objects; time passes while somebody waits. */
class World {
  public now = 0;
  public readonly calls: string[] = [];
  public balancers = ['arn:lb'];
  public groups = ['sg-1'];
  public volumes = ['vol-1'];
  /** Objects by kind. */
  public objects: Record<string, any[]> = {};
  /** Refusals of AWS, by the action: as often as it says. */
  public refusals: Record<string, { name: string; times: number }> = {};

  public drain(rest: Partial<DrainDependencies> = {}): DrainDependencies {
    return {
      target: { clusterName: 'apps-green', fleet: 'apps', slot: 'green' },
      cluster: { name: 'apps-green', arn: 'arn', status: 'ACTIVE', tags: {} },
      times: drainTimes({ idleFor: '0s', within: '1m', ...(rest.times as object) }),
      aws: {
        ec2: this.ask,
        balancing: (action: string, call: (client: any) => Promise<any>) =>
          this.ask(action, () => call(balancingClient(this.client))),
      } as any,
      openApi: () => Promise.resolve(this.api() as any),
      hubs: [],
      liveShare: () => Promise.resolve({ percent: 0, where: 'no rule' }),
      clock: {
        now: () => this.now,
        sleep: (milliseconds) => Promise.resolve(void (this.now += milliseconds)),
      },
      say: () => undefined,
      ...rest,
    };
  }

  private readonly ask = async (action: string, call: (client: any) => Promise<any>): Promise<any> => {
    const refusal = this.refusals[action];
    if (refusal && refusal.times > 0) {
      refusal.times -= 1;
      const cause = Object.assign(new Error('in use'), { name: refusal.name });
      throw new AwsError({ action, subject: 'x' }, { kind: 'other' }, cause);
    }
    if (!action.startsWith('Describe')) {
      this.calls.push(action);
    }
    return call(this.client);
  };

  private readonly client: any = {
    describeLoadBalancers: () => ({ LoadBalancers: this.balancers.map((id) => ({ LoadBalancerArn: id })) }),
    describeTargetGroups: () => ({ TargetGroups: [] }),
    describeTags: ({ ResourceArns }: any) => ({
      TagDescriptions: ResourceArns.map((id: string) => ({
        ResourceArn: id,
        Tags: [{ Key: 'elbv2.k8s.aws/cluster', Value: 'apps-green' }],
      })),
    }),
    describeSecurityGroups: ({ Filters: [{ Name }] }: any) => ({
      SecurityGroups:
        Name === 'tag:elbv2.k8s.aws/cluster' ? this.groups.map((id) => this.tagged('GroupId', id, Name)) : [],
    }),
    describeVolumes: ({ Filters: [{ Name }] }: any) => ({
      Volumes:
        Name === 'tag:ebs.csi.aws.com/cluster-name'
          ? this.volumes.map((id) => this.tagged('VolumeId', id, Name))
          : [],
    }),
    describeInstances: () => ({ Reservations: [] }),
    describeNetworkInterfaces: () => ({ NetworkInterfaces: [] }),
    deleteLoadBalancer: () => void (this.balancers = []),
    deleteSecurityGroup: () => void (this.groups = []),
    deleteVolume: () => void (this.volumes = []),
  };

  private tagged(key: string, id: string, filter: string) {
    return { [key]: id, Tags: [{ Key: filter.slice('tag:'.length), Value: 'apps-green' }] };
  }

  private api() {
    return {
      list: ({ apiVersion, kind }: any) => {
        if (!(kind in this.objects) || apiVersion.startsWith('eks.')) {
          throw new KubernetesError('unsupported', `no ${kind}`);
        }
        return Promise.resolve(this.objects[kind]);
      },
      remove: ({ kind, metadata }: any) => {
        this.calls.push(`remove ${kind} ${metadata.name}`);
        this.objects[kind] = this.objects[kind]!.filter((each) => each.metadata.name !== metadata.name);
        return Promise.resolve();
      },
      patch: ({ kind, metadata }: any, patch: any) => {
        this.calls.push(`patch ${kind} ${metadata.name} ${JSON.stringify(patch)}`);
        this.objects[kind]!.forEach((each) => Object.assign(each.spec, patch.spec));
        return Promise.resolve();
      },
      close: () => this.calls.push('close'),
    };
  }
}

const ingress = { metadata: { name: 'web', namespace: 'shop', uid: '1' }, spec: {} };
const binding = { metadata: { name: 'own', namespace: 'shop', uid: '2' }, spec: {} };
const claim = { metadata: { name: 'data', namespace: 'shop', uid: '3' }, spec: {} };
const database = () => ({
  metadata: { name: 'db', namespace: 'shop', uid: '4' },
  spec: { replicas: 2, volumeClaimTemplates: [{}] },
});
const pool = { metadata: { name: 'default', uid: '5' }, spec: {} };

function full(): World {
  const world = new World();
  world.objects = {
    Ingress: [ingress],
    TargetGroupBinding: [binding],
    PersistentVolumeClaim: [claim],
    StatefulSet: [database()],
    NodePool: [pool],
  };
  return world;
}

const all = { volumes: 'delete', withinMs: 60_000, quietMs: 0 } as const;
const yes = () => Promise.resolve(true);

test('everything in its order, data as well where that was said', async () => {
  const world = full();
  const report = await drainSlot(world.drain({ times: all, sweeps: yes }));
  expect(report).toMatchObject({ verdict: 'empty', leftovers: [], objects: { verdict: 'empty' } });
  expect(world.calls).toEqual([
    'remove Ingress web',
    'remove TargetGroupBinding own',
    'patch StatefulSet db {"spec":{"replicas":0}}',
    'remove PersistentVolumeClaim data',
    'remove NodePool default',
    'close',
    'DeleteLoadBalancer',
    'DeleteVolume',
    'DeleteSecurityGroup',
  ]);
});

test('unless it was said, data stays, and counts as left', async () => {
  const world = full();
  const report = await drainSlot(world.drain({ sweeps: yes }));
  expect(world.calls.filter((call) => /Volume|StatefulSet/.test(call))).toEqual([]);
  expect(report.verdict).toBe('left');
  expect(report.leftovers).toMatchObject([{ kind: 'volume', kept: 'kept until volumes are to be deleted' }]);
});

test('volumes that are kept do not count', async () => {
  const world = full();
  const report = await drainSlot(world.drain({ times: { ...all, volumes: 'keep' }, sweeps: yes }));
  expect(report).toMatchObject({
    verdict: 'empty',
    leftovers: [{ kind: 'volume', kept: 'volumes are kept' }],
  });
});

test('with traffic nothing is touched', async () => {
  const world = full();
  const liveShare = () => Promise.resolve({ percent: 10, where: 'arn:rule' });
  await expect(drainSlot(world.drain({ liveShare }))).rejects.toThrow(/carries 10 % of the live traffic/);
  expect(world.calls).toEqual([]);
});

test('a dry run shows the traffic that a drain is refused for', async () => {
  const sticky = { requests: 12, minutes: 60, seconds: 86_400 };
  const liveShare = () => Promise.resolve({ percent: 0.1, where: 'arn:rule', sticky });
  const report = await drainSlot(full().drain({ liveShare, dryRun: true }));
  expect(report.traffic).toEqual({ percent: 0.1, where: 'arn:rule', sticky });
  expect(reportLines(report).join('\n')).toMatch(
    /Live traffic: 0\.1 % \(on arn:rule; 12 requests in 60 minutes/,
  );
  expect(reportLines(await drainSlot(full().drain({ dryRun: true }))).join()).not.toContain('Live traffic');
});

test('where nobody asks for traffic, the bindings stay', async () => {
  const world = full();
  const report = await drainSlot(world.drain({ liveShare: undefined, times: all }));
  expect(world.calls).not.toContain('remove TargetGroupBinding own');
  expect(report.traffic).toBeNull();
});

test('a dry run changes nothing, and says what would go', async () => {
  const world = full();
  const report = await drainSlot(world.drain({ dryRun: true, times: all, sweeps: yes }));
  expect(world.calls).toEqual(['close']);
  expect(report).toMatchObject({ verdict: 'left', dryRun: true, swept: [] });
  expect(report.objects!.acted).toContain('Ingress shop/web');
});

test.each<[string, Partial<DrainDependencies>, string | undefined]>([
  [
    'an API server that does not answer',
    {
      openApi: () =>
        Promise.resolve({
          list: () => Promise.reject(new KubernetesError('unreachable', 'dead')),
          close: () => undefined,
        } as any),
    },
    'unreachable',
  ],
  ['a cluster that is gone', { cluster: undefined }, undefined],
])('%s: straight to the list', async (_what, rest, verdict) => {
  const world = full();
  const report = await drainSlot(world.drain(rest));
  expect(report.objects?.verdict).toBe(verdict);
  expect(report.leftovers.map(({ id }) => id)).toEqual(['arn:lb', 'vol-1', 'sg-1']);
  expect(world.calls).toEqual([]);
});

test('an API server that refuses ends it: that is not a dead one', async () => {
  const world = full();
  const list = () => Promise.reject(new KubernetesError('denied', 'may not list'));
  const openApi = () => Promise.resolve({ list, close: () => undefined } as any);
  await expect(drainSlot(world.drain({ openApi }))).rejects.toThrow('may not list');
});

test('a cluster that is not empty is not swept', async () => {
  const world = full();
  world.objects['Ingress'] = [
    { metadata: { ...ingress.metadata, deletionTimestamp: 'now', finalizers: ['a/b'] }, spec: {} },
  ];
  const report = await drainSlot(world.drain({ times: all, sweeps: yes }));
  expect(report).toMatchObject({ verdict: 'left', objects: { verdict: 'late' }, swept: [] });
  expect(world.calls).toEqual(['close']);
});

test('without a yes nothing is swept', async () => {
  const world = full();
  const asked: string[][] = [];
  const sweeps = (left: readonly { id: string }[]) => {
    asked.push(left.map(({ id }) => id));
    return Promise.resolve(false);
  };
  const report = await drainSlot(world.drain({ cluster: undefined, sweeps }));
  expect(asked).toEqual([['arn:lb', 'sg-1']]);
  expect(report.leftovers).toHaveLength(3);
});

test.each([
  ['DependencyViolation', 3, []],
  ['OperationNotPermittedException', 1, ['arn:lb']],
])('%s %d times: what is left is %j', async (name, times, left) => {
  const world = full();
  world.refusals['DeleteLoadBalancer'] = { name, times };
  const report = await drainSlot(world.drain({ cluster: undefined, times: all, sweeps: yes }));
  expect(report.leftovers.map(({ id }) => id)).toEqual(left);
  expect(Object.keys(report.refusals)).toEqual(left);
});

test('an interrupt ends it, and is told', async () => {
  const world = full();
  const report = await drainSlot(
    world.drain({ signal: AbortSignal.abort(), liveShare: undefined, times: all, sweeps: yes }),
  );
  expect(report.verdict).toBe('interrupted');
  expect(world.calls).toEqual(['close']);
});

test('hubs are paused first: their Secrets of this cluster, and no others', async () => {
  const world = full();
  const applied: any[] = [];
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const secret = (name: string, labels: object, config: object, server = 'https://other.example.com') => ({
    metadata: { name, uid: name, labels },
    data: { config: base64(JSON.stringify(config)), server: base64(server) },
  });
  const api: any = {
    list: () =>
      Promise.resolve([
        secret('by-labels', { 'cluster-canary/fleet': 'apps', 'cluster-canary/slot': 'green' }, {}),
        secret('by-name', {}, { awsAuthConfig: { clusterName: 'apps-green' } }),
        secret('by-address', {}, {}, 'https://green.example.com/\n'),
        secret('by-arn', {}, {}, 'arn'),
        secret('other', {}, { awsAuthConfig: { clusterName: 'apps-blue' } }),
      ]),
    apply: ({ metadata }: any, { fieldManager }: any) =>
      Promise.resolve(applied.push([fieldManager, metadata])),
  };
  const dead: any = { list: () => Promise.reject(new KubernetesError('unreachable', 'hub is gone')) };
  const hubs = [
    { name: 'one', namespace: 'argocd', api },
    { name: 'two', namespace: 'argocd', api: dead },
  ];
  const endpoint = 'https://green.example.com';
  const cluster = { name: 'apps-green', arn: 'arn', status: 'ACTIVE', endpoint, tags: {} };
  const report = await drainSlot(world.drain({ hubs, times: all, cluster }));
  expect(report.hubs).toEqual([
    { hub: 'one', secrets: ['by-labels', 'by-name', 'by-address', 'by-arn'] },
    { hub: 'two', secrets: [], problem: 'hub is gone' },
  ]);
  expect(applied.slice(0, 2)).toEqual([
    [
      'cluster-canary-drain',
      {
        name: 'by-labels',
        namespace: 'argocd',
        uid: 'by-labels',
        annotations: {
          'argocd.argoproj.io/skip-reconcile': 'true',
          'cluster-canary/labels-before-drain': 'none',
        },
      },
    ],
    [
      'cluster-canary-traffic',
      {
        name: 'by-labels',
        namespace: 'argocd',
        uid: 'by-labels',
        labels: { 'cluster-canary/traffic': 'draining' },
      },
    ],
  ]);
});

test.each([3_600_000, -3_600_000])(
  'it waits as long as it should, whatever the time of day is set to: %s ms',
  async (jump) => {
    const world = new World();
    Object.assign(world, { balancers: [], groups: [], volumes: [] });
    const real = Date.now;
    let asked = 0;
    const set = jest.spyOn(Date, 'now').mockImplementation(() => real() + (asked > 0 ? jump : 0));
    const began = performance.now();
    try {
      await drainSlot(
        world.drain({
          clock: undefined,
          times: { ...drainTimes({}), quietMs: 100 },
          liveShare: () => Promise.resolve({ percent: (asked += 1) < 1 ? 1 : 0, where: 'no rule' }),
        }),
      );
    } finally {
      set.mockRestore();
    }
    const passed = performance.now() - began;
    expect(passed).toBeGreaterThanOrEqual(95);
    expect(passed).toBeLessThan(4_000);
  },
);
