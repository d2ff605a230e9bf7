import { awsClients } from '../../lib/core/aws/clients';
import { ssmLease } from '../../lib/shift/leases';
import { parsePlan } from '../../lib/shift/plan-file';
import { eventually } from './bench/eventually';
import type { Outcome } from './bench/pulumi-outcome';
import type { RouterBench } from './bench/pulumi-routers';
import { routerBench } from './bench/pulumi-routers';
import { failingCheck, quick } from './bench/pulumi-shift';
import type { RouterProgramOptions } from './bench/router-program';

/** The tests are the life of one stack, in this order. */
let bench: RouterBench;

beforeAll(async () => {
  bench = await routerBench();
});

const toGreen = { blue: 0, green: 100 };
const at = (green: number) => ({ blue: 100 - green, green });
const failing = (green: number) => ({ weights: toGreen, shift: { ...quick, checks: [failingCheck(green)] } });

type Options = Partial<RouterProgramOptions>;
const listeners: Options = { listeners: { mqtt: 8883, tls: 8443 } };
const records: Options = { types: ['A', 'AAAA'] };

const up = (options: Options, run: { refresh?: boolean } = {}) =>
  bench.stack.up({ program: bench.program({ shift: quick, ...options }), ...run });
const operations = ({ operations: all }: Outcome) => all.map(({ op, name }) => `${op} ${name}`);

async function expectUp(options: Options, run: { refresh?: boolean } = {}): Promise<Outcome> {
  const outcome = await up(options, run);
  expect(outcome).toMatchObject({ succeeded: true, errors: [] });
  return outcome;
}

async function expectFailure(run: Promise<Outcome>, ...texts: RegExp[]): Promise<Outcome> {
  const outcome = await run;
  expect(outcome.succeeded).toBe(false);
  for (const text of texts) {
    expect(outcome.errors.join('\n')).toMatch(text);
  }
  return outcome;
}

describe('listeners of a Network Load Balancer', () => {
  const greens = async () => [
    (await bench.listenerWeights(8883)).green,
    (await bench.listenerWeights(8443)).green,
  ];
  const written = async (options: Options, run: (options: Options) => Promise<unknown> = expectUp) => {
    const since = Date.now();
    await run({ ...listeners, ...options });
    return bench.listenerWrites(since, 8883, 8443);
  };

  test('move together, step by step', async () => {
    const created = await expectUp(listeners);
    expect(created.log).toMatch(/a new rule takes traffic to blue at once/);
    const steps = await written({ weights: toGreen });
    expect(steps.slice(0, 6).map((each) => each.split(': ')[1])).toEqual([
      '10',
      '10',
      '50',
      '50',
      '100',
      '100',
    ]);
    expect(steps).toHaveLength(8);
    expect(await greens()).toEqual([100, 100]);
    await expectUp({ ...listeners, shift: false });
    expect(await greens()).toEqual([0, 0]);
  });

  test('go back together when a check fails, with one error', async () => {
    const { errors } = await expectFailure(
      up({ ...listeners, ...failing(50) }),
      /FleetListeners "apps" was rolled back[^]*error share of green 5 %/,
    );
    expect(errors.filter((error) => error.includes('was rolled back'))).toHaveLength(2);
    expect(await greens()).toEqual([0, 0]);
  });

  test('go back together when the second of two writes fails', async () => {
    bench.aws.proxy.fail({ action: 'ModifyListener', fault: 'accessDenied', skip: 1 });
    const { errors } = await expectFailure(
      up({ ...listeners, weights: toGreen, shift: { ...quick, every: '300ms' } }),
      /lack the right elasticloadbalancing:ModifyListener/,
    );
    const told = errors.flatMap((error) => /The traffic shift of [^]*wanted: [^]*?\./.exec(error)?.[0] ?? []);
    expect(told).toHaveLength(2);
    expect(new Set(told).size).toBe(1);
    bench.aws.proxy.heal();
    // The record of the shift says where it came from: the next run ends there, or where it was to go.
    expect((await up({ ...listeners, ...failing(0) })).succeeded).toBe(false);
    expect(await greens()).toEqual([0, 0]);
  });

  test('killed between the two go on together', async () => {
    bench.aws.proxy.fail({ action: 'ModifyListener', fault: 'timeout', skip: 1 });
    const since = Date.now();
    const program = bench.file({ ...listeners, weights: toGreen, shift: quick });
    const killed = bench.stack.up({ program });
    const calls = () => bench.aws.proxy.callsOf('ModifyListener').filter((call) => call.at >= since);
    await eventually('the second write', () => calls().length >= 2);
    await bench.kill();
    expect((await killed).succeeded).toBe(false);
    expect((await greens()).sort()).toEqual([0, 10]);
    bench.aws.proxy.heal();
    expect((await written({ weights: toGreen })).length).toBeGreaterThan(0);
    expect(await greens()).toEqual([100, 100]);
    await expectUp({ ...listeners, shift: false });
  });

  test('are let alone while somebody shifts one of them', async () => {
    const clients = awsClients(bench.aws.directSettings);
    for (const port of [8883, 8443]) {
      const lease = ssmLease(await bench.listenerArn(port), clients, { holder: 'somebody else' });
      await lease.acquire();
      await expectFailure(up({ ...listeners, weights: toGreen }), /has the lease: somebody else/);
      await lease.release();
    }
    clients.close();
    expect(await greens()).toEqual([0, 0]);
  });

  test('have a plan for the command', async () => {
    const { outputs } = await expectUp({
      ...listeners,
      weights: { blue: 100 },
      shift: { ...quick, runBy: 'operator' },
    });
    const plan = parsePlan(JSON.stringify(outputs.listeners), 'plan.json');
    expect(plan.routes.mqtt).toMatchObject({
      router: { nlbListener: { listenerArn: await bench.listenerArn(8883) } },
    });
    expect(plan.waves).toEqual([['mqtt', 'tls']]);
  });
});

describe('records', () => {
  const written = async (options: Options, run: (options: Options) => Promise<unknown> = expectUp) => {
    const since = Date.now();
    await run({ ...records, ...options });
    return bench.recordWrites(since);
  };

  test('are made with traffic first, so that never all of them have the weight 0', async () => {
    const since = Date.now();
    await expectUp({ ...records, slots: ['green', 'blue'] });
    expect(bench.recordWrites(since)).toEqual([{ blue: 100 }, { green: 0 }]);
    expect(await bench.recordWeights('AAAA')).toEqual(at(0));
  });

  test('walk to the wanted weights in one batch a step, of both types', async () => {
    const steps = await written({ weights: toGreen });
    expect(steps.slice(0, 3)).toEqual([at(10), at(50), at(100)]);
    expect(await bench.recordWeights('AAAA')).toEqual(at(100));
    await expectUp({ ...records, shift: false });
    expect(await bench.recordWeights()).toEqual(at(0));
  });

  test('are told of in a preview, with its steps', async () => {
    const { log } = await bench.stack.preview({
      program: bench.program({ ...records, weights: toGreen, shift: { ...quick, every: '1m', bake: '1m' } }),
    });
    expect(log).toMatch(/up would shift the traffic from blue 100, green 0, in 4m at least/);
  });

  test('go back when a check fails, and every one of them says the same', async () => {
    const { errors } = await expectFailure(
      up({ ...records, ...failing(50) }),
      /FleetRecords "names" was rolled back[^]*Live weights: blue 100, green 0/,
    );
    expect(new Set(errors.filter((error) => error.includes('was rolled back'))).size).toBeGreaterThan(0);
    expect([await bench.recordWeights('A'), await bench.recordWeights('AAAA')]).toEqual([at(0), at(0)]);
  });

  test('end together although the update of the second fails', async () => {
    bench.aws.proxy.fail({ action: bench.changesRecords, fault: 'accessDenied', skip: 4 });
    await expectFailure(up({ ...records, weights: toGreen }), /AccessDenied|not authorized/);
    bench.aws.proxy.heal();
    expect(await bench.recordWeights()).toEqual(at(100));
    await expectUp({ ...records, weights: toGreen });
    await expectUp({ ...records });
    expect([await bench.recordWeights('A'), await bench.recordWeights('AAAA')]).toEqual([at(0), at(0)]);
  });

  test.each([['Pulumi’s state alone', 'none' as const]])(
    'killed in the middle go back to where they were, as %s knows',
    async (_what, lease) => {
      const since = Date.now();
      const slow = { ...quick, every: '1s', checkEvery: '1s', lease };
      const killed = bench.stack.up({ program: bench.file({ ...records, weights: toGreen, shift: slow }) });
      await eventually('two steps', () => bench.recordWrites(since).length >= 2);
      await bench.kill();
      await killed;
      expect(await bench.recordWeights()).toEqual(at(50));
      const back = { ...failing(0), shift: { ...failing(0).shift, lease } };
      expect((await up({ ...records, ...back })).succeeded).toBe(false);
      expect(await bench.recordWeights()).toEqual(at(0));
    },
  );

  test('that somebody else writes stop a shift, and fail an up that sees nothing to do', async () => {
    const since = Date.now();
    const running = up({ ...records, weights: toGreen, shift: { ...quick, every: '1s', lease: 'none' } });
    await eventually('a step', () => bench.recordWrites(since).length >= 1, { every: 20 });
    await bench.setRecords(at(70));
    await expectFailure(running, /Another process changed the weights/);
    expect(await bench.recordWeights()).toEqual(at(70));
    await expectFailure(up(records), /live blue 30, green 70, wanted blue 100, green 0[^]*up --refresh/);
    await expectUp(records, { refresh: true });
    expect(await bench.recordWeights()).toEqual(at(0));
  });

  test('of a new slot come with the weight 0, and those of one that goes are left first', async () => {
    const slots = ['blue', 'green', 'red'];
    const came = await written({ slots, weights: { red: 100 } });
    expect(came.slice(0, 4)).toEqual([
      { red: 0 },
      { blue: 90, green: 0, red: 10 },
      { blue: 50, green: 0, red: 50 },
      { blue: 0, green: 0, red: 100 },
    ]);
    const since = Date.now();
    const outcome = await expectUp(records);
    expect(operations(outcome)).toContain('delete names-red-A');
    expect(
      bench
        .recordWrites(since)
        .slice(0, 3)
        .map(({ red }) => red),
    ).toEqual([90, 50, 0]);
    expect(await bench.recordWeights()).toEqual(at(0));
  });

  test('that an operator shifts are not written back by an update of something else', async () => {
    const byOperator: Options = { ...records, weights: toGreen, shift: { ...quick, runBy: 'operator' } };
    const outcome = await expectUp(byOperator);
    expect(outcome.log).toMatch(/wanted blue 0, green 100, live: .* has blue 100, green 0/);
    expect(parsePlan(JSON.stringify(outcome.outputs.records), 'plan.json').routes.traffic).toMatchObject({
      router: { route53: { recordName: 'www.example.com', recordType: ['A', 'AAAA'] } },
    });
    await bench.setRecords(at(100));
    await expectFailure(
      up({ ...byOperator, ttlSeconds: 2 }),
      /has the weight \d+, and an update would write \d+[^]*up --refresh/,
    );
    expect(await bench.recordWeights()).toEqual(at(100));
    await expectUp({ ...byOperator, ttlSeconds: 2 }, { refresh: true });
    expect(await bench.recordWeights()).toEqual(at(100));
  });
});
