import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FleetServer, groupOf, ruleOf } from '../shift/evacuate/fleet-server';
import type { FleetSetting } from '../shift/evacuate/fleet-server';
import { RecordsServer } from '../shift/evacuate/records-server';
import { scratch } from './run-cli';
import { clusterCanary } from './run-here';

let server: FleetServer;
const setting: FleetSetting = {
  rules: [{ blue: 90, green: 10 }],
  healthy: { blue: 3, green: 3 },
  records: ['blue', 'green'].map((slot) => ({
    name: 'www.example.com',
    type: 'A',
    identifier: `apps-${slot}`,
    weight: 50,
  })),
};
const start = async (over: Partial<FleetSetting> = {}): Promise<void> => {
  server = await new FleetServer({ ...setting, ...over }).start();
};
const run = (...args: readonly string[]) => clusterCanary(['evacuate', ...args], { env: server.env });
const weights = (): readonly number[] => server.zone.records.map(({ weight }) => weight);
const zone = RecordsServer.zone;
const www = `records www.example.com A in ${zone}`;
afterEach(() => server.stop());

test('records are found beside rules, shown, written, and may be forgotten', async () => {
  await start();
  const shown = await run('green', '--dry-run', '--json');
  expect([shown.status, shown.stderr]).toEqual([0, '']);
  expect(JSON.parse(shown.stdout).writes.map(({ route }: { route: string }) => route)).toEqual([
    ruleOf(0),
    www,
  ]);
  expect(weights()).toEqual([50, 50]);
  const done = await run('green', '--yes');
  expect([done.status, weights()]).toEqual([0, [100, 0]]);
  expect(done.stdout).toContain(`${www}: blue 100, green 0`);
  expect((await run('green', '--forget')).stdout).toContain(`${www}: shifts may give green traffic again.`);
});

test('a zone that is named is the only one that is asked, and none is with --no-records', async () => {
  await start();
  expect((await run('green', '--yes', '--hosted-zone', zone)).status).toBe(0);
  expect([server.calls.includes('ListHostedZones'), weights()]).toEqual([false, [100, 0]]);
  server.calls.length = 0;
  expect((await run('green', '--yes', '--no-records')).status).toBe(0);
  expect(server.calls.filter((call) => /Record|Zone/.test(call))).toEqual([]);
});

test('without a right at Route 53 the rules are written, and what is not known is named', async () => {
  await start();
  server.onCall = (action) => (action === 'ListHostedZones' ? 'AccessDenied' : undefined);
  const { status, stdout } = await run('green', '--yes');
  expect([status, server.rules[0]]).toEqual([1, { blue: 100, green: 0 }]);
  expect(stdout).toContain('problem: records of green could not be looked for');
  expect(stdout).toContain('--no-records leaves them out');
});

test('a fleet whose slots have no target group is named, and its records are enough', async () => {
  await start({ healthy: { blue: 3, green: 3 }, tags: { blue: {}, green: {} } });
  const unnamed = await run('apps-green', '--yes');
  expect([unnamed.status, unnamed.stderr]).toEqual([2, expect.stringContaining('none of this region')]);
  expect((await run('green', '--fleet', 'shop', '--yes')).status).toBe(2);
  const { status } = await run('green', '--fleet', 'apps', '--yes');
  expect([status, weights()]).toEqual([0, [100, 0]]);
});

test.each<[readonly string[], string]>([
  [['--hosted-zone', 'www.example.com'], 'the id of a hosted zone'],
  [['--hosted-zone', zone, '--no-records'], '--hosted-zone: conflicts with --no-records'],
  [['--plan', join(scratch, 'a.yaml'), '--hosted-zone', zone], 'the plan names its routes'],
  [['--plan', join(scratch, 'a.yaml'), '--no-records'], 'the plan names its routes'],
  [['--rights', '--dry-run'], '--dry-run: conflicts with --rights'],
])('%j is refused', async (flags, text) => {
  await start();
  const { status, stderr } = await run('green', '--yes', ...flags);
  expect([status, server.calls]).toEqual([2, []]);
  expect(stderr).toContain(text);
});

test('records of a plan file are written as well, and not waited for', async () => {
  await start();
  const plan = join(scratch, 'records.yaml');
  writeFileSync(
    plan,
    `routes:
  www:
    router: { route53: { hostedZoneId: ${zone}, recordName: www.example.com, recordType: A } }
    slots: { blue: { setIdentifier: apps-blue }, green: { setIdentifier: apps-green } }
  web:
    router: { albRule: { ruleArn: "${ruleOf(0)}" } }
    slots: { blue: { targetGroupArn: "${groupOf('blue')}" }, green: { targetGroupArn: "${groupOf('green')}" } }
weights: { green: 100 }
`,
  );
  const from = performance.now();
  const { status } = await run('green', '--plan', plan, '--yes');
  expect([status, weights(), server.rules[0]]).toEqual([0, [100, 0], { blue: 100, green: 0 }]);
  expect(performance.now() - from).toBeLessThan(15_000);
});
