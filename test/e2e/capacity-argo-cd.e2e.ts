import type { PlannedShift } from 'cluster-canary/plan-file';
import type { ArgoCd } from './bench/argo-cd';
import { argoCd } from './bench/argo-cd';
import { CapacityAccess } from './bench/capacity-access';
import { CapacityWorld, slots } from './bench/capacity-world';
import { credentialProgram } from './bench/credential-program';
import { eventually } from './bench/eventually';
import { GitRepository } from './bench/git-repository';

let world: CapacityWorld;
let access: CapacityAccess;
let argo: ArgoCd;
let repository: GitRepository;

const minimum = { blue: 2, green: 2 };
const quick: PlannedShift = {
  ...{ step: [50], every: '3s', checkEvery: '500ms', bake: '10s' },
  checks: [{ capacity: { maxLoad: 1.1 } }],
};
const argoUser = 'argocd-shop';

/** Who writes the HPA beside its controller, which writes its status. */
const argoWrites = () =>
  slots.flatMap((slot) =>
    world.planes[slot].audit({ user: argoUser, resource: 'horizontalpodautoscalers', verb: 'patch' }),
  );

beforeAll(async () => {
  world = await CapacityWorld.start({ peak: 20, start: 15, stabilization: 30 });
  access = await CapacityAccess.start(world);
  repository = new GitRepository();
  commit('first');
  // One of the clusters is the hub, too; to it both are clusters like others.
  argo = await argoCd(world.planes.blue);
  for (const slot of slots) {
    await world.planes.blue.api.apply(await clusterSecret(slot));
  }
}, 180_000);

/** A new revision: its annotation is on all objects. */
function commit(revision: string): void {
  const files = Object.entries(world.manifests()).map(([file, object]) => {
    const annotations = { 'example.com/revision': revision };
    return [`web/${file}`, JSON.stringify({ ...object, metadata: { ...object.metadata, annotations } })];
  });
  repository.commit(Object.fromEntries(files) as Record<string, string>);
}

async function clusterSecret(slot: 'blue' | 'green') {
  const plane = world.planes[slot];
  const config = {
    execProviderConfig: {
      command: await credentialProgram(plane, argoUser),
      apiVersion: 'client.authentication.k8s.io/v1beta1',
    },
    tlsClientConfig: { caData: Buffer.from(plane.certificateAuthority).toString('base64') },
  };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...{ name: slot, namespace: 'argocd' },
      labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
    },
    stringData: { name: slot, server: plane.server, config: JSON.stringify(config) },
  };
}

/** Deploys the workload to both clusters, heals what others change, and keeps its hands off some fields or not. */
async function applications(ignoresMinimum: boolean): Promise<void> {
  for (const slot of slots) {
    await world.planes.blue.api.apply({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: slot, namespace: 'argocd' },
      spec: {
        project: 'default',
        source: { repoURL: repository.url, path: 'web', targetRevision: 'main' },
        destination: { name: slot, namespace: 'shop' },
        syncPolicy: {
          automated: { prune: true, selfHeal: true },
          syncOptions: ignoresMinimum ? ['RespectIgnoreDifferences=true'] : [],
        },
        ignoreDifferences: ignoresMinimum
          ? [
              {
                group: 'autoscaling',
                kind: 'HorizontalPodAutoscaler',
                jsonPointers: ['/spec/minReplicas'],
              },
            ]
          : [],
      },
    });
  }
  await Promise.all(slots.map((slot) => argo.synced(slot)));
}

beforeEach(async () => {
  await world.shift.reset({ blue: 100, green: 0 });
  await world.settled({ blue: 20, green: 2 });
});

async function deployed(revision: string): Promise<void> {
  await eventually(`revision ${revision}`, async () => {
    const found = await Promise.all(slots.map((slot) => world.autoscalerOf(slot)));
    return found.every(({ metadata }) => metadata.annotations?.['example.com/revision'] === revision);
  });
}

test('Argo CD that ignores the minimum leaves it, also where it deploys meanwhile', async () => {
  await applications(true);
  const since = Date.now();
  const running = world.shift.start('shift', access.plan(quick), '--json');
  await world.shift.written(1, since);
  commit('second');
  await deployed('second');
  expect(await world.minimums()).toEqual({ blue: 20, green: expect.any(Number) });
  const { status, stdout } = await running.result;
  expect([status, JSON.parse(stdout).verdict]).toEqual([0, 'completed']);
  expect(world.mostCpu(since)).toBeLessThanOrEqual(1.1 * world.target);
  expect(world.fewest('blue', since, access.lastWrite('blue'))).toBe(20);
  expect(await world.minimums()).toEqual(minimum);
  // Of a minimum that was given back Argo CD has nothing to heal.
  expect(argoWrites().filter(({ at }) => at.getTime() >= since).length).toBeLessThanOrEqual(slots.length);
}, 120_000);
