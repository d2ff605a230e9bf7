import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { allRules, suppressionRules } from '../../lib/lint';
import { git } from './lint-repository';
import { application, folderWith, lint, lintJson, settings } from './lint-folders';
import { clusterCanary, root, scratch } from './run-cli';

describe('files and folders', () => {
  const folder = folderWith({
    'rendered/b/web.yml': `${application('one')}---\n${application('two')}`,
    'rendered/a.json': JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } }),
    'rendered/notes.txt': '{{ not looked at }}',
    'rendered/values.yaml': 'replicas: 3\n',
    'rendered/.git/config.yaml': 'a: [',
    'rendered/node_modules/x/package.json': '{',
    'single.manifest': application('three'),
  });

  test('findings are grouped by file, sorted, and end with 1', async () => {
    const result = await lint(folder, 'rendered', join(folder, 'single.manifest'), '--rule', 'GIT01');
    expect(result).toMatchObject({ status: 1, stderr: 'skipped: 1 document without apiVersion and kind\n' });
    expect(result.stdout.match(/^\S.*yml$|^\S.*manifest$|^ {2}\d+ .*GIT01/gm)).toEqual(
      [
        'rendered/b/web.yml',
        '  7  error  GIT01',
        '  15  error  GIT01',
        'single.manifest',
        '  7  error  GIT01',
      ].map((line) => expect.stringMatching(new RegExp(`^${line}`))),
    );
    expect(result.stdout).toContain('3 errors, 0 warnings, 0 infos in 4 objects of 3 files');
    expect(result.stdout).not.toContain('\u001b');
  });

  test('JSON is what its schema says, and each file is evaluated once', async () => {
    const { status, document } = await lintJson(folder, 'rendered', 'rendered/b', 'rendered/b/web.yml');
    const schema = JSON.parse(readFileSync(join(root, 'schemas', 'lint.json'), 'utf8')) as object;
    const fits = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    expect([status, fits(document), fits.errors]).toEqual([1, true, null]);
    expect(document.summary).toMatchObject({ error: 2, objects: 3, files: 2 });
    expect(document.findings[1]).toMatchObject({
      rule: 'GIT01',
      file: 'rendered/b/web.yml',
      line: 15,
      object: { name: 'two' },
    });
  });

  test('SARIF has the findings with relative places', async () => {
    const result = await lint(folder, 'rendered', '--format', 'sarif');
    const { runs } = JSON.parse(result.stdout);
    expect(result.status).toBe(1);
    expect(runs[0].results).toHaveLength(2);
    expect(runs[0].results[0].locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: 'rendered/b/web.yml' },
      region: { startLine: 7 },
    });
  });

  test('the standard input is judged', () => {
    const main = join(scratch, 'dist', 'cli', 'main.js');
    const run = (): string =>
      execFileSync(process.execPath, [main, 'lint', '-', '--min-severity', 'error'], {
        input: settings,
        encoding: 'utf8',
      });
    expect(run()).toContain('in 1 object of 1 file');
  });

  test.each([
    [['--min-severity', 'error'], 0, 0],
    [['--rule', 'WH01,YAML01'], 0, 0],
    [['--rule', 'WH01', '--rule', 'YAML01'], 0, 0],
    [[], 1, 1],
  ])('%j: status %i', async (args, status, findings) => {
    // No certificate is in a Deployment, so it is a warning.
    const own = folderWith({
      'a.yaml': application('a').replace('{kind: Secret}', '{group: apps, kind: Deployment}'),
    });
    const result = await lintJson(own, ...args, 'a.yaml');
    expect([result.status, result.document.findings.length]).toEqual([status, findings]);
  });
});

describe('what can’t be judged', () => {
  test('is said with file and line, and the rest is judged', async () => {
    const folder = folderWith({
      'broken.yaml': `${settings}---\na: [1\n---\n${application('c')}`,
      'binary.yaml': Buffer.from([0, 1, 2]),
      'template.yaml': 'apiVersion: v1\nkind: {{ .Values.kind }}\n',
      'bomb.yaml': Array.from(
        { length: 9 },
        (_, at) =>
          `l${at}: &l${at} [${Array(9)
            .fill(at ? `*l${at - 1}` : 1)
            .join()}]\n`,
      ).join(''),
    });
    symlinkSync('loop.yaml', join(folder, 'loop.yaml'));
    mkdirSync(join(folder, 'deep'));
    symlinkSync('..', join(folder, 'deep', 'up'));
    const { status, stderr, document } = await lintJson(folder, '.', 'gone.yaml');
    expect(status).toBe(2);
    expect(document.findings.map(({ file, line }: any) => [file, line])).toEqual([['broken.yaml', 13]]);
    expect(stderr.trimEnd().split('\n')).toEqual([
      'error: loop.yaml: not checked: not readable: a link that leads to itself',
      'error: gone.yaml: not checked: not there',
      'error: binary.yaml: not checked: binary, not text in UTF-8',
      'error: bomb.yaml:1: not checked: aliases that stand for more than 100000 values',
      expect.stringMatching(/^error: broken.yaml:5: not checked: not YAML: /),
      expect.stringMatching(/^error: template.yaml:2: not checked: a template that was never rendered/),
    ]);
    expect(document.unreadable).toHaveLength(6);
  });

  test.each([
    ['an empty folder', {}, 'error: nothing to check\n'],
    [
      'other YAML alone',
      { 'a.yaml': 'a: 1\n' },
      'error: nothing to check: 1 document, and no Kubernetes object among them\n',
    ],
  ])('%s: nothing to check', async (_, files, stderr) => {
    expect(await lint(folderWith(files), '.')).toMatchObject({ status: 2, stderr });
  });

  test('a chart is evaluated by its templates, and that is said', async () => {
    const chart = (template: string) =>
      folderWith({
        'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
        'values.yaml': 'a: 1\n',
        'templates/a.yaml': template,
      });
    const made = await lintJson(chart('kind: Secret\nca: {{ (genCA "ca" 365).Cert }}\n'), '.');
    expect(made.document.findings).toEqual([
      expect.objectContaining({
        rule: 'TLS08',
        file: 'templates/a.yaml',
        line: 2,
        object: expect.objectContaining({ kind: 'Chart', name: 'web' }),
      }),
    ]);
    expect([made.status, made.stderr]).toEqual([
      1,
      expect.stringContaining('chart web: its templates were checked as text only'),
    ]);
    expect(made.document.summary).toMatchObject({ objects: 0, files: 1 });
    const plain = await lint(chart('kind: {{ .Values.kind }}\n'), '.');
    expect(plain).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        'nothing to check: nothing was found in 1 template of a chart that was not rendered',
      ),
    });
  });

  test.each([
    [
      ['a.yaml', '--rule', 'WH99,wh66'],
      '--rule: "WH99": must be the id of a rule: did you mean WH09?\n  --rule: "wh66": must be the id of a rule: did you mean WH06?\n',
    ],
    [['a.yaml', '--rule', 'retries'], 'must be the id of a rule, such as WH06: --list-rules has them all\n'],
    [
      ['--cluster', 'x=a.yaml', 'a.yaml'],
      'PATH: nothing: must be files and folders to check, or - for the standard input: after --cluster every word is a path of it; put the paths first',
    ],
    [
      ['--explain', 'WH06', 'a.yaml'],
      '--explain: "a.yaml": must be the id of a rule: after --explain every word is one, and nothing is checked\n',
    ],
    [['a.yaml', '--fix'], '--out: nothing: must be a folder for the fixed copies'],
    [['a.yaml', '--out', 'x'], '--out: "x": must be left out without --fix'],
    [['a.yaml', '--fix', '--out', '.'], 'and not where the manifests are'],
    [
      ['a.yaml', '--fix', '--out', 'a.yaml/x'],
      '--out: "a.yaml/x": must be a folder; there is a file of that name',
    ],
    [
      ['a.yaml', '--fix', '--out', '/proc/no/x'],
      '--out: "/proc/no/x": must be a folder that can be made and written to (E',
    ],
    [['a.yaml', '--context', 'x'], '--context: "x": must be left out without --kubeconfig'],
    [
      ['a.yaml', '--baseline', '-x'],
      '--baseline: "-x": must be a folder, a file, or a commit that git knows',
    ],
    [['a.yaml', '--baseline', 'no-such-branch'], 'must be a folder, a file, or a commit that git knows'],
    [['-', '--baseline', 'HEAD'], 'must be a folder or a file where the standard input is checked'],
    [['a.yaml', '--config', 'gone'], 'gone: must be a configuration, in YAML; there is no such file'],
    [['a.yaml', '--format', 'xml'], 'Allowed choices are text, json, sarif'],
    [
      ['a.yaml', '--rules', 'none.js'],
      '--rules: "none.js": must be a JavaScript module with rules: Cannot find module',
    ],
    [['a.yaml', '--rules', 'empty.js'], 'rules: must be exported: a rule, or a list of rules'],
    [
      ['a.yaml', '--rules', 'odd.js'],
      'rules[0].id: "GIT01": must be an id that no other rule has\n  rules[0].severity: "fatal"',
    ],
    [['a.yaml', '--rules', 'odd.js'], 'rules[0].otherwise: 2: must be a text, or left out'],
    [[], 'PATH: nothing: must be files and folders to check, or - for the standard input'],
    [['a.yaml', '--list-rules'], 'PATH: "a.yaml": must be left out with --list-rules, which checks nothing'],
    [['--explain', 'WH99'], '--explain: "WH99": must be the id of a rule: did you mean WH09?'],
    [['--explain', 'WH01', '--list-rules'], '--explain: "WH01": must be left out with --list-rules'],
    [['--list-rules', '--format', 'sarif'], '--format: "sarif": must be "text" or "json" with --list-rules'],
    [
      ['--list-rules', '--fix', '--rule', 'WH01'],
      '--fix: true: must be left out with --list-rules, which checks nothing\n  --rule: ["WH01"]: must be left out',
    ],
  ])('%j is refused', async (args, message) => {
    const folder = folderWith({
      'a.yaml': settings,
      'empty.js': '',
      'odd.js': 'exports.rules = [{ id: "GIT01", severity: "fatal", title: "t", why: 1, otherwise: 2 }];',
    });
    git(folder, 'init', '-q');
    const result = await lint(folder, ...args);
    expect(result).toMatchObject({ status: 2, stdout: '' });
    expect(result.stderr).toContain(message);
  });
});

describe('rules', () => {
  const schema = JSON.parse(readFileSync(join(root, 'schemas/lint-rules.json'), 'utf8'));
  const own =
    "exports.rules = { id: 'ACME01', severity: 'info', title: 'Own', why: 'w', fix: 'f', needs: 'before', *check() {} };";

  test('are listed, a line each, with those of a module', async () => {
    const folder = folderWith({ 'own.js': own });
    const result = await lint(folder, '--list-rules', '--rules', 'own.js');
    expect(result).toMatchObject({ status: 0, stderr: '' });
    const lines = result.stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(allRules.length + suppressionRules.length + 1);
    expect(lines).toContain('WH01    error    Catch-all rule with Fail');
    expect(lines).toContain('ACME01  info     Own (with --baseline)');
  });

  test('are explained without a page to open', async () => {
    const result = await lint(folderWith({}), '--explain', 'wh01,Sup01', 'tls01');
    expect(result).toMatchObject({ status: 0, stderr: '' });
    const [first, third, second] = result.stdout.split('\n\n');
    expect(third).toMatch(/\nHow to fix it: .+\nSeverity: an error where Fail refuses pods .+\nTo suppress/);
    expect(first).toMatch(
      /^WH01 {2}error {2}Catch-all rule with Fail\nWhy it hurts: .+\nHow to fix it: .+\nTo suppress it .*cluster-canary\/allow-WH01 /,
    );
    expect(second).toMatch(
      /^SUP01 {2}error .+\nWhy it hurts: .+\nHow to fix it: .+\ndocs\/rules\.md#sup01\n$/,
    );
  });

  test.each([
    [['--list-rules'], allRules.length + suppressionRules.length],
    [['--explain', 'TLS13', 'TLS01'], 2],
  ])('%j as JSON', async (args, count) => {
    const { status, stdout } = await lint(folderWith({}), ...args, '--format', 'json');
    const document = JSON.parse(stdout);
    const fits = new Ajv2020({ strict: false }).compile(schema);
    expect([status, fits(document), fits.errors, document.rules.length]).toEqual([0, true, null, count]);
  });
});

describe('rules of one’s own', () => {
  test('that yield no finding are named, and the others are printed', async () => {
    const own =
      "exports.rules = { id: 'ACME02', severity: 'info', title: 't', why: 'w', fix: 'f', " +
      "*check({ objects }) { for (const object of objects.all) yield { object, message: 'm' }; } };";
    const folder = folderWith({ 'a.yaml': application('a'), 'own.js': own });
    const { status, stderr, stdout } = await lint(folder, 'a.yaml', '--rules', 'own.js');
    expect([status, stderr]).toEqual([
      2,
      'error: the rule ACME02 failed at Application a of a.yaml: a finding needs object, pointer, message: ' +
        'pointer must be a JSON pointer\n',
    ]);
    expect(stdout).toContain('GIT01');
  });

  test('whose link is no text are refused', async () => {
    const own =
      "exports.rules = { id: 'ACME01', severity: 'info', title: 't', why: 'w', fix: 'f', link: 7, check() {} };";
    const folder = folderWith({ 'a.yaml': settings, 'own.js': own });
    const { status, stderr } = await lint(folder, 'a.yaml', '--rules', 'own.js');
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining('rules[0].link: 7: must be a text, or left out'),
    ]);
  });
});

test('findings link to the page of their rule', async () => {
  const folder = folderWith({ 'a.yaml': application('a') });
  const page = 'docs/rules.md#git01';
  const { document } = await lintJson(folder, 'a.yaml', '--rule', 'GIT01');
  expect(document.findings).toEqual([expect.objectContaining({ rule: 'GIT01', link: page })]);
  expect((await lint(folder, 'a.yaml', '--rule', 'GIT01')).stdout).toContain(`\n      ${page}\n`);
});

describe('what is compared with', () => {
  test.each([
    ['an empty folder', 'before'],
    ['a file without an object', 'values.yaml'],
  ])('%s is nothing', async (_, against) => {
    const folder = folderWith({ 'a.yaml': settings, 'values.yaml': 'replicas: 2\n' });
    mkdirSync(join(folder, 'before'));
    expect(await lint(folder, 'a.yaml', '--baseline', against)).toMatchObject({
      status: 2,
      stderr: `error: --baseline ${against}: nothing to compare with: no Kubernetes object is there\n`,
    });
  });
});

describe('suppressions', () => {
  test('of a whole repository say nothing where a part of it is judged', async () => {
    const own =
      "exports.rules = { id: 'ACME01', severity: 'info', title: 't', why: 'w', fix: 'f', *check() {} };";
    const folder = folderWith({
      'a.yaml': settings,
      'b.yaml': application('b'),
      'own.js': own,
      'cluster-canary.yaml':
        'suppress:\n  - { rule: GIT01, file: b.yaml, reason: synced by hand }\n' +
        '  - { rule: ACME01, reason: known }\n  - { rule: WH01 }\nrules: { ACME01: info, SUP01: info }\n',
    });
    const modules = ['--rules', 'own.js'];
    expect(await lint(folder, 'a.yaml', ...modules, '--rule', 'GIT01')).toMatchObject({
      status: 0,
      stderr: '',
    });
    const { status, document } = await lintJson(folder, 'a.yaml', ...modules);
    expect(status).toBe(1);
    expect(document.findings.map(({ rule, severity }: any) => [rule, severity])).toEqual([
      ['SUP02', 'warning'],
      ['SUP01', 'info'],
    ]);
  });

  test('of the configuration in the working folder, which is no manifest itself', async () => {
    const folder = folderWith({
      'a.yaml': application('a'),
      'b.yaml': application('b'),
      'cluster-canary.yaml':
        'suppress:\n  - rule: GIT01\n    file: a.yaml\n    reason: synced by hand\n  - { rule: WH01, reason: gone }\n',
    });
    const { status, stderr, document } = await lintJson(folder, '.');
    expect([status, stderr]).toEqual([1, '']);
    expect(document.findings.map(({ rule, file, line }: any) => [rule, file, line])).toEqual([
      ['GIT01', 'b.yaml', 7],
      ['SUP02', 'cluster-canary.yaml', 5],
    ]);
    expect(document.suppressed).toEqual([
      expect.objectContaining({ file: 'a.yaml', reason: 'synced by hand' }),
    ]);
  });

  test('a configuration with mistakes is refused, all at once', async () => {
    const folder = folderWith({ 'a.yaml': settings, 'own.yaml': 'suppress:\n  - reason: x\nrule: {}\n' });
    expect(await lint(folder, 'a.yaml', '--config', 'own.yaml')).toEqual({
      status: 2,
      stdout: '',
      stderr:
        'error: own.yaml: 2 problems\n' +
        '  own.yaml:2:5 suppress[0].rule: is required: the id of a rule, such as WH03\n' +
        '  own.yaml:3:1 rule: unknown key, did you mean "rules"?; known keys: suppress, rules, kubernetesVersion, harden\n',
    });
  });
});

describe('an older state', () => {
  const rules = `exports.rules = {
    id: 'ACME01', severity: 'error', title: 'Gone', why: 'w', fix: 'f', needs: 'before',
    *check({ objects, before }) {
      console.log('rules may talk');
      for (const object of before.all) {
        if (!objects.find('', object.kind, object.namespace, object.name)) {
          yield { object, pointer: '', message: object.name + ' is gone' };
        }
      }
    },
  };
  console.log('modules may talk');`;
  const old = {
    'app/a.yaml': settings,
    'app/b.yaml': settings.replace('settings', 'old'),
    'other.yaml': settings.replace('settings', 'other'),
  };
  const folder = folderWith({
    ...old,
    'before/a.yaml': settings,
    'before/c.yaml': settings.replace('settings', 'c'),
    'rules.js': rules,
  });

  beforeAll(() => {
    git(folder, 'init', '-q');
    symlinkSync('a.yaml', join(folder, 'app', 'link.yaml'));
    git(folder, 'add', '.');
    git(folder, 'commit', '-q', '-m', 'old');
    execFileSync('rm', [join(folder, 'app/b.yaml')]);
  });

  test.each([
    ['a folder', 'before', ['c is gone'], 'before/c.yaml'],
    ['a commit', 'HEAD', ['old is gone'], 'HEAD:app/b.yaml'],
  ])('from %s', async (_, against, messages, file) => {
    const args = [
      'lint',
      'app',
      '--baseline',
      against,
      '--rules',
      'rules.js',
      '--rule',
      'ACME01',
      '--format',
      'json',
    ];
    const result = await clusterCanary(args, { cwd: folder });
    const { findings } = JSON.parse(result.stdout.slice(result.stdout.indexOf('{')));
    expect(findings.map(({ message }: any) => message)).toEqual(messages);
    expect(findings[0]).toMatchObject({ file, line: 1 });
    expect(result.stderr).toContain('modules may talk\n');
    expect(result.stderr).toContain('rules may talk\n');
    expect(result.stdout.startsWith('{')).toBe(true);
  });

  test('is not there where nobody gives it', async () => {
    const args = ['lint', 'app', '--rules', 'rules.js', '--rule', 'ACME01', '--format', 'json'];
    const document = JSON.parse((await clusterCanary(args, { cwd: folder })).stdout);
    expect(document.skippedRules).toEqual([{ rule: 'ACME01', needs: 'before' }]);
  });
});
