import type { AwsCall } from './bench/aws-proxy-call';
import { replayed } from './bench/swap-faults';
import type { Boundary, Killed } from './bench/swap-kill';
import { killMoment, killSwap } from './bench/swap-kill';
import type { SwapWorld, ThereIs } from './bench/swap-world';
import { deployedWorld } from './bench/swap-world';

/** Another one for each run; a run with the same seed kills at the same moments. */
const seed = Number(process.env.CLUSTER_CANARY_E2E_SEED ?? Date.now() % 1_000_000);

/** Numbers from 0 to 1, by the Lehmer generator with the multiplier of "minimal standard". */
const random = ((state) => () => {
  state = (state * 48_271) % 2_147_483_647;
  return state / 2_147_483_647;
})(seed + 1);

/** The tests are the life of one stack, in this order. */
let world: SwapWorld;
/** What there is once a swap from 1.33 by 1.34 to 1.35 has run through. */
let uninterrupted: ThereIs;

beforeAll(async () => {
  process.stderr.write(`e2e: swap-kills: CLUSTER_CANARY_E2E_SEED=${seed}\n`);
  world = await deployedWorld(
    { 'apps-blue': ['1.33', '1.35', '1.34'], 'apps-green': ['1.34', '1.33', '1.35'], 'hub-blue': ['1.35'] },
    { makingTakes: 3_000 },
  );
});

afterEach(() => expect(world.faults()).toEqual([]));

/** What the calls of the swaps since then made and deleted. */
function changedSince(start: number): {
  readonly made: readonly string[];
  readonly deleted: readonly string[];
} {
  const { made, deleted } = replayed(world.aws.proxy.calls.slice(start), 'apps');
  return { made, deleted };
}

/** A swap that went back begins again only where a person says so. */
const again: string[] = [];

async function completes(file: string): Promise<void> {
  const { status, stdout, stderr } = await world.start('swap', file, ...again).result;
  expect({ status, said: status === 0 ? '' : `${stdout}\n${stderr}` }).toEqual({ status: 0, said: '' });
}

test('as a control: calls of a swap that goes wrong are faults', () => {
  const call = (action: string, body: object = {}): AwsCall => ({
    ...{ at: 0, service: 'any', status: 200, action, body: body as AwsCall['body'] },
  });
  const made = (name: string) => call('POST /clusters', { name });
  const weights = (...of: [slot: string, weight: number][]) => {
    const fields = of.flatMap(([slot, weight], index) => {
      const member = `Actions.member.1.ForwardConfig.TargetGroups.member.${index + 1}`;
      const arn = `arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/apps-${slot}-web-0123456/ab`;
      return [
        [`${member}.TargetGroupArn`, arn],
        [`${member}.Weight`, String(weight)],
      ];
    });
    return call('ModifyRule', Object.fromEntries(fields));
  };
  const faults = (...calls: AwsCall[]) =>
    replayed(calls, 'apps').faults.map((fault) => fault.replace(/^\S+ /, ''));
  const two = [made('apps-blue'), made('apps-green'), made('hub-blue')];
  expect(faults(...two, weights(['blue', 90], ['green', 10]))).toEqual([]);
  expect(faults(...two, weights(['blue', 90], ['green', 0]))).toEqual(['weights add up to 90: {"blue":90}']);
  expect(faults(...two, made('apps-red'))).toEqual([
    'apps-red is made, the third of apps-blue, apps-green, apps-red',
  ]);
  expect(faults(...two, call('DELETE /clusters/apps-blue'), call('DELETE /clusters/apps-green'))).toEqual([
    'apps-green is deleted, the last one',
  ]);
  expect(faults(...two, weights(['blue', 100]), call('DELETE /clusters/apps-blue'))).toEqual([
    'apps-blue is deleted, which has traffic: {"blue":100}',
  ]);
  expect(faults(made('apps-blue'), weights(['blue', 50], ['green', 50]))).toEqual([
    'weights lead to green, which has no cluster: {"blue":50,"green":50}',
  ]);
});

test('one file, one command: from 1.33 by 1.34 to 1.35', async () => {
  const start = world.aws.proxy.calls.length;
  await completes(world.swapFile({ via: ['1.34'], to: '1.35' }));
  await world.argo.synced('apps-blue-podinfo');
  uninterrupted = await world.there();
  expect(uninterrupted).toMatchObject({
    clusters: { 'apps-blue': '1.35', 'hub-blue': '1.35' },
    weights: { 'apps-blue-web': 100 },
    configuration: { apps: { blue: '1.35' }, weights: { blue: 100 } },
    applications: ['apps-blue-podinfo Synced Healthy'],
  });
  expect(changedSince(start)).toEqual({
    made: ['apps-green', 'apps-blue'],
    deleted: ['apps-blue', 'apps-green'],
  });
});

test('a person takes the fleet back to 1.33, by the program alone', async () => {
  for (const values of [
    { 'talk:apps': { blue: '1.35', green: '1.33' }, 'talk:weights': { blue: 100, green: 0 } },
    { 'talk:weights': { blue: 0, green: 100 } },
    { 'talk:apps': { green: '1.33' }, 'talk:weights': { green: 100 } },
  ]) {
    world.configure(values);
    await world.pulumi('up', '--yes', '--skip-preview');
    await world.argo.synced('apps-green-podinfo');
  }
  expect(await world.clusters()).toEqual({ 'apps-green': '1.33', 'hub-blue': '1.35' });
});

/**
 * What a swap says at the boundaries of its phases, and in the middle of those that deploy. One that was killed need not say all of it
 * again. Once an engine was killed in a shift, the traffic is back, and the shift begins anew.
 */
const boundaries: readonly [said: Boundary, killed: Killed][] = [
  [/ready has passed/, 'both'],
  [/create: adds/, 'engine'],
  [() => ['apps-blue', 'apps-green'].some((name) => world.planes.isMaking(name)), 'both'],
  [/creating aws:eks\/nodeGroup:NodeGroup/, 'both'],
  [/creating kubernetes:helm\.sh/, 'engine'],
  [/create has passed/, 'both'],
  [/prescale has passed/, 'both'],
  [/shift: moves/, 'both'],
  [/Step 1 of 2/, 'both'],
  [/Step 2 of 2/, 'engine'],
  [/Step 1 of 2/, 'command'],
  [/shift has passed/, 'both'],
  [/drain has passed/, 'both'],
  [/delete: /, 'both'],
  [/deleting kubernetes:/, 'engine'],
  [/deleting aws:eks\/nodeGroup:NodeGroup/, 'command'],
  [/deleting aws:eks\/cluster:Cluster/, 'both'],
];

/** Of the first swap, whose end is not that of the command. */
const untilNext: typeof boundaries = [...boundaries, [/ is gone\. Next is /, 'both']];

/** How long a run takes that is killed at a boundary, in milliseconds. */
let part = 15_000;

let kills = 0;

/**
 * Runs the swap, and kills it at the next boundary that it comes to, or before.
 *
 * @param left boundaries that it may come to
 * @param after milliseconds. @default - at the boundary
 * @returns how many boundaries are behind it
 */
async function killed(file: string, left: typeof boundaries, after?: number): Promise<number> {
  const run = world.start('swap', file, ...again);
  const begun = Date.now();
  const came = await killMoment(run, { said: left.map(([said]) => said), after });
  if (came === 'ended') {
    const { status, stdout, stderr } = await run.result;
    if (/^Rolled back: .* rule already exists.* was killed while it created .*IngressRule/.test(stdout)) {
      // The page says so: it names what may exist, and a person looks.
      await world.removeUnknownRules();
      again.splice(0, 1, '--retry');
      return 0;
    }
    expect({ status, said: status === 0 ? '' : `${stdout}\n${stderr}` }).toEqual({ status: 0, said: '' });
    return left.length;
  }
  const what = came === 'after' ? (random() < 0.8 ? 'both' : 'command') : left[came]![1];
  part = came === 'after' ? part : Date.now() - begun;
  await killSwap(world, run, what);
  kills += 1;
  const last = run.printed.stderr.trimEnd().split('\n').at(-1);
  process.stderr.write(`e2e: swap-kills: ${kills}: ${what} after "${last}"\n`);
  if (what === 'engine') {
    // It goes back or holds; a preview it tries again.
    const next = await killMoment(run, { said: [/the preview is tried again/] });
    if (next === 0) {
      await killSwap(world, run, 'both');
    } else {
      const { status, stdout } = await run.result;
      expect([status, stdout]).toEqual([
        1,
        expect.stringMatching(/^(Rolled back|Held): .* was ended by SIGKILL/),
      ]);
      if (stdout.startsWith('Rolled back')) {
        again.splice(0, 1, '--retry');
      }
    }
  }
  expect(world.faults()).toEqual([]);
  return came === 'after' ? 0 : came + 1;
}

test(`the command, its engine or both are killed before every boundary of two swaps and at it (seed ${seed}): the same end`, async () => {
  const start = world.aws.proxy.calls.length;
  const file = world.swapFile({ via: ['1.34'], to: '1.35' });
  for (const all of [untilNext, boundaries]) {
    for (let left = all; left.length > 0;) {
      const behind = await killed(file, left, 300 + random() * part);
      left = left.slice(behind > 0 ? behind : await killed(file, left));
    }
  }
  expect(kills).toBeGreaterThanOrEqual(40);
  await completes(file);
  await world.argo.synced('apps-green-podinfo');
  const mirrored = JSON.stringify(await world.there()).replaceAll('green', 'blue');
  const { groups, pending, ...end } = JSON.parse(mirrored) as ThereIs;
  expect({ ...uninterrupted, ...end }).toEqual(uninterrupted);
  // Of what an engine was making when it was killed, AWS alone may know the ID: it may be left over, and the state names it.
  expect(
    pending.filter((type) => /eks\/(cluster|nodeGroup|addon|accessEntry):|iam\/role:/.test(type)),
  ).toEqual([]);
  const isGroup = (type: string) => type === 'aws:lb/targetGroup:TargetGroup';
  expect(groups.length - uninterrupted.groups.length).toBeLessThanOrEqual(pending.filter(isGroup).length);
  expect(changedSince(start)).toEqual({
    made: ['apps-blue', 'apps-green'],
    deleted: ['apps-green', 'apps-blue'],
  });
}, 3_600_000);
