import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Chart, Testing } from 'cdk8s';
import * as fc from 'fast-check';
import { parse, stringify } from 'yaml';
import { Application, HelmfilePlugin, helmfilePluginValues } from '../../../lib/manifests/argocd';
import { generateScript } from '../../../lib/manifests/argocd/helmfile-plugin/sidecar';

const image = `registry.example.com/helmfile@sha256:${'a'.repeat(64)}`;
const pluginOf = (props: any = {}) =>
  new HelmfilePlugin(new Chart(Testing.app(), 'plugin'), 'helmfile', { image, bootstrapped: [], ...props });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'helmfile-plugin-test-'));
  mkdirSync(join(folder, 'tmp'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the script with a helmfile that writes down its arguments and does what it is told. */
function run(
  helmfile: { prints?: string; says?: string; status?: number; does?: string },
  env: Record<string, string> = {},
  settings: any = {},
) {
  writeFileSync(join(folder, 'output'), helmfile.prints ?? 'apiVersion: v1\nkind: ConfigMap\n');
  const lines = [
    '#!/bin/sh',
    `for each in "$@"; do printf '%s\\n' "$each"; done > '${folder}/arguments'`,
    `for each in "$@"; do case $each in *values.yaml) cat "$each" >> '${folder}/values';; esac; done`,
    `printf '%s' "$REGION" > '${folder}/region'`,
    helmfile.does ?? '',
    `cat '${folder}/output'`,
    `echo '${helmfile.says ?? 'Templating release=web'}' >&2`,
    `exit ${helmfile.status ?? 0}`,
  ];
  writeFileSync(join(folder, 'helmfile'), lines.join('\n'), { mode: 0o755 });
  const { status, stdout, stderr } = spawnSync(
    'sh',
    ['-c', generateScript({ bootstrapped: [], variables: [], ...settings })],
    {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: `${folder}:${process.env.PATH}`, TMPDIR: join(folder, 'tmp'), ...env },
    },
  );
  const file = (name: string) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '';
  const args = file('arguments').trimEnd().split('\n');
  return { status, stdout, stderr, args, values: file('values'), region: file('region') };
}

test('what is right is printed as it is, and what helmfile says stays apart', () => {
  const prints =
    '---\n# Source: web\napiVersion: v1\nkind: ConfigMap\ndata:\n  a: "\\n $x `y` \\\\"\n\n---\n\n';
  const { status, stdout, stderr, args } = run({ prints, says: 'Templating release=web' });
  expect([status, stdout, stderr]).toEqual([0, `${prints.trimEnd()}\n`, 'Templating release=web\n']);
  expect(args).toEqual(['--no-color', 'template', '--include-crds', '--skip-tests']);
  expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
});

test.each([
  [
    'helmfile failed',
    { status: 3, says: 'err: no releases' },
    /err: no releases\n.*helmfile template ended with status 3/,
  ],
  ['failed after it had printed', { status: 1, prints: 'apiVersion: v1\nkind: A\n' }, /ended with status 1/],
  ['was killed', { does: 'kill -9 $$' }, /ended with status 137/],
  ['printed nothing', { prints: '' }, /rendered nothing/],
  ['printed blank lines', { prints: '\n \n\t\n' }, /rendered nothing/],
  ['printed separators and comments', { prints: '---\n# Source: a\n---\n---\n' }, /rendered nothing/],
])('nothing is printed where helmfile %s', (_what, helmfile, expected) => {
  const { status, stdout, stderr } = run(helmfile);
  expect([status === 0, stdout, stderr]).toEqual([false, '', expect.stringMatching(expected)]);
  expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
});

const good = 'apiVersion: v1\nkind: ConfigMap\n';

test.each([
  [
    'a text',
    `${good}---\nWARNING this chart is old\n${good}`,
    'line 4 .* not part of a Kubernetes object: WARNING this chart is old',
  ],
  [
    'a text before the objects',
    `Pulled registry.example.com/a:1\n${good}`,
    'line 1 .* Pulled registry.example.com/a',
  ],
  ['values', `${good}---\n\npassword: hunter2\n`, 'line 5 .* begins no Kubernetes object.*: password'],
  ['an object without a kind', 'apiVersion: v1\nmetadata: {}\n', 'line 1 .* begins no Kubernetes object'],
  ['an error in JSON', `{"error": "x"}\n`, 'line 1 .* begins no Kubernetes object'],
  ['a long text', `${'word '.repeat(30)}\n`, `line 1 .*: (word ){8}\n`],
])(
  '%s among the objects is refused with its line, and without what may be secret',
  (_what, prints, expected) => {
    const { status, stdout, stderr } = run({ prints });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(new RegExp(expected));
    expect(stderr).not.toContain('hunter2');
  },
);

test.each([
  ['JSON', '{"apiVersion": "v1", "kind": "ConfigMap"}\n'],
  [
    'JSON over lines',
    `${JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' } }, undefined, 2)}\n`,
  ],
  ['lists at the margin', 'kind: Role\napiVersion: v1\nrules:\n- apiGroups: [""]\n-\n  verbs: []\n'],
  [
    'text blocks',
    'apiVersion: v1\nkind: ConfigMap\ndata:\n  script: |\n    no: colon\n\n    END_OF_OBJECTS\n    # x\n...\n',
  ],
  ['no last line break', 'apiVersion: v1\nkind: ConfigMap'],
])('%s is an object', (_what, prints) => {
  const { status, stdout, stderr } = run({ prints });
  expect([stderr, status, stdout]).toEqual([expect.anything(), 0, `${prints.trimEnd()}\n`]);
});

test('any objects that YAML writes are let through', () => {
  const text = fc.stringMatching(/^[ -~\n]{0,30}$/);
  const object = fc.record({
    apiVersion: fc.constant('v1'),
    kind: fc.constant('ConfigMap'),
    metadata: fc.record({ name: text, annotations: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), text) }),
    list: fc.array(fc.record({ a: text, b: fc.array(text) })),
  });
  fc.assert(
    fc.property(fc.array(object, { minLength: 1, maxLength: 4 }), (objects) => {
      const prints = objects.map((each) => `---\n${stringify(each)}`).join('');
      const { stderr, stdout, status } = run({ prints });
      expect([stderr, status]).toEqual([stderr, 0]);
      expect(stdout).toBe(`${prints.replace(/\n+$/, '')}\n`);
    }),
    { numRuns: 15 },
  );
});

test('what bootstrap has installed is left out of every selector', () => {
  const settings = { bootstrapped: ['cert-manager', 'argocd'] };
  const excluded = 'name!=cert-manager,name!=argocd';
  expect(run({}, {}, settings).args).toEqual(expect.arrayContaining(['--selector', excluded]));
  const { args } = run({}, { ARGOCD_ENV_HELMFILE_SELECTORS: 'tier=front  tier=*' }, settings);
  expect(args.filter((_, position) => args[position - 1] === '--selector')).toEqual([
    `tier=front,${excluded}`,
    `tier=*,${excluded}`,
  ]);
  expect(run({}, { ARGOCD_ENV_HELMFILE_SELECTORS: 'a=b' }).args).toEqual(
    expect.arrayContaining(['--selector', 'a=b']),
  );
});

test('an Application says environment, file and values; text of its own is never run', () => {
  const evil = `'; touch ${folder}/evil; $(touch ${folder}/evil) \`touch ${folder}/evil\``;
  const { args, values } = run(
    {},
    {
      ARGOCD_ENV_HELMFILE_ENVIRONMENT: evil,
      ARGOCD_ENV_HELMFILE_FILE: 'apps/helmfile.yaml',
      ARGOCD_ENV_HELMFILE_STATE_VALUES: `a: "${evil.replaceAll('\\', '')}"`,
      ARGOCD_ENV_HELMFILE_VALUES: 'b: 1',
      ARGOCD_ENV_HELMFILE_SELECTORS: 'a=$(touch evil)',
      KUBE_VERSION: '1.35.0',
      KUBE_API_VERSIONS: 'v1,apps/v1',
    },
    { environment: 'staging' },
  );
  expect(existsSync(join(folder, 'evil'))).toBe(false);
  expect(args.slice(0, 5)).toEqual(['--no-color', '--file', 'apps/helmfile.yaml', '--environment', evil]);
  expect(args).toEqual(
    expect.arrayContaining(['--kube-version', '1.35.0', '--template-args=--api-versions=v1,apps/v1']),
  );
  expect(values).toBe(`a: "${evil}"\nb: 1\n`);
  expect(run({}, {}, { environment: 'staging' }).args.slice(1, 3)).toEqual(['--environment', 'staging']);
});

test.each([
  '/etc/helmfile.yaml',
  '../other/helmfile.yaml',
  'a/../../b',
  'git::https://example.com/a@b',
  '..',
])('the file %s is not below the Application', (file) => {
  const { status, stdout, stderr } = run({}, { ARGOCD_ENV_HELMFILE_FILE: file });
  expect([status, stdout, stderr]).toEqual([
    1,
    '',
    expect.stringContaining('HELMFILE_FILE must be a path below'),
  ]);
});

test('variables are handed on by name, and only those', () => {
  expect(run({}, { ARGOCD_ENV_REGION: 'eu $(x)' }).region).toBe('');
  expect(run({}, { ARGOCD_ENV_REGION: 'eu $(x)' }, { variables: ['REGION'] }).region).toBe('eu $(x)');
  expect(run({}, { REGION: 'own' }, { variables: ['REGION'] }).region).toBe('own');
});

test('the sidecar is as Argo CD wants it, and can do nothing else', () => {
  const plugin = pluginOf({
    bootstrapped: ['cert-manager'],
    timeoutSeconds: 300,
    restricted: true,
    env: { AWS_REGION: 'eu-west-1' },
  });
  const { container, volumes, podAnnotations } = plugin.repoServer as any;
  expect(container).toMatchObject({
    image,
    command: ['/var/run/argocd/argocd-cmp-server'],
    securityContext: {
      runAsUser: 999,
      runAsNonRoot: true,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  });
  expect(container.volumeMounts).toEqual([
    { name: 'var-files', mountPath: '/var/run/argocd' },
    { name: 'plugins', mountPath: '/home/argocd/cmp-server/plugins' },
    ...['plugin.yaml', 'generate.sh'].map((file) => ({
      name: 'helmfile-plugin',
      mountPath: `/home/argocd/cmp-server/config/${file}`,
      subPath: file,
    })),
    { name: 'helmfile-plugin-tmp', mountPath: '/tmp' },
  ]);
  expect(volumes).toEqual([
    { name: 'helmfile-plugin', configMap: { name: 'helmfile-plugin' } },
    { name: 'helmfile-plugin-tmp', emptyDir: {} },
  ]);
  expect(container.env).toEqual(
    expect.arrayContaining([
      { name: 'ARGOCD_EXEC_TIMEOUT', value: '300s' },
      { name: 'HELMFILE_DISABLE_INSECURE_FEATURES', value: 'true' },
      { name: 'AWS_REGION', value: 'eu-west-1' },
    ]),
  );
  expect(plugin.chartValues()).toEqual({
    repoServer: { extraContainers: [container], volumes, podAnnotations },
    configs: {
      params: {
        'server.repo.server.timeout.seconds': '300',
        'controller.repo.server.timeout.seconds': '300',
      },
    },
  });
  expect(plugin.repoServerPatch()).toMatchObject({
    kind: 'Deployment',
    spec: {
      template: { spec: { containers: [container], volumes }, metadata: { annotations: podAnnotations } },
    },
  });
  const values: any = helmfilePluginValues({ image, bootstrapped: ['cert-manager'], timeoutSeconds: 300 });
  expect(values.extraObjects).toEqual([plugin.apiObject.toJson()]);
  expect(values.repoServer.podAnnotations).toEqual(podAnnotations);
  // The chart hands it to Helm's templates.
  expect(JSON.stringify(values)).not.toContain('{{');
});

test('the definition is what Argo CD reads; another script starts the pod anew', () => {
  const chart = new Chart(Testing.app(), 'plugin');
  const plugin = new HelmfilePlugin(chart, 'helmfile', { image, bootstrapped: ['cert-manager'] });
  const [configMap] = Testing.synth(chart);
  expect(configMap).toMatchObject({
    kind: 'ConfigMap',
    metadata: { name: 'helmfile-plugin', namespace: 'argocd' },
  });
  expect(parse(configMap.data['plugin.yaml'])).toEqual({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ConfigManagementPlugin',
    metadata: { name: 'helmfile' },
    spec: {
      generate: { command: ['sh', '/home/argocd/cmp-server/config/generate.sh'] },
      discover: { fileName: 'helmfile.*' },
    },
  });
  expect(configMap.data['generate.sh']).toBe(
    generateScript({ bootstrapped: ['cert-manager'], variables: [] }),
  );
  expect(plugin.repoServer.podAnnotations).not.toEqual(pluginOf().repoServer.podAnnotations);
  expect(pluginOf().repoServer.podAnnotations).toEqual(pluginOf().repoServer.podAnnotations);
  const named = pluginOf({ discover: false, name: 'platform' });
  expect([named.pluginName, named.chartValues().configs]).toEqual(['platform', undefined]);
  expect(parse((named.apiObject.toJson() as any).data['plugin.yaml']).spec.discover).toBeUndefined();
});

test('all that is wrong at once', () => {
  const wrong = {
    image: 'helmfile:latest',
    name: 'A',
    namespace: 'B',
    environment: "a'b",
    bootstrapped: ['ok', "x' evil"],
    variables: ['REGION', 'PATH', 'LD_PRELOAD', 'a-b'],
    discover: '{{ x }}',
    timeoutSeconds: 5,
    env: { TOKEN: '{{ secret }}', PASSWORD: 'hunter2' },
  };
  expect(() => pluginOf(wrong)).toThrow(
    /image: [^]*name: "A"[^]*namespace: "B"[^]*environment: [^]*bootstrapped\[1\]: [^]*variables\[1\]: "PATH"[^]*variables\[2\][^]*variables\[3\][^]*discover: [^]*timeoutSeconds: 5[^]*env\.TOKEN: must be a text[^]*env\.PASSWORD: must be left out/,
  );
});

const applicationWith = (source: any) => {
  const chart = new Chart(Testing.app(), 'application');
  new Application(chart, 'platform', {
    name: 'platform',
    project: 'apps',
    source: { repoURL: 'https://github.com/example/platform', path: '.', ...source },
    destination: { name: 'blue', namespace: 'platform' },
  });
  return Testing.synth(chart)[0];
};

test('an Application names the plugin, with variables and parameters', () => {
  const plugin = {
    name: 'helmfile',
    env: [{ name: 'REGION', value: '' }],
    parameters: [{ name: 'files', array: ['a'] }],
  };
  expect(applicationWith({ plugin }).spec.source).toMatchObject({ path: '.', plugin });
  expect(applicationWith({ plugin: {} }).spec.source.plugin).toEqual({});
});

test.each([
  [{ plugin: { name: '' } }, /source\.plugin\.name/],
  [{ plugin: { env: [{ name: '', value: 'x' }] } }, /source\.plugin\.env\[0\]\.name/],
  [{ plugin: { parameters: [{ name: 'a', string: 'b', array: [] }] } }, /source\.plugin\.parameters\[0\]/],
  [{ plugin: {}, helm: {} }, /at most one of "directory", "kustomize", "helm", "plugin"/],
  [
    { plugin: {}, path: undefined, chart: 'a', targetRevision: '1.0.0' },
    /source\.plugin: conflicts with chart/,
  ],
])('%j is refused', (source, expected) => {
  expect(() => applicationWith(source)).toThrow(expected);
});
