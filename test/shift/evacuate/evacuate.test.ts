import { systemClock } from '../../../lib/core/async';
import type { Clock } from '../../../lib/core/async';
import { awsClients } from '../../../lib/core/aws/clients';
import { slotRoutes } from '../../../lib/operate/live-traffic';
import { runShift, shiftPlan } from '../../../lib/shift/engine';
import type { Check, ShiftRun, Weights } from '../../../lib/shift/engine';
import type { EvacuationReport } from '../../../lib/shift/evacuate';
import { openLease } from '../../../lib/shift/leases';
import { openRouter } from '../../../lib/shift/routers';
import type { RouteSettings } from '../../../lib/shift/routers';
import { groupOf, ruleOf } from './fleet-server';
import { evacuate, request, server, start } from './world';

const healthy = { blue: 3, green: 3 };

const rule = {
  router: { albRule: { ruleArn: ruleOf(0) } },
  slots: { blue: { targetGroupArn: groupOf('blue') }, green: { targetGroupArn: groupOf('green') } },
};

/** A hundred times as fast: a shift waits for seconds. */
const hasty: Clock = {
  now: () => Math.round(performance.timeOrigin + 100 * performance.now()),
  sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / 100, signal),
};

/** A shift of the first rule, with its lease. */
async function shift(wanted: Weights, over: Partial<ShiftRun> = {}, of: RouteSettings = rule) {
  const clients = awsClients({ region: 'eu-west-1' });
  const router = openRouter(of, { clients });
  const held = await openLease({ ssm: {} }, router.id, clients);
  const plan = shiftPlan(Object.keys(of.slots), wanted, {
    step: 50,
    every: '1s',
    checkEvery: '1s',
    bake: '1s',
  });
  try {
    return await runShift({ plan, router, lease: held.lease, checks: [], clock: hasty, ...over });
  } finally {
    held.close();
    clients.close();
  }
}

test('all rules of a slot are written and noted, and a second run finds nothing to do', async () => {
  const { rules, records, calls } = await start({
    rules: [
      { blue: 90, green: 10 },
      { blue: 900, green: 100 },
      { blue: 100, green: 0 },
    ],
    healthy,
  });
  const report = await evacuate();
  expect(report).toMatchObject({ verdict: 'evacuated', problems: [], slot: 'green' });
  expect(report.writes.map(({ route }) => route).sort()).toEqual([ruleOf(0), ruleOf(1)]);
  expect(report.before[ruleOf(1)]).toEqual({ blue: 90, green: 10 });
  expect(report.after[ruleOf(1)]).toEqual({ blue: 100, green: 0 });
  expect(rules.map(({ green }) => green)).toEqual([0, 0, 0]);
  expect(server.records).toHaveLength(3);
  for (const record of server.records) {
    expect(record).toMatchObject({ evacuated: { slots: ['green'], by: 'alex@laptop' } });
  }
  expect(records).toEqual([]);
  calls.length = 0;
  expect(await evacuate()).toMatchObject({ verdict: 'evacuated', writes: [] });
  expect(calls.filter((call) => call.startsWith('ModifyRule'))).toEqual([]);
  // Where the traffic came from is still known.
  expect(server.records.some(({ origin }) => origin.green === 10)).toBe(true);
});

test('what AWS throttles is written all the same', async () => {
  await start({
    rules: Array.from({ length: 12 }, () => ({ blue: 50, green: 50 })),
    healthy,
    callsPerSecond: { ModifyRule: 4, PutParameter: 5 },
  });
  const report = await evacuate();
  expect(report).toMatchObject({ verdict: 'evacuated', problems: [] });
  expect(server.rules.every(({ green, blue }) => green === 0 && blue === 100)).toBe(true);
  expect(server.throttled).toBeGreaterThan(0);
  expect(server.records).toHaveLength(12);
});

test('a shift that runs ends without another write, and the next one is refused until green is to have none', async () => {
  await start({ rules: [{ blue: 100, green: 0 }], healthy });
  let evacuated: Promise<EvacuationReport> | undefined;
  const outcome = await shift(
    { blue: 0, green: 100 },
    {
      checks: [
        {
          name: 'waits',
          stages: ['after'],
          evaluate: async () => {
            evacuated ??= evacuate();
            await evacuated;
            return { status: 'pass', reason: '', figures: [] };
          },
        },
      ],
    },
  );
  expect(await evacuated).toMatchObject({ verdict: 'evacuated' });
  expect(outcome).toMatchObject({ verdict: 'aborted' });
  expect(outcome.reason).toContain('slot green was evacuated at');
  expect(server.rules[0]).toEqual({ blue: 100, green: 0 });
  expect(server.records[0]).toMatchObject({ ended: { verdict: 'evacuated' } });

  const refused = await shift({ blue: 50, green: 50 });
  expect(refused).toMatchObject({ verdict: 'aborted', writes: [] });
  expect(refused.reason).toContain('want weight 0 for green');
  expect(refused.reason).toContain('cluster-canary evacuate FLEET-green --forget');
  expect(server.rules[0]).toEqual({ blue: 100, green: 0 });

  expect(await shift({ blue: 100, green: 0 })).toMatchObject({ verdict: 'completed', writes: [] });
  expect(await shift({ blue: 90, green: 10 })).toMatchObject({ verdict: 'completed' });
  expect(server.rules[0]).toEqual({ blue: 90, green: 10 });
});

test('of a slot that has everything, the traffic goes to where it was before', async () => {
  await start({ rules: [{ blue: 100, green: 0 }], healthy });
  await shift({ blue: 0, green: 100 });
  expect(server.rules[0]).toEqual({ blue: 0, green: 100 });
  expect(await evacuate()).toMatchObject({ verdict: 'evacuated' });
  expect(server.rules[0]).toEqual({ blue: 100, green: 0 });
});

test('where no slot can take it, nothing is written, and what there is is listed', async () => {
  await start({
    rules: [
      { blue: 0, green: 100 },
      { blue: 50, green: 50 },
    ],
    healthy: { blue: 0, green: 3 },
  });
  const report = await evacuate();
  expect(report).toMatchObject({ verdict: 'refused', writes: [] });
  expect(report.problems).toHaveLength(2);
  expect(report.problems[0]).toContain(
    'blue: weight 0, 0 healthy targets; green: weight 100, 3 healthy targets',
  );
  expect(server.calls.filter((call) => /Modify|Put/.test(call))).toEqual([]);
});

test('a rule that can not be written does not keep the others', async () => {
  await start({
    rules: [
      { blue: 50, green: 50 },
      { blue: 50, green: 50 },
    ],
    healthy,
  });
  server.onCall = (action, of) => (action === 'ModifyRule' && of === '0' ? 'AccessDenied' : undefined);
  const report = await evacuate();
  expect(report.verdict).toBe('incomplete');
  expect(report.problems.join()).toContain('not written');
  expect(server.rules).toEqual([
    { blue: 50, green: 50 },
    { blue: 100, green: 0 },
  ]);
});

test('what could not be noted is a problem, and the traffic is away all the same', async () => {
  await start({ rules: [{ blue: 50, green: 50 }], healthy });
  server.onCall = (action) => (action === 'PutParameter' ? 'AccessDeniedException' : undefined);
  const report = await evacuate();
  expect(report).toMatchObject({ verdict: 'incomplete', after: { [ruleOf(0)]: { blue: 100, green: 0 } } });
  expect(report.problems.join()).toContain('a shift may give it traffic again');
});

test('who gives the slot traffic again meanwhile is written over', async () => {
  await start({ rules: [{ blue: 50, green: 50 }], healthy });
  let others = 1;
  server.onCall = (action) => {
    if (action === 'PutParameter' && others > 0) {
      others -= 1;
      server.rules[0] = { blue: 60, green: 40 };
    }
    return undefined;
  };
  expect(await evacuate()).toMatchObject({ verdict: 'evacuated' });
  expect(server.rules[0]).toEqual({ blue: 100, green: 0 });
});

test('killed between any two calls, a new run ends where one that was not ends', async () => {
  const rules = [
    { blue: 60, green: 40 },
    { blue: 50, green: 50 },
  ];
  await start({ rules, healthy });
  await evacuate();
  const calls = server.calls.length;
  server.stop();
  for (let at = 0; at < calls; at += 1) {
    await start({ rules, healthy });
    const end = new AbortController();
    let seen = 0;
    server.onCall = () => {
      seen += 1;
      if (seen > at) {
        end.abort(new Error('killed'));
        return 'ServiceUnavailable';
      }
      return undefined;
    };
    await evacuate(request, end.signal).catch(() => undefined);
    server.onCall = () => undefined;
    expect(await evacuate()).toMatchObject({ verdict: 'evacuated' });
    expect([at, server.rules]).toEqual([
      at,
      [
        { blue: 100, green: 0 },
        { blue: 100, green: 0 },
      ],
    ]);
    expect(server.records.every(({ evacuated }) => evacuated.slots.includes('green'))).toBe(true);
    expect(server.records).toHaveLength(2);
    server.stop();
  }
});

test('a shift between other slots that is rolled back does not end the evacuation', async () => {
  await start({ rules: [{ blue: 50, green: 50, red: 0 }], healthy: { ...healthy, red: 3 } });
  await evacuate();
  const three = { ...rule, slots: { ...rule.slots, red: { targetGroupArn: groupOf('red') } } };
  let isFailing = true;
  const check: Check = {
    name: 'errors',
    stages: ['after'],
    evaluate: () => {
      const status = isFailing && server.rules[0]!['red']! > 0 ? 'fail' : 'pass';
      return Promise.resolve({ status, reason: '', figures: [] });
    },
  };
  const wanted = { blue: 0, green: 0, red: 100 };
  expect(await shift(wanted, { checks: [check] }, three)).toMatchObject({ verdict: 'rolledBack' });
  expect(server.records[0]).toMatchObject({ evacuated: { slots: ['green'] } });
  const refused = await shift({ blue: 50, green: 50, red: 0 }, {}, three);
  expect([refused.verdict, refused.writes, refused.reason]).toEqual([
    'aborted',
    [],
    expect.stringContaining('slot green was evacuated'),
  ]);
  isFailing = false;
  expect(await shift(wanted, { checks: [check] }, three)).toMatchObject({ verdict: 'completed' });
  expect(server.records[0].evacuated).toBeUndefined();
});

test('a record that AWS throttles is read again: what was evacuated before stays so', async () => {
  await start({ rules: [{ blue: 40, green: 30, red: 30 }], healthy: { ...healthy, red: 3 } });
  await evacuate();
  let left = 5;
  server.onCall = (action) => (action === 'GetParameter' && left-- > 0 ? 'Throttling' : undefined);
  expect(await evacuate({ slot: 'red' })).toMatchObject({ verdict: 'evacuated' });
  expect(server.records[0].evacuated.slots).toEqual(['green', 'red']);
});

test('a lease of a newer release is not written over', async () => {
  await start({ rules: [{ blue: 50, green: 50 }], healthy });
  await evacuate();
  const [[name]] = [...server.parameters] as [[string, string[]]];
  const newer = JSON.stringify({ schemaVersion: 3, expiresAt: 0 });
  server.parameters.set(name, [newer]);
  server.rules[0] = { blue: 50, green: 50 };
  const report = await evacuate();
  expect(report).toMatchObject({ verdict: 'incomplete', after: { [ruleOf(0)]: { blue: 100, green: 0 } } });
  expect(report.problems.join()).toContain('a newer release');
  expect(server.parameters.get(name)).toEqual([newer]);
});

test('a rule that forwards to two target groups of the slot does not get the traffic of the one to the other', async () => {
  await start({
    rules: [{ blue: 50, green: 30, more: 20 }],
    healthy: { ...healthy, more: 3 },
    tagged: { more: 'green' },
  });
  const clients = awsClients({ region: 'eu-west-1' });
  const found = await slotRoutes(clients, 'apps-green', undefined);
  clients.close();
  expect(found.routes).toEqual({});
  expect(found.problems).toEqual([
    `${ruleOf(0)}: it forwards to 2 target groups of green; a route has one of each slot`,
  ]);
});
