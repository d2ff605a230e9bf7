import Ajv2020 from 'ajv/dist/2020';
import schema from '../../../schemas/restart-rollout.json';
import { restartDocument, restartLines, restartRollout } from '../../../lib/cli/actions/restart-rollout';
import { linesText } from '../../../lib/cli/output';
import type { KubernetesObject } from '../../../lib/core/kubernetes/api';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import { restartMetrics, restartNotification, subscribeToRestarts } from '../../../lib/manifests/restarter';
import type { RestartApi } from '../../../lib/operate/restart-rollouts';
import { restartRollouts, reportSkipped, defaultRestartLimits } from '../../../lib/operate/restart-rollouts';
import type { ObservedRollout } from '../../../lib/operate/restart-rollouts/rollout';
import { gitopsProblems } from '../../manifests/restarter/notification-problems';
import { now, pod, stuck } from './rollouts';

const request = { application: 'podinfo', namespace: 'podinfo', limits: defaultRestartLimits, host: 'pod-1' };

/** An API server with these Rollouts, two pods that are available, and a clock of its own. */
class FakeApi implements RestartApi {
  public readonly patches: any[] = [];
  public readonly events: any[] = [];
  public conflicts = 0;
  public eventFailure?: (dryRun: boolean) => Error | undefined;

  public constructor(public rollouts: ObservedRollout[]) {}

  public get(): Promise<KubernetesObject> {
    return Promise.resolve(this.rollouts[0]!);
  }

  public list({ kind }: { kind: string }): Promise<readonly KubernetesObject[]> {
    return Promise.resolve(kind === 'Pod' ? [pod(), pod()] : this.rollouts);
  }

  public create(event: KubernetesObject, { dryRun = false } = {}): Promise<KubernetesObject> {
    const failure = this.eventFailure?.(dryRun);
    if (failure) {
      return Promise.reject(failure);
    }
    if (!dryRun) {
      this.events.push(event);
    }
    return Promise.resolve({
      ...event,
      metadata: { ...event.metadata, creationTimestamp: '2026-11-21T12:00:00Z' },
    });
  }

  public patch(_: unknown, patch: object): Promise<KubernetesObject> {
    this.patches.push(patch);
    if (this.conflicts > 0) {
      this.conflicts -= 1;
      return Promise.reject(new KubernetesError('conflict', 'it has changed', 409));
    }
    return Promise.resolve(this.rollouts[0]!);
  }
}

test('what is patched: restartAt by the clock of the API server, the history, and the version that was judged', async () => {
  const api = new FakeApi([stuck()]);
  const outcomes = await restartRollouts(api, request);
  expect(outcomes).toMatchObject([
    { name: 'podinfo', outcome: 'restart', restartAt: '2026-11-21T12:00:00Z' },
  ]);
  expect(api.patches).toEqual([
    {
      metadata: {
        resourceVersion: '7',
        annotations: {
          'cluster-canary/restarts': '2026-11-21T12:00:00Z',
          'cluster-canary/restarts-total': '1',
        },
      },
      spec: { restartAt: '2026-11-21T12:00:00Z' },
    },
  ]);
  expect(api.events).toMatchObject([
    { reason: 'Restarted', type: 'Normal', reportingInstance: 'pod-1', involvedObject: { uid: 'u' } },
  ]);
  expect(api.events[0].message).toMatch(/pod-1.*Application podinfo: restarted: Degraded with Progress/);
});

test('the document of the command fits its schema, and other words do not', async () => {
  const valid = new Ajv2020({ allowUnionTypes: true, validateFormats: false }).compile(schema);
  const document = restartDocument(request, await restartRollouts(new FakeApi([stuck()]), request));
  expect([valid(JSON.parse(JSON.stringify(document))), valid.errors]).toEqual([true, null]);
  const [rollout] = document.rollouts;
  expect(valid({ ...document, rollouts: [{ ...rollout, outcome: 'perhaps' }] })).toBe(false);
  expect(valid({ ...document, schemaVersion: 2 })).toBe(false);
});

test('one that changed meanwhile is evaluated anew, with what it says then', async () => {
  const api = new FakeApi([stuck()]);
  api.conflicts = 2;
  await restartRollouts(api, request);
  expect(api.patches).toHaveLength(3);
  const other = new FakeApi([stuck()]);
  other.conflicts = 1;
  other.get = () => Promise.resolve(stuck({ status: { phase: 'Healthy' } }));
  expect(await restartRollouts(other, request)).toMatchObject([{ outcome: 'fine' }]);
  const restless = new FakeApi([stuck()]);
  restless.conflicts = 99;
  await expect(restartRollouts(restless, request)).rejects.toThrow('it has changed');
  expect(restless.patches).toHaveLength(5);
});

test('others are not looked at, whatever they are called', async () => {
  const named = (tracking?: string, labels = {}): ObservedRollout => {
    const { metadata, ...rest } = stuck();
    const annotations: Record<string, string> =
      tracking === undefined ? {} : { 'argocd.argoproj.io/tracking-id': tracking };
    return { ...rest, metadata: { ...metadata, annotations, labels } };
  };
  const of = async (rollout: ObservedRollout) =>
    (await restartRollouts(new FakeApi([rollout]), request)).length;
  const rest = ':argoproj.io/Rollout:podinfo/x';
  expect(await of(named(`podinfo${rest}`))).toBe(1);
  expect(await of(named(`argo-apps_podinfo${rest}`))).toBe(1);
  expect(await of(named(undefined, { 'app.kubernetes.io/instance': 'podinfo' }))).toBe(1);
  expect(await of(named(`podinfo-2${rest}`))).toBe(0);
  expect(await of(named(`shop${rest}`, { 'app.kubernetes.io/instance': 'podinfo' }))).toBe(0);
  expect(await of(named('podinfo'))).toBe(0);
  expect(await of(named())).toBe(0);
});

test('a dry run writes nothing; one without Events restarts all the same, by its own clock, and says so', async () => {
  const dry = new FakeApi([stuck()]);
  expect(await restartRollouts(dry, { ...request, dryRun: true })).toMatchObject([{ outcome: 'restart' }]);
  expect([dry.patches, dry.events]).toEqual([[], []]);
  const denied = new FakeApi([stuck()]);
  denied.eventFailure = () => new KubernetesError('denied', 'may not create events', 403);
  const [outcome] = await restartRollouts(denied, request);
  expect(outcome).toMatchObject({ outcome: 'restart', warning: 'no Event: may not create events' });
  expect(Math.abs(Date.parse(outcome!.restartAt!) - Date.now())).toBeLessThan(5_000);
  const gone = new FakeApi([stuck()]);
  gone.eventFailure = () => new KubernetesError('unreachable', 'no answer');
  await expect(restartRollouts(gone, request)).rejects.toThrow('no answer');
  expect(gone.patches).toEqual([]);
});

test('only who is left alone though degraded is told so', async () => {
  const api = new FakeApi([stuck()]);
  const outcomes = (['restart', 'fine', 'changing', 'broken', 'limited'] as const).map((outcome) => ({
    ...{ name: outcome, outcome, why: 'why' },
  }));
  await reportSkipped(api, request, outcomes);
  expect(api.events.map(({ reason, message }) => `${reason} ${message}`)).toEqual(
    Array.from({ length: 2 }, () => expect.stringMatching(/^NotRestarted .*not restarted: why$/)),
  );
  await reportSkipped(api, { ...request, dryRun: true }, outcomes);
  expect(api.events).toHaveLength(2);
});

test('lines for a person hold no line breaks of others', () => {
  const lines = restartLines('podinfo', [
    { name: 'a', outcome: 'broken', why: 'InvalidSpec: x\nRollout b: restarted' },
    { name: 'b', outcome: 'restart', why: 'stuck', restartAt: '2026-11-21T12:00:00Z', warning: 'no Event' },
  ]);
  expect(linesText(lines).trimEnd().split('\n')).toEqual([
    String.raw`Rollout a: left alone, broken: InvalidSpec: x\nRollout b: restarted`,
    'Rollout b: restarted at 2026-11-21T12:00:00Z: stuck',
    'Rollout b: warning: no Event',
  ]);
  expect(restartLines('podinfo', [])).toEqual(['There is no Rollout of the Application podinfo.']);
});

test.each([
  ['a"b', 'podinfo'],
  ['$(id)', 'podinfo'],
  ['a\nb', 'podinfo'],
  ['', 'podinfo'],
  ['podinfo', 'kube-system'],
  ['podinfo', ''],
])('an Application called %j in %j is refused before anybody is asked', async (application, namespace) => {
  const flags = { application, namespace, allowedNamespace: ['podinfo'], kubeconfig: '/there/is/none' };
  await expect(restartRollout(flags)).rejects.toThrow(/--application|--namespace/);
});

test("Argo CD's part fits what the constructs of Argo CD accept, and the subscription what it is called", () => {
  const url = 'http://restarter-eventsource-svc.rollout-restarter.svc:12000/restart';
  const notification = restartNotification({ restarter: 'restarter', url, tokenKey: 'restarter-token' });
  expect(gitopsProblems(notification)).toEqual([]);
  expect(
    gitopsProblems({ ...notification, service: { ...notification.service, url: 'http://x' } as any }),
  ).not.toEqual([]);
  const { trigger, service, template } = notification;
  expect(trigger.conditions[0]!.oncePer).toMatch(/revision/);
  expect(Object.keys(subscribeToRestarts('restarter'))).toEqual([
    `notifications.argoproj.io/subscribe.${trigger.name}.${service.name}`,
  ]);
  expect(Object.keys(template.webhook!['restarter']!.body as object)).toEqual(['application', 'namespace']);
  expect(JSON.stringify(service)).toContain('Bearer $restarter-token');
});

test('the metrics read what a restart writes', async () => {
  const api = new FakeApi([stuck()]);
  await restartRollouts(api, request);
  const { metrics } = (restartMetrics() as any).spec.resources[0];
  const values = metrics.map(({ each }: any) =>
    each.gauge.path.reduce((object: any, key: string) => object?.[key], api.patches[0]),
  );
  expect(values).toEqual(['1', now.toISOString().replace('.000', '')]);
});
