import { EventBridge } from '@aws-sdk/client-eventbridge';
import { SNS } from '@aws-sdk/client-sns';
import { readPlan, shiftAccessByCluster } from 'cluster-canary/plan-file';
import type { PlannedShift } from 'cluster-canary/plan-file';
import type { SinkSettings } from 'cluster-canary/notify';
import { onCleanUp } from './bench/clean-up';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { failingCheck } from './bench/pulumi-shift';
import { ShiftCommandBench } from './bench/shift-command';

/**
 * What moto does not show: it has no rights, and takes subjects and attributes that AWS refuses. What is denied is denied by the
 * proxy; limits are in the unit tests.
 */
let bench: ShiftCommandBench;
let hub: ControlPlane;
let kubeconfig: string;
let topicArn: string;
let eventBusArn: string;
/** URLs of queues. */
const queues: Record<string, string> = {};

const namespace = 'shifts';
const quick: PlannedShift = { step: [10, 50], every: '100ms', checkEvery: '100ms', bake: '0s' };

/** A call to SQS of moto, for which a client of its own would be one more dependency. */
async function sqs(action: string, content: object): Promise<any> {
  const { endpoint, region } = bench.aws.directSettings;
  const answer = await fetch(endpoint, {
    method: 'POST',
    headers: {
      authorization: `AWS4-HMAC-SHA256 Credential=test/20300101/${region}/sqs/aws4_request, SignedHeaders=host, Signature=0`,
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `AmazonSQS.${action}`,
    },
    body: JSON.stringify(content),
  });
  expect(answer.status).toBe(200);
  return answer.json();
}

/** Makes a queue; answers its ARN. */
async function queue(name: string): Promise<string> {
  const { QueueUrl } = await sqs('CreateQueue', { QueueName: name });
  queues[name] = QueueUrl;
  const { Attributes } = await sqs('GetQueueAttributes', { QueueUrl, AttributeNames: ['QueueArn'] });
  return Attributes.QueueArn;
}

/** Takes all messages out of a queue, and answers their bodies. */
async function received(name: string): Promise<any[]> {
  const bodies: any[] = [];
  for (;;) {
    const taken = { QueueUrl: queues[name], MaxNumberOfMessages: 10, WaitTimeSeconds: 0 };
    const { Messages = [] } = await sqs('ReceiveMessage', taken);
    if (Messages.length === 0) {
      return bodies;
    }
    for (const { Body, ReceiptHandle } of Messages) {
      bodies.push(JSON.parse(Body));
      await sqs('DeleteMessage', { QueueUrl: queues[name], ReceiptHandle });
    }
  }
}

beforeAll(async () => {
  [bench, hub] = await Promise.all([ShiftCommandBench.start(), controlPlane({ name: 'hub', nodes: 0 })]);
  const [topics, buses] = [new SNS(bench.aws.directSettings), new EventBridge(bench.aws.directSettings)];
  onCleanUp(() => [topics, buses].forEach((client) => client.destroy()));
  topicArn = (await topics.createTopic({ Name: 'shifts' })).TopicArn!;
  for (const [name, FilterPolicy] of [
    ['all', undefined],
    ['ends', JSON.stringify({ type: ['ended'], verdict: ['rolledBack'] })],
  ] as const) {
    const Attributes = { RawMessageDelivery: 'true', ...(FilterPolicy !== undefined && { FilterPolicy }) };
    await topics.subscribe({ TopicArn: topicArn, Protocol: 'sqs', Endpoint: await queue(name), Attributes });
  }
  eventBusArn = (await buses.createEventBus({ Name: 'ops' })).EventBusArn!;
  const EventPattern = JSON.stringify({ source: ['cluster-canary'], 'detail-type': ['shift.ended'] });
  await buses.putRule({ Name: 'ends', EventBusName: 'ops', EventPattern });
  const Arn = await queue('bus');
  await buses.putTargets({ Rule: 'ends', EventBusName: 'ops', Targets: [{ Id: 'queue', Arn }] });
  await hub.api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  kubeconfig = await hub.kubeconfigFor('shift', []);
});

const lease = () => ({ kubernetes: { namespace, kubeconfig } });

function sinks(): readonly SinkSettings[] {
  return [
    { sns: { topicArn } },
    { eventBridge: { eventBusArn } },
    { kubernetesEvents: { namespace, kubeconfig } },
    { loadBalancerTags: { loadBalancerArn: bench.loadBalancerArn } },
  ];
}

/** Gives the user of the shift what its plan needs, and no more. */
async function grant(plan: string): Promise<void> {
  const [access, ...others] = shiftAccessByCluster(readPlan(plan));
  expect(others).toEqual([]);
  const rules = access!.rules.map(({ namespace: _namespace, ...rule }) => rule);
  const named = { metadata: { name: 'shift', namespace } };
  const rbac = 'rbac.authorization.k8s.io';
  await hub.api.create({ apiVersion: `${rbac}/v1`, kind: 'Role', ...named, rules });
  await hub.api.create({
    ...{ apiVersion: `${rbac}/v1`, kind: 'RoleBinding', ...named },
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'shift' },
    subjects: [{ apiGroup: rbac, kind: 'User', name: 'shift' }],
  });
}

test('a shift that completes: each sink has its events, with the rights of the plan alone', async () => {
  const plan = bench.plan({ shift: quick, lease: lease(), notify: sinks() });
  await grant(plan);
  const { status, stdout, stderr } = await bench.run('shift', plan, '--json');
  const { verdict, notifications } = JSON.parse(stdout);
  expect([status, verdict, stderr.includes('notify[')]).toEqual([0, 'completed', false]);
  expect(notifications.map(({ undelivered, problem }: any) => [undelivered, problem])).toEqual(
    sinks().map(() => [0, undefined]),
  );

  const events = await received('all');
  expect(events.map(({ type }) => type).filter((type) => type !== 'checkAnswered')).toEqual([
    ...['started', 'stepWritten', 'stepWritten', 'stepWritten', 'ended'],
  ]);
  expect(events.at(-1)).toMatchObject({ verdict: 'completed', route: 'traffic', weights: { green: 100 } });
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  expect(await received('ends')).toEqual([]);

  const [ofBus, ...more] = await received('bus');
  expect(more).toEqual([]);
  expect(ofBus).toMatchObject({
    ...{ source: 'cluster-canary', 'detail-type': 'shift.ended' },
    detail: { type: 'ended', verdict: 'completed', shift: events[0].shift },
  });

  const ofKubernetes = await hub.api.list('events.k8s.io/v1', 'Event', { namespace });
  const ours = ofKubernetes.filter(
    ({ reportingController }) => reportingController === 'cluster-canary/shift',
  );
  expect(ours).toHaveLength(events.length);
  const [leases] = [await hub.api.list('coordination.k8s.io/v1', 'Lease', { namespace })];
  expect(leases).toHaveLength(1);
  const regarding = { kind: 'Lease', name: leases[0]!.metadata.name, namespace };
  expect(ours.every((event) => expect(event.regarding).toMatchObject(regarding) === undefined)).toBe(true);
  expect(ours.map(({ reason, type }) => `${reason} ${type}`).sort()).toEqual([
    ...['ShiftEnded Normal', 'ShiftStarted Normal'],
    ...['ShiftStepWritten Normal', 'ShiftStepWritten Normal', 'ShiftStepWritten Normal'],
  ]);

  expect((await bench.loadBalancerTags())['cluster-canary-shift/traffic']).toMatch(
    /^completed blue=0 green=100 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  );
});

test('without a Lease in Kubernetes, Events are about the namespace', async () => {
  await bench.set({ blue: 100, green: 0 });
  const before = (await hub.api.list('events.k8s.io/v1', 'Event', { namespace })).length;
  const notify = [{ kubernetesEvents: { namespace, kubeconfig, events: ['ended'] } }] as const;
  const { status, stderr } = await bench.run('shift', bench.plan({ shift: quick, lease: 'none', notify }));
  expect([status, stderr.includes('notify[')]).toEqual([0, false]);
  const after = await hub.api.list('events.k8s.io/v1', 'Event', { namespace });
  expect(after).toHaveLength(before + 1);
  expect(after.filter(({ regarding }) => regarding.kind === 'Namespace')).toHaveLength(1);
});

test('a shift that rolls back passes the filter of a subscription', async () => {
  await bench.set({ blue: 100, green: 0 });
  await received('all');
  const plan = bench.plan({
    ...{ shift: { ...quick, checks: [failingCheck(0)] }, lease: lease(), notify: sinks() },
  });
  expect((await bench.run('shift', plan)).status).toBe(1);
  const [end, ...others] = await received('ends');
  expect(others).toEqual([]);
  expect(end).toMatchObject({ type: 'ended', verdict: 'rolledBack', failed: [{ name: 'errors' }] });
  expect((await received('all')).map(({ type }) => type)).toContain('rollingBack');
});

test('sinks that are denied, or that fail for a time, change nothing: the first is a warning', async () => {
  await bench.set({ blue: 100, green: 0 });
  await Promise.all([received('all'), received('bus')]);
  bench.aws.proxy.fail({ action: 'Publish', fault: 'accessDenied', times: 100 });
  bench.aws.proxy.fail({ action: 'PutEvents', fault: { status: 503 }, times: 2 });
  const since = Date.now();
  const plan = bench.plan({ shift: quick, lease: lease(), notify: sinks() });
  const { status, stdout, stderr } = await bench.run('shift', plan, '--json');
  bench.aws.proxy.heal();
  expect([status, JSON.parse(stdout).verdict]).toEqual([0, 'completed']);
  expect(bench.asked(since)).toEqual([10, 50, 100].map((green) => ({ blue: 100 - green, green })));
  expect(stderr).toMatch(/warning: notify\[0\] sns .* of .* events were not delivered: .*sns:Publish/);
  expect(stderr).not.toContain('notify[1]');
  expect(await received('all')).toEqual([]);
  expect(await received('bus')).toHaveLength(1);
});
