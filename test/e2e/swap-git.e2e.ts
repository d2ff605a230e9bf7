import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningCommand } from './bench/command';
import { eventually } from './bench/eventually';
import type { Answer, GitSwapWorld, SwapSettings } from './bench/git-swap-world';
import { GitSwapBench } from './bench/git-swap-world';
import type { HostingFault } from './bench/github';
import { temporaryFolder } from './bench/temporary';

let bench: GitSwapBench;
let world: GitSwapWorld;

beforeAll(async () => {
  bench = await GitSwapBench.start();
});

beforeEach(async () => {
  world = await bench.world();
});

/** A swap that stops before the traffic moves: one pull request, that of `create`. */
const create = { to: '1.34', phases: { shift: { approve: true } } };
const merged = { blue: '1.33', green: '1.34' };

/** What a run came to, by the document that it prints. */
async function ended(run: RunningCommand): Promise<Record<string, any>> {
  const { status, stdout, stderr } = await run.result;
  try {
    return { status, ...(JSON.parse(stdout) as object) };
  } catch {
    throw new Error(`status ${status}: ${stdout}\n${stderr}`);
  }
}

function start(settings: SwapSettings = create, ...args: string[]): RunningCommand {
  return world.start(settings, '--no-wait', '--json', ...args);
}

const swap = (settings: SwapSettings = create, ...args: string[]) => ended(start(settings, ...args));

/** It has created the new cluster, and waits for a person. */
async function expectCreated(outcome: Record<string, any>): Promise<void> {
  expect(outcome).toMatchObject({ status: 0, verdict: 'held', phase: 'shift' });
  expect(await world.fleet.clusters()).toEqual(merged);
}

async function said(run: RunningCommand, words: RegExp): Promise<void> {
  await eventually(`"${words.source}"`, () => words.test(run.printed.stderr), { every: 20 });
}

const states = () => world.hosting.pulls.map(({ state, merged_at: at }) => (at === null ? state : 'merged'));
const waiting = /is made; waiting for its merge/;

describe('a person', () => {
  test('merges after a while, and nothing is deployed before', async () => {
    world.answers.push('wait');
    const run = start();
    await said(run, waiting);
    await new Promise((done) => setTimeout(done, 5_000));
    expect(await world.fleet.clusters()).toEqual({ blue: '1.33' });
    world.answer(world.hosting.pulls[0]!, 'merge');
    await expectCreated(await ended(run));
  });

  test('closes it: the swap goes back, and makes another pull request where a person retries it', async () => {
    world.answers.push('close');
    expect(await swap()).toMatchObject({
      status: 1,
      verdict: 'rolledBack',
      reason: expect.stringMatching(/pull\/1 was closed without a merge[^]*blue \(1\.\d+\) has all traffic/),
    });
    expect(await world.fleet.clusters()).toEqual({ blue: '1.33' });
    expect(await swap()).toMatchObject({ status: 0, verdict: 'rolledBack', unchanged: true });
    expect(states()).toEqual(['closed']);
    await expectCreated(await swap(create, '--retry'));
    expect(states()).toEqual(['closed', 'merged']);
  });

  test('closes it while no run looks: it is refused all the same', async () => {
    world.answers.push('wait');
    await world.killAt(start(), waiting);
    world.answer(world.hosting.pulls[0]!, 'close');
    expect(await swap()).toMatchObject({
      verdict: 'rolledBack',
      reason: expect.stringMatching(/pull\/1 was closed without a merge/),
    });
    expect(states()).toEqual(['closed']);
  });

  test('closes it, and opens it again before anyone has looked', async () => {
    world.answers.push('wait');
    await world.killAt(start(), waiting);
    const pull = world.hosting.pulls[0]!;
    world.answer(pull, 'close');
    pull.state = 'open';
    const run = start();
    await said(run, /is open; waiting for its merge/);
    world.answer(pull, 'squash');
    await expectCreated(await ended(run));
    expect(states()).toEqual(['merged']);
  });

  test.each<[string, Answer]>([
    ['by a merge commit', 'merge'],
    ['by a squash', 'squash'],
    ['by a rebase', 'rebase'],
  ])('merges other changes with it, %s', async (_name, how) => {
    world.answers.push((pull) => {
      world.hosting.repository.commit({ 'README.md': 'more' }, 'more', pull.head);
      world.commit((text) => `${text}# and more\n`, 'and more', pull.head);
      world.answer(pull, how);
    });
    await expectCreated(await swap());
    expect(world.hosting.repository.text('README.md')).toBe('more');
    expect(world.hosting.repository.text('clusters.yaml')).toMatch(/# and more\n$/);
  });

  test('changes what it asks for: nothing more is done, and it is said what is there', async () => {
    world.answers.push((pull) => {
      world.commit((text) => text.replace('green: "1.34"', 'green: "1.35"'), 'newer', pull.head);
      world.answer(pull, 'squash');
    });
    const outcome = await swap();
    expect(outcome).toMatchObject({
      status: 1,
      verdict: 'aborted',
      phase: 'create',
      reason: expect.stringMatching(
        /says blue 1\.33 \(100%\), green 1\.35 \(0%\), where the swap expects blue 1\.33 \(100%\), green 1\.34 \(0%\)/,
      ),
    });
    // The pipeline has deployed it by now.
    expect(outcome.reason).not.toMatch(/nothing was deployed/);
  });

  test('changes the fleet in main meanwhile: the pull request is not followed blindly', async () => {
    world.answers.push('wait');
    const run = start();
    await said(run, waiting);
    world.commit((text) => text.replace('1.33', '1.32'), 'older');
    expect(await ended(run)).toMatchObject({
      verdict: 'aborted',
      reason: expect.stringMatching(/says blue 1\.32 \(100%\), where the swap expects/),
    });
  });
});

describe('main moves', () => {
  test('beside the file: the pull request is merged as it is', async () => {
    world.answers.push((pull) => {
      world.otherCommit();
      world.answer(pull, 'merge');
    });
    await expectCreated(await swap());
  });

  test('in the same lines: the pull request is made anew', async () => {
    world.answers.push(() => void world.commit((text) => text.replace('1.33"', '1.33" # old'), 'a comment'));
    await expectCreated(await swap());
    expect(states()).toEqual(['closed', 'merged']);
    expect(world.hosting.repository.text('clusters.yaml')).toMatch(/1\.33" # old\n/);
  });

  test('after the merge, and the pipeline deploys the newest commit alone', async () => {
    world.pipeline.faults.push('is left out');
    world.answers.push((pull) => {
      world.answer(pull, 'merge');
      setTimeout(() => world.otherCommit(), 4_000);
    });
    await expectCreated(await swap());
  });

  test('after the merge, and the pipeline gives the earlier commit up', async () => {
    world.pipeline.faults.push('fails');
    world.answers.push((pull) => {
      world.answer(pull, 'merge');
      world.otherCommit();
    });
    await expectCreated(await swap());
  });
});

describe('a run that is killed', () => {
  test('waits for the same pull request again', async () => {
    world.answers.push('wait');
    await world.killAt(start(), waiting);
    const run = start();
    await said(run, /is open; waiting for its merge/);
    world.answer(world.hosting.pulls[0]!, 'merge');
    await expectCreated(await ended(run));
    expect(states()).toEqual(['merged']);
  });

  test('finds what was merged and deployed meanwhile', async () => {
    world.answers.push('wait');
    world.hosting.deletesBranches = true;
    await world.killAt(start(), waiting);
    world.answer(world.hosting.pulls[0]!, 'squash');
    await world.pipeline.idle();
    await expectCreated(await swap());
    expect(states()).toEqual(['merged']);
  });

  test('between the push of a branch and its pull request: there is one', async () => {
    world.hosting.fail({ to: /^POST pulls$/, slow: 20_000 });
    const run = start();
    await eventually('the request', () => world.hosting.asked.includes('POST pulls'));
    run.kill();
    await run.result;
    await world.fleet.letLeaseExpire();
    await expectCreated(await swap());
    expect(states()).toEqual(['merged']);
  });

  test('is interrupted: the pull request stays, and the next run goes on with it', async () => {
    world.answers.push('wait');
    const run = start();
    await said(run, waiting);
    run.interrupt();
    expect(await ended(run)).toMatchObject({ status: 130, verdict: 'held', phase: 'create' });
    expect(states()).toEqual(['open']);
    world.answer(world.hosting.pulls[0]!, 'merge');
    await expectCreated(await swap());
    expect(states()).toEqual(['merged']);
  });
});

describe('what the swap gives up is not merged later', () => {
  test('a pull request that is not merged in time is closed', async () => {
    world.answers.push('wait');
    const phases = { ...create.phases, create: { timeout: '6s' } };
    expect(await swap({ ...create, phases })).toMatchObject({ verdict: 'rolledBack' });
    expect(states()).toEqual(['closed']);
  });

  test('the way back closes that of the shift', async () => {
    await expectCreated(await swap());
    await world.start(create, '--approve', 'shift').result;
    world.answers.push('wait');
    await world.killAt(start(), /pull\/2 is made; waiting for its merge/);
    expect(await swap(create, '--back')).toMatchObject({ status: 0, verdict: 'rolledBack' });
    expect(states()).toEqual(['merged', 'closed']);
    expect(await world.fleet.weights()).toEqual({ blue: 100 });
  });
});

describe('GitHub', () => {
  const faults: [string, HostingFault][] = [
    ['fails with 502 for a while', { to: /^GET pulls/, status: 502, times: 12 }],
    ['says in a page that it fails', { to: /^GET pulls/, status: 503, message: '<html>', times: 3 }],
    [
      'limits requests, by retry-after',
      { to: /^GET pulls/, status: 403, headers: { 'retry-after': '2' }, times: 3 },
    ],
    [
      'limits requests, until a time',
      {
        to: /^GET pulls/,
        status: 429,
        headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Date.now() / 1000 + 3) },
        times: 8,
      },
    ],
    ['is slow', { slow: 3_000, times: 8 }],
    ['loses the answer that a pull request is made', { to: /^POST pulls$/, lost: true }],
    ['breaks connections', { times: 14 }],
  ];

  test.each(faults)('%s', async (_name, fault) => {
    world.answers.push('wait');
    const run = start();
    await said(run, /create: adds the slot/);
    world.hosting.fail(fault);
    await said(run, /is (made|open); waiting for its merge/);
    await new Promise((done) => setTimeout(done, 3_000));
    world.answer(world.hosting.pulls[0]!, 'merge');
    await expectCreated(await ended(run));
    expect(states()).toEqual(['merged']);
  });

  test.each([
    ['while a merge is waited for', waiting],
    ['while a deployment is waited for', /waiting until \w+ is deployed/],
  ])('is away for half a minute %s', async (_name, when) => {
    world.answers.push('wait');
    const run = start();
    if (when !== waiting) {
      world.pipeline.faults.push('is left out');
      await said(run, waiting);
      world.answer(world.hosting.pulls[0]!, 'merge');
    }
    await said(run, when);
    world.hosting.fail({ times: Infinity });
    await new Promise((done) => setTimeout(done, 30_000));
    world.hosting.heal();
    if (when === waiting) {
      world.answer(world.hosting.pulls[0]!, 'merge');
    } else {
      world.pipeline.begin(world.hosting.repository.head('main')!);
    }
    await expectCreated(await ended(run));
  });

  test('knows no token any more while a merge is waited for: nothing is undone, and a new token goes on', async () => {
    const file = join(temporaryFolder('token'), 'token');
    writeFileSync(file, world.hosting.token);
    const source = { file };
    const git = {
      github: { ...world.hosting.settings.github, token: source },
    };
    world.answers.push('wait');
    const run = start({ ...create, git });
    await said(run, waiting);
    world.hosting.token = 'ghs_zyxwvuts87654321';
    const outcome = await ended(run);
    expect(outcome).toMatchObject({
      ...{ status: 1, verdict: 'aborted', phase: 'create' },
      reason: expect.stringMatching(/GitHub answers 401 \(Bad credentials\).*lacks a right/),
    });
    expect(JSON.stringify(outcome)).not.toMatch(/abcdefgh|zyxwvuts/);
    writeFileSync(file, world.hosting.token);
    world.answer(world.hosting.pulls[0]!, 'merge');
    await expectCreated(await swap({ ...create, git }));
    expect(states()).toEqual(['merged']);
  });

  test.each<[string, Record<string, string | undefined>, RegExp]>([
    [
      'is missing',
      { GITHUB_TOKEN: undefined },
      /program\.git\.(?:github\.)?token is not there: the variable GITHUB_TOKEN/,
    ],
    [
      'is refused',
      { GITHUB_TOKEN: 'ghs_00000000000000000' },
      /git clone of .*: it does not know the token, or the token lacks a right to this repository/,
    ],
  ])('a token that %s ends it before anything is begun', async (_name, env, words) => {
    const outcome = await swap({ ...create, env });
    expect(outcome).toMatchObject({ status: 2, verdict: 'aborted', state: null });
    expect(outcome.reason).toMatch(words);
    expect(JSON.stringify(outcome)).not.toContain('ghs_0');
    expect(states()).toEqual([]);
  });

  test('a token that may not open pull requests: nothing is undone, and it can go on', async () => {
    world.hosting.fail({
      to: /^POST pulls$/,
      status: 403,
      message: 'Resource not accessible by integration',
    });
    expect(await swap()).toMatchObject({
      ...{ status: 1, verdict: 'aborted', phase: 'create' },
      reason: expect.stringMatching(/GitHub answers 403 \(Resource not accessible by integration\)/),
    });
    await expectCreated(await swap());
    expect(states()).toEqual(['merged']);
  });
});

describe('a deployment', () => {
  test('that fails goes back, and keeps the new cluster', async () => {
    world.pipeline.faults.push('fails');
    expect(await swap()).toMatchObject({
      ...{ status: 1, verdict: 'rolledBack' },
      reason: expect.stringMatching(/the deployment of \w{12} has failed[^]*green stays for a look/),
    });
    expect(world.configuration.slots).toEqual(merged);
    expect(states()).toEqual(['merged']);
  });

  test('that fails goes back by a pull request where the new cluster is to go', async () => {
    world.pipeline.faults.push('fails');
    const phases = { ...create.phases, create: { onFailure: 'delete' } };
    expect(await swap({ ...create, phases })).toMatchObject({ status: 1, verdict: 'rolledBack' });
    expect(world.configuration).toEqual({ slots: { blue: '1.33' }, weights: { blue: 100 } });
    expect(world.hosting.pulls.map(({ title }) => title)).toEqual([
      'Swap 1.33 to 1.34: add slot green (1.34)',
      'Swap back to 1.33: remove slot green',
    ]);
  });

  test('of the weights that fails is taken back by a pull request', async () => {
    const phases = { shift: {} };
    await expectCreated(await swap());
    world.pipeline.faults.push('fails');
    expect(await swap({ to: '1.34', phases })).toMatchObject({ status: 1, verdict: 'rolledBack' });
    expect(world.hosting.pulls.map(({ title }) => title).slice(1)).toEqual([
      'Swap 1.33 to 1.34: shift traffic to green',
      'Swap back to 1.33: shift traffic to blue',
    ]);
    expect(world.configuration.weights).toEqual({ blue: 100, green: 0 });
    expect(await world.fleet.weights()).toEqual({ blue: 100 });
  });

  test('that never ends has failed in its time', async () => {
    world.pipeline.faults.push('never ends');
    expect(await swap({ ...create, git: { timeout: '5s' } })).toMatchObject({
      verdict: 'rolledBack',
      reason: expect.stringMatching(/\w{12} was not deployed within 5s/),
    });
  });

  test('is known by a commit status', async () => {
    world = await bench.world({ status: 'deploy' });
    await expectCreated(await swap());
  });

  test('is known by a command', async () => {
    await expectCreated(await swap({ ...create, git: { deployed: { command: world.deployedCommand } } }));
  });
});

test('without pull requests, each change is pushed to the branch, whoever else pushes', async () => {
  world.hosting.repository.isProtected = false;
  const file = join(temporaryFolder('token'), 'token');
  writeFileSync(file, world.hosting.token);
  const { repository } = world.hosting;
  repository.onPush = () => world.pipeline.begin(repository.head('main')!);
  const timer = setInterval(() => world.otherCommit(), 3_000);
  try {
    const git = { github: undefined, token: { file }, deployed: { command: world.deployedCommand } };
    await expectCreated(await swap({ ...create, git }));
  } finally {
    clearInterval(timer);
  }
  expect(world.hosting.repository.titles().filter((title) => title !== 'readme')).toEqual([
    'Swap 1.33 to 1.34: add slot green (1.34)',
    'first',
  ]);
});
