import { App, Chart } from 'cdk8s';
import type { PlannedShift } from 'cluster-canary/plan-file';
import { Application, capacityDifferences } from '../../lib/manifests/argocd';
import { manifestYaml } from '../../lib/pulumi/bridge';
import type { ArgoCd } from './bench/argo-cd';
import { argoCd } from './bench/argo-cd';
import { CapacityAccess } from './bench/capacity-access';
import { CapacityWorld, slots } from './bench/capacity-world';
import { objectsIn } from './bench/crds';
import { credentialProgram } from './bench/credential-program';
import { eventually } from './bench/eventually';
import { GitRepository } from './bench/git-repository';

let world: CapacityWorld;
let access: CapacityAccess;
let argo: ArgoCd;
let repository: GitRepository;

const minimum = { blue: 2, green: 2 };
const quick: PlannedShift = { step: [50], every: '3s', checkEvery: '500ms', bake: '10s' };
const argoUser = 'argocd-shop';

beforeAll(async () => {
  world = await CapacityWorld.start({ peak: 20, start: 15, stabilization: 30 });
  access = await CapacityAccess.start(world);
  repository = new GitRepository();
  commit(2);
  // One of the clusters is the hub, too; to it both are clusters like others.
  argo = await argoCd(world.planes.blue);
  for (const slot of slots) {
    await world.planes.blue.api.apply(await clusterSecret(slot));
  }
});

/** What Git says of the least number of pods. */
function commit(minReplicas: number): void {
  const files = Object.entries(world.manifests(minReplicas)).map(([file, object]) => [
    `web/${file}`,
    JSON.stringify(object),
  ]);
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

/** Deploys the workload to both clusters, and heals what others change; minimums that a shift has raised, or not. */
async function applications(leavesMinimums: boolean): Promise<void> {
  const chart = new Chart(new App(), 'applications');
  for (const slot of slots) {
    new Application(chart, slot, {
      name: slot,
      project: 'default',
      source: { repoURL: repository.url, path: 'web', targetRevision: 'main' },
      destination: { name: slot, namespace: 'shop' },
      syncPolicy: { automated: { prune: true, selfHeal: true } },
      ...(leavesMinimums && { ignoreDifferences: capacityDifferences() }),
    });
  }
  for (const object of objectsIn(manifestYaml(chart))) {
    await world.planes.blue.api.apply(object);
  }
  await Promise.all(slots.map((slot) => argo.synced(slot)));
}

beforeEach(async () => {
  await world.shift.reset({ blue: 100, green: 0 });
  await world.settled({ blue: 20, green: 2 });
});

test('Argo CD leaves a minimum that is raised, also where it deploys meanwhile; then Git decides again', async () => {
  await applications(true);
  const since = Date.now();
  const running = world.shift.start('shift', access.plan(quick), '--json');
  await world.shift.written(1, since);
  commit(3);
  await eventually('deployed', async () => {
    const found = await Promise.all(slots.map((slot) => world.autoscalerOf(slot)));
    return found.every(({ metadata }) => metadata.labels?.revision === '3');
  });
  expect((await world.minimums()).blue).toBe(20);
  const { status, stdout } = await running.result;
  expect([status, JSON.parse(stdout).verdict]).toEqual([0, 'completed']);
  expect(world.mostCpu(since)).toBeLessThanOrEqual(1.1 * world.target);
  expect(world.fewest('blue', since, access.lastWrite('blue'))).toBe(20);
  await eventually('the minimums of Git', async () =>
    Object.values(await world.minimums()).every((each) => each === 3),
  );
  commit(2);
  await eventually('the minimums of Git', async () =>
    Object.values(await world.minimums()).every((each) => each === 2),
  );
});

test('Argo CD that does not ignore it sets it back: that is said, written once more, and then left', async () => {
  await applications(false);
  const since = Date.now();
  const plan = access.plan({ ...quick, inconclusiveLimit: '10s' });
  const { status, stdout } = await world.shift.run('shift', plan, '--json');
  const { verdict, reason } = JSON.parse(stdout);
  expect([status, verdict]).toEqual([1, 'held']);
  expect(reason).toContain('argocd-controller set minReplicas of hpa shop/web back to 2');
  expect(reason).toContain('RespectIgnoreDifferences=true');
  // Argo CD heals at its own pace: a step may have been ready by then.
  expect(world.mostCpu(since)).toBeLessThanOrEqual(1.1 * world.target);
  expect((await world.shift.weights()).green).toBeLessThan(100);
  for (const slot of slots) {
    const minimums = access.proxies[slot].writes(since).map(({ body }) => JSON.parse(body).spec?.minReplicas);
    expect(minimums.filter((each) => each !== undefined)).toHaveLength(2);
  }
  expect(await world.minimums()).toEqual(minimum);
});
