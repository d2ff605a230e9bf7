import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Chart } from 'cdk8s';
import { capacityFieldManager } from '../../lib/core/names';
import {
  ApplicationSet,
  AppProject,
  capacityDifferences,
  ClusterSecret,
  generators,
  Repository,
} from '../../lib/manifests/argocd';
import { manifestYaml } from '../../lib/pulumi/bridge';
import { standbyApplicationSet } from '../../lib/pulumi/hubs';
import type { ArgoCd } from './bench/argo-cd';
import { argoCd } from './bench/argo-cd';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { startCommand } from './bench/command';
import { objectsIn } from './bench/crds';
import { credentialProgram } from './bench/credential-program';
import { eventually } from './bench/eventually';
import { GitRepository } from './bench/git-repository';
import { temporaryFolder } from './bench/temporary';

const deployment = (replicas: number, labels?: object): string =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'podinfo', labels },
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
  const podinfo = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'podinfo', namespace: 'podinfo' },
  };
  const replicas = async (): Promise<number> => (await target.api.get(podinfo)).spec.replicas as number;
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
          ignoreDifferences: capacityDifferences(),
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
    await target.api.patch(podinfo, { spec: { replicas: 1 } });
    await eventually('healed', async () => (await replicas()) === 3);
  });

  test('what a shift holds stays through self-heal and syncs, and Git decides once it is given back', async () => {
    const write = (count: number, fieldManager: string) =>
      target.api.patch(podinfo, { spec: { replicas: count } }, { fieldManager });
    await write(7, capacityFieldManager);
    repository.commit({ 'podinfo/deployment.yaml': deployment(3, { team: 'web' }) });
    await eventually(
      'the other change',
      async () => (await target.api.get(podinfo)).metadata.labels?.team === 'web',
    );
    await argo.synced('apps-blue-podinfo');
    expect(await replicas()).toBe(7);
    await write(2, 'cluster-canary');
    await eventually('three replicas', async () => (await replicas()) === 3);
  });

  describe('while a shift runs that keeps a sync window', () => {
    const project = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { name: 'apps', namespace: 'argocd' },
    };
    /** Always open: it denies nothing, and is somebody else's. */
    const foreign = { kind: 'allow', schedule: '* * * * *', duration: '1h', applications: ['*'] };
    const windows = async (): Promise<any[]> => (await hub.api.get(project)).spec.syncWindows ?? [];
    const kinds = async () => (await windows()).map(({ kind }) => kind as string);
    const application = () => argo.application('apps-blue-podinfo');
    const own = (syncWindows: object[]) => ({
      ...project,
      spec: { ...projectAndSet()[0]!.spec, syncWindows },
    });
    const folder = temporaryFolder('window');
    const goOn = join(folder, 'go');
    const plan = join(folder, 'plan.json');
    const shift = () => startCommand({}, 'shift', plan, '--json', '--resume-file', goOn);

    beforeAll(async () => {
      const settings = {
        router: { simulated: {} },
        slots: { blue: { clusterName: 'apps-green' }, green: { clusterName: 'apps-blue' } },
        weights: { green: 100 },
        // Applications of the slot that has traffic may be behind while the window holds them up.
        shift: {
          ...{ step: [50], pause: [50], every: '100ms', checkEvery: '100ms', bake: '1s' },
          checks: [{ argoApplications: { kubeconfig: hub.kubeconfigFile } }],
        },
        syncWindow: { name: 'apps', hubs: [{ kubeconfig: hub.kubeconfigFile, projects: ['apps'] }] },
      };
      writeFileSync(plan, JSON.stringify(settings));
      await hub.api.apply(own([foreign]));
    });

    test('a commit waits for its end, also through a run that is killed', async () => {
      const killed = shift();
      await eventually('the window', async () => (await kinds()).includes('deny'));
      killed.kill();
      await killed.result;
      expect(await kinds()).toEqual(['allow', 'deny']);

      const running = shift();
      await eventually('the pause', () => running.printed.stderr.includes('-PLACE'));
      repository.commit({ 'podinfo/deployment.yaml': deployment(5) });
      await eventually('OutOfSync', async () => (await application()).status.sync.status === 'OutOfSync');
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      expect((await application()).status.sync.status).toBe('OutOfSync');
      expect(await replicas()).toBe(3);
      expect(await kinds()).toEqual(['allow', 'deny']);

      writeFileSync(`${goOn}-50`, '');
      const { status, stdout, stderr } = await running.result;
      expect([status, JSON.parse(stdout).verdict, stderr]).toEqual([
        0,
        'completed',
        expect.not.stringContaining('sync window'),
      ]);
      await eventually('five replicas', async () => (await replicas()) === 5);
    });

    test('the windows of others are as they were, and whoever set them can change them', async () => {
      expect(await windows()).toEqual([foreign]);
      const path =
        '/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects/apps?fieldManager=e2e&force=false';
      const changed = { ...foreign, duration: '2h' };
      await hub.api.call('PATCH', path, own([changed]), 'application/apply-patch+yaml');
      expect(await windows()).toEqual([changed]);
    });
  });

  test('the ApplicationSet of a standby compares and does not write', async () => {
    for (const object of projectAndSet(true)) {
      await hub.api.apply(object);
    }
    await eventually(
      'automated sync off',
      async () => (await argo.application('apps-blue-podinfo')).spec.syncPolicy?.automated === undefined,
    );
    repository.commit({ 'podinfo/deployment.yaml': deployment(6) });
    await eventually(
      'OutOfSync',
      async () => (await argo.application('apps-blue-podinfo')).status.sync.status === 'OutOfSync',
    );
    expect(await replicas()).toBe(5);
  });
});
