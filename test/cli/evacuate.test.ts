import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { FleetServer, groupOf, ruleOf } from '../shift/evacuate/fleet-server';
import { clusterCanary as ownProcess, root, scratch } from './run-cli';
import { clusterCanary } from './run-here';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
const isReport = ajv.compile(JSON.parse(readFileSync(join(root, 'schemas/evacuate.json'), 'utf8')) as object);
const documentOf = (text: string): any => {
  const document = JSON.parse(text) as unknown;
  expect([isReport(document), isReport.errors]).toEqual([true, null]);
  return document;
};

let server: FleetServer;
const plan = join(scratch, 'plan.yaml');
const start = async (
  rules: Record<string, number>[],
  healthy: Record<string, number> = { blue: 3, green: 3 },
): Promise<void> => {
  server = await new FleetServer({ rules, healthy }).start();
};
const run = (...args: readonly string[]) => clusterCanary(['evacuate', ...args], { env: server.env });
const writes = (): readonly string[] => server.calls.filter((call) => /^(Modify|Put)/.test(call));
afterEach(() => server.stop());
beforeAll(() =>
  writeFileSync(
    plan,
    `router: { albRule: { ruleArn: "${ruleOf(0)}" } }
slots:
  blue: { targetGroupArn: "${groupOf('blue')}" }
  green: { targetGroupArn: "${groupOf('green')}" }
weights: { green: 100 }
`,
  ),
);

test('a slot is found by its tags, and all of its rules are written', async () => {
  await start([
    { blue: 90, green: 10 },
    { blue: 50, green: 50 },
  ]);
  const shown = await run('apps-green', '--dry-run', '--json');
  expect([shown.status, shown.stderr]).toEqual([0, '']);
  expect(documentOf(shown.stdout)).toMatchObject({ dryRun: true, slot: 'green', problems: [] });
  expect(writes()).toEqual([]);
  const done = await run('green', '--yes', '--json');
  expect(done.status).toBe(0);
  expect(documentOf(done.stdout)).toMatchObject({
    verdict: 'evacuated',
    before: { [ruleOf(1)]: { blue: 50, green: 50 } },
    after: { [ruleOf(0)]: { blue: 100, green: 0 }, [ruleOf(1)]: { blue: 100, green: 0 } },
  });
  expect(server.rules.map(({ green }) => green)).toEqual([0, 0]);
});

test('with a plan, and then no shift gives it traffic until it is forgotten', async () => {
  await start([{ blue: 90, green: 10 }]);
  const done = await run('green', '--plan', plan, '--yes');
  expect([done.status, done.stdout]).toEqual([0, expect.stringContaining('green has weight 0: 1 written')]);
  const shift = () => clusterCanary(['shift', plan, '--dry-run'], { env: server.env });
  expect((await shift()).stdout).toContain('slot green was evacuated at');
  expect((await run('apps-green', '--forget')).stdout).toContain('shifts may give green traffic again');
  expect((await shift()).stdout).toContain('From blue 100, green 0 to blue 0, green 100');
});

test('where no slot can take it, it ends with 2 and says what there is', async () => {
  await start([{ blue: 0, green: 100 }], { blue: 0, green: 3 });
  const refused = await run('green', '--yes');
  expect([refused.status, writes()]).toEqual([2, []]);
  expect(refused.stdout).toContain('blue: weight 0, 0 healthy targets; green: weight 100, 3 healthy targets');
  expect((await run('green', '--to', 'blue', '--force', '--yes')).status).toBe(0);
  expect(server.rules[0]).toEqual({ blue: 100, green: 0 });
});

test.each<[string, readonly string[], string]>([
  [
    'a slot that there is not',
    ['apps-red', '--yes'],
    'a slot of this region and account: apps-blue, apps-green',
  ],
  ['a slot that the plan has not', ['red', '--plan', plan, '--yes'], 'blue, green'],
  [
    'to a slot that the plan has not',
    ['green', '--plan', plan, '--to', 'red', '--yes'],
    '--to: "red": must be',
  ],
  ['to the slot itself', ['green', '--plan', plan, '--to', 'green', '--dry-run'], '--to: "green": must be'],
  ['no terminal that could be asked', ['green'], '--yes'],
  ['a region beside a plan', ['green', '--plan', plan, '--region', 'eu-west-1', '--yes'], '--region'],
  ['to forget without a write', ['green', '--forget', '--dry-run'], '--dry-run: conflicts with --forget'],
  ['to forget as a document', ['green', '--forget', '--json'], '--json: conflicts with --forget'],
  ['to forget, and to move traffic', ['green', '--forget', '--to', 'blue'], '--to: conflicts with --forget'],
  ['to forget with force', ['green', '--forget', '--force'], '--force: conflicts with --forget'],
])('%s is refused before anything is written', async (_, args, text) => {
  await start([{ blue: 90, green: 10 }]);
  const { status, stderr } = await run(...args);
  expect([status, writes()]).toEqual([2, []]);
  expect(stderr).toContain(text);
});

test('an interrupt at the question ends it, and nothing is written', async () => {
  await start([{ blue: 90, green: 10 }]);
  const terminal = 'data:text/javascript,process.stdin.isTTY=true';
  const { status, stderr } = await ownProcess(['evacuate', 'green'], {
    env: { ...server.env, NODE_OPTIONS: `--import ${terminal}` },
    signalAt: 'Take all traffic off',
  });
  expect([status, writes()]).toEqual([130, []]);
  expect(stderr).toContain('Nothing was written.');
});

test('the evacuation of another slot is not forgotten, nor is a shift that is unfinished', async () => {
  const rules = [{ blue: 40, green: 30, red: 30 }];
  await start(rules, { blue: 3, green: 3, red: 3 });
  await run('green', '--yes');
  await run('red', '--yes');
  expect(server.records[0].evacuated.slots).toEqual(['green', 'red']);
  expect((await run('blue', '--forget')).stdout).toContain('there was no evacuation of blue');
  expect(server.records[0].evacuated.slots).toEqual(['green', 'red']);
  expect((await run('red', '--forget')).stdout).toContain('shifts may give red traffic again');
  expect(server.records[0].evacuated.slots).toEqual(['green']);
  await run('green', '--forget');
  expect(server.records[0].evacuated).toBeUndefined();

  const [[name]] = [...server.parameters] as [[string, string[]]];
  const weights = { blue: 100, green: 0, red: 0 };
  const record = { origin: weights, wanted: weights, written: weights, startedAt: 1 };
  const text = JSON.stringify({ schemaVersion: 2, expiresAt: 0, record });
  server.parameters.set(name, [text]);
  await run('red', '--forget');
  expect(server.records).toEqual([record]);
});

test('what can not be forgotten on one rule does not keep the others', async () => {
  await start([
    { blue: 50, green: 50 },
    { blue: 50, green: 50 },
  ]);
  await run('green', '--yes');
  const [[name, versions]] = [...server.parameters] as [[string, string[]]];
  const held = { ...JSON.parse(versions.at(-1)!), holder: 'alex', expiresAt: Date.now() + 60_000 };
  server.parameters.set(name, [JSON.stringify(held)]);
  const { status, stdout } = await run('green', '--forget');
  expect([status, stdout]).toEqual([1, expect.stringContaining('has the lease: alex')]);
  expect(server.records.map(({ evacuated }) => evacuated?.slots)).toEqual([['green'], undefined]);
});

const slots = `slots:
      blue: { targetGroupArn: "${groupOf('blue')}" }
      green: { targetGroupArn: "${groupOf('green')}" }`;

test('clusters that do not answer, whose capacity a plan would raise, keep neither traffic nor the command', async () => {
  const open = new Set<Socket>();
  const dead = createServer((socket) => void open.add(socket));
  await new Promise<void>((ready) => dead.listen(0, '127.0.0.1', ready));
  const kubeconfig = join(scratch, 'dead.yaml');
  const url = `http://127.0.0.1:${(dead.address() as AddressInfo).port}`;
  const names = ['apps-blue', 'apps-green'];
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    contexts: names.map((name) => ({ name, context: { cluster: name, user: name } })),
    clusters: names.map((name) => ({ name, cluster: { server: url } })),
    users: names.map((name) => ({ name, user: { token: 'none' } })),
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  await start([{ blue: 90, green: 10 }]);
  const file = join(scratch, 'capacity.yaml');
  const contexts = '{ blue: apps-blue, green: apps-green }';
  writeFileSync(
    file,
    `${readFileSync(plan, 'utf8')}shift: { capacity: { kubeconfig: "${kubeconfig}", contexts: ${contexts} } }\n`,
  );
  const from = performance.now();
  const { status, stdout } = await run('green', '--plan', file, '--yes');
  expect([status, server.rules[0]]).toEqual([0, { blue: 100, green: 0 }]);
  expect(stdout).toMatch(/note: .*capacity/);
  expect(performance.now() - from).toBeLessThan(15_000);
  open.forEach((socket) => socket.destroy());
  dead.close();
});

test.each<[string, string, ...string[]]>([
  ['a rule', `router: { albRule: { ruleArn: "${ruleOf(0)}" } }\n${slots}`],
  [
    'waves',
    `routes:
  one:
    router: { albRule: { ruleArn: "${ruleOf(0)}" } }
    ${slots}
  two:
    router: { albRule: { ruleArn: "${ruleOf(1)}" } }
    ${slots}`,
  ],
  [
    'a wave',
    `routes:
  one:
    router: { albRule: { ruleArn: "${ruleOf(0)}" } }
    ${slots}
  two:
    router: { albRule: { ruleArn: "${ruleOf(1)}" } }
    ${slots}`,
    '--route',
    'one',
  ],
  ['a plan without a lease', `router: { albRule: { ruleArn: "${ruleOf(0)}" } }\nlease: none\n${slots}`],
])(
  '--roll-back of a shift of %s without a record has status 2 and names evacuate',
  async (_, routes, ...flags) => {
    await start([
      { blue: 90, green: 10 },
      { blue: 90, green: 10 },
    ]);
    const file = join(scratch, 'no-record.yaml');
    writeFileSync(file, `${routes}\nweights: { green: 100 }\n`);
    const { status, stdout, stderr } = await clusterCanary(
      ['shift', file, '--roll-back', 'green is bad', ...flags],
      {
        env: server.env,
      },
    );
    expect([status, server.rules.map(({ green }) => green)]).toEqual([2, [10, 10]]);
    expect(stdout + stderr).toContain('cluster-canary evacuate');
  },
);
