import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitProgram, ProgramChanged } from '../../../../../lib/operate/swap';
import { DeploymentRefused } from '../../../../../lib/operate/swap/program';
import type { GitProgramOptions, GitProgramSettings } from '../../../../../lib/operate/swap';
import { BareRepository, FakeGitHub } from './hosting';

jest.setTimeout(60_000);

const file = `# Clusters
apps:
  slots: { blue: '1.35' } # by slot
  weights:
    blue: 100
other: [1, 2]
`;
const after = file
  .replace("blue: '1.35'", "blue: '1.35', green: '1.36'")
  .replace('100\n', '100\n    green: 0\n');
const before = { slots: { blue: '1.35' }, weights: { blue: 100 } };
const wanted = { slots: { blue: '1.35', green: '1.36' }, weights: { blue: 100, green: 0 } };
const never = new AbortController().signal;
const isDone = [process.execPath, '-e', ''];

let bare: BareRepository;

beforeEach(() => {
  bare = new BareRepository({ 'config.yaml': file, 'README.md': 'x' });
});

afterEach(() => bare.remove());

const programOf = (settings: Partial<GitProgramSettings> = {}, options: GitProgramOptions = {}) =>
  gitProgram(
    {
      ...{
        repository: bare.url,
        file: 'config.yaml',
        slots: ['apps', 'slots'],
        weights: ['apps', 'weights'],
      },
      ...{ deployed: { command: isDone }, ...settings },
    },
    { base: bare.folder, every: 5, patience: 100, github: { pauseMs: 1 }, ...options },
  );

const deploy = async (
  settings: Partial<GitProgramSettings> = {},
  options: GitProgramOptions = {},
  signal = never,
  more: object = {},
) => {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const change = { configuration: wanted, expected: [before], title: 'apps: create green', say, ...more };
  await programOf(settings, options).deploy(change, signal);
  return lines;
};

describe('a repository without pull requests', () => {
  test('is read', async () => {
    const clones = (): string[] =>
      readdirSync(tmpdir()).filter((name) => name.startsWith('cluster-canary-git-'));
    // Those of other processes of this machine.
    const others = clones();
    await expect(programOf().read(never)).resolves.toEqual(before);
    await expect(programOf().preview(wanted, never)).resolves.toEqual([]);
    expect(clones().filter((name) => !others.includes(name))).toEqual([]);
  });

  test('gets one commit, with the comments of the file', async () => {
    const lines = await deploy();
    expect(bare.text('config.yaml')).toBe(after.trim());
    expect(bare.text('README.md')).toBe('x');
    expect(bare.git('log', '--format=%s %an', 'main')).toBe('apps: create green cluster-canary\nfirst ann');
    const short = bare.git('rev-parse', 'main').slice(0, 12);
    expect(lines).toEqual([`pushed ${short} to main`, `waiting until ${short} is deployed`]);
  });

  test('gets no commit for what a drain has deleted, and says what the pipeline has to do', async () => {
    const restore = { fleet: 'apps', slot: 'blue' };
    const lines = await deploy({}, {}, never, { configuration: before, restore });
    expect(lines[0]).toMatch(
      /^config\.yaml of .*: what drain deleted in the cluster of blue comes back once/,
    );
    expect(bare.git('log', '--format=%s', 'main')).toBe('first');
  });

  test('gets none where the configuration is there already; it still waits for the deployment', async () => {
    await deploy();
    const head = bare.git('rev-parse', 'main');
    await expect(deploy()).resolves.toEqual([`waiting until ${head.slice(0, 12)} is deployed`]);
    expect(bare.git('rev-parse', 'main')).toBe(head);
  });

  test('is refused where somebody else has changed the configuration', async () => {
    bare.change({ 'config.yaml': file.replace('1.35', '1.34') }, 'other');
    await expect(deploy()).rejects.toThrow(ProgramChanged);
    expect(bare.git('log', '--format=%s', 'main')).toBe('other\nfirst');
  });

  test('takes the commit on top of what others push meanwhile', async () => {
    // The hook of the server lets somebody else be quicker, once.
    const hooks = join(bare.folder, 'infra.git', 'hooks');
    mkdirSync(hooks);
    const hook = join(hooks, 'update');
    writeFileSync(
      hook,
      `#!/bin/sh\n[ -e once ] && exit 0\ntouch once\nunset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES\n` +
        `c=$(echo other | git -c user.name=a -c user.email=a@b commit-tree main^{tree} -p main) && git update-ref refs/heads/main $c\n`,
    );
    chmodSync(hook, 0o755);
    await deploy();
    expect(bare.git('log', '--format=%s', 'main')).toBe('apps: create green\nother\nfirst');
  });

  test.each([
    [
      'no such file',
      { file: 'other.yaml' },
      /there is no file other.yaml in \/\S+infra\.git \(branch main\)/,
    ],
    ['no such branch', { branch: 'production' }, /git clone of .*branch production.*not found/],
    ['a folder', { file: 'folder' }, /there is no file folder/],
    ['a link', { file: 'link.yaml' }, /link.yaml is no file .*mode 120000/],
    ['no such keys', { slots: ['apps', 'clusters'] }, /config.yaml of .* apps.clusters: is required/],
  ])('fails: %s', async (_name, settings, message) => {
    bare.link('link.yaml', 'config.yaml');
    await expect(programOf(settings).read(never)).rejects.toThrow(message);
  });

  test('nothing that the repository brings along is run', async () => {
    bare.change(
      {
        '.gitattributes': '*.yaml filter=evil\n',
        '.gitmodules': '[submodule "x"]\n  path = x\n  url = ext::touch hacked\n',
      },
      'evil',
    );
    await deploy();
    expect(bare.text('config.yaml')).toBe(after.trim());
    expect(readdirSync(bare.folder)).not.toContain('hacked');
  });
});

describe('the wait for a deployment', () => {
  test('asks a command again until it says so, and tells it the commits', async () => {
    const script = `
      const fs = require('node:fs');
      fs.appendFileSync('asked', fs.readFileSync(0, 'utf8'));
      process.exit(fs.readFileSync('asked', 'utf8').trim().split('\\n').length < 3 ? 1 : 0);`;
    await deploy({ deployed: { command: [process.execPath, '-e', script] } });
    const asked = readFileSync(join(bare.folder, 'asked'), 'utf8').trim().split('\n');
    expect(asked).toHaveLength(3);
    expect(JSON.parse(asked[0]!)).toEqual({ schemaVersion: 1, revisions: [bare.git('rev-parse', 'main')] });
  });

  test('ends where the command says that it never will be, where it takes too long, and with the run', async () => {
    const ends = (status: number) => ({ command: [process.execPath, '-e', `process.exit(${status})`] });
    await expect(deploy({ deployed: ends(3) })).rejects.toThrow(
      /the deployment of \w{12} has failed; config.yaml/,
    );
    await expect(deploy({ deployed: ends(1), timeout: '1ms' })).rejects.toThrow(
      /was not deployed within 1ms/,
    );
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('enough')), 500);
    await expect(deploy({ deployed: ends(1) }, {}, stop.signal)).rejects.toThrow('enough');
  });
});

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
    expect([hub.pulls.map(({ state }) => state), looks, answers]).toEqual([['closed'], 8, []]);
    expect(bare.git('log', '--format=%s', 'main')).toBe('first');
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
      }, 300);
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

test('a token is in no argument, and goes to its server alone', async () => {
  const token = 'ghs_abcdefgh12345678';
  const script = `#!${process.execPath}
    require('node:fs').writeFileSync(${JSON.stringify(join(bare.folder, 'called'))},
      JSON.stringify({ args: process.argv.slice(2), env: process.env }));
    console.error('fatal: ' + process.env.GIT_CONFIG_VALUE_1 + ' ${token}');
    process.exit(128);`;
  writeFileSync(join(bare.folder, 'git'), script, { mode: 0o755 });
  const env = {
    ...{ PATH: bare.folder, TOKEN: token, GIT_DIR: '/elsewhere', GIT_ASKPASS: 'ask' },
    ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'a.b', GIT_CONFIG_VALUE_0: 'c' },
  };
  const settings = { repository: 'https://git.example.com/a/b.git', token: { env: 'TOKEN' } };
  const error = (await programOf(settings, { env })
    .read(never)
    .catch((failure: unknown) => failure)) as Error;
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
  expect(error.message).toMatch(/^git clone of https:\/\/git.example.com\/a\/b.git \(branch main\): fatal: /);
  expect(error.message).not.toMatch(new RegExp(`${token}|${basic}`));
  const called = JSON.parse(readFileSync(join(bare.folder, 'called'), 'utf8')) as {
    args: string[];
    env: Record<string, string>;
  };
  expect(called.args.join(' ')).not.toMatch(new RegExp(`${token}|${basic}`));
  expect(called.args).toEqual(
    expect.arrayContaining(['core.hooksPath=/dev/null', 'protocol.https.allow=always']),
  );
  expect(called.env).toMatchObject({
    ...{
      GIT_TERMINAL_PROMPT: '0',
      GIT_ALLOW_PROTOCOL: 'https',
      GIT_CONFIG_COUNT: '3',
      GIT_CONFIG_KEY_0: 'a.b',
    },
    GIT_CONFIG_KEY_1: 'http.https://git.example.com/.extraHeader',
    GIT_CONFIG_VALUE_1: `Authorization: Basic ${basic}`,
    GIT_CONFIG_KEY_2: 'credential.helper',
  });
  expect(called.env).not.toHaveProperty('GIT_DIR');
  expect(called.env).not.toHaveProperty('GIT_ASKPASS');
});

test.each([
  [{ repository: 'https://ann:pw123@github.com/a/b' }, /repository: must be a URL without a login/],
  [{ repository: '--upload-pack=x' }, /repository: must be the URL/],
  [{ repository: 'ext::sh -c x' }, /repository: must be the URL/],
  [{ branch: '../x' }, /branch: "..\/x": must be the name of a branch/],
  [{ branch: '-x' }, /branch/],
  [{ file: '../x.yaml' }, /file.*without ".."/],
  [{ file: '/etc/passwd' }, /file/],
  [{ weights: undefined }, /weights: is required: a list of keys, unless/],
  [{ active: ['x'] }, /active conflicts with|active:.*conflicts with "weights"/],
  [{ deployed: {} }, /deployed: must be an object with exactly one of/],
  [
    { deployed: { status: 'x' } },
    /github: is required: an object with repository and token, since "deployed" is a status/,
  ],
  [{ github: { repository: 'a/b', token: 'ghp_secret' } }, /github.token: must be where it is read from/],
  [{ token: { env: 'X' } }, /token.*conflicts with "repository"/],
])('settings are refused: %j', (settings, message) => {
  expect(() => programOf(settings as never)).toThrow(message);
  expect(() => programOf(settings as never)).not.toThrow(/pw123|ghp_secret/);
});
