import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { killMoment } from './bench/swap-kill';
import type { SwapFile, SwapWorld } from './bench/swap-world';
import { deployedWorld } from './bench/swap-world';

/** The tests are the life of one stack, in this order. */
let world: SwapWorld;

beforeAll(async () => {
  world = await deployedWorld({
    'apps-blue': ['1.33', '1.35'],
    'apps-green': ['1.34', '1.34', '1.34'],
    'hub-blue': ['1.35'],
  });
});

afterEach(() => expect(world.faults()).toEqual([]));

const swap = async (...args: string[]) => world.start('swap', ...args).result;

/** A swap that begins whatever became of the last one. */
const retried = async (...args: string[]) => swap(...args, '--retry');

/** Calls that change something, but those of leases, records and the history. */
const changes = () => world.aws.proxy.changes().filter(({ service }) => service !== 'ssm');

/** Everything that a swap might change, but its record. */
const all = async () => ({ there: await world.there(), changes: changes().length });

/** All traffic is on blue, in the program, too; and green is there, or not. */
async function expectBlue(green?: '1.34'): Promise<void> {
  const of = <Value>(blue: Value, other: Value) => ({ blue, ...(green && { green: other }) });
  expect(world.configuration).toMatchObject({
    'talk:apps': of('1.33', '1.34'),
    'talk:weights': of(100, 0),
  });
  expect(await world.weights()).toEqual({ 'apps-blue-web': 100, ...(green && { 'apps-green-web': 0 }) });
  expect(await world.clusters()).toEqual({
    'apps-blue': '1.33',
    ...(green && { 'apps-green': '1.34' }),
    'hub-blue': '1.35',
  });
  await world.argo.synced('apps-blue-podinfo');
}

const file = (phases: SwapFile['phases'] = {}, more: Omit<SwapFile, 'phases'> = {}) =>
  world.swapFile({ to: '1.34', ...more, phases });

/** Fails, once the new cluster is there. */
const failingTry = { try: { checks: [{ program: { name: 'smoke', command: ['false'] } }] } };

describe('a person who has to agree', () => {
  test('two swaps at once: the second one is refused and changes nothing; the first one is refused by a person', async () => {
    const asks = file({ create: { approve: { timeout: '5m' } } });
    const first = world.start('swap', asks);
    await killMoment(first, { said: [/create: a person has to agree/] });
    const before = await all();
    const second = await swap(asks);
    expect([second.status, second.stdout]).toEqual([
      1,
      expect.stringMatching(/^Aborted: Nothing was changed\./),
    ]);
    expect(await all()).toEqual(before);
    expect((await swap(asks, '--refuse', 'create')).status).toBe(0);
    const { status, stdout } = await first.result;
    expect([status, stdout]).toEqual([1, expect.stringMatching(/^Rolled back: .* refuses create\./)]);
    expect(await all()).toEqual(before);
  });

  test.each([
    ['hold', /^Held: Nobody has agreed to create within 3s\. Run it again to ask again\./],
    ['back', /^Rolled back: Nobody has agreed to create within 3s\./],
  ])('who never answers, where the file says %s', async (onTimeout, ends) => {
    const before = await all();
    const { status, stdout } = await retried(file({ create: { approve: { timeout: '3s', onTimeout } } }));
    expect([status, stdout]).toEqual([1, expect.stringMatching(ends)]);
    expect(await all()).toEqual(before);
  });

  test('who never answers, where the file says goOn; then a failing try ends on blue, and green stays', async () => {
    const { status, stdout, stderr } = await retried(
      file({ create: { approve: { timeout: '3s', onTimeout: 'goOn' } }, ...failingTry }),
    );
    expect([status, stdout]).toEqual([
      1,
      expect.stringMatching(/^Rolled back: try has not passed: smoke fails[^]*green stays for a look/),
    ]);
    expect(stderr).toMatch(/Nobody has agreed to create within 3s: it goes on, as the plan says\./);
    await expectBlue('1.34');
  });

  test('who agrees from another process; then a failing shift ends on blue, and green stays', async () => {
    const asks = file({ shift: { approve: { timeout: '5m' } } });
    const run = world.start('swap', asks, '--retry');
    await killMoment(run, { said: [/shift: a person has to agree/] });
    world.checkOfShift('fail');
    expect((await swap(asks, '--approve', 'shift')).stdout).toMatch(/^Agreed to: shift of swap /);
    const { status, stdout, stderr } = await run.result;
    expect(stderr).toMatch(/ agrees to shift\./);
    expect([status, stdout]).toEqual([
      1,
      expect.stringMatching(/^Rolled back: shift could not be deployed: [^]*stays for a look/),
    ]);
    await expectBlue('1.34');
  });
});

test('what went back does not begin again by a schedule', async () => {
  const before = await all();
  const { status, stdout } = await swap(file(), '--no-wait');
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(/^Rolled back: Swap \S+ from blue [^]* went back at [^]*run it with --retry\./),
  ]);
  expect((await swap(file())).status).toBe(1);
  expect(await all()).toEqual(before);
});

test('a shift that is not decided within its time ends on blue, and green stays', async () => {
  world.checkOfShift('inconclusive');
  const { status, stdout, stderr } = await retried(file({ shift: { timeout: '40s' } }));
  expect({ status, stdout, stderr: stderr.slice(-3_000) }).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/^Rolled back: shift could not be deployed: [^]*stays for a look/),
  });
  await expectBlue('1.34');
  world.checkOfShift('fail');
});

test('a failing shift with onFailure delete: green is drained, then it goes', async () => {
  const start = world.aws.proxy.calls.length;
  const { status, stdout, stderr } = await retried(file({ shift: { onFailure: 'delete' } }));
  expect([status, stdout]).toEqual([1, expect.stringMatching(/^Rolled back: shift could not be deployed: /)]);
  expect(stdout).toMatch(/There is no other cluster\./);
  expect(stderr).toMatch(
    /what controllers of green made in AWS goes[^]*The way back: green goes\.[^]*deleting aws:eks\/cluster/,
  );
  const deleted = world.aws.proxy.calls
    .slice(start)
    .filter(({ action }) => action.startsWith('DELETE /clusters/apps'));
  expect(deleted.map(({ action }) => action).filter((action) => !action.includes('node-groups'))).toEqual([
    'DELETE /clusters/apps-green',
  ]);
  world.checkOfShift('pass');
  await expectBlue();
});

describe('a person who changes the fleet in between', () => {
  let toSoak: string;
  let text: string;

  beforeAll(async () => {
    toSoak = file({ soak: { for: '1h' } });
    const { status, stdout } = await retried(toSoak, '--no-wait');
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^Held: soak goes on for /)]);
    text = readFileSync(stackFile(), 'utf8');
  });

  const stackFile = () => join(world.folder, 'Pulumi.production.yaml');

  const edits: [string, () => Promise<void> | void, () => Promise<void> | void, RegExp][] = [
    [
      'weights in the configuration',
      () => world.configure({ 'talk:weights': { blue: 100, green: 0 } }),
      () => writeFileSync(stackFile(), text),
      /The configuration says \(slots blue and green; weights blue 100, green 0\), and the swap has left/,
    ],
    [
      'weights on the rule',
      () => world.targets.write('apps', { blue: 30, green: 70 }),
      () => world.targets.write('apps', { green: 100 }),
      /The live traffic is split: blue 30 %, green 70 %\. Before soak all of it has to be on green\./,
    ],
    [
      "a slot's version",
      () => world.configure({ 'talk:apps': { blue: '1.33', green: '1.35' } }),
      () => writeFileSync(stackFile(), text),
      /or other settings of its slots: somebody has changed it/,
    ],
    [
      'a third slot',
      () =>
        world.configure({
          'talk:apps': { blue: '1.33', green: '1.34', red: '1.34' },
          'talk:weights': { blue: 0, green: 100, red: 0 },
        }),
      () => writeFileSync(stackFile(), text),
      /There is a slot red, which is none of blue and green\./,
    ],
  ];

  test.each(edits)('%s: it says what it sees, and writes nothing', async (_what, edit, undo, says) => {
    await edit();
    const before = await all();
    const { status, stdout } = await swap(toSoak, '--no-wait');
    const after = await all();
    await undo();
    expect([status, stdout]).toEqual([1, expect.stringMatching(/^Aborted: /)]);
    expect(stdout).toMatch(says);
    expect(stdout).toMatch(/Nothing more was changed\. Undo what differs, and run it again; or give/);
    expect(after).toEqual(before);
  });

  test('once it is undone, the same command goes on', async () => {
    const { status, stdout } = await swap(toSoak, '--no-wait');
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^Held: soak goes on for /)]);
  });

  test('--back from the soak: all traffic is on blue, and green stays', async () => {
    const { status, stdout } = await swap(toSoak, '--back');
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^Rolled back: .* requested a rollback\.[^]*green stays for a look/),
    ]);
    await expectBlue('1.34');
  });

  test('--back while another process waits for the soak: that one goes back', async () => {
    const run = world.start('swap', toSoak, '--retry');
    await killMoment(run, { said: [/soak: green .* has all traffic/] });
    const { status, stdout, stderr } = await swap(toSoak, '--back');
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^Rolled back: /)]);
    expect(stderr).toMatch(/ runs swap \S+: it is asked to go back, and this run waits until it has ended\./);
    const other = await run.result;
    expect([other.status, other.stdout]).toEqual([
      1,
      expect.stringMatching(/^Rolled back: .* requested a rollback\.[^]*green stays for a look/),
    ]);
    await expectBlue('1.34');
  });

  test('--back --delete from another soak: green goes as well', async () => {
    expect((await retried(toSoak, '--no-wait')).status).toBe(0);
    const { status, stdout } = await swap(toSoak, '--back', '--delete');
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^Rolled back: [^]*There is no other cluster\./),
    ]);
    await expectBlue();
  });
});

describe('what began by hand', () => {
  test('a slot with other settings, and traffic that a person has moved: --adopt takes both over', async () => {
    const up = async (values: object) => {
      world.configure({ ...values });
      await world.pulumi('up', '--yes', '--skip-preview');
      await world.argo.synced('apps-green-podinfo');
    };
    await up({ 'talk:apps': { blue: '1.33', green: '1.34' }, 'talk:weights': { blue: 100, green: 0 } });
    const version = '1.34';
    const other = file({ create: { approve: { timeout: '1h' } } }, { to: { version } });
    const before = await all();
    const refused = await swap(other, '--no-wait');
    expect([refused.status, refused.stdout]).toEqual([
      1,
      expect.stringMatching(
        /^Aborted: There is a slot green \(1\.34\) without traffic[^]*Run it with --adopt/,
      ),
    ]);
    expect(await all()).toEqual(before);
    const adopted = await swap(other, '--adopt', '--no-wait');
    expect([adopted.status, adopted.stdout]).toEqual([
      0,
      expect.stringMatching(/^Held: create waits until a person agrees/),
    ]);
    expect((await swap(other, '--back')).status).toBe(0);
    expect(await all()).toEqual(before);

    await up({ 'talk:weights': { blue: 0, green: 100 } });
    const moved = await all();
    const asked = await swap(file());
    expect([asked.status, asked.stdout]).toEqual([
      1,
      expect.stringMatching(
        /^Aborted: green \(1\.34\) has all traffic, and there is blue as well[^]*Run it with --adopt/,
      ),
    ]);
    expect(await all()).toEqual(moved);
    const { status, stdout } = await swap(file(), '--adopt');
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^Completed: green \(1\.34\) has all traffic, and blue \(1\.33\) is gone/),
    ]);
    expect(await world.clusters()).toEqual({ 'apps-green': '1.34', 'hub-blue': '1.35' });
  });
});

test('--no-wait by repeated runs: a window, an approval and a soak are waited for between them', async () => {
  // From a minute on that has not begun when the first run is there, where it is noon: a window ends on its own day.
  const opens = new Date(Math.ceil((Date.now() + 15_000) / 60_000) * 60_000);
  const behind = opens.getUTCHours() - 12;
  const minutes = String(opens.getUTCMinutes()).padStart(2, '0');
  const cron = world.swapFile({
    to: '1.35',
    windows: [{ from: `12:${minutes}`, to: '24:00', timeZone: `Etc/GMT${behind < 0 ? '' : '+'}${behind}` }],
    phases: { soak: { for: '20s', every: '5s' }, delete: { approve: true } },
  });
  const held: string[] = [];
  for (;;) {
    const { status, stdout } = await swap(cron, '--no-wait');
    expect({ status, stdout }).toMatchObject({ status: 0 });
    const [, why] =
      /^Held: (\w+ (?:may begin in a window|goes on|waits until a person agrees))/.exec(stdout) ?? [];
    if (why === undefined) {
      expect(stdout).toMatch(/^Completed: blue \(1\.35\) has all traffic, and green \(1\.34\) is gone/);
      break;
    }
    if (held.at(-1) !== why) {
      held.push(why);
    }
    if (why.startsWith('delete')) {
      expect((await swap(cron, '--approve', 'delete')).status).toBe(0);
    }
    await new Promise((resolve) => setTimeout(resolve, 3_000));
  }
  expect(held).toEqual([
    'create may begin in a window',
    'soak goes on',
    'delete waits until a person agrees',
  ]);
  await world.argo.synced('apps-blue-podinfo');
  expect(await world.clusters()).toEqual({ 'apps-blue': '1.35', 'hub-blue': '1.35' });
});
