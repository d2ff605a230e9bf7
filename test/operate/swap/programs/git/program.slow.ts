import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ProgramChanged } from '../../../../../lib/operate/swap';
import { after, bare, before, deploy, file, never, programOf, wanted } from './infra';

describe('a repository without pull requests', () => {
  test('is read', async () => {
    // Other processes have clones in the usual one.
    const { TMPDIR: usual } = process.env;
    process.env['TMPDIR'] = mkdtempSync(join(bare.folder, 'temporary-'));
    await expect(programOf().read(never)).resolves.toEqual(before);
    await expect(programOf().preview(wanted, never)).resolves.toEqual([]);
    expect(readdirSync(process.env['TMPDIR'])).toEqual([]);
    if (usual === undefined) {
      delete process.env['TMPDIR'];
    } else {
      process.env['TMPDIR'] = usual;
    }
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
    // What git says is longer than what is shown of it.
    const long = join(bare.folder, 'a'.repeat(120));
    symlinkSync(bare.folder, long);
    await deploy({ repository: `file://${join(long, 'infra.git')}` });
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

  test('goes on where the command was killed once', async () => {
    const script = `
      const fs = require('node:fs');
      if (!fs.existsSync('killed')) { fs.writeFileSync('killed', ''); process.kill(process.pid, 'SIGKILL'); }`;
    const lines = await deploy({ deployed: { command: [process.execPath, '-e', script] } });
    expect(lines.at(-1)).toMatch(/was ended by SIGKILL; it is run again$/);
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
