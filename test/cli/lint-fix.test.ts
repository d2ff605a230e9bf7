import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from './files-below';
import { git, writeFiles } from './lint-repository';
import { application, folderWith, lint, lintJson, settings } from './lint-folders';

describe('lint --fix', () => {
  test('writes copies of all files, says what it left alone, and evaluates what came out', async () => {
    const files = {
      'in/a.yaml': application('a'),
      'in/deep/b.json': '{"apiVersion":"v1","kind":"Pod"}',
      'in/c.yaml': `${settings}a: 1\na: 2\n`,
    };
    const folder = folderWith(files);
    const result = await lint(folder, 'in', '--fix', '--out', 'out');
    expect(result.status).toBe(1);
    expect(result.stdout).toContain('0 errors, 1 warning, 0 infos');
    expect(result.stderr).toMatch(
      /^fixed: 1 of 2 findings in 1 file; copies of all files are in out, and lines are theirs\n {2}in\/a.yaml:7 GIT01 .*\nleft alone: 1 finding \(YAML01\): no change of the manifest alone is known to be safe\n$/,
    );
    expect(filesBelow(join(folder, 'out'))).toEqual({
      'a.yaml': `${application('a')}  syncPolicy:\n    syncOptions:\n      - RespectIgnoreDifferences=true\n`,
      'c.yaml': files['in/c.yaml'],
      'deep/b.json': files['in/deep/b.json'],
    });
    expect(filesBelow(join(folder, 'in'))['a.yaml']).toBe(files['in/a.yaml']);
    expect((await lint(folder, 'in', '--fix', '--out', 'out')).status).toBe(1);
    writeFiles(folder, { 'out/mine.txt': 'mine' });
    expect(await lint(folder, 'in', '--fix', '--out', 'out')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('and not with mine.txt in it'),
    });
  });

  test('goes on where an earlier run was killed, or another one writes', async () => {
    const folder = folderWith({
      'in/a.yaml': application('a'),
      'out/.cluster-canary-75fd3af4559851d0': 'half',
    });
    expect((await lint(folder, 'in', '--fix', '--out', 'out')).status).toBe(0);
    expect(Object.keys(filesBelow(join(folder, 'out')))).toContain('a.yaml');
    symlinkSync('a.yaml', join(folder, 'out', '.cluster-canary-0123456789abcdef'));
    expect(await lint(folder, 'in', '--fix', '--out', 'out')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('and not with .cluster-canary-0123456789abcdef (no file) in it'),
    });
  });

  test('is of every finding, also of those that are not shown', async () => {
    const ignored = application('a').replace('Secret', 'Gate');
    expect(ignored).not.toBe(application('a'));
    const folder = folderWith({ 'in/a.yaml': `${ignored}---\n${settings}a: 1\na: 2\n` });
    const shown = await lint(folder, 'in', '--min-severity', 'warning', '--rule', 'GIT01');
    expect(shown.stdout).toContain('1 warning');
    const result = await lint(folder, 'in', '--min-severity', 'error', '--fix', '--out', 'out');
    expect(result).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(
        /^fixed: 1 finding in 1 file; copies of all files are in out, and lines are theirs\n {2}in\/a.yaml:\d+ GIT01 .*\n$/,
      ),
    });
    expect(filesBelow(join(folder, 'out'))['a.yaml']).toContain('RespectIgnoreDifferences=true');
  });

  test('says once that nothing was fixed, and why', async () => {
    const folder = folderWith({
      'in/a.yaml': `${settings}a: 1\na: 2\n`,
      'in/b.yaml': `${settings.replace('settings', 'other')}b: 1\nb: 2\n`,
    });
    const result = await lint(folder, 'in', '--fix', '--out', 'out');
    expect(result).toMatchObject({
      status: 1,
      stderr:
        'fixed: 0 of 2 findings; unchanged copies of all files are in out\n' +
        'left alone: 2 findings (2 × YAML01): no change of the manifest alone is known to be safe\n',
    });
  });

  test('two files never become one', async () => {
    const folder = folderWith({ 'x/a.yaml': settings, 'y/a.yaml': settings });
    const result = await lint(folder, 'x', 'y', '--fix', '--out', 'out');
    expect(result).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('another name than x/a.yaml below out/a.yaml'),
    });
    expect(filesBelow(join(folder, 'out'))).toEqual({});
  });
});

describe('a kustomization', () => {
  const gate = (more: string): string => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: gate }
webhooks:
  - name: gate.example.com
${more}`;
  const base = gate(`    clientConfig: { url: 'https://gate.example.com' }
    rules: [{ apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], resources: [gates] }]
    admissionReviewVersions: [v1]
    sideEffects: None
    timeoutSeconds: 3
`);
  const files = {
    'in/base/kustomization.yaml': 'resources: [gate.yaml]\n',
    'in/base/gate.yaml': base,
    'in/over/kustomization.yaml':
      'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [../base]\npatches: [{ path: patch.yaml }, { path: op.yaml, target: { kind: Pod } }]\n',
    'in/over/patch.yaml': gate('    failurePolicy: Ignore\n'),
    'in/over/op.yaml': '- { op: remove, path: /a }\n',
  };
  const note =
    'kustomize: 2 patches of in/over left out: build what has them (kubectl kustomize), and check the output\n';

  test('is evaluated without its patches, which are told', async () => {
    const folder = folderWith(files);
    const { document, stderr } = await lintJson(folder, 'in');
    expect(document.findings.filter(({ file }: any) => file === 'in/over/patch.yaml')).toEqual([]);
    expect([document.summary.error, document.clusters]).toEqual([0, []]);
    expect(stderr).toBe(`${note}skipped: 1 document without apiVersion and kind\n`);
    // By itself it is what somebody asks for.
    const alone = await lintJson(folder, 'in/over/patch.yaml');
    expect(alone.document.summary.error).toBeGreaterThan(0);
  });

  test('has its patches in the copies', async () => {
    const folder = folderWith(files);
    await lint(folder, 'in', '--fix', '--out', 'out');
    expect(Object.keys(filesBelow(join(folder, 'out')))).toEqual(
      expect.arrayContaining(['over/patch.yaml', 'over/op.yaml', 'base/kustomization.yaml']),
    );
  });

  test('is evaluated without them in an older state, too', async () => {
    const rules = `exports.rules = {
      id: 'ACME01', severity: 'error', title: 'Older', why: 'w', fix: 'f', needs: 'before',
      *check({ before }) {
        for (const object of before.all) {
          yield { object, pointer: '', message: 'older' };
        }
      },
    };`;
    const folder = folderWith({ ...files, 'rules.js': rules });
    git(folder, 'init', '-q');
    git(folder, 'add', '.');
    git(folder, 'commit', '-q', '-m', 'old');
    for (const against of ['HEAD', './in']) {
      const flags = ['--baseline', against, '--rules', 'rules.js', '--rule', 'ACME01'];
      const { document } = await lintJson(folder, 'in', ...flags);
      expect(document.findings.map(({ file }: any) => file.replace('HEAD:', ''))).toEqual([
        'in/base/gate.yaml',
        'in/over/kustomization.yaml',
      ]);
    }
  });

  test('of nothing but patches is nothing to check', async () => {
    const folder = folderWith({
      'in/kustomization.yaml': 'patches: [{ path: patch.yaml }]\n',
      'in/patch.yaml': gate('    failurePolicy: Ignore\n'),
    });
    expect(await lint(folder, 'in')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        'error: nothing to check: patches of a kustomization that was not built\n',
      ),
    });
  });
});
