import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { blueArn, greenArn, ruleArn } from '../shift/routers/arns';
import { SwapWorld, fleetScript } from './swap-world';
import type { World } from './swap-world';
import { root, scratch } from './run-cli';
import { clusterCanary } from './run-here';

const read = (name: string) => JSON.parse(readFileSync(join(root, 'schemas', name), 'utf8')) as object;
const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
const [isDryRun, isOutcome] = [
  ajv.compile(read('swap-dry-run.json')),
  ajv.compile(read('swap-outcome.json')),
];

const file = join(scratch, 'swap.yaml');
const script = join(scratch, 'fleet.sh');
const world = new SwapWorld(join(scratch, 'world.json'));
const command = JSON.stringify(['sh', script, join(scratch, 'world.json')]);
const run = (...args: readonly string[]) =>
  clusterCanary(['swap', file, '--adopt', ...args], { env: world.env, cwd: scratch });

beforeAll(async () => {
  writeFileSync(script, fleetScript);
  writeFileSync(
    file,
    `fleet: apps
to: "1.36"
program:
  commands: { read: ${command}, preview: ${command}, deploy: ${command} }
route:
  router: { albRule: { ruleArn: "${ruleArn}" } }
  slots: { blue: { targetGroupArn: "${blueArn}" }, green: { targetGroupArn: "${greenArn}" } }
phases:
  ready: { skip: true }
  deliver: { skip: true }
  prescale: { skip: true }
  soak: { for: 1h }
`,
  );
  await world.start();
});
afterAll(() => world.stop());
beforeEach(() => {
  world.parameters.clear();
  world.clusters = undefined;
});

const versions = { blue: '1.35', green: '1.36' };
const atFirst: World = { slots: versions, weights: { blue: 100, green: 0 } };
const atLast: World = { slots: versions, weights: { blue: 0, green: 100 } };

/** What a dry run and a run say, and which phases the run has gone through. */
async function adopted() {
  const shown = await run('--dry-run', '--json');
  const text = await run('--dry-run');
  expect([...world.parameters.keys()]).toEqual([]);
  const done = await run('--no-wait', '--json');
  const [dryRun, outcome] = [JSON.parse(shown.stdout), JSON.parse(done.stdout)];
  expect([isDryRun(dryRun), isDryRun.errors]).toEqual([true, null]);
  expect([isOutcome(outcome), isOutcome.errors]).toEqual([true, null]);
  return { dryRun, text: text.stdout, outcome, statuses: [shown.status, text.status, done.status] };
}

test.each<[what: string, there: World, live: World['weights'], at: string, phases: readonly string[]]>([
  [
    'traffic that was moved partly',
    { ...atFirst, weights: { blue: 60, green: 40 } },
    undefined,
    'shift',
    ['shift'],
  ],
  ['traffic that was moved at the console', atFirst, { blue: 75, green: 25 }, 'shift', ['shift']],
  ['traffic that was moved as a whole', atLast, undefined, 'soak', []],
])('%s: a dry run shows where it goes on, and a run does', async (_, there, live, at, phases) => {
  world.configuration = there;
  if (live) {
    world.live = live;
  }
  const { dryRun, text, outcome, statuses } = await adopted();
  expect(statuses).toEqual([0, 0, 0]);
  expect(dryRun).toMatchObject({ ends: { verdict: 'completed' }, problems: [] });
  expect(dryRun.swaps).toMatchObject([{ old: { name: 'blue' }, new: { name: 'green' }, adopted: at }]);
  expect(dryRun.swaps[0].phases[0]).toMatchObject({ phase: at });
  expect(text).toContain(`From blue (1.35) to green (1.36), taken over at ${at}:`);
  expect(text).toContain('Nothing was written.');
  expect(outcome).toMatchObject({ verdict: 'held', phase: 'soak' });
  expect(outcome.history.map(({ phase }: { phase: string }) => phase)).toEqual(phases);
  expect(outcome.log[0].text).toMatch(
    new RegExp(`green \\(1\\.36\\), taken over at ${at}: what came before was done by hand\\.$`),
  );
  expect(world.configuration).toEqual(atLast);
});

test('a new slot without traffic is taken as it is', async () => {
  world.configuration = atFirst;
  const { dryRun, outcome } = await adopted();
  expect(dryRun.swaps).toMatchObject([{ adopted: null, new: { name: 'green' } }]);
  expect(dryRun.swaps[0].phases).toHaveLength(9);
  expect(outcome).toMatchObject({ verdict: 'held', phase: 'soak' });
});

test.each<[what: string, there: World, clusters: World['slots'] | undefined, reason: string]>([
  [
    'a slot without a cluster',
    atLast,
    { green: '1.36' },
    'EKS has no cluster of slot blue in the region of this swap. Take the slot out of the configuration, or deploy the program to create it.',
  ],
  [
    'a cluster without a slot',
    { slots: { blue: '1.35' }, weights: { blue: 100 } },
    versions,
    'The cluster of green is ACTIVE. The configuration has no slot green: add it to the configuration, or delete the cluster.',
  ],
  [
    'a version that is not wanted',
    { slots: { blue: '1.35', green: '1.37' }, weights: { blue: 50, green: 50 } },
    undefined,
    'green runs Kubernetes 1.37, and the plan asks for 1.36.',
  ],
])('%s: both say what is in the way, and write nothing', async (_, there, clusters, reason) => {
  world.configuration = there;
  world.clusters = clusters;
  const { dryRun, text, outcome, statuses } = await adopted();
  expect(statuses).toEqual([1, 1, 1]);
  expect(dryRun).toMatchObject({ ends: { verdict: 'aborted', reason: expect.stringContaining(reason) } });
  expect(dryRun).toMatchObject({ swaps: [], next: null });
  expect(text).toContain(reason.split('. ')[0]);
  expect(outcome).toMatchObject({ verdict: 'aborted', reason: expect.stringContaining(reason), state: null });
  expect(world.configuration).toEqual(there);
});

test('without it, nothing is taken over, and the way is shown', async () => {
  world.configuration = { ...atFirst, weights: { blue: 60, green: 40 } };
  const { status, stdout } = await clusterCanary(['swap', file], { env: world.env, cwd: scratch });
  expect([status, stdout]).toEqual([1, expect.stringContaining('Run it with --adopt to go on at shift.')]);
  expect([...world.parameters.values()].flat().join()).not.toContain('"record"');
});
