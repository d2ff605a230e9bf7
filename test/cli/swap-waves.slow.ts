import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { parse } from 'yaml';
import type { World } from './swap-world';
import { SwapWorld, fleetScript } from './swap-world';
import { clusterCanary as ownProcess, root, scratch } from './run-cli';
import type { Start } from './run-cli';
import { clusterCanary } from './run-here';

const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
const schemaOf = (name: string) =>
  ajv.compile(JSON.parse(readFileSync(join(root, 'schemas', name), 'utf8')) as object);
const schemas = {
  outcome: schemaOf('swap-outcome.json'),
  dryRun: schemaOf('swap-dry-run.json'),
  rights: schemaOf('shift-rights.json'),
};
const documentOf = (kind: keyof typeof schemas, text: string): any => {
  const document = JSON.parse(text) as unknown;
  expect([schemas[kind](document), schemas[kind].errors]).toEqual([true, null]);
  return document;
};

const file = join(scratch, 'waves.yaml');
const script = join(scratch, 'fleet.sh');
const [eu, us] = ['eu.json', 'us.json'].map((name) => join(scratch, name)) as [string, string];
const world = new SwapWorld(eu, { 'us-east-1': us });
const start = (): Start => ({ env: world.env, cwd: scratch });
const run = (...args: readonly string[]) => clusterCanary(['swap', file, ...args], start());

const fleetsOf = (path: string): World => JSON.parse(readFileSync(path, 'utf8')) as World;
const write = (path: string, fleet: World): void => writeFileSync(path, JSON.stringify(fleet));

const program = (path: string): string => {
  const command = JSON.stringify(['sh', script, path]);
  return `{ commands: { read: ${command}, preview: ${command}, deploy: ${command} } }`;
};

/** Two fleets of hubs whose phases ask no one but EKS. */
const swaps = `fleet: apps
to: "1.36"
moves: hub
phases:
  ready: { skip: true }
  deliver: { skip: true }
  soak: { for: 1h }
fleets:
  eu: { region: eu-west-1, program: ${program(eu)} }
  us:
    region: us-east-1
    program: ${program(us)}
    phases: { create: { approve: true } }
`;

const [old, both, fresh]: readonly World[] = [
  { slots: { blue: '1.35' }, active: 'blue' },
  { slots: { blue: '1.35', green: '1.36' }, active: 'green' },
  { slots: { green: '1.36' }, active: 'green' },
];

beforeAll(async () => {
  writeFileSync(script, fleetScript);
  await world.start();
});
afterAll(() => world.stop());
beforeEach(() => {
  world.parameters.clear();
  write(eu, old!);
  write(us, old!);
  writeFileSync(file, swaps);
});

const leases = (): readonly string[] =>
  [...world.parameters.keys()]
    .filter((name) => name.includes('/leases/swap-'))
    .map((name) => name.split('swap-')[1]!);

test('a wave waits, and the next one begins in the run after it', async () => {
  const first = await run('--no-wait', '--json');
  expect(first.status).toBe(0);
  const held = documentOf('outcome', first.stdout);
  expect(held).toMatchObject({
    ...{ verdict: 'held', unchanged: false, waves: [['eu'], ['us']] },
    fleets: { eu: { verdict: 'held', phase: 'soak', fleet: 'apps' }, us: null },
  });
  expect(held.again).toBe(held.fleets.eu.again);
  expect(held.reason).toMatch(/^eu: soak .*\nNot run this time: us\.$/s);
  expect(first.stderr).toMatch(/^\d\d:\d\d:\d\d eu: create: /m);
  expect(first.stderr).not.toMatch(/^\d\d:\d\d:\d\d us: /m);
  expect([fleetsOf(eu), fleetsOf(us)]).toEqual([both, old]);
  expect(leases()).toEqual([expect.stringMatching(/^eu-west-1-apps/)]);

  // Its old cluster is gone: the swap is over, and so is what its record says.
  write(eu, fresh!);
  expect((await run('--fleet', 'eu', '--forget')).stdout).toContain('is forgotten; it was at soak');
  const second = await run('--no-wait');
  expect(second.status).toBe(0);
  expect(second.stdout).toMatch(/^Held: us: create waits until a person agrees\.\nRun it again at /);
  expect(second.stdout).toContain('\neu: completed, nothing was to be done\nus: held\n');
  expect(second.stderr).toMatch(
    /us: create: a person has to agree .*waves\.yaml --fleet us --approve create/,
  );

  // One fleet waits: it is the one that is meant.
  const answer = await run('--approve', 'create');
  expect([answer.status, answer.stdout]).toEqual([0, expect.stringMatching(/^Agreed to: create of swap /)]);
  const third = documentOf('outcome', (await run('--no-wait', '--json')).stdout);
  expect(third).toMatchObject({
    verdict: 'held',
    // What is open goes on first.
    fleets: { eu: null, us: { verdict: 'held', phase: 'soak' } },
  });
  expect(fleetsOf(us)).toEqual(both);

  const back = await run('--back', '--json');
  expect(back.status).toBe(0);
  expect(documentOf('outcome', back.stdout)).toMatchObject({
    verdict: 'rolledBack',
    fleets: { eu: null, us: { verdict: 'rolledBack' } },
  });
  expect([fleetsOf(eu).active, fleetsOf(us).active]).toEqual(['green', 'blue']);
  const history = [...world.parameters.keys()].filter((name) => name.includes('/history/apps/'));
  expect(history).toHaveLength(2);
});

test('one fleet alone is run as if the file had no other', async () => {
  const alone = await run('--fleet', 'us', '--no-wait', '--json');
  expect(alone.status).toBe(0);
  expect(documentOf('outcome', alone.stdout)).toMatchObject({
    fleet: 'apps',
    verdict: 'held',
    phase: 'create',
  });
  expect(alone.stderr).toContain('--fleet us --approve create');
  expect(leases()).toEqual([expect.stringMatching(/^us-east-1-apps/)]);
  // It has begun: the others wait for it, and it goes on first.
  const all = documentOf('outcome', (await run('--no-wait', '--json')).stdout);
  expect(all).toMatchObject({ verdict: 'held', fleets: { eu: null, us: { phase: 'create' } } });
  const back = await run('--fleet', 'us', '--back');
  expect([back.status, back.stdout]).toEqual([0, expect.stringMatching(/^Rolled back: /)]);
});

test('a fleet that goes back keeps the next wave from its begin', async () => {
  writeFileSync(
    file,
    swaps.replace('ready: { skip: true }', 'ready: { skip: true }\n  create: { approve: true }'),
  );
  expect((await run('--refuse', 'create', '--fleet', 'eu')).stdout).toContain(
    'Refused: create of the next swap',
  );
  const { status, stdout } = await run();
  expect(status).toBe(1);
  expect(stdout).toMatch(/^Rolled back: eu: .*refuses create/);
  expect(stdout).toContain('us: not run this time');
  expect(fleetsOf(us)).toEqual(old);
});

test('a second run finds the first one at work, and a file answers for its fleet', async () => {
  writeFileSync(file, `${swaps}waves: [[us], [eu]]\n`);
  const answers = join(scratch, 'answer');
  const first = ownProcess(['swap', file, '--resume-file', answers], {
    ...start(),
    signalAt: /us: soak/,
  });
  while (leases().length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const second = await run('--no-wait', '--json');
  expect(second.status).toBe(1);
  const refused = documentOf('outcome', second.stdout);
  expect(refused).toMatchObject({ verdict: 'aborted', fleets: { eu: null, us: { verdict: 'aborted' } } });
  expect(refused.fleets.us.reason).toMatch(/^Nothing was changed\./);
  writeFileSync(`${answers}-create`, '');
  writeFileSync(`${answers}-us-create`, '');
  const { status, stdout, stderr } = await first;
  expect([status, stdout]).toEqual([130, expect.stringMatching(/^Held: us: It was interrupted at soak/)]);
  expect(stderr).toContain(`or make the file ${answers}-us-create`);
  expect(fleetsOf(us)).toEqual(both);
  expect(fleetsOf(eu)).toEqual(old);
});

test('a dry run shows every fleet, and when its wave begins at the earliest', async () => {
  writeFileSync(file, `${swaps}waitBetweenWaves: 48h\n`);
  const now = Date.now();
  const shown = await run('--dry-run', '--json');
  expect(shown.status).toBe(0);
  const { fleets, ...rest } = documentOf('dryRun', shown.stdout);
  expect(rest).toEqual({ schemaVersion: 1, dryRun: true, waves: [['eu'], ['us']], problems: [] });
  expect(fleets).toMatchObject({
    eu: { region: 'eu-west-1', changes: [{ op: 'create' }], ends: { verdict: 'completed' } },
    us: { region: 'us-east-1', changes: [{ op: 'create' }], ends: { verdict: 'completed' } },
  });
  const [begins, ends] = [fleets.us.swaps[0].phases[0].from, fleets.eu.swaps[0].phases.at(-1).from].map(
    Date.parse,
  );
  expect(begins).toBe(ends! + 48 * 3_600_000);
  expect(ends).toBeGreaterThanOrEqual(now + 3_600_000);

  const text = await run('--dry-run');
  expect(text.stdout).toMatch(
    /^Wave 1, eu:\n {2}Fleet apps in eu-west-1, [^]*\n\nWave 2, us, not before \S+Z:\n {2}Fleet apps in us-east-1/,
  );
  expect(text.stdout.match(/Nothing was written/g)).toHaveLength(1);
  expect([...world.parameters.keys()]).toEqual([]);

  writeFileSync(us, 'no configuration');
  const broken = await run('--dry-run', '--json');
  expect(broken.status).toBe(2);
  const document = documentOf('dryRun', broken.stdout);
  expect(document.fleets).toMatchObject({ eu: { fleet: 'apps' }, us: null });
  expect(document.problems).toEqual([expect.stringMatching(/^us: /)]);
});

test('the rights of all, each once', async () => {
  writeFileSync(file, `${swaps}lease: { kubernetes: { namespace: swaps, context: hub } }\n`);
  const shown = await run('--rights', '--json');
  expect(shown.status).toBe(0);
  const { aws, kubernetes } = documentOf('rights', shown.stdout);
  const statements: readonly any[] = aws[0].policy.Statement;
  expect(new Set(statements.map(({ Sid }) => Sid)).size).toBe(statements.length);
  expect(statements.find(({ Sid }) => Sid === 'DescribeClusters').Resource).toEqual(
    ['eu-west-1', 'us-east-1'].flatMap((region) =>
      ['blue', 'green'].map((slot) => `arn:aws:eks:${region}:*:cluster/apps-${slot}`),
    ),
  );
  expect(kubernetes.map(({ of }: any) => of)).toEqual([
    'context hub',
    'EKS cluster apps-blue in eu-west-1',
    'EKS cluster apps-green in eu-west-1',
    'EKS cluster apps-blue in us-east-1',
    'EKS cluster apps-green in us-east-1',
  ]);
  const names = JSON.stringify(kubernetes[0]);
  expect(names).toMatch(/swap-eu-west-1-apps/);
  expect(names).toMatch(/swap-us-east-1-apps/);
  const one = documentOf('rights', (await run('--rights', '--json', '--fleet', 'us')).stdout);
  expect(JSON.stringify(one)).not.toContain('eu-west-1');
});

test('it does not begin before its time', async () => {
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const done = await run('--schedule', later, '--no-wait');
  expect([done.status, done.stdout]).toEqual([
    0,
    `It is not to begin before ${later}. Nothing was changed.\n`,
  ]);
  const read = await run('--schedule', later, '--no-wait', '--json');
  expect(documentOf('outcome', read.stdout)).toMatchObject({
    verdict: 'held',
    again: later,
    fleets: { eu: null, us: null },
  });
  expect([...world.parameters.keys()]).toEqual([]);
});

test('history has the swaps of all', async () => {
  await run('--no-wait');
  await run('--back');
  await run('--fleet', 'us', '--no-wait');
  const { status, stdout } = await clusterCanary(['history', '--plan', file, '--json'], start());
  expect(status).toBe(0);
  const { entries } = JSON.parse(stdout);
  expect(entries.map((each: any) => [each.region, each.verdict]).sort()).toEqual([
    ['eu-west-1', 'rolledBack'],
    ['us-east-1', 'unfinished'],
  ]);
});

test('what is wrong with the file is said at once', async () => {
  writeFileSync(file, swaps.replace('us-east-1', 'eu-west-1').concat('waves: [[eu, sa]]\n'));
  const { status, stderr } = await run();
  expect(status).toBe(2);
  expect(stderr).toMatch(/10:3 fleets\.us: must be another fleet than eu/);
  expect(stderr).toMatch(/14:1 waves: .*us is in none/);
  expect(stderr).toMatch(/14:\d+ waves\[0\]\[1\]: "sa": must be one of/);
  expect(parse(swaps).fleets.us.region).toBe('us-east-1');
});

test.each<[readonly string[], string]>([
  [['--forget'], '--fleet: is required: the fleet of --forget, one of "eu", "us"'],
  [['--adopt'], '--fleet: is required: the fleet of --adopt, one of "eu", "us"'],
  [['--fleet', 'constructor'], '--fleet: "constructor": must be one of "eu", "us"'],
  [
    ['--approve', 'create'],
    '--fleet: is required: one of "eu", "us": no fleet waits for an answer before create',
  ],
  [['--fleet', 'eu', '--dry-run', '--rights'], '--rights: conflicts with --dry-run'],
])('%j is refused', async (args, expected) => {
  const { status, stdout, stderr } = await run(...args);
  expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(expected)]);
});

test('where several fleets wait, the one has to be named', async () => {
  writeFileSync(
    file,
    `${swaps.replace('soak: {', 'create: { approve: true }\n  soak: {')}waves: [[eu, us]]\n`,
  );
  const held = documentOf('outcome', (await run('--no-wait', '--json')).stdout);
  expect(held).toMatchObject({ fleets: { eu: { phase: 'create' }, us: { phase: 'create' } } });
  const { status, stderr } = await run('--approve', 'create');
  expect([status, stderr]).toEqual([2, expect.stringContaining('eu, us wait for an answer before create')]);
  expect((await run('--approve', 'create', '--fleet', 'us')).status).toBe(0);
  const next = documentOf('outcome', (await run('--no-wait', '--json')).stdout);
  expect(next).toMatchObject({ fleets: { eu: { phase: 'create' }, us: { phase: 'soak' } } });
});

test('a file for one fleet takes its name', async () => {
  const single = `${swaps.split('fleets:')[0]}region: eu-west-1\nprogram: ${program(eu)}\n`;
  writeFileSync(file, single);
  const { status, stdout } = await run('--fleet', 'apps', '--no-wait', '--json');
  expect(status).toBe(0);
  expect(documentOf('outcome', stdout)).toMatchObject({ fleet: 'apps', verdict: 'held' });
  const other = await run('--fleet', 'eu');
  expect([other.status, other.stderr]).toEqual([
    2,
    expect.stringContaining('--fleet: "eu": must be one of "apps"'),
  ]);
});
