import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { filesBelow } from './files-below';
import { git, writeFiles } from './lint-repository';
import { folderWith, lint, lintJson, settings } from './lint-folders';
import { main, root } from './run-cli';

/** A webhook whose only replica serves it: with that of another cluster there would be two. */
const gate = `apiVersion: v1
kind: Service
metadata: { name: gate, namespace: gate }
spec: { selector: { app: gate } }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: gate, namespace: gate }
spec:
  replicas: 1
  selector: { matchLabels: { app: gate } }
  template:
    metadata: { labels: { app: gate } }
    spec: { containers: [{ name: gate, image: gate }] }
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: gate }
webhooks:
  - name: gate.example.com
    failurePolicy: Fail
    clientConfig: { service: { name: gate, namespace: gate } }
    rules: [{ apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods] }]
`;
const application = (name: string): string =>
  `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: ${name}
spec:
  ignoreDifferences: [{kind: Secret}]
`;

const replicas = (document: any): readonly string[] =>
  document.findings.filter(({ message }: any) => /only 1 replica/.test(message)).map(({ file }: any) => file);

describe('folders that hold the same objects', () => {
  const folder = folderWith({
    'rendered/blue/gate.yaml': gate,
    'rendered/green/gate.yaml': gate,
    'rendered/shared.yaml': settings,
  });

  test('are clusters, and that is said', async () => {
    const { stderr, document } = await lintJson(folder, 'rendered');
    expect(replicas(document)).toEqual(['rendered/blue/gate.yaml', 'rendered/green/gate.yaml']);
    expect(document.clusters).toEqual([
      { name: 'blue', objects: 3, shared: 1 },
      { name: 'green', objects: 3, shared: 1 },
    ]);
    expect(stderr).toBe(
      'checked as 2 clusters (the same objects come again in other folders or files; ' +
        '--cluster NAME=PATH names those of one):\n' +
        '  blue: 3 objects, and 1 that it shares with others\n  green: 3 objects, and 1 that it shares with others\n',
    );
  });

  test('are one where that is said', async () => {
    const { stderr, document } = await lintJson(folder, 'rendered', '--cluster', 'all=.');
    expect([replicas(document), document.clusters, stderr]).toEqual([[], [], '']);
  });

  test.each([
    [['--cluster', 'eu=rendered/blue', '--cluster', 'us=rendered/green/']],
    [['--cluster', 'eu=./rendered//blue', 'us=rendered/blue/../green/gate.yaml']],
    [['--cluster', `eu=${join(folder, 'rendered/blue')}`, `us=${join(folder, 'rendered/green')}`]],
  ])('have the names of %j', async (args) => {
    const { stdout, stderr } = await lint(folder, 'rendered', ...args);
    expect(stdout.match(/only 1 replica/g)).toHaveLength(2);
    expect(stdout).not.toContain('checked as');
    expect(stderr).toBe(
      'checked as 2 clusters:\n  eu: 3 objects, and 1 that it shares with others\n  us: 3 objects, and 1 that it shares with others\n',
    );
  });

  test('a cluster may have several paths, and the standard input be one', () => {
    const own = folderWith({ 'a/gate.yaml': gate, 'b/settings.yaml': settings });
    const output = execFileSync(
      process.execPath,
      [main, 'lint', 'a', 'b', '-', '--cluster', 'x=a', 'y=-', 'x=b', '--rule', 'WH01', '--format', 'json'],
      { cwd: own, input: gate, encoding: 'utf8' },
    );
    expect(JSON.parse(output).clusters).toEqual([
      { name: 'x', objects: 4, shared: 0 },
      { name: 'y', objects: 3, shared: 0 },
    ]);
  });

  test('a path without a name has its own', async () => {
    const { document } = await lintJson(
      folder,
      'rendered',
      '--cluster',
      'rendered/blue',
      'rendered/green',
      '--rule',
      'WH01',
    );
    expect(document.clusters.map(({ name }: any) => name)).toEqual(['rendered/blue', 'rendered/green']);
  });

  test.each([
    [['--cluster', '=rendered'], '--cluster: "=rendered": must be NAME=PATH, or a PATH'],
    [['--cluster', 'a='], '--cluster: "a=": must be NAME=PATH, or a PATH'],
    [
      ['--cluster', 'a=gone', '--cluster', 'b=other'],
      'lint: 2 problems\n' +
        '  --cluster: "a=gone": must be a file or folder among the PATHs: it does not exist\n' +
        '  --cluster: "b=other": must be a file or folder among the PATHs: no file that is checked is below it',
    ],
    [
      ['--cluster', 'a=rendered', '--cluster', 'b=rendered/blue'],
      '--cluster: "b=rendered/blue": must be apart from the files of a, rendered',
    ],
    [
      ['--cluster', 'a=rendered/blue', 'b=./rendered/blue'],
      'must be apart from the files of a, rendered/blue',
    ],
    [
      ['--kubeconfig', 'gone'],
      '--kubeconfig: "gone": must be left out where several clusters are checked (blue, green): name the paths of one',
    ],
    [
      ['--kubeconfig', '--cluster', 'a=rendered/blue', '--cluster', 'b=rendered/green'],
      'must be left out where several clusters are checked (a, b): name the paths of one',
    ],
    [['--count', '--format', 'sarif'], '--format: "sarif": must be "text" or "json" with --count'],
  ])('%j is refused', async (args, message) => {
    writeFiles(folder, { 'other/a.yaml': settings });
    const result = await lint(folder, 'rendered', ...args);
    expect(result).toMatchObject({ status: 2, stdout: '' });
    expect(result.stderr).toContain(message);
  });

  test('are fixed each', async () => {
    const own = folderWith({ 'in/blue/a.yaml': application('a'), 'in/green/a.yaml': application('a') });
    const result = await lint(own, 'in', '--fix', '--out', 'out', '--cluster', 'x=in/blue', 'y=in/green');
    expect(result.status).toBe(0);
    expect(result.stderr).toContain('fixed: 2 findings in 2 files');
    expect(result.stderr).toContain('checked as 2 clusters:\n  x: 1 object\n  y: 1 object\n');
    expect(Object.values(filesBelow(join(own, 'out')))).toEqual([
      expect.stringContaining('RespectIgnoreDifferences'),
      expect.stringContaining('RespectIgnoreDifferences'),
    ]);
  });
});

describe('before a change', () => {
  const secret = (value: string): string =>
    `apiVersion: v1\nkind: Secret\nmetadata: { name: s, namespace: n }\ntype: Opaque\ndata: { token: ${value} }\n`;
  const [one, other] = [secret('MTIzNDU2Nzg5MDEyMzQ1Ng=='), secret('YWJjZGVmZ2hpamtsbW5vcA==')];
  const folder = folderWith({
    'new/blue/s.yaml': one,
    'new/green/s.yaml': other,
    'same/blue/s.yaml': one,
    'same/green/s.yaml': other,
    'changed/blue/s.yaml': one,
    'changed/green/s.yaml': one,
    'fewer/green/s.yaml': other,
  });
  beforeAll(() => {
    git(folder, 'init', '-q');
    git(folder, 'add', '.');
    git(folder, 'commit', '-q', '-m', 'old');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const named = ['--cluster', 'eu=new/blue', 'us=new/green'];
  test.each([
    ['same', [], []],
    ['same', named, []],
    ['changed', [], ['new/green/s.yaml']],
    ['changed', named, ['new/green/s.yaml']],
    ['fewer', [], []],
    ['fewer', named, []],
    ['HEAD', [], []],
    ['HEAD', named, []],
  ])('each cluster is compared with itself: %s, %j', async (against, args, files) => {
    const { document } = await lintJson(folder, 'new', '--baseline', against, '--rule', 'TLS08', ...args);
    expect(document.findings.map(({ file }: any) => file)).toEqual(files);
  });
});

describe('counts', () => {
  const folder = folderWith({
    ...Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`in/${name}.yaml`, application(name)])),
    'in/settings.yaml': `${settings}a: 1\na: 2\n`,
  });

  test('are printed by rule, with the first places', async () => {
    const { status, stdout } = await lint(folder, 'in', '--count', '--rule', 'GIT01,YAML01');
    expect(status).toBe(1);
    expect(stdout).toMatch(
      new RegExp(
        [
          String.raw`^GIT01  error  4 in 4 objects of 4 files  .+`,
          String.raw`    in/a.yaml:6  Application a /spec/ignoreDifferences.*`,
          String.raw`    in/b.yaml:6  .+`,
          String.raw`    in/c.yaml:6  .+`,
          String.raw`    and 1 more`,
          '',
          String.raw`YAML01  warning  1 in 1 object of 1 file  .+`,
          String.raw`    in/settings.yaml:5  ConfigMap settings`,
          '',
          String.raw`4 errors, 1 warning, 0 infos in 5 objects of 5 files\n$`,
        ].join('\n'),
      ),
    );
  });

  test('are what their schema says, in JSON', async () => {
    const { status, document } = await lintJson(
      folder,
      'in',
      '--count',
      '--cluster',
      'in/a.yaml',
      'in/b.yaml',
    );
    const schema = JSON.parse(readFileSync(join(root, 'schemas/lint-counts.json'), 'utf8')) as object;
    const fits = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    expect([status, fits(document), fits.errors]).toEqual([1, true, null]);
    expect(document).toMatchObject({
      schemaVersion: 1,
      rules: [
        {
          rule: 'GIT01',
          severity: 'error',
          ...{ findings: 4, objects: 4, files: 4 },
          places: [{ file: 'in/a.yaml', line: 6, object: { name: 'a' } }, {}, {}],
        },
        { rule: 'YAML01', severity: 'warning', findings: 1 },
      ],
      summary: { error: 4, warning: 1, objects: 5, files: 5 },
      clusters: [
        { name: 'in/a.yaml', objects: 1, shared: 3 },
        { name: 'in/b.yaml', objects: 1, shared: 3 },
      ],
    });
    expect(fits({ ...document, findings: [] })).toBe(false);
  });

  test('of nothing are the numbers alone', async () => {
    const { status, stdout } = await lint(folder, 'in/a.yaml', '--count', '--rule', 'WH01');
    expect([status, stdout]).toEqual([0, '0 errors, 0 warnings, 0 infos in 1 object of 1 file\n']);
  });
});

test('paths of clusters without manifests are passed over, unless all are', async () => {
  const folder = folderWith({
    'charts/README.md': 'charts',
    'charts/a/settings.yaml': settings,
    'charts/b/settings.yaml': settings,
    'charts/empty/notes.txt': '',
  });
  const paths = ['README.md', 'a', 'b', 'empty'].map((each) => `charts/${each}`);
  const result = await lintJson(folder, 'charts', '--cluster', ...paths);
  expect(result.stderr).toBe(
    '--cluster charts/README.md: passed over: there are no manifests\n' +
      '--cluster charts/empty: passed over: there are no manifests\n' +
      'checked as 2 clusters:\n  charts/a: 1 object\n  charts/b: 1 object\n',
  );
  expect([result.status, result.document.clusters.map(({ name }: any) => name)]).toEqual([
    0,
    ['charts/a', 'charts/b'],
  ]);
  const none = await lint(folder, 'charts', '--cluster', 'charts/README.md', 'charts/empty');
  expect([none.status, none.stdout]).toEqual([2, '']);
  expect(none.stderr).toContain(
    'lint: 2 problems\n  --cluster: "charts/README.md": must be a file or folder among',
  );
  const outside = await lint(folder, 'charts/a', '--cluster', 'charts/a', 'charts/empty');
  expect([outside.status, outside.stderr]).toEqual([2, expect.stringContaining('"charts/empty": must be')]);
});
