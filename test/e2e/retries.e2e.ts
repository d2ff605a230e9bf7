import { setTimeout as sleep } from 'node:timers/promises';
import { Chart, Testing } from 'cdk8s';
import type { RetryStrategy } from '../../lib/manifests/workflows';
import { transientErrorEnv, Workflow } from '../../lib/manifests/workflows';
import type { ArgoWorkflows } from './bench/argo-workflows';
import { argoWorkflows } from './bench/argo-workflows';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { eventually } from './bench/eventually';
import type { KubernetesObject } from './bench/kubernetes-api';
import { CertificateAuthority } from './bench/pki';
import type { WebhookServer } from './bench/webhook-server';
import { webhookServer } from './bench/webhook-server';

/** How long pods are refused: as long as a kubelet may take to bring a changed Secret into a pod. Nothing is scaled. */
const refusedFor = 90_000;
const argo = 'argoproj.io/v1alpha1';
const admission = 'admissionregistration.k8s.io/v1';
const container = { image: 'python:alpine3.6', command: ['python', '-c'], args: ['pass'] };

let plane: ControlPlane;
let controller: ArgoWorkflows;
let outage: Outage;

beforeAll(async () => {
  plane = await controlPlane({ name: 'retries' });
  // For one of the webhooks only: for the others the controller is as it comes.
  const { name, value } = transientErrorEnv(['patient.example.com']);
  controller = await argoWorkflows(plane, { env: { [name]: value } });
  // It goes on during the other test.
  outage = await beginOutage();
});

/** A workflow of one step, as the library writes it. */
function oneStep(name: string, namespace: string, retry?: RetryStrategy | false): KubernetesObject {
  const chart = new Chart(Testing.app(), 'test');
  new Workflow(chart, 'workflow', {
    ...{ name, namespace, ...(retry === undefined ? {} : { retry }) },
    spec: { entrypoint: 'run', templates: [{ name: 'run', container }] },
  });
  return Testing.synth(chart)[0];
}

/** `examples/retry-backoff.yaml` of Argo Workflows: its waits are 42 s together. */
function official(name: string, namespace: string, more: object = {}): KubernetesObject {
  const backoff = { duration: '1', factor: '2', maxDuration: '1m', cap: '5' };
  const retryStrategy = { limit: '10', backoff, ...more };
  return {
    ...{ apiVersion: argo, kind: 'Workflow', metadata: { name, namespace } },
    spec: { entrypoint: 'retry-backoff', templates: [{ name: 'retry-backoff', retryStrategy, container }] },
  };
}

const find = (name: string, namespace: string): Promise<KubernetesObject> =>
  plane.api.get({ apiVersion: argo, kind: 'Workflow', metadata: { name, namespace } });

/** The tries of a workflow of one step, the first at first: a phase each. */
function triesOf({ status }: KubernetesObject): string[] {
  return Object.values<any>(status?.nodes ?? {})
    .filter(({ type }) => type === 'Pod')
    .sort((one, other) => Number(/\((\d+)\)/.exec(one.name)?.[1]) - Number(/\((\d+)\)/.exec(other.name)?.[1]))
    .map(({ phase }) => phase);
}

async function ended(name: string, namespace: string): Promise<KubernetesObject> {
  return eventually(`the end of ${name}`, async () => {
    const found = await find(name, namespace);
    return ['Succeeded', 'Failed', 'Error'].includes(found.status?.phase) && found;
  });
}

async function runningPod(workflow: string, namespace: string): Promise<KubernetesObject> {
  const labelSelector = `workflows.argoproj.io/workflow=${workflow}`;
  return eventually(`a pod of ${workflow}`, async () =>
    (await plane.api.list('v1', 'Pod', { namespace, labelSelector })).find(
      ({ status }) => status?.phase === 'Running',
    ),
  );
}

/** Ends the pod of a workflow well, as soon as it runs. */
async function finish(workflow: string, namespace: string): Promise<void> {
  await controller.finish(await runningPod(workflow, namespace));
}

/** Reasons of the events of a workflow. */
async function eventsOf(name: string, namespace: string): Promise<string[]> {
  const events = await plane.api.list('v1', 'Event', { namespace });
  return events.filter((each) => each['involvedObject'].name === name).map((each) => each['reason']);
}

/** Pods that are refused, and workflows that wait for them. */
interface Outage {
  readonly server: WebhookServer;
  /** When the workflows were made. */
  readonly started: number;
  /** Lets the certificate arrive in the webhook's pod. */
  readonly arrive: () => Promise<void>;
}

/** What happens while a certificate is on its way. */
async function beginOutage(): Promise<Outage> {
  const [before, after] = await Promise.all([
    CertificateAuthority.create('before'),
    CertificateAuthority.create('after'),
  ]);
  const leaf = { name: 'webhook', addresses: ['127.0.0.1'] };
  const server = await webhookServer({ keyPair: await before.issue(leaf), address: '127.0.0.1' });
  const entry = (name: string, namespace: string): object => ({
    name,
    failurePolicy: 'Fail',
    // API servers trust the new authority already; the webhook's pod still serves the old one's certificate.
    clientConfig: { url: server.url, caBundle: Buffer.from(after.certificate).toString('base64') },
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 3,
  });
  const webhooks = [entry('gate.example.com', 'gate'), entry('patient.example.com', 'patient')];
  await plane.apply([
    ...['gate', 'patient'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    { apiVersion: admission, kind: 'ValidatingWebhookConfiguration', metadata: { name: 'gate' }, webhooks },
  ]);
  await refused('gate', /x509/);
  await refused('patient', /x509/);

  const started = Date.now();
  await plane.apply([
    oneStep('ours', 'gate'),
    oneStep('only-refusals', 'gate', { retries: 'refusals' }),
    official('official', 'gate'),
    official('official-always', 'gate', { retryPolicy: 'Always' }),
    oneStep('patient', 'patient', false),
  ]);
  return { server, started, arrive: async () => server.present(await after.issue(leaf)) };
}

test('what a user has to patch is not tried again', async () => {
  const name = 'denied';
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
  const matchResources = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } };
  await plane.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'free' } },
    {
      ...{ apiVersion: 'v1', kind: 'Namespace' },
      metadata: { name: 'restricted', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    },
    {
      ...{ apiVersion: admission, kind: 'ValidatingAdmissionPolicy', metadata: { name } },
      spec: {
        matchConstraints: { resourceRules: [rule] },
        validations: [{ expression: 'false', message: 'not this image' }],
      },
    },
    {
      ...{ apiVersion: admission, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name } },
      spec: { policyName: name, validationActions: ['Deny'], matchResources },
    },
  ]);
  await refused(name, /not this image/);
  await plane.apply([
    oneStep('by-a-policy', name),
    oneStep('by-pod-security', 'restricted', { retries: 'failures' }),
    oneStep('fails', 'free'),
    oneStep('fails-finally', 'free', { retries: 'failures', finalExitCodes: [2] }),
    oneStep('fails-again', 'free', { retries: 'failures', finalExitCodes: [3] }),
    oneStep('killed', 'free', { retries: 'interruptions' }),
  ]);
  for (const [workflow, namespace] of [
    ['by-a-policy', name],
    ['by-pod-security', 'restricted'],
  ] as const) {
    const found = await ended(workflow, namespace);
    expect([workflow, found.status.phase, triesOf(found)]).toEqual([workflow, 'Error', ['Error']]);
  }
  await Promise.all([
    fail('fails', 2),
    fail('fails-finally', 2),
    fail('fails-again', 2),
    fail('killed', 137),
  ]);
  for (const workflow of ['fails', 'fails-finally']) {
    const found = await ended(workflow, 'free');
    expect([workflow, found.status.phase, triesOf(found)]).toEqual([workflow, 'Failed', ['Failed']]);
  }
  for (const workflow of ['fails-again', 'killed']) {
    await eventually(`another try of ${workflow}`, async () => {
      const found = await find(workflow, 'free');
      const [first, ...others] = triesOf(found);
      const { message } = Object.values<any>(found.status.nodes).find(({ type }) => type === 'Retry');
      return first === 'Failed' && (others.length > 0 || /^Backoff for/.test(message));
    });
  }
});

test('pods are refused for 90 s while a certificate is on its way: the default strategy outlasts it, the official example fails', async () => {
  const { server, started, arrive } = outage;
  // By its policy it does not try a refused pod again.
  const example = await ended('official', 'gate');
  expect([example.status.phase, triesOf(example)]).toEqual(['Error', ['Error']]);
  // With a policy that does, it is over too soon: after 42 s, and what ten tries take.
  const withPolicy = await ended('official-always', 'gate');
  const gaveUp = Date.now() - started;
  expect(withPolicy.status.phase).toBe('Error');
  expect(triesOf(withPolicy)).toEqual(Array(11).fill('Error'));
  expect(gaveUp).toBeGreaterThan(40_000);
  expect(gaveUp).toBeLessThan(refusedFor - 10_000);

  await sleep(started + refusedFor - Date.now());
  for (const name of ['ours', 'only-refusals']) {
    const waits = await find(name, 'gate');
    // After 15 s and 45 s it has been tried again.
    expect([waits.status.phase, triesOf(waits)]).toEqual(['Running', ['Error', 'Error', 'Error']]);
    expect(JSON.stringify(waits.status.nodes)).toContain('x509: certificate signed by unknown authority');
  }
  const patient = await find('patient', 'patient');
  expect([patient.status.phase, triesOf(patient)]).toEqual(['Running', ['Pending']]);
  expect(server.calls).toEqual([]);

  await arrive();
  await Promise.all([finish('ours', 'gate'), finish('only-refusals', 'gate'), finish('patient', 'patient')]);
  const took = Date.now() - started;
  const [ours, onlyRefusals, waited] = await Promise.all([
    ended('ours', 'gate'),
    ended('only-refusals', 'gate'),
    ended('patient', 'patient'),
  ]);
  for (const each of [ours, onlyRefusals]) {
    expect([each.status.phase, triesOf(each)]).toEqual([
      'Succeeded',
      ['Error', 'Error', 'Error', 'Succeeded'],
    ]);
  }
  // The third retry is due 105 s after the first try.
  expect(took).toBeGreaterThan(104_000);
  expect([waited.status.phase, triesOf(waited)]).toEqual(['Succeeded', ['Succeeded']]);

  // What alerts look at.
  await eventually('events', async () => (await eventsOf('official', 'gate')).includes('WorkflowFailed'));
  expect(await eventsOf('official', 'gate')).toContain('WorkflowNodeError');
  const own = await eventsOf('ours', 'gate');
  expect(own).toContain('WorkflowNodeError');
  expect(own).not.toContain('WorkflowFailed');
  expect(await eventsOf('patient', 'patient')).not.toContain('WorkflowNodeError');
  process.stdout.write(
    `\nPods refused for ${refusedFor / 1000} s: the official example ended at its first try, with the policy Always after ${Math.round(gaveUp / 1000)} s; the default strategy succeeded with its fourth try, after ${Math.round(took / 1000)} s.\n`,
  );
});

/** Waits until pods are refused in a namespace. */
async function refused(namespace: string, why: RegExp): Promise<void> {
  const spec = { containers: [{ name: 'probe', image: 'probe' }] };
  const probe = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'probe', namespace }, spec };
  await eventually(`a refusal in ${namespace}`, () =>
    plane.api.create(probe, { dryRun: true }).then(
      () => false,
      (error: Error) => why.test(error.message),
    ),
  );
}

/** Ends the pod of a workflow with a status of its main container, as a kubelet and Argo's executor would. */
async function fail(workflow: string, exitCode: number): Promise<void> {
  const pod = await runningPod(workflow, 'free');
  const { name, namespace, labels, annotations, uid } = pod.metadata;
  await plane.api.apply({
    apiVersion: argo,
    kind: 'WorkflowTaskResult',
    metadata: {
      name: annotations['workflows.argoproj.io/node-id'],
      namespace,
      labels: {
        'workflows.argoproj.io/workflow': labels['workflows.argoproj.io/workflow'],
        'workflows.argoproj.io/report-outputs-completed': 'true',
      },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid }],
    },
  });
  const containerStatuses = pod.spec.containers.map((each: { name: string; image: string }) => ({
    ...{ name: each.name, image: each.image, imageID: '', ready: false, restartCount: 0 },
    state: { terminated: { exitCode: each.name === 'main' ? exitCode : 0, reason: 'Error' } },
  }));
  await plane.api.patch(
    pod,
    { status: { phase: 'Failed', containerStatuses } },
    { subresource: 'status', type: 'merge' },
  );
}
