import { App, Chart } from 'cdk8s';
import { manifestYaml } from '../../lib/bridge';
import { AppProject, ApplicationSet, ClusterSecret, Repository, generators } from '../../lib/gitops';
import { standbyApplicationSet } from '../../lib/hubs';
import type { ArgoCd } from './bench/argo-cd';
import { argoCd } from './bench/argo-cd';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { objectsIn } from './bench/crds';
import { credentialProgram } from './bench/credential-program';
import { eventually } from './bench/eventually';
import { GitRepository } from './bench/git-repository';

const deployment = (replicas: number): string =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'podinfo' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'podinfo' } },
      template: {
        metadata: { labels: { app: 'podinfo' } },
        spec: { containers: [{ name: 'podinfo', image: 'registry.example.com/podinfo:test' }] },
      },
    },
  });

describe('a hub and a target', () => {
  let hub: ControlPlane;
  let target: ControlPlane;
  let argo: ArgoCd;
  let repository: GitRepository;
  const replicas = async (): Promise<number> =>
    (
      await target.api.get({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'podinfo', namespace: 'podinfo' },
      })
    ).spec.replicas as number;
  const projectAndSet = (standby = false) => {
    const chart = new Chart(new App(), 'hub');
    const set = {
      name: 'podinfo',
      generators: [generators.clusters({ selector: { matchLabels: { env: 'production' } } })],
      template: {
        metadata: { name: '{{.nameNormalized}}-podinfo' },
        spec: {
          project: 'apps',
          source: { repoURL: repository.url, path: 'podinfo', targetRevision: 'main' },
          destination: { name: '{{.name}}', namespace: 'podinfo' },
          syncPolicy: {
            automated: { prune: true, selfHeal: true },
            syncOptions: ['CreateNamespace=true' as const],
          },
        },
      },
    };
    new AppProject(chart, 'project', {
      name: 'apps',
      sourceRepos: [repository.url],
      destinations: [{ server: '*', namespace: 'podinfo' }],
      clusterResourceWhitelist: [{ group: '', kind: 'Namespace' }],
    });
    new ApplicationSet(chart, 'set', standby ? standbyApplicationSet(set) : set);
    return objectsIn(manifestYaml(chart));
  };

  beforeAll(async () => {
    [hub, target] = await Promise.all([controlPlane({ name: 'hub' }), controlPlane({ name: 'apps-blue' })]);
    argo = await argoCd(hub);
    repository = new GitRepository();
    repository.commit({ 'podinfo/deployment.yaml': deployment(2) });
  });

  test('a cluster that is registered with the label gets its Application, and the objects appear there', async () => {
    const chart = new Chart(new App(), 'cluster');
    new Repository(chart, 'repository', { name: 'config', url: repository.url });
    new ClusterSecret(chart, 'blue', {
      name: 'apps-blue',
      labels: { env: 'production' },
      server: target.server,
      config: {
        // There is no AWS here: a program of the bench hands out the client certificate, as argocd-k8s-auth would a token.
        execProviderConfig: { command: await credentialProgram(target, 'argocd-hub') },
        tlsClientConfig: { caData: Buffer.from(target.certificateAuthority).toString('base64') },
      },
    });
    for (const object of [...objectsIn(manifestYaml(chart)), ...projectAndSet()]) {
      await hub.api.apply(object);
    }
    const application = await argo.synced('apps-blue-podinfo');
    expect(application.spec.destination).toEqual({ name: 'apps-blue', namespace: 'podinfo' });
    expect(await replicas()).toBe(2);
    const writes = target.audit({ user: 'argocd-hub' });
    expect(writes.length).toBeGreaterThan(0);
  });

  test('a commit is deployed, and what somebody changes by hand is put back', async () => {
    repository.commit({ 'podinfo/deployment.yaml': deployment(3) });
    await eventually('three replicas', async () => (await replicas()) === 3);
    await target.api.patch(
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'podinfo', namespace: 'podinfo' } },
      { spec: { replicas: 1 } },
    );
    await eventually('healed', async () => (await replicas()) === 3);
  });

  test('the ApplicationSet of a standby compares and does not write', async () => {
    for (const object of projectAndSet(true)) {
      await hub.api.apply(object);
    }
    await eventually(
      'automated sync off',
      async () => (await argo.application('apps-blue-podinfo')).spec.syncPolicy?.automated === undefined,
    );
    repository.commit({ 'podinfo/deployment.yaml': deployment(4) });
    await eventually(
      'OutOfSync',
      async () => (await argo.application('apps-blue-podinfo')).status.sync.status === 'OutOfSync',
    );
    expect(await replicas()).toBe(3);
  });
});
