import type { HubSlot } from './bench/hub-bench';
import type { SwapHubWorld } from './bench/swap-hub-world';
import { swapHubWorld } from './bench/swap-hub-world';

/** The tests are the life of one stack, in this order. */
let world: SwapHubWorld;
let begun: Date;
let uids: string[];

beforeAll(async () => {
  begun = new Date();
  world = await swapHubWorld();
  uids = await world.uids();
});

/** At no moment two hubs could write, none wrote without the right to, and what runs is what ran at the begin. */
async function expectSound(): Promise<void> {
  expect(world.faults(begun)).toEqual([]);
  expect(await world.uids()).toEqual(uids);
}

/** What is committed now is deployed, by this hub alone. */
async function expectDeploys(slot: HubSlot): Promise<void> {
  const since = new Date();
  await world.deploys();
  expect(new Set(world.writes(since).map(({ user }) => user))).toEqual(new Set([`hub-${slot}`]));
  expect(world.rights.writers).toEqual([`hub-${slot}`]);
}

async function swap(file: string, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await world.start(file, ...args).result;
  expect({ status, said: status === 0 ? '' : `${stdout}\n${stderr}` }).toEqual({ status: 0, said: '' });
  return stdout;
}

/** Moments of a handover, from the hub that writes to the other one. */
const moments: readonly [string, (from: HubSlot, to: HubSlot, since: Date) => boolean][] = [
  ['the old hub is told to rest', (from, _to, since) => world.hasTold(from, 'cluster-canary-duty', since)],
  ['the old hub rests', (from, _to, since) => world.hasTold(from, 'cluster-canary-duty-done', since)],
  ['the old right is gone', (from, _to, since) => hasChanged(from, false, since)],
  ['the new right is given', (_from, to, since) => hasChanged(to, true, since)],
  ['the new hub is told to write', (_from, to, since) => world.hasTold(to, 'cluster-canary-duty', since)],
];

function hasChanged(slot: HubSlot, has: boolean, since: Date): boolean {
  return world.rights.changes.some(
    ({ user, policy, has: got, at }) =>
      user === `hub-${slot}` && policy === 'AmazonEKSClusterAdminPolicy' && got === has && at >= since,
  );
}

const anyTime = () => {
  const until = Date.now() + 2_000 + Math.random() * 20_000;
  return () => Date.now() >= until;
};

test('a dry run shows the way, with what hubs leave out, and changes nothing', async () => {
  const before = world.aws.proxy.changes().length;
  const stdout = await swap(world.swapFile(), '--dry-run');
  expect(stdout).toMatch(
    /From blue \(1\.34\) to green \(1\.35\):\n {2}ready +within 10m[^]*deliver +left out\n {2}try +left out\n {2}prescale +left out\n[^]*delete +within 1h\n[^]*create eks:index:Cluster [^\n]*hub-green\n/,
  );
  expect(world.aws.proxy.changes()).toHaveLength(before);
  await expectSound();
});

test('killed when it has created the new hub, and at any moment of the handover: it ends it', async () => {
  const file = world.swapFile({ soak: { for: '1h' } });
  await world.killAt('created', world.start(file), (printed) => printed.includes('create has passed'));
  await expectSound();
  await expectDeploys('blue');
  const since = new Date();
  for (const [what, isTime] of moments) {
    if (isTime('blue', 'green', since)) {
      // The run before was quick: it was killed beyond this moment.
      continue;
    }
    await world.killAt(what, world.start(file), () => isTime('blue', 'green', since));
    expect(world.rights.writers.length).toBeLessThanOrEqual(1);
    await expectSound();
  }
  await swap(file, '--no-wait');
  expect(world.configuration).toMatchObject({ 'talk:activeHub': 'green' });
  await expectDeploys('green');
  await expectSound();
}, 900_000);

test('goes back after the handover, killed on the way, and keeps the new hub', async () => {
  const file = world.swapFile({ soak: { for: '1h' } });
  const since = new Date();
  await world.killAt('the right is gone', world.start(file, '--back'), () =>
    hasChanged('green', false, since),
  );
  await expectSound();
  await world.killAt('any moment', world.start(file, '--back'), anyTime());
  await expectSound();
  expect(await swap(file, '--back')).toMatch(/^Rolled back: /);
  expect(world.configuration).toMatchObject({
    'talk:hubs': { blue: '1.34', green: '1.35' },
    'talk:activeHub': 'blue',
  });
  await expectDeploys('blue');
  await expectSound();
});

test('takes the hub that is kept, killed at any moment, and deletes the old one', async () => {
  const file = world.swapFile();
  for (let count = 0; count < 3; count += 1) {
    const run = world.start(file, '--retry');
    const isTime = anyTime();
    await world.killAt('any moment', run, (printed) => isTime() || /delete: blue .* goes/.test(printed));
    await expectSound();
  }
  await world.killAt('it deletes', world.start(file), (printed) => /deleting /.test(printed));
  await expectSound();
  const stdout = await swap(file);
  expect(stdout).toMatch(/^Completed: green \(1\.35\) is the active hub, and blue \(1\.34\) is gone\./);
  expect(await world.clusters()).toEqual({ 'apps-blue': '1.35', 'hub-green': '1.35' });
  expect(world.configuration).toMatchObject({ 'talk:hubs': { green: '1.35' }, 'talk:activeHub': 'green' });
  await expectDeploys('green');
  await expectSound();
  expect(await world.pulumi('preview')).not.toMatch(/AccessPolicyAssociation|ListenerRule/);
}, 900_000);
