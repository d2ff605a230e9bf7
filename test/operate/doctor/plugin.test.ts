import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import type { KubernetesReader } from '../../../lib/core/kubernetes/api';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import type { PluginRun } from '../../../lib/operate/doctor';
import {
  checkOutput,
  examinePlugin,
  pluginText,
  readPluginConfig,
  runPlugin,
} from '../../../lib/operate/doctor';
import { expanded, pluginEnvironment } from '../../../lib/operate/doctor/plugin/environment';
import { pluginSources } from '../../../lib/operate/doctor/plugin/find-plugins';

const application = (source: object, over: object = {}): any => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'podinfo', namespace: 'argocd' },
  spec: { project: 'apps', destination: { namespace: 'web' }, source, ...over },
  status: { sync: { revision: '37ee0097cf851bc2dd7665fc081bbce61a7e836e' } },
});
const source = {
  repoURL: 'https://github.com/example/config',
  path: 'podinfo',
  targetRevision: 'main',
  plugin: {
    name: 'helmfile-v1',
    env: [
      { name: 'ENVIRONMENT', value: 'prod-$ARGOCD_APP_NAME' },
      { name: 'VAULT_TOKEN', value: 'hunter2' },
    ],
    parameters: [
      { name: 'image-tag', string: '6.14.1' },
      { name: 'db', map: { password: 'hunter2', host: 'db' } },
      { name: 'values', array: ['a.yaml', 'b.yaml'] },
    ],
  },
};
const configText = `
apiVersion: argoproj.io/v1alpha1
kind: ConfigManagementPlugin
metadata: { name: helmfile }
spec:
  version: v1
  init: { command: [sh, -c], args: ['helm repo update'] }
  generate: { command: [sh, -c], args: ['helmfile -q template --token=hunter2hunter2'] }
  discover: { fileName: helmfile.yaml }
`;

describe('the environment', () => {
  const facts = { namespace: 'argocd', kubeVersion: '1.35.4', apiVersions: ['apps/v1', 'v1'] };
  const variables = (of: any, which: object = facts) =>
    pluginEnvironment(of, pluginSources(of)[0]!.field, 0, which as typeof facts);

  test('has what the repository server hands over, in its order', () => {
    const values = variables(application(source)).map(({ name, value }) => `${name}=${value}`);
    expect(values).toEqual([
      'ARGOCD_APP_NAME=podinfo',
      'ARGOCD_APP_NAMESPACE=web',
      'ARGOCD_APP_PROJECT_NAME=apps',
      'ARGOCD_APP_REVISION=37ee0097cf851bc2dd7665fc081bbce61a7e836e',
      'ARGOCD_APP_REVISION_SHORT=37ee009',
      'ARGOCD_APP_REVISION_SHORT_8=37ee0097',
      'ARGOCD_APP_SOURCE_REPO_URL=https://github.com/example/config',
      'ARGOCD_APP_SOURCE_PATH=podinfo',
      'ARGOCD_APP_SOURCE_TARGET_REVISION=main',
      'KUBE_VERSION=1.35.4',
      'KUBE_API_VERSIONS=apps/v1,v1',
      'ARGOCD_ENV_ENVIRONMENT=prod-podinfo',
      'ARGOCD_ENV_VAULT_TOKEN=hunter2',
      'ARGOCD_APP_PARAMETERS=[{"name":"image-tag","string":"6.14.1"},{"map":{"host":"db","password":"hunter2"},"name":"db"},{"array":["a.yaml","b.yaml"],"name":"values"}]',
      'PARAM_IMAGE_TAG=6.14.1',
      'PARAM_DB_PASSWORD=hunter2',
      'PARAM_DB_HOST=db',
      'PARAM_VALUES_0=a.yaml',
      'PARAM_VALUES_1=b.yaml',
    ]);
  });

  test('is shown without secrets', () => {
    const shown = variables(application(source))
      .map((each) => each.shown)
      .join('\n');
    expect(shown).not.toContain('hunter2');
    expect(shown).toContain('6.14.1');
  });

  test('a parameter whose name speaks of a secret hides all that it holds', () => {
    const parameters = [
      { name: 'signing-key', array: ['hunter2'] },
      { name: 'registry-pass', map: { host: 'hunter2' } },
      { name: 'api-key', string: 'hunter2' },
    ];
    const found = variables(application({ ...source, plugin: { parameters } }));
    expect(found.map((each) => each.shown).join('\n')).not.toContain('hunter2');
    expect(found.find(({ name }) => name === 'PARAM_SIGNING_KEY_0')).toMatchObject({ value: 'hunter2' });
  });

  test('says what is not known, and names an Application of another namespace as Argo CD does', () => {
    const elsewhere = {
      ...application(source),
      metadata: { name: 'podinfo', namespace: 'team' },
      status: undefined,
    };
    const found = new Map(variables(elsewhere, { namespace: 'argocd' }).map((each) => [each.name, each]));
    expect(found.get('ARGOCD_APP_NAME')!.value).toBe('team_podinfo');
    for (const name of ['ARGOCD_APP_REVISION', 'KUBE_VERSION', 'KUBE_API_VERSIONS']) {
      expect(found.get(name)).toMatchObject({
        shown: expect.stringMatching(/^\(not known/),
      });
    }
  });

  // As the tests of Go's os.Expand have it.
  test.each([
    ['', ''],
    ['$*', 'all'],
    ['${*}', 'all'],
    ['$1', 'one'],
    ['now is the $HOME', 'now is the here'],
    ['${HOME}x $HOMEx', 'herex '],
    ['$$5', '$5'],
    ['$', '$'],
    ['a $ b', 'a $ b'],
    ['${}', ''],
    ['${', ''],
    ['$none.', '.'],
  ])('%j becomes %j', (text, expected) => {
    expect(
      expanded(
        text,
        new Map([
          ['*', 'all'],
          ['1', 'one'],
          ['HOME', 'here'],
        ]),
      ),
    ).toBe(expected);
  });
});

describe('sources', () => {
  test.each([
    ['the one with a plugin', application(source), [['spec.source', 'helmfile-v1']]],
    ['one that names none', application({ path: 'a', plugin: {} }), [['spec.source', undefined]]],
    ['one that discovery may find', application({ path: 'a' }), [['spec.source', undefined]]],
    ['none that Helm renders', application({ path: 'a', helm: {} }), []],
    [
      'those of several',
      application(
        {},
        {
          sources: [
            { path: 'a', helm: {} },
            { path: 'b', plugin: { name: 'x' } },
          ],
        },
      ),
      [['spec.sources[1]', 'x']],
    ],
    [
      'the dry one',
      application({}, { sourceHydrator: { drySource: { path: 'a', plugin: { name: 'x' } } } }),
      [['spec.sourceHydrator.drySource', 'x']],
    ],
  ])('%s', (_name, of, expected) => {
    expect(pluginSources(of).map(({ path, plugin }) => [path, plugin])).toEqual(expected);
  });
});

describe('the configuration', () => {
  test('is read as Argo CD reads it', () => {
    expect(readPluginConfig(configText, 'plugin.yaml')).toEqual({
      name: 'helmfile-v1',
      init: ['sh', '-c', 'helm repo update'],
      generate: ['sh', '-c', 'helmfile -q template --token=hunter2hunter2'],
      discover: 'a file helmfile.yaml in the path of the source',
      gitCredentials: false,
    });
  });

  test('is refused with everything that is wrong with it', () => {
    expect(() => readPluginConfig('kind: Plugin\nspec: { generate: { args: [a] } }', 'p.yaml')).toThrow(
      /p\.yaml: 3 problems\n.*kind: "Plugin".*\n.*metadata\.name.*\n.*spec\.generate\.command/,
    );
    expect(() => readPluginConfig('a: b: c', 'p.yaml')).toThrow(/must be YAML/);
  });
});

const reader = (objects: Readonly<Record<string, readonly any[] | Error>>): KubernetesReader => ({
  server: 'https://example.com',
  get: ({ metadata }) => {
    const found = (objects.Application as any[] | undefined)?.find(
      (each) => each.metadata.name === metadata.name,
    );
    return found
      ? Promise.resolve(found)
      : Promise.reject(new KubernetesError('notFound', 'no such Application'));
  },
  list: ({ kind }) => {
    const found = objects[kind] ?? [];
    return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
  },
});
const configMap = (data: object) => ({ metadata: { name: 'cmp', namespace: 'argocd' }, data });
const deployment = {
  metadata: { name: 'argocd-repo-server' },
  spec: {
    template: {
      spec: {
        containers: [
          { name: 'repo-server', command: ['argocd-repo-server'] },
          {
            name: 'helmfile',
            image: 'example.com/helmfile:1',
            command: ['/var/run/argocd/argocd-cmp-server'],
          },
        ],
      },
    },
  },
};

describe('in the cluster', () => {
  const request = { application: 'podinfo', namespace: 'argocd' };

  test('command, environment and sidecar are found, and told without secrets', async () => {
    const examined = await examinePlugin(
      reader({
        Application: [application(source)],
        ConfigMap: [
          configMap({ 'helmfile.yaml': configText, 'other.yaml': 'kind: ConfigManagementPlugin', note: 'x' }),
        ],
        Deployment: [deployment],
      }),
      request,
    );
    const text = pluginText(examined);
    expect(text).toContain("generate: sh -c 'helmfile -q template --token=[secret]'");
    expect(text).toContain("init: sh -c 'helm repo update'");
    expect(text).toContain('read from: ConfigMap argocd/cmp, key helmfile.yaml');
    expect(text).toContain('Sidecars of the repository server: helmfile (example.com/helmfile:1)');
    expect(text).toContain('ConfigMap argocd/cmp, key other.yaml: 2 problems');
    expect(text).toContain('ARGOCD_ENV_ENVIRONMENT=prod-podinfo');
    expect(text).not.toContain('hunter2');
  });

  test('what may not be read is told, and the environment is there all the same', async () => {
    const denied = new KubernetesError('denied', 'may not list configmaps', 403);
    const text = pluginText(
      await examinePlugin(reader({ Application: [application(source)], ConfigMap: denied }), request),
    );
    expect(text).toContain('command: not known: no plugin of the name helmfile-v1');
    expect(text).toContain('may not list configmaps');
    expect(text).toContain('ARGOCD_APP_NAME=podinfo');
  });

  test('an Application without a plugin is bad input', async () => {
    const helm = reader({ Application: [application({ path: 'a', helm: {} })] });
    await expect(examinePlugin(helm, request)).rejects.toThrow(
      /application: "podinfo": must be an Application with/,
    );
    await expect(examinePlugin(helm, { ...request, application: 'x' })).rejects.toThrow(
      'no such Application',
    );
  });
});

const object = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n';

describe('what a plugin has written', () => {
  test.each([
    ['an object', object, 1, []],
    ['several, with blank ones between', `---\n${object}---\n# nothing\n---\n${object}---\n`, 2, []],
    ['JSON', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}', 1, []],
    [
      'a List',
      `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A, metadata: {name: a}}\n`,
      1,
      [],
    ],
    ['nothing', '', 0, [[1, /blank output/]]],
    ['blanks', '\n---\n# a comment\n', 0, [[1, /blank output/]]],
    ['a log line before', `Adding repo podinfo https://example.com\n${object}`, 0, [[1, /not YAML/]]],
    [
      'a log line within',
      `${object}---\n${object}Pulled: example.com/x\nIn ./helmfile.yaml: done\n`,
      1,
      [[10, /no field of an object/]],
    ],
    ['a text', 'Error: no such chart', 0, [[1, /has no kind/]]],
    ['one word', '\n\ndone', 0, [[3, /a string/]]],
    ['a list', '- a\n- b\n', 0, [[1, /a list/]]],
    ['values', `${object}---\nimage:\n  repository: podinfo\n`, 1, [[6, /has no kind/]]],
    ['no apiVersion', 'kind: ConfigMap\nmetadata: {name: a}', 0, [[1, /no apiVersion/]]],
    ['no name', 'apiVersion: v1\nkind: ConfigMap', 0, [[1, /no metadata\.name/]]],
    ['behind the dashes', `--- done\n${object}`, 0, [[1, /./]]],
    [
      'a broken indentation',
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n b: c\n`,
      0,
      [[5, /not YAML/]],
    ],
  ] as const)('%s', (_name, output, objects, problems) => {
    const checked = checkOutput(output);
    expect(checked.objects).toBe(objects);
    expect(checked.problems.map(({ line }) => line)).toEqual(problems.map(([line]) => line));
    problems.forEach(([, reason], index) => expect(checked.problems[index]!.reason).toMatch(reason));
  });

  test('any text is evaluated, and lines are lines of it', () => {
    const lines = fc.array(
      fc.oneof(
        fc.constantFrom(...object.split('\n'), '---', '--- x', '- a', 'x: |', '  y', '{', '"'),
        fc.string(),
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(lines, (parts) => {
        const output = parts.join('\n');
        const { objects, problems } = checkOutput(output);
        expect(objects > 0 || problems.length > 0).toBe(true);
        problems.forEach(({ line }) => {
          expect(line).toBeGreaterThan(0);
          expect(line).toBeLessThanOrEqual(output.split('\n').length);
        });
      }),
      { numRuns: 500 },
    );
  });
});

describe('a run', () => {
  let checkout: string;
  let temporary: string;
  const run = (script: string, over: Partial<PluginRun> = {}) =>
    runPlugin({
      config: { generate: ['sh', '-c', script] },
      environment: [
        { name: 'ARGOCD_APP_NAME', value: 'podinfo', shown: 'podinfo' },
        { name: 'ARGOCD_ENV_TOKEN', value: 'hunter2x', shown: '[secret]' },
        { name: 'KUBE_VERSION', shown: '(not known)' },
      ],
      checkout,
      path: 'podinfo',
      surroundings: { ...process.env, KUBECONFIG: '/etc/passwd', EXTRA: 'yes', OTHER: 'no' },
      pass: [],
      timeout: 10_000,
      temporary,
      signal: new AbortController().signal,
      ...over,
    });

  beforeEach(() => {
    checkout = mkdtempSync(join(tmpdir(), 'plugin-test-'));
    temporary = mkdtempSync(join(tmpdir(), 'plugin-test-own-'));
    mkdirSync(join(checkout, 'podinfo'));
    writeFileSync(join(checkout, 'podinfo', 'object.yaml'), object);
  });
  afterEach(() => {
    rmSync(checkout, { recursive: true });
    const left = readdirSync(temporary);
    rmSync(temporary, { recursive: true });
    expect(left).toEqual([]);
  });

  test.each([
    ['a\0hunter2x', /^sh could not be started: ERR_INVALID_ARG_VALUE$/],
    ['x'.repeat(300_000), /^sh could not be started: .*E2BIG/],
  ])(
    'of an Application whose variables no program can get fails, and shows none of them',
    async (value, why) => {
      const { failed } = await run('true', { environment: [{ name: 'PARAM_A', value, shown: '[secret]' }] });
      expect(failed).toEqual({ command: 'generate', why: expect.stringMatching(why) });
      expect(failed!.why).not.toContain('hunter2x');
    },
  );

  test('happens in a copy of the path, with the environment and no credentials of whoever runs it', async () => {
    const outcome = await run('cat object.yaml; rm object.yaml; env >&2', {
      pass: ['EXTRA'],
      config: {
        init: ['sh', '-c', 'echo "# from init" >> object.yaml'],
        generate: ['sh', '-c', 'cat object.yaml; rm object.yaml; env >&2'],
      },
    });
    expect(outcome).toMatchObject({ output: { objects: 1, problems: [] } });
    expect(outcome.failed).toBeUndefined();
    expect(readFileSync(join(checkout, 'podinfo', 'object.yaml'), 'utf8')).toBe(object);
    expect(outcome.stderr).toMatch(/^ARGOCD_APP_NAME=podinfo$/m);
    expect(outcome.stderr).toMatch(/^EXTRA=yes$/m);
    expect(outcome.stderr).toMatch(/^TMPDIR=.*cluster-canary-plugin-/m);
    expect(outcome.stderr).not.toMatch(/KUBECONFIG|OTHER|KUBE_VERSION|hunter2/);
  });

  test('names the line of stdout that is no manifest, without secrets', async () => {
    const { output } = await run('echo "logged in with $ARGOCD_ENV_TOKEN"; cat object.yaml');
    expect(output).toMatchObject({ objects: 0, problems: [{ line: 1, text: 'logged in with [secret]' }] });
  });

  test.each([
    [
      'an exit status',
      'echo no >&2; exit 3',
      { failed: { command: 'generate', why: 'exit status 3' }, stderr: 'no\n' },
    ],
    ['a signal', 'kill -9 $$', { failed: { why: 'SIGKILL ended it' } }],
    [
      'blank output',
      'true',
      { output: { objects: 0, problems: [{ reason: expect.stringContaining('blank') }] } },
    ],
  ])('tells %s', async (_name, script, expected) => {
    expect(await run(script)).toMatchObject(expected);
  });

  test('ends at the first command that fails, and says which', async () => {
    const config = { init: ['sh', '-c', 'exit 4'], generate: ['sh', '-c', 'cat object.yaml'] };
    expect(await run('', { config })).toMatchObject({ failed: { command: 'init', why: 'exit status 4' } });
    const missing = { generate: ['no-such-program-here'] };
    expect(await run('', { config: missing })).toMatchObject({
      failed: { why: 'no-such-program-here is not installed here' },
    });
  });

  test('ends when the time is up, with what it has started', async () => {
    const marker = join(checkout, 'alive');
    const began = Date.now();
    const outcome = await run(`(sleep 1; touch ${marker}) & sleep 5`, { timeout: 40 });
    expect(outcome).toMatchObject({ failed: { why: 'it did not end within 0.04 s' } });
    expect(Date.now() - began).toBeLessThan(2_000);
  });

  test('ends when it is interrupted', async () => {
    const interrupt = new AbortController();
    setTimeout(() => interrupt.abort(new Error('enough')), 30);
    await expect(run('sleep 5 & sleep 5', { signal: interrupt.signal })).rejects.toThrow('enough');
    await expect(run('sleep 5', { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow(
      'before',
    );
  });

  test.each([
    [{ path: '../..' }, /path: "\.\.\/\.\.": must be a folder in/],
    [{ path: 'elsewhere' }, /path: "elsewhere": must be a folder in/],
    [{ checkout: '/no/such/folder' }, /--checkout: "\/no\/such\/folder": must be a folder/],
  ])('refuses %j', async (over, message) => {
    await expect(run('true', over)).rejects.toThrow(message);
  });

  test('does not leave its copy by a link', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'plugin-test-outside-'));
    symlinkSync(outside, join(checkout, 'outside'));
    symlinkSync(join(checkout, 'podinfo'), join(checkout, 'absolute'));
    symlinkSync('podinfo', join(checkout, 'within'));
    for (const path of ['outside', 'absolute']) {
      await expect(run('touch ran', { path })).rejects.toThrow(
        `path: "${path}": must be a folder in ${checkout}; a link leads out of it`,
      );
    }
    expect([readdirSync(outside), readdirSync(join(checkout, 'podinfo'))]).toEqual([[], ['object.yaml']]);
    expect(await run('cat object.yaml', { path: 'within' })).toMatchObject({ output: { objects: 1 } });
    rmSync(outside, { recursive: true });
  });
});
