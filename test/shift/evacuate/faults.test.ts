import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { groupOf, ruleOf, silent } from './fleet-server';
import { evacuate, request, server, start } from './world';

const healthy = { blue: 3, green: 3 };
const three = { ...healthy, red: 3 };
const impatient = { control: { leaseSilence: 4_000 } };
const half = { blue: 50, green: 50 };
const seconds = async <T>(work: () => Promise<T>): Promise<[number, T]> => {
  const from = performance.now();
  const answer = await work();
  return [(performance.now() - from) / 1000, answer];
};

test('a write that fails first and succeeds in a later round is no problem', async () => {
  await start({ rules: [half, half], healthy });
  let fails = 1;
  server.onCall = (action, of) =>
    action === 'ModifyRule' && of === '0' && fails-- > 0 ? 'AccessDenied' : undefined;
  expect(await evacuate()).toMatchObject({ verdict: 'evacuated', problems: [] });
  expect(server.rules).toEqual([
    { blue: 100, green: 0 },
    { blue: 100, green: 0 },
  ]);
});

test('the record of a rule that could not be written says what it has', async () => {
  await start({ rules: [half], healthy });
  server.onCall = (action) => (action === 'ModifyRule' ? 'AccessDenied' : undefined);
  expect(await evacuate()).toMatchObject({
    verdict: 'incomplete',
    writes: [],
    after: { [ruleOf(0)]: half },
    problems: [expect.stringContaining('not written')],
  });
  expect(server.records).toEqual([
    expect.objectContaining({
      written: half,
      ended: expect.objectContaining({ live: null }),
      evacuated: { slots: ['green'], by: 'alex@laptop' },
    }),
  ]);
});

test('leases that never answer cost their time once, after all writes, and traffic that comes back meanwhile is written over', async () => {
  await start({ rules: Array.from({ length: 40 }, () => half), healthy });
  let isBack = false;
  server.onCall = (action) => {
    if (/Parameter/.test(action)) {
      if (!isBack) {
        isBack = true;
        server.rules[7] = { blue: 10, green: 90 };
      }
      return silent;
    }
    return undefined;
  };
  const [took, report] = await seconds(() => evacuate(request, undefined, impatient));
  expect(report.verdict).toBe('incomplete');
  expect(report.problems).toHaveLength(40);
  expect(report.problems.join()).toMatch(/it is not noted.*no lease has answered for 4 s|no answer within/);
  expect(server.rules.every(({ green }) => green === 0)).toBe(true);
  expect(report.writes).toHaveLength(41);
  expect(Math.max(...report.writes.map(({ atSeconds }) => atSeconds))).toBeLessThan(8);
  expect(took).toBeLessThan(12);
});

test('a lease that can say alone where the traffic was is waited for 5 s, and for all routes once', async () => {
  await start({ rules: Array.from({ length: 40 }, () => ({ blue: 0, green: 100 })), healthy });
  server.onCall = (action) => (/Parameter/.test(action) ? silent : undefined);
  const [took, report] = await seconds(() => evacuate());
  expect(report).toMatchObject({ verdict: 'refused', writes: [] });
  expect(report.problems).toHaveLength(40);
  expect(took).toBeLessThan(9);
});

test('a hub that is dead, or whose kubeconfig is gone, keeps no traffic where it is', async () => {
  const open = new Set<Socket>();
  const hub = createServer((socket) => void open.add(socket));
  await new Promise<void>((ready) => hub.listen(0, '127.0.0.1', ready));
  const kubeconfig = join(mkdtempSync(join(tmpdir(), 'evacuate-')), 'hub.yaml');
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'hub',
      contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'hub' } }],
      clusters: [
        { name: 'hub', cluster: { server: `http://127.0.0.1:${(hub.address() as AddressInfo).port}` } },
      ],
      users: [{ name: 'hub', user: { token: 'none' } }],
    }),
  );
  await start({ rules: [half, half], healthy });
  for (const file of [kubeconfig, '/nowhere/hub.yaml']) {
    server.rules.splice(0, 2, { ...half }, { ...half });
    const lease = { kubernetes: { namespace: 'shifts', kubeconfig: file } };
    const [took, report] = await seconds(() => evacuate(request, undefined, { lease, ...impatient }));
    expect(report).toMatchObject({
      verdict: 'incomplete',
      problems: [expect.any(String), expect.any(String)],
    });
    expect(report.writes.every(({ atSeconds }) => atSeconds < 2)).toBe(true);
    expect(server.rules.map(({ green }) => green)).toEqual([0, 0]);
    expect(took).toBeLessThan(12);
  }
  open.forEach((socket) => socket.destroy());
  hub.close();
});

test('weights that changed after the decision are decided anew, before the first write', async () => {
  await start({ rules: [{ blue: 40, green: 30, red: 30 }], healthy: three });
  const report = await evacuate(request, undefined, {
    // Red has lost its traffic meanwhile.
    decided: () => (server.rules[0] = { blue: 60, green: 40, red: 0 }),
  });
  expect(report).toMatchObject({
    verdict: 'evacuated',
    writes: [{ weights: { blue: 100, green: 0, red: 0 } }],
  });
});

test('a write whose answer is lost is made once more, and not taken for a change of another process', async () => {
  await start({ rules: [half], healthy });
  let lost = 1;
  server.onCall = (action) => {
    if (action === 'ModifyRule' && lost-- > 0) {
      server.rules[0] = { blue: 100, green: 0 };
      return 'ServiceUnavailable';
    }
    return undefined;
  };
  expect(await evacuate()).toMatchObject({ verdict: 'evacuated', problems: [] });
});

test('two evacuations at once, of two slots, end with both empty and both noted', async () => {
  for (let times = 0; times < 5; times += 1) {
    await start({
      rules: Array.from({ length: 4 }, () => ({ blue: 40, green: 30, red: 30 })),
      healthy: three,
    });
    const [one, other] = await Promise.all([evacuate(), evacuate({ slot: 'red' })]);
    expect([one.problems, other.problems]).toEqual([[], []]);
    expect(server.rules.every(({ blue, green, red }) => blue === 100 && green === 0 && red === 0)).toBe(true);
    for (const record of server.records) {
      expect([...record.evacuated.slots].sort()).toEqual(['green', 'red']);
    }
    server.stop();
  }
});

test('two evacuations at once of the same slot end as one does', async () => {
  await start({ rules: [half, { blue: 20, green: 80 }], healthy });
  const reports = await Promise.all([evacuate(), evacuate()]);
  expect(reports.map(({ verdict, problems }) => [verdict, problems])).toEqual([
    ['evacuated', []],
    ['evacuated', []],
  ]);
  expect(server.rules.map(({ green }) => green)).toEqual([0, 0]);
  expect(server.records.every(({ evacuated }) => evacuated.slots.join() === 'green')).toBe(true);
});

test('evacuations of both slots at once never leave a rule without weights, and end', async () => {
  await start({ rules: [half], healthy });
  await Promise.all([evacuate(), evacuate({ slot: 'blue' })]);
  const { blue, green } = server.rules[0]!;
  expect(blue! + green!).toBe(100);
});

test('a listener that is deleted meanwhile, and a rule, keep no other where it is', async () => {
  await start({ rules: Array.from({ length: 4 }, () => half), healthy });
  let isGone = false;
  server.onCall = (action, of) => {
    isGone ||= action === 'ModifyRule';
    return isGone && of === '2' ? 'RuleNotFound' : undefined;
  };
  const report = await evacuate();
  expect(report.verdict).toBe('incomplete');
  expect(report.writes).toHaveLength(3);
  server.stop();
  await start({ rules: [half], healthy });
  server.onCall = (action) => (action === 'DescribeRules' ? 'ListenerNotFound' : undefined);
  expect(await evacuate()).toMatchObject({ verdict: 'evacuated', writes: [], problems: [] });
});

test('sticky clients are named, with their time, and what they get', async () => {
  await start({ rules: [half], healthy: { blue: 3, green: 0 }, stickySeconds: 3600 });
  const { notes, verdict } = await evacuate();
  expect([verdict, notes]).toEqual([
    'evacuated',
    [
      `${ruleOf(0)}: clients with its cookie stay with green, which has no healthy target, so they get 503, for up to 3600 s (stickiness of the action). To end that, switch the stickiness off there.`,
    ],
  ]);
});

test('target groups of other fleets, of none, and with names of another tool get their share of the rest', async () => {
  const rules = [{ blue: 20, green: 50, shop: 10, none: 10, odd: 10 }];
  await start({
    rules,
    healthy: { blue: 1, green: 1, shop: 1, none: 1, odd: 1 },
    tags: {
      shop: { 'cluster-canary/fleet': 'shop', 'cluster-canary/slot': 'green' },
      none: {},
      odd: { 'cluster-canary/fleet': 'apps', 'cluster-canary/slot': '__proto__\n$(reboot) \u001b[2J' },
    },
  });
  const report = await evacuate();
  expect(report).toMatchObject({ verdict: 'evacuated', problems: [] });
  expect(server.rules).toEqual([{ blue: 40, green: 0, shop: 20, none: 20, odd: 20 }]);
  expect(Object.keys(report.after[ruleOf(0)]!)).toEqual([
    'blue',
    'green',
    'apps-shop',
    'apps-none',
    'apps-odd',
  ]);
});

test('each rule is read once before its write, in all, and rules of one listener together otherwise', async () => {
  const { calls } = await start({ rules: Array.from({ length: 30 }, () => half), healthy, rulesOnPage: 20 });
  expect(await evacuate()).toMatchObject({ verdict: 'evacuated', problems: [] });
  const count = (pattern: RegExp): number => calls.filter((call) => pattern.test(call)).length;
  expect({
    listed: count(/^DescribeRules$/),
    read: count(/^DescribeRules \d+$/),
    written: count(/^ModifyRule/),
    health: count(/^DescribeTargetHealth/),
    leasesRead: count(/^GetParameter/),
    leasesWritten: count(/^PutParameter/),
  }).toEqual({ listed: 6, read: 30, written: 30, health: 2, leasesRead: 30, leasesWritten: 30 });
});

test('target groups of which one can not be read: the health of the other still counts', async () => {
  await start({ rules: [{ blue: 0, green: 70, red: 30 }], healthy: { blue: 3, green: 3, red: 0 } });
  server.onCall = (action) => {
    const at = server.calls.filter((call) => call.startsWith('DescribeTargetHealth')).length;
    return action === 'DescribeTargetHealth' && at === 1 ? 'TargetGroupNotFound' : undefined;
  };
  expect(await evacuate()).toMatchObject({ verdict: 'refused', writes: [] });
  expect(groupOf('red')).toContain('apps-red');
});

test('a clock that is set meanwhile changes neither the waits nor the times of the report', async () => {
  await start({ rules: [half], healthy });
  let offset = 0;
  const now = jest.spyOn(Date, 'now');
  now.mockImplementation(() => performance.timeOrigin + performance.now() + offset);
  let throttles = 2;
  server.onCall = (action) => {
    if (action === 'ModifyRule' && throttles > 0) {
      throttles -= 1;
      offset = throttles === 1 ? 3.6e6 : -3.6e6;
      return 'Throttling';
    }
    return undefined;
  };
  const report = await evacuate();
  now.mockRestore();
  expect(report).toMatchObject({ verdict: 'evacuated', problems: [] });
  expect(report.durationSeconds).toBeGreaterThan(0);
  expect(report.durationSeconds).toBeLessThan(20);
});

test('what a shift raises at the very moment stays on record', async () => {
  await start({ rules: [half], healthy });
  await evacuate();
  server.rules[0] = { ...half };
  const [[name, versions]] = [...server.parameters] as [[string, string[]]];
  const raised = { green: { minimums: { 'hpa/web/web': [2, 10, 10] } } };
  let looks = 0;
  server.onCall = (action) => {
    looks += action === 'GetParameter' ? 1 : 0;
    if (action === 'PutParameter' && looks === 1) {
      looks += 1;
      // Between the look of the evacuation and its write.
      const { record } = JSON.parse(versions.at(-1)!);
      const { ended: _ended, evacuated: _evacuated, ...shift } = record;
      versions.push(
        JSON.stringify({ schemaVersion: 2, holder: 'shift', expiresAt: 0, record: { ...shift, raised } }),
      );
    }
    return undefined;
  };
  expect(await evacuate()).toMatchObject({ verdict: 'evacuated', problems: [] });
  expect([name !== '', server.records[0].raised, server.records[0].evacuated.slots]).toEqual([
    true,
    raised,
    ['green'],
  ]);
});
