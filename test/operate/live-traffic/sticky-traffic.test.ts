import { waitUntilIdle } from '../../../lib/operate/drain/wait-idle';
import { liveShare } from '../../../lib/operate/live-traffic';
import { guardProblems } from '../../../lib/pulumi/fleet/in-place-changes';
import { BalancingWorld } from './balancing-world';

const day = 86_400;
const green = { fleet: 'apps', slot: 'green' };
const shareIn = (world: BalancingWorld, slot = 'blue') =>
  liveShare(world.clients, { fleet: 'apps', slot }, world);

function world(stickySeconds?: number): BalancingWorld {
  const made = new BalancingWorld([
    { arn: 'web', priority: 10, weights: { blue: 100, green: 0 }, stickySeconds },
  ]);
  made.visit(100);
  made.pass(10);
  made.rules[0]!.weights = { blue: 0, green: 100 };
  return made;
}

describe('a slot at weight 0 behind stickiness', () => {
  test('has the share of the requests that its clients still make', async () => {
    const sticky = world(day);
    sticky.pass(70);
    expect(await shareIn(sticky)).toEqual({
      percent: 100,
      where: expect.stringContaining('/web') as string,
      sticky: { requests: 6000, minutes: 60, seconds: day },
    });
    expect(await shareIn(sticky, 'green')).toMatchObject({ percent: 100 });
  });

  test('has none an hour after the last request, which is seen up to three minutes later', async () => {
    const sticky = world(day);
    sticky.leave();
    sticky.pass(61);
    expect((await shareIn(sticky)).percent).toBeGreaterThan(0);
    sticky.pass(1);
    expect(await shareIn(sticky)).toEqual({ percent: 0, where: 'no rule' });
  });

  test('is looked at for as long as a client stays, where that is shorter', async () => {
    const sticky = world(300);
    sticky.pass(5);
    expect((await shareIn(sticky)).percent).toBeGreaterThan(0);
    sticky.pass(7);
    expect(await shareIn(sticky)).toEqual({ percent: 0, where: 'no rule' });
  });

  test('has some traffic with one request of ten thousand', async () => {
    const rule = { arn: 'web', priority: 10, weights: { blue: 100, green: 0 }, stickySeconds: day };
    const sticky = new BalancingWorld([rule]);
    sticky.visit(1);
    sticky.pass(10);
    rule.weights = { blue: 0, green: 100 };
    sticky.leave();
    sticky.pass(57);
    sticky.visit(5_000);
    sticky.pass(4);
    expect(await shareIn(sticky)).toMatchObject({ percent: 0.1, sticky: { requests: 1 } });
  });

  test.each<[string, BalancingWorld]>([
    ['off', world()],
    ['on, for a group that the rule has no more', world(day)],
  ])('with stickiness %s: has none, and CloudWatch is not asked', async (what, made) => {
    if (what.startsWith('on')) {
      made.rules[0]!.weights = { green: 100 };
    }
    expect(await shareIn(made)).toEqual({ percent: 0, where: 'no rule' });
    expect(made.asked).not.toContain('GetMetricData');
  });

  test('on a Network Load Balancer, nothing is counted by target group', async () => {
    const rules = [{ arn: 'web', priority: 10, weights: { blue: 0, green: 1 }, stickySeconds: day }];
    const network = new BalancingWorld(rules, 'net');
    expect(await shareIn(network)).toEqual({ percent: 0, where: 'no rule' });
    expect(network.asked).not.toContain('GetMetricData');
  });

  test('is guarded, with what to do', async () => {
    const sticky = world(day);
    sticky.pass(5);
    const [problem] = guardProblems(
      [{ path: 'version', live: '1.35', wanted: '1.36' }],
      'blue',
      await shareIn(sticky),
      10,
    );
    expect(problem!.allowed).toMatch(
      /\/web; \d+ requests in 60 minutes, as stickiness keeps clients with their slot for 86400 s.*wait until no such request was made for 60 minutes.*turn the rule's stickiness off/,
    );
  });

  test('is not emptied while its clients come; where they may take their time, that is waited for', async () => {
    const sticky = world(420);
    const said: string[] = [];
    const wait = (patienceMs: number) =>
      waitUntilIdle({
        target: { ...green, slot: 'blue', clusterName: 'apps-blue' },
        liveShare: () => shareIn(sticky),
        clock: sticky.clock,
        quietMs: 60_000,
        patienceMs,
        say: (line) => said.push(line),
      });
    const startedAt = sticky.now;
    await expect(wait(0)).rejects.toThrow(
      /carries 100 % of the live traffic.*stickiness.*take its target group off/,
    );
    expect(sticky.now).toBe(startedAt);
    await wait(3_600_000);
    // Four minutes until the cookies end, a window of seven, two until its figures are there, and one of quiet.
    expect((sticky.now - startedAt) / 60_000).toBe(14);
    expect(said[0]).toMatch(/^Waits for 100 % of the traffic to leave blue.*stickiness/);
  });
});

test('a weight that is next to nothing is some traffic', async () => {
  const made = new BalancingWorld([{ arn: 'web', priority: 10, weights: { blue: 1, green: 2_999 } }]);
  expect(await shareIn(made)).toMatchObject({ percent: 0.1 });
});

test.each(['describeTargetGroups', 'describeListeners', 'describeRules'])(
  'a list of %s that does not end is said',
  async (name) => {
    const made = world();
    const client = (await made.clients.elasticLoadBalancing()) as unknown as {
      send: (command: object) => Promise<object>;
    };
    const { send } = client;
    client.send = async (command) => ({
      ...(await send(command)),
      ...(command.constructor.name.toLowerCase() === `${name.toLowerCase()}command` && {
        NextMarker: 'again',
      }),
    });
    const clients = {
      ...made.clients,
      elasticLoadBalancing: () => Promise.resolve(client),
    } as unknown as typeof made.clients;
    await expect(liveShare(clients, { fleet: 'apps', slot: 'blue' }, made)).rejects.toThrow(/does not end/);
  },
);

test('CloudWatch that refuses is no sign of quiet', async () => {
  const sticky = world(day);
  const denied = Object.assign(new Error('not authorized to perform: cloudwatch:GetMetricData'), {
    name: 'AccessDenied',
    $metadata: { httpStatusCode: 403 },
  });
  const clients = {
    ...sticky.clients,
    cloudWatch: () => Promise.resolve({ getMetricData: () => Promise.reject(denied) }),
  } as unknown as typeof sticky.clients;
  await expect(liveShare(clients, { fleet: 'apps', slot: 'blue' })).rejects.toMatchObject({
    name: 'AwsError',
    failure: { kind: 'denied', action: 'cloudwatch:GetMetricData' },
  });
});
