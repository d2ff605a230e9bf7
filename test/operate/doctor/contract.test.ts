import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import schema from '../../../schemas/doctor.json';
import { doctorCommand } from '../../../lib/cli/commands/doctor';
import { bundleKinds } from '../../../lib/core/certificates/ca-bundles';
import type { KubernetesReader } from '../../../lib/core/kubernetes/api';
import { isKubernetesError } from '../../../lib/core/kubernetes/errors';
import type { CheckName, CheckOptions, DoctorCheck } from '../../../lib/operate/doctor';
import { checkNames, doctorChecks, runDoctor } from '../../../lib/operate/doctor';
import { GitHubUnreachable } from '../../../lib/operate/doctor/github/http';
import { Kubelets } from '../clocks/kubelets';
import { pages } from '../../docs/documents';
import { contextOf, finding } from './checks-for-tests';
import { clusterOf } from './cluster-objects';
import { contractProblems } from './contract';
import { leaseOf, readerOf, repoServer, secretOf } from './github-cluster';
import { testKey } from './github-keys';

const kubelets = new Kubelets([{ name: 'node-1', skew: -60 }]);
const silent = () => Promise.resolve({ outcome: 'silent' as const, detail: 'no connection', addresses: [] });
const { apiVersion, kind } = { apiVersion: 'v1', kind: 'Secret' };
const inShop = (name: string) => ({ name, namespace: 'shop' });

/** A webhook whose server can't be reached, with what its pods mount. */
const webhook = [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'gate' },
    webhooks: [{ name: 'gate.example.com', clientConfig: { service: { ...inShop('gate'), port: 443 } } }],
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: inShop('gate'),
    spec: { selector: { app: 'gate' }, ports: [{ port: 443 }] },
  },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...inShop('gate-1'), labels: { 'kubernetes.io/service-name': 'gate' } },
    ports: [{ port: 8443 }],
    endpoints: [{ addresses: ['192.0.2.1'] }],
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...inShop('gate-1'), labels: { app: 'gate' } },
    spec: { volumes: [{ name: 'tls', secret: { secretName: 'gate-tls' } }] },
  },
];

/** A cluster of EKS with a private endpoint. */
const clusterSecret = {
  ...{ apiVersion, kind },
  metadata: { name: 'blue', namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
  data: Object.fromEntries(
    Object.entries({
      name: 'blue',
      server: 'https://0123.gr7.eu-west-1.eks.amazonaws.com',
      config: JSON.stringify({ awsAuthConfig: { clusterName: 'blue' } }),
    }).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  ),
};

const privateCluster: any = () => ({
  eks: () =>
    Promise.resolve({
      describeCluster: () =>
        Promise.resolve({
          cluster: {
            ...{ status: 'ACTIVE', version: '1.35', certificateAuthority: { data: '' } },
            resourcesVpcConfig: { endpointPublicAccess: false, endpointPrivateAccess: true },
          },
        }),
    }),
  ec2: () => Promise.reject(new Error('not asked')),
  close: () => undefined,
});

const app = {
  ...{ url: 'https://github.com/acme/config', githubAppID: '12', githubAppInstallationID: '34' },
  githubAppPrivateKey: testKey().pem,
};

/** A cluster in which each check finds something to look at, and what keeps it on this machine. */
const worlds: Readonly<
  Record<CheckName, { readonly api: KubernetesReader; readonly options: CheckOptions }>
> = {
  clock: { api: kubelets, options: { clock: { wait: kubelets.wait, elapsed: kubelets.elapsed } } },
  github: {
    api: readerOf({
      secrets: [secretOf('config', app)],
      pods: [repoServer('repo-server-1', 'node-1')],
      leases: [leaseOf('node-1', 0)],
    }),
    options: {
      github: { http: { send: () => Promise.reject(new GitHubUnreachable('refused', 'no')) }, env: {} },
    },
  },
  sync: { api: clusterOf([]), options: {} },
  webhooks: { api: clusterOf(webhook), options: { webhooks: { ask: silent } } },
  clusters: {
    api: clusterOf([clusterSecret]),
    options: { clusters: { ask: silent, env: {}, clientsOf: privateCluster } },
  },
};

const rows = pages.flatMap(({ text }) => text.split('\n').filter((line) => line.startsWith('|')));
const page = readFileSync(join(__dirname, '../../../docs/doctor.md'), 'utf8');

/** What the documents say of a check: rows of tables that begin with it, and its section. */
function written(name: string): string {
  const section = page.split(/^## /m).find((each) => each.toLowerCase().startsWith(`${name}\n`)) ?? '';
  return [...rows.filter((row) => row.startsWith(`| \`${name}\` |`)), section].join('\n');
}

test('every check has a cluster in "worlds"', () => {
  expect(Object.keys(worlds).sort()).toEqual([...checkNames].sort());
});

// The test above says which cluster is missing.
const withWorld = checkNames.filter((name) => Object.hasOwn(worlds, name));

describe.each(withWorld.map((name) => [name]))('%s', (name) => {
  const { api, options } = worlds[name];
  const check = doctorChecks([name], options)[0]!;

  test('keeps the contract', async () => {
    expect(check.name).toBe(name);
    expect(await contractProblems(check, api)).toEqual([]);
  });

  test('its options are its own: a key that there is not is refused', () => {
    const wrong = { [name]: { noSuchOption: 1 } } as CheckOptions;
    expect(() => doctorChecks([name], wrong)).toThrow(`${name}.noSuchOption: `);
  });

  test('its options are an object', () => {
    const wrong = { [name]: ['hunter2'] } as CheckOptions;
    expect(() => doctorChecks([name], wrong)).toThrow(`${name}: must be an object with `);
  });

  test('the documents have its row, its section and what it reads', () => {
    expect(page).toMatch(new RegExp(`^\\| \\[\`${name}\`\\]\\(#${name}\\) \\|`, 'm'));
    const bundles = bundleKinds.map((each) => `${each.kind.toLowerCase()}s`);
    const missing = check
      .access('argocd')
      .flatMap(({ resources, resourceNames, verbs }) => [...(resourceNames ?? resources), ...verbs])
      .map((word) => (bundles.includes(word) ? 'caBundle' : word))
      .filter((word) => !new RegExp(`\\b${word}\\b`).test(written(name)));
    expect(missing).toEqual([]);
  });
});

test('every folder of a check is in the registry', () => {
  const folder = join(__dirname, '../../../lib/operate/doctor');
  const found = (readdirSync(folder, { recursive: true }) as string[]).filter((file) =>
    /-check\.ts$/.test(file),
  );
  expect(found.sort()).toEqual(checkNames.map((name) => `${name}/${name}-check.ts`).sort());
});

test('JSON Schema and help have the names of the checks, in their order', () => {
  expect(schema.$defs.name.enum).toEqual(checkNames);
  expect(doctorCommand().helpInformation()).toContain(`Checks: ${checkNames.join(', ')}.`);
});

describe('one that only the test has', () => {
  const nodes = { apiVersion: 'v1', kind: 'Node' };
  const toy: DoctorCheck = {
    name: 'toy',
    title: 'nodes, and nothing else',
    layer: 'nodes',
    access: () => [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }],
    examine: async ({ api }) => {
      try {
        const found = await api.list(nodes);
        return { findings: found.map(() => finding()), looked: `${found.length} nodes`, notChecked: [] };
      } catch (error) {
        if (!isKubernetesError(error, 'denied')) {
          throw error;
        }
        return { findings: [], looked: '', notChecked: [(error as Error).message] };
      }
    },
  };
  const world = clusterOf([{ ...nodes, metadata: { name: 'node-1' } }]);

  test('keeps the contract, and is run among the others', async () => {
    expect(await contractProblems(toy, world)).toEqual([]);
    const { checks, causes } = await runDoctor([toy], contextOf(world));
    expect(checks).toMatchObject([{ id: 'toy', layer: 'nodes', status: 'failed', looked: '1 nodes' }]);
    expect(causes).toMatchObject([{ check: 'toy' }]);
  });

  test.each<[string, Partial<DoctorCheck>, string]>([
    ['a name', { name: 'Toy' }, 'name: '],
    ['a title', { title: 'Two.\nLines.' }, 'title: '],
    ['a layer', { layer: 'cloud' as 'nodes' }, 'layer: '],
    ['no right', { access: () => [] }, 'reads what it does not state: {"verb":"list","resource":"nodes"'],
    [
      'a right in another namespace',
      { access: () => [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'], namespace: 'shop' }] },
      'reads what it does not state: ',
    ],
    [
      'a right to write',
      { access: () => [{ apiGroups: [''], resources: ['nodes'], verbs: ['list', 'delete'] }] },
      'access: ',
    ],
    [
      'a right that is not used',
      { access: () => [{ apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['list'] }] },
      'states what it does not read: list pods',
    ],
    [
      'a failure where the server denies',
      {
        examine: async ({ api }) => ({
          findings: [],
          looked: `${(await api.list(nodes)).length}`,
          notChecked: [],
        }),
      },
      'denied: throws KubernetesError: may not list Node',
    ],
    [
      'silence where the server denies',
      {
        examine: async ({ api }) => {
          await api.list(nodes).catch(() => undefined);
          return { findings: [], looked: '', notChecked: [] };
        },
      },
      'denied: not unknown',
    ],
  ])('%s is told', async (_, spoilt, problem) => {
    expect(await contractProblems({ ...toy, ...spoilt }, world)).toContainEqual(
      expect.stringContaining(problem),
    );
  });
});
