import { generateKeyPairSync } from 'node:crypto';
import { GitHubStandIn } from '../operate/doctor/github-stand-in';
import { onCleanUp } from './bench/clean-up';
import { startCommand } from './bench/command';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import type { KubernetesObject } from './bench/kubernetes-api';
import { LogKubelet } from './bench/log-kubelet';
import { ShiftedKubelets } from './bench/shifted-kubelets';

/** Skews in seconds, by node; each runs a repo-server. */
const skews: Readonly<Record<string, number>> = { 'node-a': 0, 'node-b': -250, 'node-c': 2 };

const keyOf = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const own = keyOf();
const other = keyOf();
const pemOf = ({ privateKey }: typeof own): string =>
  privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();

const refused = (installation: string): string =>
  `time="2026-03-01T12:00:00Z" level=error msg="finished unary call with code Unknown" error="could not refresh installation id ${installation}'s token: received non 2xx response status \\"401 Unauthorized\\" when fetching https://api.github.com/app/installations/${installation}/access_tokens"\n`;
const fine = 'time="2026-03-01T12:00:00Z" level=info msg="finished unary call with code OK"\n';

let plane: ControlPlane;
let github: GitHubStandIn;
let kubelet: LogKubelet;
let kubelets: ShiftedKubelets;

beforeAll(async () => {
  plane = await controlPlane({ name: 'hub', nodes: 0 });
  github = await GitHubStandIn.start();
  onCleanUp(() => github.stop());
  github.apps = {
    '12': { keys: [own.publicKey], slug: 'deployer', installations: { '34': { account: 'acme' } } },
  };
  kubelets = new ShiftedKubelets(plane.api, 1_000);
  await plane.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } },
    inArgoCd('ConfigMap', 'argocd-tls-certs-cm', { data: { '127.0.0.1': github.authority.certificate } }),
    inArgoCd('ServiceAccount', 'repo-server', {}),
    template('acme', {}),
  ]);
  for (const [name, skew] of Object.entries(skews)) {
    // kwok leaves nodes alone whose Lease somebody else holds, and their pods.
    await kubelets.start(name, skew);
    await plane.addNode(name);
    const pod = await plane.api.create(
      inArgoCd('Pod', `argocd-repo-server-${name.slice(-1)}`, {
        labels: { 'app.kubernetes.io/name': 'argocd-repo-server' },
        spec: {
          nodeName: name,
          serviceAccountName: 'repo-server',
          automountServiceAccountToken: false,
          containers: [{ name: 'argocd-repo-server', image: 'registry.example.com/argocd:1' }],
        },
      }),
    );
    await plane.api.patch(pod, { status: { phase: 'Running' } }, { subresource: 'status' });
  }
  kubelet = await LogKubelet.start(plane);
});

beforeEach(() => {
  kubelet.logs = {};
  kubelet.asked.length = 0;
});

function inArgoCd(
  kind: string,
  name: string,
  {
    labels = {},
    ...fields
  }: { readonly labels?: Readonly<Record<string, string>>; readonly [field: string]: unknown },
): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace: 'argocd', labels },
    ...fields,
  } as KubernetesObject;
}

function template(name: string, fields: Readonly<Record<string, string>>): KubernetesObject {
  return inArgoCd('Secret', name, {
    labels: { 'argocd.argoproj.io/secret-type': 'repo-creds' },
    stringData: {
      url: `${github.url}/acme`,
      githubAppID: '12',
      githubAppInstallationID: '34',
      githubAppPrivateKey: pemOf(own),
      githubAppEnterpriseBaseUrl: github.url,
      ...fields,
    },
  });
}

async function doctor(kubeconfig = plane.kubeconfigFile) {
  const { status, stdout, stderr } = await startCommand(
    {},
    ...['doctor', 'github', '--json', '--kubeconfig', kubeconfig],
  ).result;
  for (const line of [own, other].flatMap((key) => pemOf(key).split('\n').slice(1, -2))) {
    expect(stdout + stderr).not.toContain(line);
  }
  for (const secret of github.secrets) {
    expect(stdout + stderr).not.toContain(secret);
  }
  expect(github.live.size).toBe(0);
  const { checks } = JSON.parse(stdout) as { checks: any[] };
  return { status, check: checks[0] };
}
const causesOf = (check: any): string[] =>
  check.findings.map(({ subject, cause }: any) => `${subject}: ${cause}`).sort();

describe('doctor github', () => {
  test('one node of three is minutes slow: the day that it took to find it is a minute', async () => {
    kubelet.logs = { 'argocd-repo-server-a': fine, 'argocd-repo-server-b': refused('34').repeat(14) + fine };
    const { status, check } = await doctor();
    expect(status).toBe(1);
    expect(causesOf(check)).toEqual(['Node node-b: clock-slow']);
    expect(check.findings[0]).toMatchObject({ severity: 'error', likelihood: 'certain' });
    const [clock, simulated, pod, ...others] = check.findings[0].evidence;
    expect(clock).toMatch(/^its clock is 4 min (9|10|11) s slow$/);
    expect(simulated).toMatch(/^a token that was requested by its clock: 401 "'Expiration time' claim/);
    expect(pod).toBe(
      'argocd-repo-server-b on node-b: 14 lines with 401 (installations 34) in the last 60 min',
    );
    expect(others.join('\n')).toMatch(/on node-a: no line with 401.*right to the second\non node-c: no line/);
    expect(kubelet.asked).toContain(
      '/containerLogs/argocd/argocd-repo-server-b/argocd-repo-server?limitBytes=8388608&sinceSeconds=3600&tailLines=20000',
    );
  });

  test('with the clock set, all is well', async () => {
    kubelets.set('node-b', 0);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    const { status, check } = await doctor();
    expect(check.notChecked ?? []).toEqual([]);
    expect([status, check.status]).toEqual([0, 'passed']);
  });

  test('Secrets that are wrong in a way each', async () => {
    await plane.apply([
      template('wrong-key', { githubAppPrivateKey: pemOf(other) }),
      template('wrong-app', { githubAppID: '99' }),
      template('wrong-installation', { githubAppInstallationID: '35' }),
      template('cut', { githubAppPrivateKey: pemOf(own).slice(0, 900) }),
      template('fraction', { githubAppInstallationID: '2.636044e+07' }),
    ]);
    const { status, check } = await doctor();
    expect([status, check.status]).toEqual([1, 'failed']);
    expect(causesOf(check)).toEqual([
      'Secret argocd/cut: key-truncated',
      'Secret argocd/fraction: malformed-id',
      'Secret argocd/wrong-app: wrong-app',
      'Secret argocd/wrong-installation: wrong-installation',
      'Secret argocd/wrong-key: wrong-key',
    ]);
  });

  test('who may not read Secrets sees the logs, and who may not read logs sees the Secrets', async () => {
    const rbac = 'rbac.authorization.k8s.io/v1';
    const rights: Readonly<Record<string, object[]>> = {
      'log-reader': [{ apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list'] }],
      'secret-reader': [
        { apiGroups: [''], resources: ['pods', 'secrets', 'configmaps'], verbs: ['get', 'list'] },
      ],
    };
    kubelet.logs = { 'argocd-repo-server-c': refused('34') };
    const seen: Record<string, { causes: string[]; notChecked: string[] }> = {};
    for (const [user, rules] of Object.entries(rights)) {
      const metadata = { name: user, namespace: 'argocd' };
      await plane.apply([
        { apiVersion: rbac, kind: 'Role', metadata, rules },
        {
          ...{ apiVersion: rbac, kind: 'RoleBinding', metadata },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: user },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
        },
      ] as KubernetesObject[]);
      const { check } = await doctor(await plane.kubeconfigFor(user, ['system:authenticated']));
      seen[user] = { causes: causesOf(check), notChecked: check.notChecked };
    }
    expect(seen['log-reader']!.causes).toEqual(['Node node-c: refused-on-one-node']);
    expect(seen['log-reader']!.notChecked.join('\n')).toMatch(/verb "list" on resource "secrets"/);
    expect(seen['log-reader']!.notChecked.join('\n')).toMatch(/verb "get" on resource "leases"/);
    expect(seen['secret-reader']!.causes).toHaveLength(5);
    expect(seen['secret-reader']!.notChecked.join('\n')).toMatch(/verb "get" on resource "pods\/log"/);
  });
});
