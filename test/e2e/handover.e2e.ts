import { eventually } from './bench/eventually';
import type { HubBench, HubSlot } from './bench/hub-bench';
import { hubBench } from './bench/hub-bench';
import type { Outcome } from './bench/pulumi-outcome';

/** The nightly part has twenty, and kills the engine at every phase. */
const handovers = Number(process.env.CLUSTER_CANARY_E2E_HANDOVERS ?? 5);
const nightly = handovers > 5;

/** The tests are the life of one stack, in this order. */
let bench: HubBench;
let active: HubSlot = 'blue';
/** Since when the fence has held. */
let begun = new Date();

const other = (slot: HubSlot): HubSlot => (slot === 'blue' ? 'green' : 'blue');
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const ended = ({ succeeded, errors }: Outcome) => ({ succeeded, errors });
const well = { succeeded: true, errors: [] };

beforeAll(async () => {
  bench = await hubBench();
});

/** Nobody ever wrote without the right to, and nobody had it beside another one. */
function expectOneWriter(): void {
  const writes = bench.writes(begun);
  expect(writes.filter(({ user, at }) => !bench.eks.couldWrite(user, at))).toEqual([]);
  const holders = new Set<string>();
  for (const { user, policy, has } of bench.eks.changes) {
    if (policy === 'AmazonEKSClusterAdminPolicy') {
      holders[has ? 'add' : 'delete'](user);
      expect(holders.size).toBeLessThanOrEqual(1);
    }
  }
}

/** What is committed now is deployed, by the hub that should. */
async function expectDeploys(slot: HubSlot): Promise<void> {
  const since = new Date();
  bench.commit();
  await bench.refresh([slot]);
  await bench.deployed();
  expect(bench.writers(since)).toEqual([`hub-${slot}`]);
  expect(bench.eks.writers).toEqual([`hub-${slot}`]);
}

async function handOver(to: HubSlot): Promise<void> {
  expect(ended(await bench.stack.up({ program: bench.program({ active: to }) }))).toEqual(well);
  active = to;
}

test('both hubs have the Applications, and one deploys', async () => {
  expect(ended(await bench.stack.up({ program: bench.program() }))).toEqual(well);
  await bench.deployed();
  await eventually('compared by both', async () =>
    (
      await Promise.all(
        (['blue', 'green'] as const).map((slot) => bench.argo[slot].synced('apps-blue-podinfo')),
      )
    )
      .map(({ status }) => status.sync.revision as string)
      .every((revision, _index, [first]) => revision === first),
  );
  expect(bench.writers(begun)).toEqual(['hub-blue']);
});

test('a preview tells the order, and changes nothing', async () => {
  const before = bench.eks.changes.length;
  const preview = await bench.stack.preview({ program: bench.program({ active: 'green' }) });
  expect(preview.log).toMatch(
    /ArgoCdHub "argocd": the right to write goes from blue to green\s+1\. green must have[^]*2\. automated sync off on blue\s+3\. running syncs[^]*4\. in each managed cluster \(apps-blue\) blue loses[^]*5\. automated sync on on green/,
  );
  expect(bench.eks.changes).toHaveLength(before);
});

test('a hub that has not compared the newest revision does not take over, and nothing changes', async () => {
  const { 'application-controller': controller } = bench.argo.green.programs;
  await controller.kill();
  const before = bench.eks.changes.length;
  bench.commit();
  await bench.refresh(['blue']);
  await bench.deployed();
  const handover = { compareWithin: '1s' };
  const up = await bench.stack.up({ program: bench.program({ active: 'green', handover }) });
  expect(up.succeeded).toBe(false);
  expect(up.errors.join('\n')).toMatch(
    /green is not ready to take over from blue[^]*nothing has changed[^]*apps-blue-podinfo: is compared with [0-9a-f]{12}, not with [0-9a-f]{12}/,
  );
  expect(up.operations.filter(({ op }) => op !== 'update')).toEqual([]);
  expect(bench.eks.changes).toHaveLength(before);
  await controller.start(() => Promise.resolve(true));
  await expectDeploys('blue');
});

test(`${handovers} handovers with commits at any moment: one writes at a time, nothing is pruned`, async () => {
  const uids = await bench.uids();
  const since = new Date();
  for (let count = 0; count < handovers; count += 1) {
    const committed = pause(Math.random() * 7_000).then(async () => {
      bench.commit();
      await bench.refresh();
    });
    await handOver(other(active));
    await committed;
  }
  await bench.deployed();
  expect(bench.writers(since).length).toBeLessThanOrEqual(handovers + 1);
  expectOneWriter();
  expect(await bench.uids()).toEqual(uids);
  await expectDeploys(active);
});

test('as a control: without the fence the same Applications are written by two', async () => {
  const standby = other(active);
  const application = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'control', namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { ...(await bench.applications(active))[0]!.spec.source },
      destination: { name: 'apps-blue', namespace: 'control' },
      syncPolicy: { automated: { selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
    },
  };
  const commitUntil = (what: string, seen: () => boolean) =>
    eventually(what, async () => {
      bench.commit();
      await bench.refresh();
      await bench.deployed();
      return seen();
    });
  await Promise.all([active, standby].map((slot) => bench.hubs[slot].api.create(application)));
  const fenced = new Date();
  await commitUntil('the standby tries', () =>
    bench.target
      .audit({ since: fenced, user: `hub-${standby}`, status: 403 })
      .some(({ uri }) => uri.includes('/control/')),
  );
  expect(bench.writers(fenced)).toEqual([`hub-${active}`]);

  const open = new Date();
  await bench.eks.bypass(`hub-${standby}`, true);
  await commitUntil('two that write', () => new Set(bench.writers(open)).size === 2);
  await Promise.all([active, standby].map((slot) => bench.hubs[slot].api.delete(application)));
  expect(expectOneWriter).toThrow();
  await bench.eks.bypass(`hub-${standby}`, false);
  begun = new Date();
});

describe('an engine that is killed', () => {
  const patched = (slot: HubSlot, name: string, since: Date) =>
    bench.hubs[slot].audit({ since, user: 'admin', resource: 'configmaps', name }).length > 0;
  const given = (has: boolean, since: Date) =>
    bench.eks.changes.some((change) => change.has === has && change.at >= since);
  const phases: [string, (to: HubSlot, since: Date) => boolean][] = [
    ['between the two rights', (_to, since) => given(false, since)],
    ['when the new right is given', (_to, since) => given(true, since)],
    ['when the old hub is told', (to, since) => patched(other(to), 'cluster-canary-duty', since)],
    ['when the old hub rests', (to, since) => patched(other(to), 'cluster-canary-duty-done', since)],
    ['when the new hub is told', (to, since) => patched(to, 'cluster-canary-duty', since)],
  ];
  const handover = { compareWithin: '40s', finishWithin: '40s', settle: '1s' };

  async function killAt(phase: (to: HubSlot, since: Date) => boolean, to: HubSlot): Promise<void> {
    const since = new Date();
    const options = { active: to, handover };
    const up = bench.stack.up({ program: nightly ? bench.file(options) : bench.program(options) });
    await eventually('the phase', () => phase(to, since), { every: 10 });
    await bench.kill();
    expect((await up).succeeded).toBe(false);
    expect(bench.eks.writers.length).toBeLessThanOrEqual(1);
  }

  test.each(nightly ? phases : phases.slice(0, 1))(
    '%s leaves one that writes or none, and the next run ends it',
    async (_name, phase) => {
      const to = other(active);
      const uids = await bench.uids();
      await killAt(phase, to);
      await handOver(to);
      await expectDeploys(to);
      expect(await bench.uids()).toEqual(uids);
      expectOneWriter();
    },
  );

  test.each(nightly ? phases : phases.slice(1, 2))('%s, and then goes back', async (_name, phase) => {
    await killAt(phase, other(active));
    await handOver(active);
    await expectDeploys(active);
    expectOneWriter();
  });
});

test('the old hub is taken away without pruning anything, and comes back', async () => {
  const uids = await bench.uids();
  const standby = other(active);
  const { hubs } = bench.options();
  const alone = bench.program({ active, hubs: { [active]: hubs[active]! } });
  expect(ended(await bench.stack.up({ program: alone }))).toEqual(well);
  await eventually('no Applications', async () => (await bench.applications(standby)).length === 0);
  await expectDeploys(active);
  expect(await bench.uids()).toEqual(uids);
  await handOver(active);
  // Its ApplicationSet controller went on while its objects were gone, and need not hear of the new ones at once.
  await eventually('compared', async () => {
    await bench.askSets(standby);
    return bench.argo[standby].synced('apps-blue-podinfo');
  });
  expectOneWriter();
});

describe('without the API server of the hub that writes', () => {
  test('the other one takes over', async () => {
    const gone = active;
    const uids = await bench.uids();
    await bench.hubs[gone].kill('kube-apiserver');
    const up = await bench.stack.up({ program: bench.program({ active: other(gone), lost: [gone] }) });
    expect(ended(up)).toEqual(well);
    active = other(gone);
    const since = new Date();
    bench.commit();
    await eventually('compared anew', async () => {
      await bench.refresh([active]);
      return bench.argo[active].synced('apps-blue-podinfo');
    });
    await bench.deployed();
    expect(bench.writers(since)).toEqual([`hub-${active}`]);
    expect(await bench.uids()).toEqual(uids);
    expectOneWriter();
  });

  test('a cluster that is gone as well is taken out of the hubs, and nothing hangs', async () => {
    await bench.target.kill('kube-apiserver');
    const program = bench.program({ active, lost: [other(active)], targets: {} });
    expect(ended(await bench.stack.up({ program }))).toEqual(well);
    await eventually('no Applications', async () => (await bench.applications(active)).length === 0);
    const secrets = await bench.hubs[active].api.list('v1', 'Secret', {
      namespace: 'argocd',
      labelSelector: 'argocd.argoproj.io/secret-type=cluster',
    });
    expect(secrets).toEqual([]);
    // Access entries, rights and security group rules of the cluster are gone, too.
    const names = (await bench.stack.state()).map(({ urn }) => urn.split('::').at(-1)!);
    expect(names.filter((name) => name.includes('apps-blue'))).toEqual([]);
    expect(bench.eks.writers).toEqual([]);
  });

  test('the lost hub is taken out without a word to it', async () => {
    const { hubs } = bench.options();
    const program = bench.program({ active, hubs: { [active]: hubs[active]! }, targets: {} });
    expect(ended(await bench.stack.up({ program }))).toEqual(well);
    const names = (await bench.stack.state()).map(({ urn }) => urn.split('::').at(-1)!);
    expect(names.filter((name) => name.startsWith(`argocd-${other(active)}`))).toEqual([]);
  });
});
