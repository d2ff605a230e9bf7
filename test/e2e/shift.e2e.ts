import * as pulumi from '@pulumi/pulumi';
import type { PulumiFn } from '@pulumi/pulumi/automation';
import { awsClients } from '../../lib/core/aws/clients';
import { failClosed } from '../../lib/pulumi/hooks';
import { WeightedRule } from '../../lib/pulumi/traffic';
import { ssmLease } from '../../lib/shift/leases';
import { parsePlan } from '../../lib/shift/plan-file';
import { HubServer } from './bench/hub-server';
import type { Outcome } from './bench/pulumi-outcome';
import type { LiveWeights, ShiftBench } from './bench/pulumi-shift';
import { failingCheck, quick, shiftBench } from './bench/pulumi-shift';
import { pulumiStack } from './bench/pulumi-stack';
import type { ShiftProgramOptions } from './bench/shift-program';

/** The tests are the life of one stack, in this order; each begins and ends with the weights that its name says. */
let bench: ShiftBench;

beforeAll(async () => {
  bench = await shiftBench();
});

const toGreen = { blue: 0, green: 100 };
const [allBlue, allGreen] = [
  { 'blue-web': 100, 'green-web': 0 },
  { 'blue-web': 0, 'green-web': 100 },
];
const at = (green: number): LiveWeights => ({ 'blue-web': 100 - green, 'green-web': green });

const up = (options: Partial<ShiftProgramOptions> = {}, run: { refresh?: boolean } = {}) =>
  bench.stack.up({ program: bench.program({ shift: quick, ...options }), ...run });
const preview = (options: Partial<ShiftProgramOptions> = {}) =>
  bench.stack.preview({ program: bench.program({ shift: quick, ...options }) });
const operations = ({ operations: all }: Outcome) => all.map(({ op, name }) => `${op} ${name}`);

/** Everything back to blue, at once. */
async function backToBlue(options: Partial<ShiftProgramOptions> = {}): Promise<void> {
  expect(await up({ shift: false, ...options }, { refresh: true })).toMatchObject({ succeeded: true });
}

/** Runs something, and answers what was written meanwhile. */
async function writesOf(run: () => Promise<unknown>): Promise<LiveWeights[]> {
  const since = Date.now();
  await run();
  return bench.writes(since);
}

async function expectFailure(run: Promise<Outcome>, ...texts: RegExp[]): Promise<void> {
  const { succeeded, errors } = await run;
  expect(succeeded).toBe(false);
  for (const text of texts) {
    expect(errors.join('\n')).toMatch(text);
  }
}

test('a new rule is written at the wanted weights', async () => {
  const created = await up();
  expect(created).toMatchObject({ succeeded: true, errors: [] });
  expect(created.log).toMatch(/a new rule takes traffic to blue at once/);
  expect(await bench.weights()).toEqual(allBlue);
  expect(bench.writes()).toEqual([]);
});

describe('a change of the weights', () => {
  test('is told by a preview, with its steps and the least time', async () => {
    const written = await writesOf(async () => {
      const { log, succeeded } = await preview({ weights: toGreen });
      expect(succeeded).toBe(true);
      expect(log).toMatch(
        /up would shift the traffic from blue 100, green 0, in 1s200ms at least|in 1s at least/,
      );
      expect(log).toMatch(/blue 90, green 10[^]*blue 50, green 50[^]*blue 0, green 100[^]*bakes for/);
    });
    expect(written).toEqual([]);
  });

  test('walks there step by step, tells where it is, and is in the state then', async () => {
    let outcome!: Outcome;
    const written = await writesOf(async () => (outcome = await up({ weights: toGreen })));
    expect(outcome).toMatchObject({ succeeded: true, errors: [] });
    expect(operations(outcome)).toEqual(['update apps-web']);
    // The provider writes what stands there already.
    expect(written).toEqual([at(10), at(50), at(100), at(100)]);
    expect(outcome.log).toMatch(/FleetTraffic apps\s+step 2 of 3, blue 50, green 50, watching.* to go/);
    expect(await bench.stateWeights()).toEqual(allGreen);
    const calls = bench.aws.proxy.calls.filter(({ service }) => service === 'ssm');
    // The lease is given back; then it is looked at once more, for an evacuation that this program may end.
    expect(calls.at(-2)).toMatchObject({ action: 'PutParameter', status: 200 });
    expect(calls.at(-1)).toMatchObject({ action: 'GetParameter', status: 200 });
  });

  test.each<[string, Partial<ShiftProgramOptions>, string[]]>([
    ['the same weights again', {}, []],
    ['other settings of the shift', { shift: { ...quick, step: 20 } }, []],
    ['other tags', { tags: { team: 'web' } }, ['update apps-web']],
  ])('is not what %s are: nothing is written', async (_what, options, done) => {
    const written = await writesOf(async () => {
      const outcome = await up({ weights: toGreen, ...options });
      expect(outcome).toMatchObject({ succeeded: true, errors: [] });
      expect(operations(outcome).filter((each) => each.includes('apps-web'))).toEqual(done);
    });
    expect(written).toEqual([]);
    expect(await bench.weights()).toEqual(allGreen);
  });

  test('tells the hubs: a sync window while it lasts, and labels that are not looked for again', async () => {
    await backToBlue();
    const hub = await HubServer.start();
    const kubeconfig = hub.kubeconfig;
    const told = {
      labels: { hubs: [{ kubeconfig }] },
      shift: { ...quick, syncWindow: { hubs: [{ kubeconfig, projects: ['apps'] }] } },
    };
    expect(await up({ weights: toGreen, ...told })).toMatchObject({ succeeded: true, errors: [] });
    expect(hub.windows).toEqual([[expect.stringMatching(/: [\w-]+\/[\w-]+: FleetTraffic "apps"$/)], []]);
    expect(hub.parts()).toEqual({ blue: 'standby', green: 'live' });
    // Before each of the three changes on the way, and twice at the end: who is active, and what has to be written.
    const looks = hub.looks;
    expect(looks).toBe(5);
    const writes = hub.labelWrites;
    hub.leave('another shift', String(hub.windows[0]));
    expect(await up({ weights: toGreen, ...told })).toMatchObject({ succeeded: true, errors: [] });
    expect([hub.looks - looks, hub.labelWrites - writes]).toEqual([2, 0]);
    // What a run that was killed has left is taken away.
    expect(hub.windows.at(-1)).toEqual(['another shift']);
    expect(JSON.stringify(await bench.stack.state())).not.toContain(kubeconfig.slice(0, 40));
  });

  test('is one write without a shift', async () => {
    expect(await writesOf(() => backToBlue())).toEqual([at(0)]);
  });
});

describe('a check that fails', () => {
  const failing = { weights: toGreen, shift: { ...quick, checks: [failingCheck(50)] } };

  test('takes the traffic back; up says which check, which figures, which slot; the state stays', async () => {
    const written = await writesOf(() =>
      expectFailure(
        up(failing),
        /FleetTraffic "apps" was rolled back/,
        /errors[^]*error share of green 5 % \(at most 1 %\)/,
        /Live weights: blue 100, green 0/,
      ),
    );
    expect(written).toEqual([at(10), at(50), at(0)]);
    expect(await bench.weights()).toEqual(allBlue);
    expect(await bench.stateWeights()).toEqual(allBlue);
  });

  test('leaves the difference to the next up', async () => {
    expect(operations(await preview(failing))).toEqual(['update apps-web']);
  });

  test('leaves the traffic where it is with hold; the next up goes on from there', async () => {
    const held = { ...failing, shift: { ...failing.shift, onFailure: 'hold' as const } };
    await expectFailure(up(held), /was held where it was/, /Live weights: blue 50, green 50/);
    expect(await bench.weights()).toEqual(at(50));
    expect(await bench.stateWeights()).toEqual(allBlue);
    const written = await writesOf(() => up({ weights: toGreen }));
    expect(written).toEqual([at(100), at(100)]);
    await backToBlue();
  });
});

describe('a shift that was held, and a program that then went back', () => {
  beforeAll(async () => {
    await up({ weights: toGreen, shift: { ...quick, checks: [failingCheck(50)], onFailure: 'hold' } });
    expect(await bench.weights()).toEqual(at(50));
  });

  test.each([
    ['preview', () => preview()],
    ['up', () => up()],
  ])('fails in %s with both weights and the command that heals it', async (_what, run) => {
    const written = await writesOf(() =>
      expectFailure(run(), /live blue 50, green 50, wanted blue 100, green 0/, /pulumi up --refresh/),
    );
    expect(written).toEqual([]);
  });

  test('is healed by that command, step by step', async () => {
    const written = await writesOf(async () => {
      expect(await up({}, { refresh: true })).toMatchObject({ succeeded: true, errors: [] });
    });
    expect(written).toEqual([at(45), at(25), at(0), at(0)]);
    expect(await bench.stateWeights()).toEqual(allBlue);
  });
});

describe('others at work', () => {
  test('somebody who writes weights stops a shift, and nothing is written over that', async () => {
    const since = Date.now();
    // Time for the other one's write, on a busy machine too.
    const running = up({ weights: toGreen, shift: { ...quick, every: '15s', lease: 'none' } });
    await bench.written(1, since);
    await bench.setWeights({ 'apps-blue-web': 30, 'apps-green-web': 70 });
    await expectFailure(running, /Another process changed the weights/, /blue 30, green 70/);
    expect(bench.writes(since)).toEqual([at(10)]);
    expect(await bench.weights()).toEqual(at(70));
    await backToBlue();
  });

  test('a shift that holds the lease keeps another out', async () => {
    const clients = awsClients(bench.aws.directSettings);
    const lease = ssmLease(await bench.ruleArn(), clients, { holder: 'somebody else' });
    await lease.acquire();
    const written = await writesOf(() =>
      expectFailure(up({ weights: toGreen }), /another shift of these weights has the lease: somebody else/),
    );
    expect(written).toEqual([]);
    await lease.release();
    clients.close();
  });

  test('AWS that throttles is asked again', async () => {
    bench.aws.proxy.fail({ action: 'ModifyRule', fault: 'throttling', times: 3 });
    const written = await writesOf(async () => {
      expect(await up({ weights: toGreen })).toMatchObject({ succeeded: true });
    });
    expect(written).toEqual([at(10), at(50), at(100), at(100)]);
    await backToBlue();
  });

  test('a write whose answer is lost is done once', async () => {
    bench.aws.proxy.fail({ action: 'ModifyRule', fault: 'answerLost' });
    expect(await up({ weights: toGreen })).toMatchObject({ succeeded: true });
    expect(await bench.weights()).toEqual(allGreen);
    await backToBlue();
  });

  test('a role that lacks a right is named, and nothing has moved', async () => {
    bench.aws.proxy.fail({ action: 'ModifyRule', fault: 'accessDenied' });
    await expectFailure(
      up({ weights: toGreen }),
      /lack the right elasticloadbalancing:ModifyRule/,
      /blue 100/,
    );
    expect(await bench.weights()).toEqual(allBlue);
  });
});

describe('slots that come and go', () => {
  const slots = ['blue', 'green', 'red'];
  const three = (blue: number, green: number, red: number) => ({
    'blue-web': blue,
    'green-web': green,
    'red-web': red,
  });

  test('a new slot is on the rule at 0 before its first percent', async () => {
    const written = await writesOf(async () => {
      expect(await up({ slots, weights: { red: 100 } })).toMatchObject({ succeeded: true, errors: [] });
    });
    expect(written).toEqual([
      three(100, 0, 0),
      three(90, 0, 10),
      three(50, 0, 50),
      three(0, 0, 100),
      three(0, 0, 100),
    ]);
  });

  test('a slot that goes is left by the traffic first', async () => {
    const written = await writesOf(async () => {
      const outcome = await up({ weights: { blue: 100 } });
      expect(outcome).toMatchObject({ succeeded: true, errors: [] });
      expect(operations(outcome)).toContain('delete apps-red-web');
    });
    expect(written).toEqual([three(10, 0, 90), three(50, 0, 50), three(100, 0, 0), at(0)]);
  });
});

describe('a slot whose shift failed', () => {
  const failing = {
    slots: ['blue', 'green', 'red'],
    weights: { red: 100 },
    shift: { ...quick, checks: [failingCheck(0)] },
  };

  test('can be taken out again by the command that up says', async () => {
    await expectFailure(up(failing), /was rolled back/);
    const outcome = await up();
    expect(outcome.succeeded).toBe(false);
    expect(outcome.log).toMatch(
      /apps-red-web.*, with weight 0, which is of no slot. To take it off: pulumi up --refresh/,
    );
    expect(await up({}, { refresh: true })).toMatchObject({ succeeded: true, errors: [] });
    expect(await bench.weights()).toEqual(allBlue);
  });
});

describe('a rule that is replaced', () => {
  test('does not move the traffic', async () => {
    const moved = { listener: 'http' as const, weights: toGreen };
    await expectFailure(
      up(moved),
      /would be replaced[^]*blue 100, green 0[^]*wanted: blue 0, green 100[^]*Shift first/,
    );
    expect(await bench.weights()).toEqual(allBlue);
  });

  test('moves to another listener with the weights that are live', async () => {
    for (const listener of ['http', 'https'] as const) {
      const outcome = await up({ listener });
      expect(outcome).toMatchObject({ succeeded: true, errors: [] });
      expect(operations(outcome)).toContain('create-replacement apps-web');
    }
    expect(await bench.weights()).toEqual(allBlue);
  });
});

describe('routes that move together', () => {
  const two = { routes: { web: {}, api: {} } };
  const both = (green: number) => [
    { 'blue-web': 100 - green, 'green-web': green },
    { 'blue-api': 100 - green, 'green-api': green },
  ];

  test('are one shift', async () => {
    expect(await up(two)).toMatchObject({ succeeded: true, errors: [] });
    const written = await writesOf(async () => {
      expect(await up({ ...two, weights: toGreen })).toMatchObject({ succeeded: true, errors: [] });
    });
    expect(written.slice(0, 6)).toEqual([...both(10), ...both(50), ...both(100)]);
    expect(written).toHaveLength(8);
    await backToBlue(two);
  });

  test('fail with one error', async () => {
    const failing = { ...two, weights: toGreen, shift: { ...quick, checks: [failingCheck(10)] } };
    const { errors } = await up(failing);
    expect(errors.filter((error) => error.includes('was rolled back'))).toHaveLength(2);
    expect([await bench.weights(10), await bench.weights(11)]).toEqual(both(0));
  });

  test('end together although the update of one fails', async () => {
    const since = Date.now();
    const running = up({ ...two, weights: toGreen, shift: { ...quick, bake: '6s' } });
    await bench.written(6, since);
    bench.aws.proxy.fail({ action: 'ModifyRule', fault: 'accessDenied' });
    await expectFailure(running, /not authorized|AccessDenied/);
    const states = [await bench.stateWeights('apps-web'), await bench.stateWeights('apps-api')];
    expect(states.filter((weights) => Object.values(weights)[0] === 100)).toHaveLength(1);
    expect([await bench.weights(10), await bench.weights(11)]).toEqual(both(100));
    expect(await up({ ...two, weights: toGreen })).toMatchObject({ succeeded: true, errors: [] });
    await backToBlue(two);
  });

  test('go back together although Pulumi thinks that one never moved', async () => {
    const since = Date.now();
    const running = up({ ...two, weights: toGreen, shift: { ...quick, bake: '6s' } });
    await bench.written(6, since);
    bench.aws.proxy.fail({ action: 'ModifyRule', fault: 'accessDenied' });
    expect((await running).succeeded).toBe(false);
    expect(await up(two)).toMatchObject({ succeeded: true, errors: [] });
    expect([await bench.weights(10), await bench.weights(11)]).toEqual(both(0));
  });

  test('a route that is new starts where the others end', async () => {
    await up();
    const written = await writesOf(async () => {
      expect(await up({ ...two, weights: toGreen })).toMatchObject({ succeeded: true, errors: [] });
    });
    expect(written.slice(0, 3)).toEqual([at(10), at(50), at(100)]);
    expect([await bench.weights(10), await bench.weights(11)]).toEqual(both(100));
    await backToBlue();
  });
});

describe('a shift that an operator runs', () => {
  const byOperator = { weights: toGreen, shift: { ...quick, runBy: 'operator' as const } };

  test('leaves the weights alone, says how far they are, and hands out a plan', async () => {
    let outcome!: Outcome;
    const written = await writesOf(async () => (outcome = await up(byOperator)));
    expect(outcome).toMatchObject({ succeeded: true, errors: [] });
    expect(outcome.log).toMatch(/wanted blue 0, green 100, live: .* has blue 100, green 0/);
    expect(written).toEqual([]);
    const plan = parsePlan(JSON.stringify(outcome.outputs.plan), 'plan.json');
    expect(plan).toMatchObject({ slots: ['blue', 'green'], weights: toGreen });
    expect(plan.routes.traffic).toMatchObject({ router: { albRule: { ruleArn: await bench.ruleArn() } } });
  });

  test('does not move with a replacement of the rule before its weights are live', async () => {
    await backToBlue();
    expect(await up(byOperator)).toMatchObject({ succeeded: true, errors: [] });
    const moved = { ...byOperator, listener: 'http' as const };
    await expectFailure(up(moved), /would be replaced[^]*blue 100, green 0[^]*Shift first/);
    expect(await bench.weights()).toEqual(allBlue);
    await bench.setWeights({ 'apps-blue-web': 0, 'apps-green-web': 100 });
    const outcome = await up(moved);
    expect(outcome).toMatchObject({ succeeded: true, errors: [] });
    expect(operations(outcome)).toContain('create-replacement apps-web');
    expect(await bench.weights()).toEqual(at(100));
    expect(await up(byOperator)).toMatchObject({ succeeded: true, errors: [] });
    await backToBlue();
  });

  test('is not undone by an up for something else', async () => {
    await bench.setWeights({ 'apps-blue-web': 40, 'apps-green-web': 60 });
    expect(await up({ ...byOperator, tags: { team: 'apps' } })).toMatchObject({
      succeeded: true,
      errors: [],
    });
    expect(await bench.weights()).toEqual(at(60));
    await backToBlue();
  });
});

test('a rule that exists is adopted at its live weights, and shifted then', async () => {
  const state = await bench.stack.state();
  const rule = state.find(({ urn }) => urn.endsWith('ListenerRule::apps-web'))!;
  const arnOf = (slot: string) => state.find(({ urn }) => urn.endsWith(`TargetGroup::apps-${slot}-web`))!.id!;
  const adopting =
    (weights: Record<string, number>): PulumiFn =>
    () => {
      new WeightedRule('web', {
        edge: { listenerArn: rule.inputs.listenerArn as string, securityGroupIds: [] },
        targetGroupArns: { blue: arnOf('blue'), green: arnOf('green') },
        paths: ['/web/*'],
        priority: 10,
        adopt: rule.id!,
        weights,
        shift: quick,
      });
      return Promise.resolve();
    };
  const other = await pulumiStack(adopting(toGreen), { aws: bench.aws, stack: 'other' });
  const written = await writesOf(async () => {
    const outcome = await other.up();
    expect(outcome).toMatchObject({ succeeded: true, errors: [] });
    expect(operations(outcome)).toEqual(expect.arrayContaining(['import web', 'update web']));
  });
  expect(written).toEqual([at(10), at(50), at(100), at(100)]);
  expect(await other.up()).toMatchObject({ succeeded: true, errors: [] });
});

describe('a hook that throws', () => {
  const throwing =
    (wrap: boolean): PulumiFn =>
    () => {
      const hook = (): Promise<void> => {
        throw {} as Error;
      };
      new pulumi.ComponentResource(
        'test:index:Nothing',
        'nothing',
        {},
        {
          hooks: {
            beforeCreate: [new pulumi.ResourceHook('throws', wrap ? failClosed('the hook', hook) : hook)],
          },
        },
      );
      return Promise.resolve();
    };

  test('something without a text lets everything through', async () => {
    const open = await pulumiStack(throwing(false), { aws: bench.aws, stack: 'open' });
    expect(await open.up()).toMatchObject({ succeeded: true });
  });

  test('does not, behind the one function that all hooks go through', async () => {
    const closed = await pulumiStack(throwing(true), { aws: bench.aws, stack: 'closed' });
    await expectFailure(closed.up(), /the hook failed, and nothing says why/);
  });
});
