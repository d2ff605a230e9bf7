import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { blueArn, greenArn, ruleArn } from '../shift/routers/arns';
import { SwapWorld, fleetScript } from './swap-world';
import { root, scratch } from './run-cli';
import { clusterCanary } from './run-here';

type Json = { [key: string]: any };

/** The schema in which an object has no field that is not described. */
function strict(schema: any): any {
  if (Array.isArray(schema)) {
    return schema.map(strict);
  }
  if (typeof schema !== 'object' || schema === null) {
    return schema;
  }
  const entries = Object.entries(schema as Json).map(([key, value]) => [key, strict(value)]);
  const made: Json = Object.fromEntries(entries);
  // The name of a field may be `properties` as well: what describes an object has its type.
  const isObject = [schema.type].flat().includes('object') && 'properties' in schema;
  return isObject && !('additionalProperties' in schema) ? { ...made, additionalProperties: false } : made;
}

const isDryRun = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(
  strict(JSON.parse(readFileSync(join(root, 'schemas/swap-dry-run.json'), 'utf8'))) as object,
);

const documentOf = (text: string): any => {
  const document = JSON.parse(text) as unknown;
  expect([isDryRun(document), isDryRun.errors]).toEqual([true, null]);
  return document;
};

const file = join(scratch, 'swap.yaml');
const script = join(scratch, 'fleet.sh');
const [eu, us] = ['world.json', 'us.json'].map((name) => join(scratch, name)) as [string, string];
const world = new SwapWorld(eu, { 'us-east-1': us });
const run = (...args: readonly string[]) =>
  clusterCanary(['swap', file, ...args], { env: world.env, cwd: scratch });

const program = (path: string): string => {
  const command = JSON.stringify(['sh', script, path]);
  return `program: { commands: { read: ${command}, preview: ${command}, deploy: ${command} } }`;
};

/** A swap of hubs whose phases ask no one but EKS. */
const common = `fleet: apps
to: "1.36"
moves: hub
phases:
  ready: { skip: true }
  deliver: { skip: true }
  create: { approve: true }
  soak: { for: 1h, checks: [{ clusterVitals: {} }] }
  delete: { approve: true }
`;

beforeAll(async () => {
  writeFileSync(script, fleetScript);
  await world.start();
});
afterAll(() => world.stop());
beforeEach(() => {
  world.denied = undefined;
  world.parameters.clear();
  world.configuration = { slots: { blue: '1.35' }, active: 'blue' };
  writeFileSync(us, JSON.stringify({ slots: { blue: '1.35' }, active: 'blue' }));
  writeFileSync(file, `${common}${program(eu)}\n`);
});

/** Lines that are as wide as a terminal, but those that name long paths. */
const tooWide = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line.length > 100 && !line.includes(scratch));

test('each phase says what it looks at and does', async () => {
  const { status, stdout } = await run('--dry-run', '--json');
  expect(status).toBe(0);
  const [{ phases }] = documentOf(stdout).swaps;
  const facts = Object.fromEntries(phases.map((each: Json) => [each['phase'], each['facts']]));
  const deploys = { name: 'deploys', values: [expect.stringMatching(/^the command .*fleet\.sh/)] };
  expect(facts).toMatchObject({
    ...{ ready: [], deliver: [], try: [], prescale: [] },
    create: [deploys],
    shift: [deploys, { name: 'traffic', values: [expect.stringContaining('hands over')] }],
    soak: [
      { name: 'checks', values: ['clusterVitals'] },
      { name: 'every', values: ['5m'] },
    ],
    delete: [deploys],
  });
  expect(facts.drain.map(({ name }: Json) => name)).toEqual([
    'idleFor',
    'pauses',
    'deletes',
    'volumes',
    'sweep',
  ]);
  const text = await run('--dry-run');
  expect(text.stdout).toMatch(/\n {2}soak {6}at least 1h, .*\n {12}checks: clusterVitals\n {12}every: 5m\n/);
  expect(text.stdout).toMatch(/\n {2}drain {5}.*\n {12}idleFor: 1m\n {12}pauses: none\n/);
  expect(text.stdout).toContain('\n  try       left out\n  prescale  left out\n');
  expect(tooWide(text.stdout)).toEqual([]);
});

test('a shift by a plan names its routes, once the plan is there', async () => {
  writeFileSync(
    file,
    `fleet: apps
to: "1.36"
route:
  router: { albRule: { ruleArn: "${ruleArn}" } }
  slots: { blue: { targetGroupArn: "${blueArn}" }, green: { targetGroupArn: "${greenArn}" } }
phases: { ready: { skip: true }, deliver: { skip: true }, shift: { plan: plan.yaml } }
${program(eu)}
`,
  );
  world.configuration = { slots: { blue: '1.35' }, weights: { blue: 100 } };
  const plan = join(scratch, 'plan.yaml');
  const shift = async (): Promise<readonly string[]> => {
    const { status, stdout, stderr } = await run('--dry-run', '--json');
    expect([status, stderr]).toEqual([0, expect.stringContaining('Previews the first deployment')]);
    const phases: readonly Json[] = documentOf(stdout).swaps[0]?.phases ?? [];
    const { facts = [] } = phases.find(({ phase }) => phase === 'shift') ?? {};
    return facts.map(({ name, values }: Json) => `${name}: ${values.join(', ')}`).slice(1);
  };
  const moves = 'traffic: then cluster-canary moves the weights by the plan, in its steps';
  expect(await shift()).toEqual([moves, 'plan: plan.yaml']);
  writeFileSync(
    plan,
    `router: { httpProxy: { address: "http://127.0.0.1:1" } }
slots: { blue: , green: }
weights: { blue: 100 }
lease: { kubernetes: { namespace: apps } }
`,
  );
  expect(await shift()).toEqual([moves, 'plan: plan.yaml', 'routes: traffic (httpProxy)', 'checks: ']);
});

test('why the last run stopped, since when a person is asked, and how to answer', async () => {
  await run('--no-wait');
  const shown = documentOf((await run('--dry-run', '--json')).stdout);
  expect(shown).toMatchObject({
    answers: [],
    state: { phase: 'create', stopped: { verdict: 'held', reason: 'create waits until a person agrees.' } },
  });
  expect(Date.parse(shown.state.askedAt)).not.toBeNaN();
  const waiting = await run('--dry-run');
  expect(waiting.stdout).toMatch(
    /\n {2}its last run, by \S+@\S+, was held at \d{4}-\d\d-\d\dT\d\d:\d\dZ: create waits until a person agrees\.\n/,
  );
  expect(waiting.stdout).toMatch(/\n {2}create has waited for a person since \S+Z\. To agree, .*:\n/);
  expect(waiting.stdout).toContain(`\n    cluster-canary swap ${file} --approve create\n`);
  expect(waiting.stdout).toContain('\nThe next deployment, create: ');
  expect(tooWide(waiting.stdout)).toEqual([]);
});

test('what people have answered is shown, and still there for the run', async () => {
  await run('--approve', 'create');
  // The file asks before it no longer.
  const asked = readFileSync(file, 'utf8');
  writeFileSync(file, asked.replace('soak: { for', 'soak: { approve: true, for'));
  expect((await run('--approve', 'soak')).stdout).toContain('Agreed to: soak');
  writeFileSync(file, asked);
  const next = documentOf((await run('--dry-run', '--json')).stdout);
  expect(next).toMatchObject({ state: null, answers: [{ phase: 'create', agrees: true }] });
  const before = JSON.stringify([...world.parameters]);
  expect((await run('--dry-run')).stdout).toMatch(/\n {2}\S+@\S+ has agreed to create, at \S+Z\n/);
  expect(JSON.stringify([...world.parameters])).toBe(before);

  await run('--refuse', 'delete');
  writeFileSync(file, readFileSync(file, 'utf8').replace('checks: [{ clusterVitals: {} }]', ''));
  const held = await run('--no-wait');
  expect(held.stdout).toContain('Held: soak goes on');
  // What has been done already waits for no one.
  const open = documentOf((await run('--dry-run', '--json')).stdout);
  expect(open).toMatchObject({
    state: { phase: 'soak', askedAt: null },
    answers: [{ phase: 'delete', agrees: false, by: expect.stringContaining('@'), at: expect.any(String) }],
  });
  expect(open.answers).toHaveLength(1);
  expect((await run('--dry-run')).stdout).toMatch(/\n {2}\S+@\S+ has refused delete, at \S+Z\n/);
  expect(open.ends).toMatchObject({
    verdict: 'rolledBack',
    reason: expect.stringMatching(/^\S+@\S+ refuses delete\./),
  });
});

test('another version in the file comes after the swap that is open', async () => {
  await run('--no-wait');
  writeFileSync(file, readFileSync(file, 'utf8').replace('to: "1.36"', 'to: "1.37"'));
  const { stdout } = await run('--dry-run');
  expect(stdout).toContain('\nFrom blue (1.35) to green (1.36):\n');
  expect(stdout).toContain('\nFrom green (1.36) to blue (1.37):\n');
  const { stderr } = await run('--no-wait');
  expect(stderr).toContain('The file asks for 1.37 by now: that comes after it.');
});

test('an answer that is there is not asked for again', async () => {
  await run('--no-wait');
  await run('--approve', 'create');
  const { stdout } = await run('--dry-run');
  expect(stdout).toMatch(/has agreed to create/);
  expect(stdout).not.toContain('To agree');
});

test('answers that can not be read are a problem', async () => {
  await run('--approve', 'create');
  world.denied = '/cluster-canary/leases/swap-answers';
  const { status, stdout } = await run('--dry-run', '--json');
  expect([status, documentOf(stdout)]).toMatchObject([
    1,
    {
      answers: [],
      problems: [expect.stringMatching(/^SSM parameter .*swap-answers.*: answers could not be read: .*/)],
    },
  ]);
});

test('a swap that goes back shows no phase that it will not run', async () => {
  await run('--no-wait');
  await run('--approve', 'create');
  writeFileSync(file, readFileSync(file, 'utf8').replace('checks: [{ clusterVitals: {} }]', ''));
  await run('--no-wait');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/deploy: \[[^\]]*\]/, 'deploy: ["false"]'));
  expect((await run('--back', '--no-wait')).status).toBe(1);
  const { stdout } = await run('--dry-run');
  expect(stdout).toContain('\nBack from green (1.36) to blue (1.35).\nThe next deployment, shift: ');
  expect(stdout).not.toMatch(/^ {2}soak /m);
  const { swaps, answers } = documentOf((await run('--dry-run', '--json')).stdout);
  expect(swaps[0].phases.map(({ facts }: Json) => facts)).toEqual([[]]);
  expect(answers).toEqual([]);
});

const hour = 3_600_000;

test('a dry run of a scheduled run begins at its time', async () => {
  const later = new Date(Date.now() + 48 * hour).toISOString();
  const { stdout } = await run('--dry-run', '--json', '--schedule', later);
  const [{ phases }] = documentOf(stdout).swaps;
  expect(phases[0].from).toBe(later);
  expect(Date.parse(phases.at(-1).from)).toBe(Date.parse(later) + hour);
  const text = await run('--dry-run', '--schedule', later);
  // It is said once for all that begins then.
  expect(text.stdout).toMatch(/\n {2}create {4}within 1h, not before \S+Z, /);
  expect(text.stdout).toMatch(/\n {2}shift {5}within 6h, on failure /);
  expect(text.stdout).toMatch(/\n {2}drain {5}within 30m, not before \S+Z\n/);
  expect(tooWide(text.stdout)).toEqual([]);
  // One that is open goes on no sooner either.
  await run('--no-wait');
  const open = documentOf((await run('--dry-run', '--json', '--schedule', later)).stdout);
  expect(open.swaps[0].phases[0]).toMatchObject({ phase: 'create', from: later });
  expect((await run('--rights', '--schedule', later)).stderr).toContain(
    '--schedule: conflicts with --rights',
  );
});

test('waves say when each begins, and how to answer for each fleet', async () => {
  const waves = `fleets:\n  eu: { region: eu-west-1, ${program(eu)} }\n  us: { region: us-east-1, ${program(us)} }\n`;
  writeFileSync(file, `${common}${waves}waitBetweenWaves: 24h\n`);
  const now = await run('--dry-run');
  expect(now.stdout).toMatch(/^Wave 1, eu:\n {2}Fleet apps in eu-west-1/);
  expect(now.stdout).toMatch(
    /\nWave 2, us, not before \d{4}-\d\d-\d\dT\d\d:\d\dZ:\n {2}Fleet apps in us-east-1/,
  );
  expect(tooWide(now.stdout)).toEqual([]);
  const later = new Date(Date.now() + 48 * hour).toISOString();
  const { fleets } = documentOf((await run('--dry-run', '--json', '--schedule', later)).stdout);
  expect(fleets.eu.swaps[0].phases[0].from).toBe(later);
  expect(Date.parse(fleets.us.swaps[0].phases[0].from)).toBe(Date.parse(later) + 25 * hour);
  await run('--no-wait');
  expect((await run('--dry-run')).stdout).toContain(
    `\n      cluster-canary swap ${file} --fleet eu --approve create\n`,
  );
  // The first fleet has the version since before: the second one waits for the time alone.
  world.parameters.clear();
  world.configuration = { slots: { green: '1.36' }, active: 'green' };
  const rest = documentOf((await run('--dry-run', '--json', '--schedule', later)).stdout);
  expect(rest.fleets.us.swaps[0].phases[0].from).toBe(later);
});
