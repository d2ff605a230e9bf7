import type { Hub } from '../../../../lib/operate/argocd';
import { drainPhase } from '../../../../lib/operate/swap/phases/drain';
import type { DrainPhase } from '../../../../lib/operate/swap/phases/drain';
import { balancingClient } from '../../../core/aws/recording-clients';
import { sdkError } from '../../../core/readiness/eks/fake-eks';
import { clusterOf, never, phaseRun } from './phase-runs';

/** An AWS with a cluster and a load balancer that its controller made. */
class World {
  public now = 0;
  public readonly calls: string[] = [];
  public balancers = ['arn:lb'];
  public volumes: string[] = [];
  public cluster: object | undefined = { arn: 'arn', status: 'ACTIVE', tags: {} };
  public share = 0;
  public readonly opened: string[] = [];

  public phase(more: Partial<DrainPhase> = {}) {
    return drainPhase({
      ...{ fleet: 'apps', clusterOf, idleFor: '0s' },
      aws: (clusterName) => {
        this.opened.push(clusterName);
        return {
          clients: { eks: () => Promise.resolve(this.eks) },
          ec2: (_: string, call: (client: any) => Promise<any>) => call(this.client),
          balancing: (_: string, call: (client: any) => Promise<any>) => call(balancingClient(this.client)),
          close: () => this.calls.push('aws closed'),
        } as never;
      },
      openApi: () => Promise.resolve({ list: () => Promise.resolve([]), close: () => undefined } as never),
      liveShare: () => Promise.resolve({ percent: this.share, where: 'a rule' }),
      clock: { now: () => this.now, sleep: (wait) => Promise.resolve(void (this.now += wait)) },
      ...more,
    });
  }

  private readonly eks = {
    describeCluster: () =>
      this.cluster
        ? Promise.resolve({ cluster: this.cluster })
        : Promise.reject(sdkError('ResourceNotFoundException', 'gone', 404)),
  };

  private readonly client: any = {
    describeLoadBalancers: () => ({ LoadBalancers: this.balancers.map((id) => ({ LoadBalancerArn: id })) }),
    describeTargetGroups: () => ({ TargetGroups: [] }),
    describeTags: ({ ResourceArns }: any) => ({
      TagDescriptions: ResourceArns.map((id: string) => ({
        ResourceArn: id,
        Tags: [{ Key: 'elbv2.k8s.aws/cluster', Value: 'apps-blue' }],
      })),
    }),
    describeSecurityGroups: () => ({ SecurityGroups: [] }),
    describeVolumes: ({ Filters: [{ Name }] }: any) => ({
      Volumes: (Name === 'tag:ebs.csi.aws.com/cluster-name' ? this.volumes : []).map((id) => ({
        VolumeId: id,
        Tags: [{ Key: 'ebs.csi.aws.com/cluster-name', Value: 'apps-blue' }],
      })),
    }),
    describeInstances: () => ({ Reservations: [] }),
    describeNetworkInterfaces: () => ({ NetworkInterfaces: [] }),
    deleteLoadBalancer: () => {
      this.calls.push('DeleteLoadBalancer');
      this.balancers = [];
      return {};
    },
  };
}

/** A hub that knows the cluster, and what was applied to its Secret. */
function hubOf(applied: any[], fails?: Error): Hub {
  return {
    name: 'hub',
    namespace: 'argocd',
    api: {
      list: () =>
        fails
          ? Promise.reject(fails)
          : Promise.resolve([
              {
                metadata: {
                  name: 'blue',
                  uid: '1',
                  labels: {
                    ...{ 'cluster-canary/fleet': 'apps', 'cluster-canary/slot': 'blue' },
                    'cluster-canary/traffic': 'draining',
                  },
                  annotations: { 'cluster-canary/labels-before-drain': 'traffic' },
                },
              },
            ]),
      apply: (object: any) => (applied.push(object.metadata), Promise.resolve(object)),
      close: () => applied.push('closed'),
    } as never,
  };
}

const blue = { slot: { name: 'blue', version: '1.35' }, other: { name: 'green', version: '1.36' } };
const drained = (world: World, more: Partial<DrainPhase> = {}) =>
  world.phase(more).run(phaseRun(blue), never);

test('what the cluster made goes, its hubs leave it alone, and all is closed', async () => {
  const world = new World();
  const applied: any[] = [];
  const openHubs = () => Promise.resolve([hubOf(applied)]);
  expect(await drained(world, { openHubs })).toEqual({ passed: true });
  expect(world.opened).toEqual(['apps-blue']);
  expect(world.calls).toEqual(['DeleteLoadBalancer', 'aws closed']);
  expect(applied[0]).toMatchObject({ annotations: { 'argocd.argoproj.io/skip-reconcile': 'true' } });
  expect(applied.at(-1)).toBe('closed');
});

test('without a sweep, what is left is said, and it is asked again', async () => {
  const world = new World();
  const answer = await drained(world, { sweep: false });
  expect(answer).toMatchObject({ passed: false, final: false });
  expect(answer).toHaveProperty('reason', expect.stringMatching(/^apps-blue is not empty: .*arn:lb/));
  expect(world.calls).toEqual(['aws closed']);
});

test.each([
  [undefined, false],
  ['keep', true],
] as const)('a volume is data: with volumes %s', async (volumes, passes) => {
  const world = new World();
  world.volumes = ['vol-1'];
  const answer = await drained(world, volumes ? { volumes } : {});
  expect(answer).toMatchObject(
    passes ? { passed: true } : { passed: false, reason: expect.stringContaining('vol-1') },
  );
});

test('a cluster that is gone has its rest swept', async () => {
  const world = new World();
  world.cluster = undefined;
  expect(await drained(world)).toEqual({ passed: true });
  expect(world.balancers).toEqual([]);
});

test('traffic is waited for, and then refused: nothing is deleted', async () => {
  const world = new World();
  world.share = 1;
  expect(await drained(world)).toMatchObject({
    passed: false,
    final: false,
    reason: expect.stringContaining('1 % of the live traffic'),
  });
  expect(world.now).toBeGreaterThanOrEqual(15 * 60_000);
  expect(world.balancers).toEqual(['arn:lb']);
});

test('a hub that can not be paused has not passed', async () => {
  const openHubs = () => Promise.resolve([hubOf([], new Error('no answer'))]);
  expect(await drained(new World(), { openHubs })).toMatchObject({
    passed: false,
    final: false,
    reason: 'apps-blue is not empty: hub hub is not paused: no answer',
  });
});

test('an API server that refuses is an error of the call, and all is closed', async () => {
  const world = new World();
  const applied: any[] = [];
  const openApi = () => Promise.reject(new Error('forbidden'));
  const openHubs = () => Promise.resolve([hubOf(applied)]);
  await expect(drained(world, { openApi, openHubs })).rejects.toThrow('forbidden');
  expect([world.calls.at(-1), applied.at(-1)]).toEqual(['aws closed', 'closed']);
});

describe('on the way back', () => {
  const back = (world: World, hubs: readonly Hub[], run = phaseRun({ ...blue, back: true })) =>
    world.phase({ openHubs: () => Promise.resolve(hubs) }).run(run, never);

  test('Argo CD deploys to the cluster again, and nothing is deleted', async () => {
    const world = new World();
    const applied: any[] = [];
    const run = phaseRun({ ...blue, back: true });
    expect(await back(world, [hubOf(applied)], run)).toEqual({ passed: true });
    const nothing = { name: 'blue', namespace: 'argocd', uid: '1' };
    expect(applied).toEqual([
      { ...nothing, labels: { 'cluster-canary/traffic': 'standby' } },
      nothing,
      'closed',
    ]);
    expect(run.said).toEqual(['Hub hub: deploys to apps-blue again, by Secret blue']);
    expect(world.balancers).toEqual(['arn:lb']);
  });

  test('a hub that does not answer is asked again', async () => {
    expect(await back(new World(), [hubOf([], new Error('no answer')), hubOf([])])).toEqual({
      passed: false,
      final: false,
      reason: 'Argo CD does not deploy to apps-blue: hub hub: no answer',
    });
  });
});
