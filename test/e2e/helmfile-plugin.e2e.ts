import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Chart } from 'cdk8s';
import { HelmfilePlugin } from '../../lib/manifests/argocd';
import type { ArgoCd } from './bench/argo-cd';
import { argoCd } from './bench/argo-cd';
import { onCleanUp } from './bench/clean-up';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { eventually } from './bench/eventually';
import { GitRepository } from './bench/git-repository';
import { BenchProcess } from './bench/process';
import { temporaryFolder } from './bench/temporary';
import { programPath } from './tools/go-tools';
import { helmPath } from './tools/other-tools';

let plane: ControlPlane;
let argo: ArgoCd;
let repository: GitRepository;

const lines = (...text: string[]) => `${text.join('\n')}\n`;

const chart = (name: string, template: string) => ({
  [`platform/charts/${name}/Chart.yaml`]: lines('apiVersion: v2', `name: ${name}`, 'version: 1.0.0'),
  [`platform/charts/${name}/templates/object.yaml`]: template,
});

const configMap = lines(
  'apiVersion: v1',
  'kind: ConfigMap',
  'metadata: { name: {{ .Release.Name }} }',
  'data: { color: {{ .Values.color | quote }}, kubernetes: {{ .Capabilities.KubeVersion.Minor | quote }}, argo: {{ .Capabilities.APIVersions.Has "argoproj.io/v1alpha1/Application" | quote }} }',
);

const helmfile = lines(
  'environments:',
  '  default: { values: [{ color: blue }] }',
  '  production: { values: [{ color: green }] }',
  '---',
  'releases:',
  '  - { name: front, namespace: platform, chart: ./charts/colors, values: [{ color: {{ .Values.color }}-{{ requiredEnv "REGION" }}{{ .Values | get "suffix" "" }} }] }',
  '  - { name: cert-manager, namespace: platform, chart: ./charts/colors, values: [{ color: red }] }',
);

beforeAll(async () => {
  const folder = temporaryFolder('plugin');
  ['programs', 'config', 'sockets', 'tmp'].forEach((each) => mkdirSync(join(folder, each)));
  symlinkSync(programPath('helmfile'), join(folder, 'programs', 'helmfile'));
  symlinkSync(helmPath(), join(folder, 'programs', 'helm'));
  const plugin = new HelmfilePlugin(new Chart(new App(), 'plugin'), 'helmfile', {
    image: `registry.example.com/helmfile@sha256:${'a'.repeat(64)}`,
    bootstrapped: ['cert-manager'],
    variables: ['REGION'],
  });
  const { data } = plugin.apiObject.toJson() as { data: Record<string, string> };
  for (const [file, text] of Object.entries(data)) {
    const here = text.replaceAll('/home/argocd/cmp-server/config', join(folder, 'config'));
    writeFileSync(join(folder, 'config', file), here);
  }
  // Both sides look for the plugin's socket there.
  process.env.ARGOCD_PLUGINSOCKFILEPATH = join(folder, 'sockets');
  onCleanUp(() => void delete process.env.ARGOCD_PLUGINSOCKFILEPATH);
  const { env } = plugin.repoServer.container as { env: { name: string; value: string }[] };
  await new BenchProcess({
    name: 'cmp-server',
    folder,
    command: programPath('argocd'),
    args: ['--config-dir-path', join(folder, 'config'), '--loglevel', 'info'],
    env: {
      ...Object.fromEntries(
        env.map(({ name, value }) => [name, value.replace(/^\/tmp/, join(folder, 'tmp'))]),
      ),
      ARGOCD_BINARY_NAME: 'argocd-cmp-server',
      PATH: `${join(folder, 'programs')}:${process.env.PATH}`,
      HOME: join(folder, 'tmp'),
      TMPDIR: join(folder, 'tmp'),
    },
  }).start(() => Promise.resolve(existsSync(join(folder, 'sockets', 'helmfile.sock'))));
  plane = await controlPlane();
  argo = await argoCd(plane, { user: 'admin' });
  repository = new GitRepository();
  repository.commit({ 'platform/helmfile.yaml.gotmpl': helmfile, ...chart('colors', configMap) });
  await plane.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'platform' } },
    {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'platform', namespace: 'argocd' },
      spec: {
        project: 'default',
        source: {
          repoURL: repository.url,
          path: 'platform',
          targetRevision: 'main',
          plugin: {
            env: [
              { name: 'REGION', value: 'eu' },
              { name: 'HELMFILE_ENVIRONMENT', value: 'production' },
              { name: 'HELMFILE_STATE_VALUES', value: 'suffix: "-1"' },
            ],
          },
        },
        destination: { server: 'https://kubernetes.default.svc', namespace: 'platform' },
        // What would make a blank output delete everything.
        syncPolicy: { automated: { prune: true, selfHeal: true, allowEmpty: true } },
      },
    },
  ]);
});

const maps = async () =>
  Object.fromEntries(
    (await plane.api.list('v1', 'ConfigMap', { namespace: 'platform' }))
      .filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
      .map(({ metadata, data }) => [metadata.name, data]),
  );

/** What Argo CD says of the Application that can't be rendered. */
const conditions = async () => JSON.stringify((await argo.application('platform')).status?.conditions ?? []);

/** Publishes files, and has Argo CD look at once. */
async function commit(files: Readonly<Record<string, string>>): Promise<void> {
  repository.commit(files);
  const metadata = { name: 'platform', namespace: 'argocd' };
  await plane.api.patch(
    { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata },
    { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'hard' } } },
  );
}

test('an Application of a helmfile is found, rendered and deployed, without what bootstrap has installed', async () => {
  await argo.synced('platform');
  expect(await maps()).toEqual({ front: { color: 'green-eu-1', kubernetes: '35', argo: 'true' } });
});

test.each([
  ['a chart that fails', chart('colors', '{{ fail "no color is left" }}'), /no color is left/],
  ['nothing', { 'platform/helmfile.yaml.gotmpl': 'releases: []\n' }, /no releases found|rendered nothing/],
  ['empty charts', chart('colors', '\n'), /rendered nothing/],
  [
    'a document that is no object',
    chart('colors', `${configMap}---\npassword: hunter2\n`),
    /line \d+ of what helmfile rendered begins no Kubernetes object, which has apiVersion and kind: password"/,
  ],
])('%s deletes nothing, and Argo CD shows why', async (_what, files, expected) => {
  await commit(files);
  await eventually('the error is shown', async () => {
    const { conditions: shown = [], sync } = (await argo.application('platform')).status ?? {};
    if (!expected.test(JSON.stringify(shown))) {
      throw new Error(JSON.stringify({ shown, sync }));
    }
    return true;
  });
  expect(Object.keys(await maps())).toEqual(['front']);
  await commit({ 'platform/helmfile.yaml.gotmpl': helmfile, ...chart('colors', configMap) });
  await eventually('all is well again', async () => (await conditions()) === '[]');
});
