import { DeploymentRefused, ProgramChanged } from '../../../../../lib/operate/swap';
import type { GitProgramSettings } from '../../../../../lib/operate/swap';
import { FakeGitHub } from './hosting';
import { after, bare, before, deploy, file, never, programOf, wanted } from './infra';

describe('GitHub', () => {
  let hub: FakeGitHub;
  let github: NonNullable<GitProgramSettings['github']>;
  const env = { ...process.env, GITHUB_TOKEN: 'ghs_abcdefgh12345678' };

  beforeEach(async () => {
    hub = new FakeGitHub(bare);
    github = { repository: 'acme/infra', token: { env: 'GITHUB_TOKEN' }, api: await hub.start() };
    hub.statuses = [{ context: 'deploy', state: 'success' }];
  });

  afterEach(() => hub.stop());

  const byRequest = (deployed: GitProgramSettings['deployed'] = { status: 'deploy' }, signal = never) =>
    deploy({ github, deployed }, { env }, signal);

  test('gets a pull request, whose merge is waited for', async () => {
    let looks = 0;
    hub.looked = (pull) => {
      looks += 1;
      if (looks === 3) {
        hub.merge(pull);
      }
    };
    const lines = await byRequest();
    expect(looks).toBe(3);
    expect(bare.text('config.yaml')).toBe(after.trim());
    expect(hub.pulls).toMatchObject([
      {
        title: 'apps: create green',
        head: expect.stringMatching(/^cluster-canary\/\w{10}\/apps-create-green-\w{10}-1$/),
      },
    ]);
    expect(lines[0]).toBe('https://github.com/acme/infra/pull/1 is made; waiting for its merge');
    expect([...hub.tokens]).toEqual(['Bearer ghs_abcdefgh12345678']);
  });

  test('closes a pull request that must not be merged any more, and says why', async () => {
    const answers = [undefined, 'blue has 100 % of the live traffic: it must not go'];
    let looks = 0;
    hub.looked = () => void (looks += 1);
    const refusedSince = () => Promise.resolve(answers.shift());
    const refused = deploy({ github, deployed: { status: 'deploy' } }, { env }, never, { refusedSince });
    await expect(refused).rejects.toThrow('blue has 100 % of the live traffic: it must not go');
    await expect(refused).rejects.toBeInstanceOf(DeploymentRefused);
    expect([hub.pulls.map(({ state }) => state), looks, answers]).toEqual([['closed'], 5, []]);
    expect(bare.git('log', '--format=%s', 'main')).toBe('first');
  });

  test('asks again by a new one, once the one that it closed itself may be made again', async () => {
    const by = (refusedSince?: () => Promise<string | undefined>) =>
      deploy({ github, deployed: { status: 'deploy' } }, { env }, never, {
        swap: 's1',
        ...(refusedSince && { refusedSince }),
      });
    await expect(by(() => Promise.resolve('it must not go'))).rejects.toThrow('it must not go');
    hub.looked = (pull) => hub.merge(pull);
    await by();
    expect(hub.pulls.map(({ merged_at: at }) => at !== null)).toEqual([false, true]);
    expect(bare.text('config.yaml')).toBe(after.trim());
  });

  test('says that a person was quicker to merge what must not be deployed', async () => {
    const refusedSince = () => {
      hub.merge(hub.pulls[0]!);
      hub.pulls[0]!.state = 'open';
      return Promise.resolve('it must not go');
    };
    const refused = deploy({ github, deployed: { status: 'deploy' } }, { env }, never, { refusedSince });
    await expect(refused).rejects.toThrow(
      'it must not go; https://github.com/acme/infra/pull/1 was merged all the same: stop its pipeline',
    );
  });

  test('a run after a kill goes on with the pull request that is open', async () => {
    const stop = new AbortController();
    hub.looked = () => stop.abort(new Error('killed'));
    await expect(byRequest(undefined, stop.signal)).rejects.toThrow('killed');
    bare.change({ 'README.md': 'y' }, 'of somebody else');
    hub.looked = (pull) => {
      bare.change({ 'config.yaml': after }, 'merged');
      Object.assign(pull, {
        state: 'closed',
        merged_at: 'x',
        merge_commit_sha: bare.git('rev-parse', 'main'),
      });
      hub.looked = () => undefined;
    };
    const lines = await byRequest();
    expect(hub.pulls).toHaveLength(1);
    expect(lines[0]).toContain('pull/1 is open; waiting for its merge');
  });

  test('a run after a kill between push and request makes the request', async () => {
    hub.faults = Array.from({ length: 20 }, () => 500);
    hub.faults[0] = 200;
    await expect(byRequest()).rejects.toThrow(/GitHub answers 500/);
    hub.faults = [];
    hub.looked = (pull) => hub.merge(pull);
    await byRequest();
    expect(hub.pulls).toHaveLength(1);
  });

  test('closed without a merge is a failure; a later swap makes another one', async () => {
    hub.looked = (pull) => void (pull.state = 'closed');
    await expect(byRequest()).rejects.toThrow(
      'https://github.com/acme/infra/pull/1 was closed without a merge',
    );
    expect(bare.text('config.yaml')).toBe(file.trim());
    hub.looked = (pull) => hub.merge(pull);
    await byRequest();
    expect(hub.pulls.map(({ head }) => head.slice(-2))).toEqual(['-1', '-2']);
  });

  test.each([
    ['is pushed by others, while its pull request is open', 'open'],
    ['is pushed by a bot, which closes its pull request', 'closed'],
  ] as const)('what %s is there', async (_, state) => {
    hub.looked = (pull) => {
      hub.looked = () => undefined;
      bare.change({ 'config.yaml': after }, 'by another way');
      pull.state = state;
    };
    await byRequest();
    expect(hub.pulls.map((pull) => [pull.state, pull.merged_at])).toEqual([['closed', null]]);
  });

  test('closed while no run looked is a failure as well, in the same swap alone', async () => {
    const of = (swap: string, signal = never) =>
      deploy({ github, deployed: { status: 'deploy' } }, { env }, signal, { swap });
    const stop = new AbortController();
    hub.looked = () => stop.abort(new Error('killed'));
    await expect(of('20260101T030000Z-1a2b3c', stop.signal)).rejects.toThrow('killed');
    hub.pulls[0]!.state = 'closed';
    await expect(of('20260101T030000Z-1a2b3c')).rejects.toThrow(/pull\/1 was closed without a merge/);
    expect(hub.pulls).toHaveLength(1);
    hub.looked = (pull) => hub.merge(pull);
    await of('20260201T030000Z-4d5e6f');
    expect(hub.pulls.map(({ body }) => /Swap (\S+) of/.exec(body!)![1])).toEqual([
      '20260101T030000Z-1a2b3c',
      '20260201T030000Z-4d5e6f',
    ]);
  });

  test('where the swap has no other way on, one that was closed is made once more by the next run', async () => {
    const of = () =>
      deploy({ github, deployed: { status: 'deploy' } }, { env }, never, { swap: 'a', asksAnew: true });
    hub.looked = (pull) => void (pull.state = 'closed');
    await expect(of()).rejects.toThrow(/pull\/1 was closed without a merge/);
    hub.looked = (pull) => hub.merge(pull);
    await of();
    expect(hub.pulls.map(({ merged_at }) => merged_at !== null)).toEqual([false, true]);
  });

  test('one that conflicts is made anew on top of the branch', async () => {
    hub.looked = (pull) => {
      if (pull.number === 1 && pull.state === 'open') {
        bare.change({ 'config.yaml': file.replace('# by slot', '# slots') }, 'comment');
        pull.mergeable = false;
      } else {
        hub.merge(pull);
      }
    };
    const lines = await byRequest();
    expect(lines.slice(0, 4)).toEqual([
      'https://github.com/acme/infra/pull/1 is made; waiting for its merge',
      'https://github.com/acme/infra/pull/1 conflicts with main: it is made anew',
      'https://github.com/acme/infra/pull/1 is closed: the swap does not ask for it any more',
      'https://github.com/acme/infra/pull/2 is made; waiting for its merge',
    ]);
    expect(bare.text('config.yaml')).toBe(after.replace('# by slot', '# slots').trim());
  });

  test('one that conflicts since the fleet was changed is not made anew', async () => {
    hub.looked = (pull) => {
      bare.change({ 'config.yaml': file.replace('1.35', '1.34') }, 'other');
      pull.mergeable = false;
    };
    await expect(byRequest()).rejects.toThrow(ProgramChanged);
    expect(hub.pulls).toHaveLength(1);
  });

  test('is taken back: what is open of the swap is closed, and nothing else', async () => {
    const stop = new AbortController();
    hub.looked = () => stop.abort(new Error('killed'));
    await expect(byRequest(undefined, stop.signal)).rejects.toThrow('killed');
    hub.pulls.push({ ...hub.pulls[0]!, number: 2, head: 'feature' });
    const lines: string[] = [];
    const program = programOf({ github, deployed: { status: 'deploy' } }, { env });
    await program.withdraw!((line) => void lines.push(line), never);
    expect(hub.pulls.map(({ state }) => state)).toEqual(['closed', 'open']);
    expect(lines).toEqual([
      'https://github.com/acme/infra/pull/1 is closed: the swap does not ask for it any more',
    ]);
    await expect(programOf().withdraw!(() => undefined, never)).resolves.toBeUndefined();
  });

  test('a later commit that is deployed has the configuration as well', async () => {
    hub.statuses = [];
    hub.looked = (pull) => {
      hub.merge(pull);
      setTimeout(() => {
        bare.change({ 'README.md': 'later' }, 'later');
        hub.statusOf[bare.git('rev-parse', 'main')] = 'success';
      });
    };
    const lines = await byRequest();
    expect(lines.at(-1)).toMatch(/^waiting until \w{12} or \w{12} is deployed$/);
  });

  test('a later commit that changes the fleet ends the wait', async () => {
    hub.statuses = [];
    hub.looked = (pull) => {
      hub.merge(pull);
      setTimeout(() => bare.change({ 'config.yaml': file }, 'undone'), 300);
    };
    const error = (await byRequest().catch((failure: unknown) => failure)) as Error;
    expect(error).toBeInstanceOf(ProgramChanged);
    expect(error.message).toMatch(/It was merged or changed since by another one/);
    expect(error.message).not.toMatch(/nothing was deployed/);
  });

  test('is waited for while it is away, once the pull request is there', async () => {
    let looks = 0;
    hub.looked = (pull) => {
      looks += 1;
      if (looks === 2) {
        hub.faults = Array.from({ length: 30 }, () => 503);
      } else if (looks > 2) {
        hub.merge(pull);
      }
    };
    const lines = await byRequest();
    expect(lines[1]).toMatch(/^GitHub answers 503 .*; asks again$/);
  });

  test('a merge may reach the branch a moment later', async () => {
    hub.looked = (pull) => {
      Object.assign(pull, { state: 'closed', merged_at: 'x', merge_commit_sha: null });
      setTimeout(() => hub.merge(pull), 1);
    };
    // The first look begins before the merge is written: it has to look again.
    await deploy({ github, deployed: { status: 'deploy' } }, { env, every: 100 });
    expect(bare.text('config.yaml')).toBe(after.trim());
  });

  test('a merge that never reaches the branch is a failure', async () => {
    hub.looked = (pull) =>
      void Object.assign(pull, { state: 'closed', merged_at: 'x', merge_commit_sha: null });
    await expect(byRequest()).rejects.toThrow(/says blue 1.35 \(100%\), where the swap expects .*green 1.36/);
  });

  test('what the swap has given up is closed, so that nobody merges it later', async () => {
    const stop = new AbortController();
    hub.looked = () => stop.abort(new Error('killed'));
    await expect(byRequest(undefined, stop.signal)).rejects.toThrow('killed');
    bare.git('branch', 'feature', 'main');
    hub.pulls.push({ ...hub.pulls[0]!, number: 2, head: 'feature' });
    const back = { configuration: before, expected: [before, wanted], title: 'apps: back' };
    const lines = await deploy({ github, deployed: { status: 'deploy' } }, { env }, never, back);
    expect(lines[0]).toMatch(/pull\/1 is closed: the swap does not ask for it any more/);
    expect(hub.pulls.map(({ state }) => state)).toEqual(['closed', 'open']);
  });

  test('a merge of something else is told', async () => {
    hub.looked = (pull) => {
      bare.change({ 'config.yaml': file.replace('1.35', '1.34') }, 'other');
      Object.assign(pull, { state: 'closed', merged_at: 'x', merge_commit_sha: null });
    };
    await expect(byRequest()).rejects.toThrow(/says blue 1.34 \(100%\), where the swap expects blue 1.35/);
  });

  test.each([
    ['success', undefined],
    ['failure', /the deployment of \w{12} has failed/],
    ['error', /has failed/],
  ])('a commit status says %s', async (state, message) => {
    hub.looked = (pull) => hub.merge(pull);
    hub.statuses = [
      { context: 'lint', state: 'failure' },
      { context: 'deploy', state },
    ];
    const running = byRequest();
    await (message ? expect(running).rejects.toThrow(message) : expect(running).resolves.toHaveLength(2));
  });

  test.each([
    [['success', 'in_progress'], undefined],
    [['inactive', 'success'], undefined],
    [['failure', 'in_progress'], /has failed/],
  ])('a deployment has the states %j', async (states, message) => {
    hub.looked = (pull) => hub.merge(pull);
    hub.deployments = { production: states };
    const running = byRequest({ environment: 'production' });
    await (message ? expect(running).rejects.toThrow(message) : expect(running).resolves.toHaveLength(2));
  });

  test('is asked again after a fault, and not where it refuses; the token is not told', async () => {
    hub.looked = (pull) => hub.merge(pull);
    hub.faults = [502, 503];
    await byRequest();
    hub.faults = [401];
    bare.change({ 'config.yaml': file }, 'again');
    const error = (await byRequest().catch((failure: unknown) => failure)) as Error;
    expect(error.message).toMatch(/GitHub answers 401 .* lacks a right/);
    expect(error.message).not.toContain('abcdefgh');
  });

  test('a token that is not there', async () => {
    const running = deploy({ github, deployed: { status: 'x' } }, { env: { PATH: process.env.PATH } });
    await expect(running).rejects.toThrow(
      /program\.git\.github\.token is not there: the variable GITHUB_TOKEN/,
    );
  });
});
