import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { git, writeFiles } from './lint-repository';
import { folderWith, lintProcess as lint } from './lint-folders';
import { clusterCanary, main, scratch } from './run-cli';

const settings = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\n`;
const application = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: a }
spec:
  ignoreDifferences: [{kind: Secret}]
`;
/** A rule that tells what was read, and of what was before. */
const telling = `exports.rules = {
  id: 'ACME01', severity: 'warning', title: 'Read', why: 'w', fix: 'f',
  *check({ objects, before }) {
    for (const object of objects.all) yield { object, pointer: '', message: 'now ' + object.name };
    for (const object of before?.all ?? []) yield { object, pointer: '', message: 'before ' + object.name };
  },
};`;

const pipe = (file: string): void => void execFileSync('mkfifo', [file]);

/** What was read, by the rule that tells. */
async function told(cwd: string, ...args: readonly string[]) {
  writeFileSync(join(scratch, 'telling.js'), telling);
  const more = ['--rules', join(scratch, 'telling.js'), '--rule', 'ACME01', '--format', 'json'];
  const result = await lint(cwd, ...args, ...more);
  const { findings = [] } = result.stdout === '' ? {} : JSON.parse(result.stdout);
  return { ...result, told: findings.map(({ message }: any) => message).sort() };
}

function commit(folder: string): void {
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'add', '.');
  git(folder, 'commit', '-q', '-m', 'old');
}

/** A partial clone, which asks a program of its own for what it lacks. */
const promisor = (marker: string, more = ''): string =>
  `[core]\n\trepositoryformatversion = 1\n${more}[extensions]\n\tpartialClone = origin\n` +
  `[protocol "file"]\n\tallow = always\n` +
  `[remote "origin"]\n\tpromisor = true\n\turl = .\n\tuploadpack = "touch ${marker}; false"\n`;

describe('a repository that is judged', () => {
  test('runs no program by a folder that is laid out as a repository', async () => {
    const marker = join(scratch, 'ran-bare');
    const folder = folderWith({
      'm/a.yaml': settings('old'),
      'm/HEAD': 'ref: refs/heads/main\n',
      'm/config': promisor(marker, '\tbare = false\n\tworktree = .\n'),
      'm/refs/heads/main': `${'1'.repeat(40)}\n`,
      'm/objects/info/kept': '',
    });
    commit(folder);
    const { status, stderr, told: found } = await told(folder, 'm', '--baseline', 'main');
    expect(existsSync(marker)).toBe(false);
    // The commit is that of the repository around it.
    expect([status, stderr, found]).toEqual([1, '', ['before old', 'now old']]);
  });

  test('and no repository around it is needed for that', async () => {
    const marker = join(scratch, 'ran-alone');
    const folder = folderWith({
      'a.yaml': settings('a'),
      HEAD: 'ref: refs/heads/main\n',
      config: promisor(marker, '\tbare = false\n\tworktree = .\n'),
      'refs/heads/main': `${'1'.repeat(40)}\n`,
      'objects/info/kept': '',
    });
    const result = await lint(folder, '.', '--baseline', 'main');
    expect(existsSync(marker)).toBe(false);
    expect(result).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('. is in no working tree of git'),
    });
    // Nor where its .git is none.
    mkdirSync(join(folder, '.git'));
    writeFileSync(join(folder, '.git', 'HEAD'), '');
    const other = await lint(folder, '.', '--baseline', 'main');
    expect(existsSync(marker)).toBe(false);
    expect(other).toMatchObject({ status: 2, stdout: '' });
    expect(other.stderr).not.toMatch(/^ {4}at /m);
  });

  test('runs no program for what a partial clone lacks, and that is said', async () => {
    const marker = join(scratch, 'ran-partial');
    const folder = folderWith({ 'a.yaml': settings('a'), 'd/b.yaml': settings('b') });
    commit(folder);
    writeFileSync(join(folder, '.git', 'config'), promisor(marker));
    const lose = (name: string): void => {
      const id = execFileSync('git', ['rev-parse', name], { cwd: folder }).toString().trim();
      rmSync(join(folder, '.git', 'objects', id.slice(0, 2), id.slice(2)));
    };
    lose('HEAD:d/b.yaml');
    const blob = await lint(folder, '.', '--baseline', 'HEAD');
    expect(blob).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^error: lint: 1 problem\n.*"HEAD": .* it lacks d\/b\.yaml, and nothing/),
    });
    lose('HEAD:d');
    const tree = await lint(folder, '.', '--baseline', 'HEAD');
    expect(tree.stderr).toMatch(
      /^error: lint: 1 problem\n {2}--baseline: must be something that git can read/,
    );
    lose('HEAD');
    const gone = await lint(folder, '.', '--baseline', 'HEAD');
    expect(gone.stderr).toContain('a commit that git knows');
    expect([blob, tree, gone].some(({ stderr }) => /^ {4}at /m.test(stderr))).toBe(false);
    expect(existsSync(marker)).toBe(false);
  });

  test('is that of the path: in a worktree, below a link, whatever a hook has in its environment', async () => {
    const folder = folderWith({ 'repo/m/a.yaml': settings('old'), 'other/x.yaml': settings('x') });
    commit(join(folder, 'repo'));
    commit(join(folder, 'other'));
    git(join(folder, 'repo'), 'worktree', 'add', '-q', '-b', 'more', join(folder, 'tree'));
    symlinkSync(join('repo', 'm'), join(folder, 'link'));
    const env = {
      GIT_DIR: join(folder, 'other', '.git'),
      GIT_WORK_TREE: join(folder, 'other'),
      GIT_INDEX_FILE: 'none',
      GIT_OBJECT_DIRECTORY: '/nowhere',
      GIT_GLOB_PATHSPECS: '1',
    };
    writeFileSync(join(scratch, 'telling.js'), telling);
    for (const path of ['tree/m', 'link', 'repo/m/a.yaml']) {
      const args = ['lint', path, '--baseline', 'HEAD', '--rules', join(scratch, 'telling.js')];
      const result = await clusterCanary(args, { cwd: folder, env });
      expect([result.status, result.stdout.match(/(?:now|before) \w+/g)?.sort()]).toEqual([
        1,
        ['before old', 'now old'],
      ]);
    }
  });

  test('can’t put a folder in the place of the branch that it is compared with', async () => {
    const folder = folderWith({ 'm/a.yaml': settings('old') });
    commit(folder);
    writeFiles(folder, { 'main/a.yaml': settings('planted'), 'm/a.yaml': settings('new') });
    const result = await told(folder, 'm', '--baseline', 'main');
    expect(result).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('it is a commit, and there is a file or folder of that name (./main)'),
    });
    const [path, name] = await Promise.all([
      told(folder, 'm', '--baseline', './main'),
      told(folder, 'm', '--baseline', 'heads/main'),
    ]);
    expect([path.told, name.told]).toEqual([
      ['before planted', 'now new'],
      ['before old', 'now new'],
    ]);
  });

  test.each(['^HEAD', '@{upstream}', 'HEAD..HEAD', 'HEAD:m', '--all', ':/old'])(
    '%j is no commit of it',
    async (ref) => {
      const folder = folderWith({ 'm/a.yaml': settings('old') });
      commit(folder);
      const result = await lint(folder, 'm', '--baseline', ref);
      expect([result.status, result.stdout]).toEqual([2, '']);
      expect(result.stderr).toContain('must be a folder, a file, or a commit that git knows');
    },
  );

  test.each(['objects/info/alternates', 'included'])(
    'does not hold git up for a minute by a named pipe: %s',
    async (place) => {
      const folder = folderWith({ 'app.yaml': application });
      ['init', 'add .', 'commit -m a'].forEach((line) => git(folder, ...line.split(' ')));
      const pipe = join(folder, '.git', place);
      rmSync(pipe, { force: true });
      execFileSync('mkfifo', [pipe]);
      if (place === 'included') {
        appendFileSync(join(folder, '.git', 'config'), `[include]\n\tpath = ${pipe}\n`);
      }
      const began = performance.now();
      const { status, stderr } = await clusterCanary(['lint', folder, '--baseline', 'HEAD']);
      expect(stderr).toMatch(/--baseline: must be something that git can read: git did not answer in time/);
      expect(status).toBe(2);
      expect(performance.now() - began).toBeLessThan(20_000);
    },
  );

  test('has no file that is larger than one on the disk may be', async () => {
    const folder = folderWith({ 'm/a.yaml': settings('old') });
    truncateSync(writeEmpty(join(folder, 'm', 'large.yaml')), 2 ** 26 + 1);
    commit(folder);
    rmSync(join(folder, 'm', 'large.yaml'));
    const result = await told(folder, 'm', '--baseline', 'HEAD');
    expect(result.told).toEqual(['before old', 'now old']);
    expect(result).toMatchObject({
      status: 2,
      stderr: 'error: HEAD:m/large.yaml: not checked: not read: more than 64 MiB\n',
    });
  });
});

function writeEmpty(file: string): string {
  writeFileSync(file, '');
  return file;
}

describe('a folder that is judged', () => {
  const leadsOut =
    'not checked: not read: a link that leads out of the PATHs: give that path, too, to follow it';

  test('leads nowhere else', async () => {
    const folder = folderWith({
      'outside/secret.yaml': settings('secret'),
      'outside/Chart.yaml': 'name: secret-chart\n',
      'm/a.yaml': settings('a'),
      'm/real/b.yaml': settings('b'),
      'm/chart/templates/t.yaml': 'kind: {{ genCA "ca" 365 }}\n',
    });
    const m = join(folder, 'm');
    symlinkSync('/', join(m, 'root'));
    symlinkSync('../outside/secret.yaml', join(m, 'file.yaml'));
    symlinkSync('../m-beside', join(m, 'gone'));
    symlinkSync('real', join(m, 'within'));
    symlinkSync('../../outside/Chart.yaml', join(m, 'chart', 'Chart.yaml'));
    const result = await told(folder, 'm');
    expect([result.status, result.told]).toEqual([2, ['now a', 'now b']]);
    expect(result.stderr.trimEnd().split('\n').slice(0, 4)).toEqual([
      `error: m/chart/Chart.yaml: ${leadsOut}`,
      `error: m/file.yaml: ${leadsOut}`,
      'error: m/gone: not checked: not there',
      `error: m/root: ${leadsOut}`,
    ]);
    expect(result.stderr + result.stdout).not.toContain('secret-chart');
    // Who names the other path, or the link itself, wants it to be read.
    rmSync(join(m, 'root'));
    expect((await told(folder, 'm', 'outside')).told).toEqual(['now a', 'now b', 'now secret']);
    expect((await told(folder, 'm/file.yaml')).told).toEqual(['now secret']);
    symlinkSync('m', join(folder, 'whole'));
    expect((await told(folder, 'whole/real')).told).toEqual(['now b']);
  });

  test('holds nothing up: pipes, devices, large files, a configuration that is none', async () => {
    const folder = folderWith({ 'm/a.yaml': settings('a'), 'chart/templates/t.yaml': 'a: {{ b }}\n' });
    pipe(join(folder, 'm', 'pipe.yaml'));
    pipe(join(folder, 'chart', 'Chart.yaml'));
    truncateSync(writeEmpty(join(folder, 'm', 'large.yaml')), 2 ** 26 + 1);
    symlinkSync('/dev/zero', join(folder, 'zeros.yaml'));
    const result = await told(folder, 'm', 'm/pipe.yaml', 'zeros.yaml', 'chart');
    expect([result.status, result.told]).toEqual([2, ['now a']]);
    expect(result.stderr.split('\n').filter((line) => line.startsWith('error'))).toEqual([
      'error: m/large.yaml: not checked: not read: more than 64 MiB',
      'error: m/pipe.yaml: not checked: not read: a named pipe',
      'error: zeros.yaml: not checked: not read: a device',
    ]);
    pipe(join(folder, 'cluster-canary.yaml'));
    expect(await lint(folder, 'm/a.yaml')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('must be a configuration, in YAML; it is a named pipe'),
    });
  });

  test('holds nothing up by a chart whose own file is long, and whose templates are many', async () => {
    const templates = Array.from({ length: 150 }, (_, position) => [
      `c/templates/${position}.yaml`,
      '{{ a }}',
    ]);
    const folder = folderWith({
      'c/Chart.yaml': `apiVersion: v2\nname: c\nkeywords:\n${'- a\n'.repeat(300_000)}`,
      ...(Object.fromEntries(templates) as Record<string, string>),
    });
    const began = performance.now();
    const { stderr } = await clusterCanary(['lint', folder]);
    expect(stderr).toContain('chart c: its templates were checked as text only');
    // Read anew for each template, it takes half a minute.
    expect(performance.now() - began).toBeLessThan(15_000);
  });

  test('may come by a pipe that a shell hands over', () => {
    const script = `${process.execPath} ${main} lint <(printf '%s' "$TEXT") --min-severity error; cat <(printf '%s' "$TEXT") | ${process.execPath} ${main} lint /dev/stdin --min-severity error`;
    const env = { ...process.env, TEXT: settings('a') };
    const said = execFileSync('bash', ['-c', script], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    expect(said.toString().match(/in 1 object of 1 file/g)).toHaveLength(2);
  });

  test('that never ends is no input', async () => {
    const zeros = spawn('sh', ['-c', 'yes "a: 1" | "$0" "$1" lint -', process.execPath, main]);
    const parts: Buffer[] = [];
    zeros.stderr.on('data', (part: Buffer) => parts.push(part));
    const status = await new Promise((resolve) => zeros.on('close', resolve));
    expect(status).toBe(2);
    expect(Buffer.concat(parts).toString()).toContain(
      'error: stdin: not checked: not read: more than 64 MiB\n',
    );
  });
});

describe('mended copies', () => {
  test('overwrite nothing through a link, a pipe or another name', async () => {
    const folder = folderWith({ 'in/a.yaml': application, 'mine.txt': 'mine', 'other/a.yaml': 'mine' });
    const fix = (out: string) => lint(folder, 'in', '--fix', '--out', out);
    mkdirSync(join(folder, 'link'));
    symlinkSync('../mine.txt', join(folder, 'link', 'a.yaml'));
    mkdirSync(join(folder, 'pipe'));
    pipe(join(folder, 'pipe', 'a.yaml'));
    for (const out of ['link', 'pipe']) {
      expect(await fix(out)).toMatchObject({
        status: 2,
        stdout: '',
        stderr: expect.stringContaining(
          `"${out}": must be a folder for fixed copies alone, and not with a.yaml`,
        ),
      });
    }
    mkdirSync(join(folder, 'hard'));
    linkSync(join(folder, 'mine.txt'), join(folder, 'hard', 'a.yaml'));
    expect((await fix('hard')).status).toBeLessThan(2);
    expect(readFileSync(join(folder, 'hard', 'a.yaml'), 'utf8')).toContain('RespectIgnoreDifferences');
    expect(readFileSync(join(folder, 'mine.txt'), 'utf8')).toBe('mine');
    // The folder itself may be reached by a link.
    symlinkSync('other', join(folder, 'by-link'));
    expect((await fix('by-link')).status).toBeLessThan(2);
    expect(readFileSync(join(folder, 'other', 'a.yaml'), 'utf8')).toContain('RespectIgnoreDifferences');
  });

  test('are for nobody who could not read the files, and can be written again', async () => {
    const folder = folderWith({});
    mkdirSync(join(folder, 'in'));
    writeFileSync(join(folder, 'in', 'a.yaml'), application, { mode: 0o400 });
    for (const _ of [1, 2]) {
      expect((await lint(folder, 'in', '--fix', '--out', 'out')).status).toBeLessThan(2);
      expect(statSync(join(folder, 'out', 'a.yaml')).mode & 0o777).toBe(0o600);
      expect(readdirSync(join(folder, 'out'))).toEqual(['a.yaml']);
    }
  });

  test('are not made of a file that changes meanwhile', async () => {
    const folder = folderWith({ 'in/a.yaml': application, 'in/b.yaml': settings('b') });
    const change = `const { writeFileSync } = require('node:fs');
      exports.rules = { id: 'ACME02', severity: 'info', title: 't', why: 'w', fix: 'f',
        *check() { writeFileSync('in/a.yaml', 'a: 1\\n---\\n' + ${JSON.stringify(application)}); } };`;
    writeFiles(folder, { 'change.js': change });
    const args = ['in', '--fix', '--out', 'out', '--rules', 'change.js'];
    expect(await lint(folder, ...args)).toMatchObject({
      status: 2,
      stderr: 'error: in/a.yaml: it has changed since it was checked\n',
    });
    expect(existsSync(join(folder, 'out'))).toBe(false);
  });
});
