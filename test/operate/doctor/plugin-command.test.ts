import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020';
import type { PlainServer } from '../../core/kubernetes/plain-server';
import { plainServer } from '../../core/kubernetes/plain-server';
import { plugin } from '../../../lib/cli/actions/doctor-plugin';
import type { PluginFlags } from '../../../lib/cli/actions/doctor-plugin';
import schema from '../../../schemas/doctor-plugin.json';

const folder = mkdtempSync(join(tmpdir(), 'doctor-plugin-'));
const kubeconfig = join(folder, 'kubeconfig');
let server: PlainServer;

const generate = `apiVersion: argoproj.io/v1alpha1
kind: ConfigManagementPlugin
metadata: { name: bench }
spec: { generate: { command: [sh, -c, 'echo "$ARGOCD_ENV_NOTE"; cat object.json'] } }
`;
const application = (name: string, note: string, plugin = 'bench') => ({
  metadata: { name, namespace: 'argocd' },
  spec: {
    project: 'default',
    destination: { namespace: 'web' },
    source: { repoURL: 'x', path: 'web', plugin: { name: plugin, env: [{ name: 'NOTE', value: note }] } },
  },
});
const resources = (...kinds: readonly string[]) => ({
  resources: kinds.map((kind) => ({ kind, name: `${kind.toLowerCase()}s`, namespaced: true })),
});
const answers: Readonly<Record<string, object>> = {
  '/api/v1': resources('ConfigMap'),
  '/apis/apps/v1': resources('Deployment'),
  '/apis/argoproj.io/v1alpha1': resources('Application'),
  '/apis/apps/v1/namespaces/argocd/deployments': { items: [] },
  '/api/v1/namespaces/argocd/configmaps': {
    items: [{ metadata: { name: 'cmp' }, data: { 'plugin.yaml': generate } }],
  },
  '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/good': application('good', '# fine'),
  '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/bad': application('bad', 'Adding repo'),
  '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/other': application('other', '', 'other'),
};

beforeAll(async () => {
  mkdirSync(join(folder, 'checkout', 'web'), { recursive: true });
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  writeFileSync(join(folder, 'checkout', 'web', 'object.json'), JSON.stringify(object));
  writeFileSync(join(folder, 'plugin.yaml'), generate.replace('name: bench', 'name: other'));
  server = await plainServer(({ url = '' }, response) => {
    const answer = answers[url.split('?')[0]!];
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { kind: 'Status', message: 'there is none', reason: 'NotFound' }));
  }, kubeconfig);
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});
afterEach(() => {
  jest.restoreAllMocks();
  process.exitCode = 0;
});

async function run(name: string, flags: Partial<PluginFlags> = {}) {
  let printed = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text: any, done: any) => {
    printed += text;
    done?.();
    return true;
  });
  await plugin(name, { namespace: 'argocd', kubeconfig, ...flags });
  return { printed, status: process.exitCode };
}
const checkout = join(folder, 'checkout');

test.each<[string, string, Partial<PluginFlags>, number, string]>([
  ['only prints', 'good', {}, 0, 'generate: sh -c \'echo "$ARGOCD_ENV_NOTE"; cat object.json\''],
  ['runs', 'good', { checkout, run: true }, 0, 'ran: well, 1 objects'],
  ['runs what is wrong', 'bad', { checkout, run: true }, 1, 'stdout, line 1: not a Kubernetes object'],
  ['does not find the plugin', 'other', {}, 1, 'no plugin of the name other; found were bench'],
  [
    'takes a file instead',
    'other',
    { checkout, run: true, pluginFile: join(folder, 'plugin.yaml') },
    0,
    'read from: the given configuration',
  ],
])('%s', async (_name, name, flags, status, text) => {
  const result = await run(name, flags);
  expect(result.status).toBe(status);
  expect(result.printed).toContain(text);
});

test.each([
  ['good', {}],
  ['good', { run: true, checkout }],
  ['bad', { run: true, checkout }],
  ['other', {}],
])('the document of %s %j is as its schema says', async (name, flags) => {
  const { printed } = await run(name, { ...flags, json: true });
  const validate = new Ajv({ allowUnionTypes: true }).compile(schema);
  validate(JSON.parse(printed));
  expect(validate.errors).toBeNull();
});

test('everything that is wrong with the arguments is told at once', async () => {
  await expect(run('No!', { namespace: 'No', run: true, passEnv: ['A', '9'] })).rejects.toMatchObject({
    name: 'InvalidInput',
    problems: [
      { path: 'application' },
      { path: '--namespace' },
      { path: '--run' },
      { path: '--pass-env', value: '9' },
    ],
  });
});

test('no such Application, no such file, and a plugin that is not known can’t be run', async () => {
  await expect(run('none')).rejects.toMatchObject({ name: 'KubernetesError', reason: 'notFound' });
  await expect(run('good', { pluginFile: join(folder, 'none') })).rejects.toThrow(
    /none: must be a plugin's configuration, in YAML; there is no such file/,
  );
  await expect(run('other', { run: true, checkout })).rejects.toThrow(
    /spec\.source: "other": must be of a plugin whose configuration is known \(bench\), or --plugin-file/,
  );
});
