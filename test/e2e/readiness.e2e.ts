import Ajv2020 from 'ajv/dist/2020';
import type { KubernetesApi as Reader } from '../../lib/core/kubernetes/api';
import { openKubernetes } from '../../lib/core/kubernetes/open';
import { liveSubjects } from '../../lib/core/readiness/live';
import type { ReadinessReport } from '../../lib/core/readiness/report';
import type { CheckSettings } from '../../lib/shift/checks';
import * as checks from '../../lib/shift/checks';
import schema from '../../schemas/ready.json';
import { onCleanUp } from './bench/clean-up';
import { startCommand } from './bench/command';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { eventually } from './bench/eventually';
import { CertificateAuthority } from './bench/pki';
import { ShiftCommandBench } from './bench/shift-command';
import { SlotAccess } from './bench/slot-access';
import type { WebhookServer } from './bench/webhook-server';
import { webhookServer } from './bench/webhook-server';
import {
  accessRole,
  classOf,
  definition,
  deployment,
  helmSecret,
  namespace,
  oldBudget,
  restricted,
  statefulSet,
  widgetsHere,
  widgetsThere,
} from './bench/readiness-world';

const validate = new Ajv2020({ strict: true, strictTypes: false })
  .addFormat('date-time', true)
  .compile(schema);

let shift: ShiftCommandBench;
let slots: SlotAccess;
let here: ControlPlane;
let there: ControlPlane;
let hook: WebhookServer;

/** By this version, the API that the old cluster still serves is removed. */
const to = '1.37';

const reports = new Map<string, ReadinessReport>();

async function ask(
  clients: { readonly kubernetes: Reader; readonly newKubernetes?: Reader },
  version = to,
): Promise<ReadonlyMap<string, ReadinessReport>> {
  const question = {
    ...clients,
    ...{ to: version, helmReleases: true, concurrency: 8, now: Date.now(), progress: () => undefined },
    signal: AbortSignal.timeout(20_000),
  };
  const asked = liveSubjects.filter(({ needs }) => needs === 'kubernetes' || clients.newKubernetes);
  return new Map(
    await Promise.all(asked.map(async (subject) => [subject.name, await subject.inspect(question)] as const)),
  );
}

async function openedAs(plane: ControlPlane, user: string, at?: 'kubernetes' | 'newKubernetes') {
  if (at !== undefined) {
    await plane.apply(accessRole(user, at, liveSubjects));
  }
  const api = await openKubernetes({ kubeconfig: await plane.kubeconfigFor(user, []) });
  onCleanUp(() => api.close());
  return api;
}

/** `API01 error VolumeAttributesClass/applied`, of one subject. */
const found = (subject: string): readonly string[] =>
  (reports.get(subject)?.findings ?? [])
    .map(({ id, severity, object }) => `${id} ${severity} ${object ? `${object.kind}/${object.name}` : '-'}`)
    .sort();

const messages = (subject: string): string =>
  (reports.get(subject)?.findings ?? []).map(({ message }) => message).join('\n');

beforeAll(async () => {
  [shift, here, there] = await Promise.all([
    ShiftCommandBench.start(),
    controlPlane({ name: 'here', apiServer: ['--runtime-config=storage.k8s.io/v1beta1=true'] }),
    controlPlane({ name: 'there', nodes: 0 }),
  ]);
  slots = await SlotAccess.to({ blue: here, green: there });
  await Promise.all([fillHere(), fillThere()]);
  const clients = {
    kubernetes: await openedAs(here, 'reader', 'kubernetes'),
    newKubernetes: await openedAs(there, 'reader', 'newKubernetes'),
  };
  await eventually('roles of the readers', async () => {
    for (const [name, report] of await ask(clients)) {
      reports.set(name, report);
    }
    return [...reports.values()].every(({ untried }) => !untried.join().includes('403'));
  });
});

async function fillHere(): Promise<void> {
  await here.apply([
    ...['shop', 'lost', 'plain', 'strict'].map((name) => namespace(name)),
    ...widgetsHere,
    definition('gadgets', { versions: [{ name: 'v1' }] }),
  ]);
  const { api } = here;
  await Promise.all([
    // Of the API server's own kinds: written by Helm, applied by Argo CD, and one that nobody writes so any more.
    api.create(classOf('written', 'v1beta1'), { fieldManager: 'helm' }),
    api.apply(classOf('applied', 'v1beta1'), { fieldManager: 'argocd-controller' }),
    api
      .create(classOf('renewed', 'v1beta1'), { fieldManager: 'operator' })
      .then(() => new Promise((resolve) => setTimeout(resolve, 1_100)))
      .then(() =>
        api.patch(
          classOf('renewed', 'v1'),
          { metadata: { labels: { renewed: 'yes' } } },
          { fieldManager: 'operator' },
        ),
      ),
    api.create(oldBudget('web', 'shop')),
    api.create(helmSecret('podinfo', 'shop', 1, 'superseded')),
    api.create(helmSecret('podinfo', 'shop', 2, 'deployed')),
    ...['shop', 'lost', 'strict'].map((name) => api.create(deployment('web', name))),
    api.create(deployment('web', 'plain', { serviceAccountName: 'builder' })),
    api.create(statefulSet('data', 'plain')),
    api.create({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        minReplicas: 2,
        maxReplicas: 2,
      },
    }),
    ...['v1alpha1', 'v1'].map((version) =>
      api.apply(
        {
          apiVersion: `example.com/${version}`,
          kind: 'Widget',
          metadata: { name: `of-${version}`, namespace: 'shop' },
          spec: { size: 1 },
        },
        { fieldManager: 'argocd-controller' },
      ),
    ),
    api.create({
      apiVersion: 'example.com/v1',
      kind: 'Gadget',
      metadata: { name: 'one', namespace: 'shop' },
    }),
  ]);
  // What is stored in the version before stays as it is.
  await api.patch(
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'relics.example.com' },
    },
    definition('relics', { versions: [{ name: 'v1' }, { name: 'v1alpha1', served: false }] }),
  );
  const allowed = (name: string, count: number) =>
    eventually(`what budget ${name} allows`, async () => {
      const { status } = await api.get(oldBudget(name, 'shop'));
      return status?.currentHealthy === 1 && status.disruptionsAllowed === count;
    });
  await allowed('web', 0);
  await api.create({
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
    metadata: { name: 'web-again', namespace: 'shop' },
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
  });
  await allowed('web-again', 1);
}

async function fillThere(): Promise<void> {
  const authority = await CertificateAuthority.create('hook-ca');
  hook = await webhookServer({
    keyPair: await authority.issue({ name: 'hook', addresses: ['127.0.0.1'] }),
    address: '127.0.0.1',
    answer: ({ object }) => ({
      allowed: false,
      message: `image of ${object.metadata.labels.app} is not signed, and password is ${object.spec.containers[0].env[0].value}\u001b[31m`,
    }),
  });
  const webhook = (name: string): object => ({
    ...{ name: `${name}.example.com`, failurePolicy: 'Fail', admissionReviewVersions: ['v1'] },
    sideEffects: 'None',
    clientConfig: {
      url: `${hook.url}/`,
      caBundle: Buffer.from(authority.certificate).toString('base64'),
    },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
  });
  await there.apply([
    ...['shop', 'plain'].map((name) => namespace(name)),
    namespace('strict', restricted),
    ...widgetsThere,
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'hook' },
      webhooks: [webhook('shop')],
    },
  ]);
  await Promise.all(
    ['shop', 'plain', 'strict'].map((name) =>
      eventually('default ServiceAccount', () =>
        there.api.get({
          apiVersion: 'v1',
          kind: 'ServiceAccount',
          metadata: { name: 'default', namespace: name },
        }),
      ),
    ),
  );
  await eventually('the webhook is asked', async () => {
    await there.api
      .create(
        {
          ...{
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name: 'probe', namespace: 'shop', labels: { app: 'x' } },
          },
          spec: { containers: [{ name: 'main', image: 'x', env: [{ name: 'A', value: 'b' }] }] },
        },
        { dryRun: true },
      )
      .catch(() => undefined);
    return hook.calls.length > 0;
  });
}

test('the rights that subjects name suffice', () => {
  for (const [name, { untried }] of reports) {
    expect([name, name === 'refused-pods' ? [] : untried]).toEqual([name, []]);
  }
});

test('objects: what a manifest says, what a writer once wrote, and nothing of one that writes anew', () => {
  const classes = reports
    .get('live-objects')!
    .findings.filter(({ object }) => object?.kind === 'VolumeAttributesClass')
    .map(({ id, severity, object, seenIn }) => [id, severity, object?.name, seenIn])
    .sort();
  expect(classes).toEqual([
    ['API01', 'error', 'applied', 'managed fields of argocd-controller'],
    ['API01', 'warning', 'written', 'managed fields of helm'],
  ]);
  expect(messages('live-objects')).toMatch(/helm wrote it on \d{4}-\d\d-\d\d/);
  expect(found('live-objects').filter((line) => line.includes('Budget'))).toEqual([
    'API01 error PodDisruptionBudget/web',
  ]);
  // Nothing that Kubernetes itself wrote, and no object of a fresh cluster.
  expect(found('live-objects')).toHaveLength(3);
});

test('calls of an API that goes are counted, and those that only Kubernetes itself can make are no error', () => {
  const calls = reports.get('client-calls')!.findings;
  expect(calls).toContainEqual(
    expect.objectContaining({
      ...{ id: 'API05', severity: 'error' },
      message: expect.stringMatching(
        /^clients call volumeattributesclasses of storage\.k8s\.io\/v1beta1, which Kubernetes 1\.37/,
      ),
    }),
  );
  expect(
    calls.filter(({ message }) => message.includes('endpoints')).map(({ severity }) => severity),
  ).not.toContain('error');
});

test('definitions: stored and not served, deprecated, without a converter, missing or narrower in the new cluster', () => {
  expect(found('custom-resources')).toEqual([
    'API03 error CustomResourceDefinition/gadgets.example.com',
    'API03 error CustomResourceDefinition/widgets.example.com',
    'CRD02 warning CustomResourceDefinition/relics.example.com',
    'CRD03 warning CustomResourceDefinition/widgets.example.com',
    'CRD04 error CustomResourceDefinition/turned.example.com',
  ]);
  expect(messages('custom-resources')).toMatch(/1 object was written by it: shop\/of-v1alpha1/);
});

test('Helm releases: the newest revision, without its values', () => {
  const { findings, looked } = reports.get('helm-releases')!;
  expect(looked).toBe('1 Helm release');
  expect(findings).toEqual([
    expect.objectContaining({
      ...{ id: 'API01', severity: 'error', seenIn: 'Helm release podinfo in namespace shop' },
      object: { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', name: 'podinfo-2' },
    }),
  ]);
  expect(JSON.stringify([...reports.values()])).not.toContain('hunter2-of-a-release');
});

test('workloads: budgets that block and that overlap, an autoscaler that scales nothing', () => {
  expect(found('workloads')).toEqual([
    'WRK01 warning PodDisruptionBudget/web',
    'WRK04 warning PodDisruptionBudget/web',
    'WRK05 info -',
    'WRK05 info -',
    'WRK05 info -',
    'WRK05 info -',
    'WRK06 info HorizontalPodAutoscaler/web',
  ]);
});

test('pods: what the new cluster refuses and why; nothing is made there, and no secret is repeated', async () => {
  const { untried } = reports.get('refused-pods')!;
  expect(found('refused-pods')).toEqual([
    'WRK10 error Deployment/web',
    'WRK10 error Deployment/web',
    'WRK10 error Deployment/web',
    'WRK11 warning -',
  ]);
  expect(messages('refused-pods')).toMatch(
    /Deployment shop\/web: webhook shop\.example\.com refuses it: .*not signed/,
  );
  expect(messages('refused-pods')).toMatch(
    /Deployment strict\/web: Pod Security restricted:latest refuses it/,
  );
  expect(messages('refused-pods')).toMatch(/Deployment plain\/web: ServiceAccount builder is missing/);
  expect(messages('refused-pods')).not.toMatch(/hunter2|\p{Cc}(?<!\n)/u);
  expect(untried).toEqual(['pods of Deployment lost/web: namespace lost is missing in the new cluster']);
  expect(await there.api.list('v1', 'Pod')).toEqual([]);
  expect(hook.calls.every(({ request }) => request.dryRun === true)).toBe(true);
});

test('the command says the same of both clusters, in its document and as text', async () => {
  const [old, fresh] = await Promise.all([here, there].map((plane) => plane.kubeconfigFor('reader', [])));
  const args = ['ready', '--to', to, '--kubeconfig', old!, '--new-kubeconfig', fresh!, '--helm-releases'];
  const { status, stdout } = await startCommand({}, ...args, '--format', 'json').result;
  const document = JSON.parse(stdout);
  expect([status, validate(document), validate.errors]).toEqual([1, true, null]);
  for (const [name, { findings }] of reports) {
    const own = document.findings.filter((each: any) => each.subject === name);
    expect([name, own.length]).toEqual([name, findings.length]);
  }
  expect(document.versions).toMatchObject({ kubernetes: expect.stringMatching(/^v1\./) as string });
  const text = await startCommand({}, ...args).result;
  expect([text.status, text.stdout]).toEqual([1, expect.stringContaining('FAILED   refused-pods')]);
});

test('whoever may read nothing is told so of everything, and nothing has passed', async () => {
  const stranger = await ask({
    kubernetes: await openedAs(here, 'stranger'),
    newKubernetes: await openedAs(there, 'stranger'),
  });
  for (const [name, { findings, untried }] of stranger) {
    expect([name, findings]).toEqual([name, []]);
    expect(untried.join('\n')).toMatch(/not allowed \(403\)/);
  }
});

describe('a shift from the old cluster to the new one', () => {
  const wants = { to, subjects: ['live-objects', 'refused-pods'] };
  const check = (settings: object = {}): CheckSettings =>
    checks.readiness({ ...slots.settings, ...wants, ...settings });
  const planOf = (given: readonly CheckSettings[]): string => {
    const quick = { step: [1], every: '200ms', checkEvery: '200ms', bake: '0s', inconclusiveLimit: '1s' };
    return shift.plan({ shift: { ...quick, checks: given } });
  };

  async function shifted(...given: CheckSettings[]) {
    await shift.reset({ blue: 100, green: 0 });
    const since = Date.now();
    const { status, stdout, stderr } = await shift.run('shift', planOf(given), '--json');
    expect(`${stdout}${stderr}`).not.toContain('hunter2');
    const { verdict, reason } = JSON.parse(stdout);
    return { status, verdict, reason, asked: shift.asked(since).map(({ green }) => green) };
  }
  const completed = { status: 0, verdict: 'completed', asked: [1, 100] };
  const ended = (reason: RegExp) => ({
    ...{ status: 1, verdict: 'rolledBack', asked: [] },
    reason: expect.stringMatching(reason) as string,
  });

  beforeAll(async () => {
    await slots.grant((await shift.run('shift', planOf([check()]), '--rights', '--json')).stdout);
  });

  test('ends before the first percent: objects of an API that goes, and pods that are refused', async () => {
    expect(await shifted(check())).toEqual(
      ended(
        /5 findings before Kubernetes 1\.37: .*API01 VolumeAttributesClass of storage\.k8s\.io\/v1beta1 is not served any more since Kubernetes 1\.37 \(applied\); WRK10 the new cluster refuses pods of Deployment plain\/web: ServiceAccount builder is missing/,
      ),
    );
  });

  test('without the check, all of the traffic moves: the control', async () => {
    expect(await shifted()).toMatchObject(completed);
  });

  test('it goes on once all findings are accepted, and what could not be looked at; it makes nothing', async () => {
    expect(await shifted(check({ allow: ['WRK10', 'WRK11'] }))).toEqual(
      ended(/: 2 findings before Kubernetes 1\.37: API01 .*\(shop\/web\); API01 .*\(applied\)/),
    );
    const allow = ['API01', 'WRK10', 'WRK11'];
    expect(await shifted(check({ allow }))).toEqual(
      ended(
        /inconclusive for \d+s, .*not looked at: refused-pods: .*namespace lost is missing in the new cluster/,
      ),
    );
    const accepted = check({ allow, mayBeUntried: ['refused-pods'] });
    expect(await shifted(accepted)).toMatchObject(completed);
    expect(await there.api.list('v1', 'Pod')).toEqual([]);
  });
});
