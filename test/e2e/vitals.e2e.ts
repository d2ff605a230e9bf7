import type { PlannedShift } from 'cluster-canary/plan-file';
import { eventually } from './bench/eventually';
import { VitalsWorld } from './bench/vitals-world';

let world: VitalsWorld;

beforeAll(async () => {
  world = await VitalsWorld.start();
});

afterEach(() => world.heal());

/** All but the faults of EKS, in the time of a test. */
const vitals = [
  'restarts',
  'oomKills',
  'pendingPods',
  'imagePulls',
  'podNetworks',
  'refusedPods',
  'nodes',
  'dns',
];
const check = { vitals, grace: '1s' };

/**
 * Runs a shift that has to end before green has more than a percent, and answers why it ended. The control is the same shift
 * at the same time without the check, on another rule: all of its traffic moves.
 */
async function stopped(settings: object = check, shift: PlannedShift = {}): Promise<string> {
  const since = Date.now();
  const [{ status, stdout, stderr }, unchecked] = await Promise.all([
    world.run(settings, shift),
    world.runUnchecked(),
  ]);
  expect([unchecked.status, JSON.parse(unchecked.stdout).verdict]).toEqual([0, 'completed']);
  expect([status, stderr]).not.toEqual([0, stderr]);
  const { verdict, reason, failed, checks } = JSON.parse(stdout);
  expect(['rolledBack', 'aborted', 'failed']).toContain(verdict);
  expect(
    Math.max(0, ...world.shift.asked(since).map((weights) => weights['green'] ?? 0)),
  ).toBeLessThanOrEqual(1);
  expect(await world.shift.weights()).toMatchObject({ blue: expect.any(Number) });
  const said = checks.filter(({ name }: any) => failed.includes(name)).map((each: any) => each.reason);
  return [reason, ...said].join('\n');
}

test('clusters that are equal: all of the traffic moves', async () => {
  const all = { vitals: [...vitals, 'dnsAnswers'] };
  const { status, stdout } = await world.run(all, { step: [100] });
  expect([status, JSON.parse(stdout).verdict]).toEqual([0, 'completed']);
});

test('CoreDNS whose pods are not ready', async () => {
  await world.label('Pod', { sick: 'true' });
  const said = await stopped();
  expect(said).toMatch(/^green: 2 of 2 CoreDNS pods are not ready \(100 %\), blue 0 %\./);
  expect(said).toMatch(/green: 2 of 2 CoreDNS pods are not ready; blue: 0 of 2/);
});

test('CoreDNS that answers SERVFAIL', async () => {
  world.answers.green = { noError: 20, servFail: 180 };
  expect(await stopped({ vitals: ['dnsAnswers'] })).toMatch(
    /green: \d+ of \d+ DNS answers are SERVFAIL; blue: \d+ of/,
  );
});

test('the VPC CNI is out of addresses', async () => {
  await world.deploy(['stuck'], 14, { stuck: 'network' });
  const { api } = world.planes.green;
  const stuck = await eventually('pods with a node', async () => {
    const all = (await world.podsOf('green', 'shop')).filter(
      ({ metadata, spec }) => metadata.labels.stuck && spec.nodeName,
    );
    return all.length === 14 && all;
  });
  const now = new Date().toISOString().replace(/\.\d+/, '');
  for (const { metadata } of stuck) {
    await api.create({
      ...{ apiVersion: 'v1', kind: 'Event', type: 'Warning', reason: 'FailedCreatePodSandBox', count: 3 },
      metadata: { name: `${metadata.name}.1`, namespace: 'shop' },
      involvedObject: {
        apiVersion: 'v1',
        kind: 'Pod',
        namespace: 'shop',
        name: metadata.name,
        uid: metadata.uid,
      },
      // See https://github.com/kubernetes/kubernetes/issues/131071
      message:
        'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox ' +
        '"40d7bc158517c6954d0e8f1ba2bbc04e376e3123ab38227d6a601b7b1bb48ccf": plugin type="aws-cni" name="aws-cni" ' +
        'failed (add): add cmd: failed to assign an IP address to container',
      ...{ firstTimestamp: now, lastTimestamp: now, source: { component: 'kubelet' } },
    });
  }
  expect(await stopped()).toMatch(
    /green: 1\d of 28 pods have no network \(FailedCreatePodSandBox: aws-cni: failed to assign an IP address to container\); blue: 0 of 14/,
  );
});

test('an image that is not there', async () => {
  await world.deploy(['typo'], 14, { stuck: 'image' });
  expect(await stopped()).toMatch(
    /green: 1\d of 28 pods have no image \(ImagePullBackOff: Back-off pulling image "registry\.example\.com\/typo:1": not found\); blue: 0 of 14/,
  );
});

test('nodes that are lost at the first percent', async () => {
  const since = Date.now();
  const stop = stopped(check, { every: '30s' });
  await world.shift.written(1, since);
  await world.label('Node', { sick: 'true' }, 2);
  expect(await stop).toMatch(
    /green: 2 of 3 nodes are not ready \(Sick: the node has the label sick\); blue: 0 of 3/,
  );
});

test('a webhook that refuses pods', async () => {
  const { api } = world.planes.green;
  await api.create({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'broken' },
    webhooks: [
      {
        name: 'pods.example.com',
        clientConfig: { url: 'https://127.0.0.1:1/' },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        ...{ sideEffects: 'None', admissionReviewVersions: ['v1'], failurePolicy: 'Fail' },
      },
    ],
  });
  const names = ['cart', 'search', 'login', 'mail', 'stock'];
  await world.deploy(names, 2);
  expect(await stopped()).toMatch(
    /green: [45] of \d workloads are refused pods \(FailedCreate: Internal error occurred: failed calling webhook "pods\.example\.com".*; blue: 0 of \d/,
  );
});
