import { settingsProblems } from '../../../lib/shift/checks';
import type { KubernetesObject, KubernetesReader } from '../../../lib/core/kubernetes/api';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import { InvalidInput } from '../../../lib/core/validation';
import { errorLine } from '../../../lib/core/validation/problems';
import { shiftWindow } from '../../../lib/manifests/argocd';
import type { ObservedApplication } from '../../../lib/shift/checks/argo-applications/applications';
import {
  applicationsOf,
  nameless,
  uncovered,
} from '../../../lib/shift/checks/argo-applications/applications';
import { argoApplications } from '../../../lib/shift/checks/argo-applications/argo-applications';
import { openedOnce } from '../../../lib/core/kubernetes/open';
import { SourceError } from '../../../lib/shift/engine';
import { contextOf, subject, windowOf } from './health-samples';
import { application, clusterSecret, hub, next, evaluate, blue, green } from './argo-samples';
import type { Sample } from './argo-samples';

describe('states', () => {
  test.each<[string, Sample, string, RegExp]>([
    ['well', {}, 'pass', /1 of 1 Applications Synced and Healthy/],
    [
      'still coming up',
      { health: 'Progressing' },
      'inconclusive',
      /apps-green-podinfo is Synced and Progressing/,
    ],
    ['broken', { health: 'Degraded' }, 'fail', /Degraded/],
    ['broken and out of date', { health: 'Degraded', sync: 'OutOfSync' }, 'fail', /OutOfSync and Degraded/],
    ['out of date', { sync: 'OutOfSync' }, 'inconclusive', /OutOfSync and Healthy/],
    ['sync fails', { sync: 'OutOfSync', phase: 'Failed' }, 'inconclusive', /its last sync failed/],
    ['not comparable', { sync: 'Unknown' }, 'inconclusive', /Unknown/],
    ['not there yet', { health: 'Missing', sync: 'OutOfSync' }, 'inconclusive', /Missing/],
    ['suspended', { health: 'Suspended' }, 'inconclusive', /Suspended/],
    [
      'being deleted',
      { deleted: true },
      'inconclusive',
      /no Application, no counterpart of apps-blue-podinfo/,
    ],
  ])('%s', async (_name, sample, status, reason) => {
    const result = await evaluate([blue, green(sample)]);
    expect(result.status).toBe(status);
    expect(result.reason).toMatch(reason);
  });

  test('what a sync failed by is named, without a secret and on one line', async () => {
    const failing = (resources: readonly object[], message?: string, phase = 'Failed') =>
      evaluate([
        blue,
        {
          ...green(),
          status: {
            sync: { status: 'OutOfSync' },
            health: { status: 'Missing' },
            operationState: { phase, message, syncResult: { resources } },
          },
        },
      ]);
    const budget = {
      group: 'policy',
      version: 'v1beta1',
      kind: 'PodDisruptionBudget',
      namespace: 'web',
      name: 'web',
      status: 'SyncFailed',
      message: 'The Kubernetes API could not find version "v1beta1" of policy/PodDisruptionBudget\u001b[2J',
    };
    const synced = { version: 'v1', kind: 'Service', name: 'web', status: 'Synced' };
    const { reason } = await failing([synced, budget], 'one or more objects failed to apply');
    expect(reason).toContain(
      '(its last sync failed: PodDisruptionBudget web of policy/v1beta1: The Kubernetes API could not find version "v1beta1" of policy/PodDisruptionBudget',
    );
    expect(reason).not.toContain('\u001b');
    expect((await failing([synced], 'one or more objects failed to apply')).reason).toContain(
      'its last sync failed: one or more objects failed to apply)',
    );
    expect((await failing([budget], 'retrying', 'Running')).reason).toContain('(its sync failed: Pod');
    expect((await failing([synced], 'waiting for healthy state', 'Running')).reason).not.toContain(
      'sync failed',
    );
    const secret = {
      version: 'v1',
      kind: 'Secret',
      name: 'key',
      status: 'SyncFailed',
      message: 'data.key: Invalid value: "hunter2hunter2": must be base64',
    };
    expect((await failing([secret])).reason).not.toContain('hunter2');
    expect((await failing([{ status: 'SyncFailed' }, 'x' as never])).reason).toContain('no message');
  });

  test('an Application that Argo CD has not looked at yet', async () => {
    const { status: _status, ...fresh } = green();
    const result = await evaluate([blue, fresh]);
    expect(result).toMatchObject({
      status: 'inconclusive',
      reason: expect.stringMatching(/not looked at yet/),
    });
  });

  test('a broken Application of the old slot is its own affair; one of the new slot among many fails', async () => {
    expect((await evaluate([{ ...blue, status: { health: { status: 'Degraded' } } }, green()])).status).toBe(
      'pass',
    );
    const more = ['a', 'b', 'c', 'd'].map((each) =>
      application(`apps-green-${each}`, { cluster: 'apps-green', health: 'Progressing' }),
    );
    const bad = application('apps-green-z', { cluster: 'apps-green', health: 'Degraded' });
    const result = await evaluate([...more, bad]);
    expect(result.status).toBe('fail');
    expect(result.reason).toMatch(/^green: 0 of 5 .*, apps-green-z is Synced and Degraded, .*2 more$/);
    expect(result.figures).toEqual([
      {
        ...{ name: 'healthy Applications', slot: 'green', value: 0, unit: 'count', min: 5 },
        counts: {
          ...{ counted: 0, of: 5, what: 'Applications are Synced and Healthy' },
          cause: expect.stringMatching(/^apps-green-z is Synced and Degraded, .*, 2 more$/),
        },
      },
      { name: 'missing Applications', slot: 'green', value: 0, unit: 'count', max: 0 },
    ]);
  });

  test('no Application at all is no pass', async () => {
    for (const applications of [[], [application('x', { cluster: 'elsewhere' })]]) {
      expect((await evaluate(applications)).status).toBe('inconclusive');
    }
  });
});

describe('destinations', () => {
  const secrets = [clusterSecret('apps-blue', 'https://blue'), clusterSecret('apps-green', 'https://green/')];

  test('a cluster’s name needs no Secret to be read', async () => {
    const { check, asked } = hub([blue, green()]);
    await check.evaluate(next);
    expect(asked).toEqual([{ kind: 'Application', namespace: 'argocd', labelSelector: undefined }]);
  });

  test('a server’s URL is looked up in the cluster Secrets', async () => {
    const byUrl = [
      application('apps-blue-podinfo', { server: 'https://blue' }),
      application('apps-green-podinfo', { server: 'https://green' }),
      application('elsewhere', { server: 'https://other', health: 'Degraded' }),
    ];
    const { check, asked } = hub(byUrl, secrets, { namespace: 'cd', selector: 'team=web' });
    expect(await check.evaluate(next)).toMatchObject({
      status: 'pass',
      reason: 'green: 1 of 1 Applications Synced and Healthy',
    });
    expect(asked).toEqual([
      { kind: 'Application', namespace: 'cd', labelSelector: 'team=web' },
      { kind: 'Secret', namespace: 'cd', labelSelector: 'argocd.argoproj.io/secret-type=cluster' },
    ]);
  });

  const login = (clusterName: string) => ({ awsAuthConfig: { clusterName } });
  const other = ['--cluster-name', 'apps-green', '--region', 'eu-west-1'];

  test.each<[string, KubernetesObject[], string, RegExp]>([
    [
      'an adopted cluster, which its hub calls FLEET-SLOT',
      [clusterSecret('shop-green', 'https://green', login('apps-green'), 'green')],
      'shop-green',
      /^green: 1 of 1/,
    ],
    [
      'a login by a program',
      [clusterSecret('eu/green', 'https://g', { execProviderConfig: { command: 'aws', args: other } })],
      'eu/green',
      /^green: 1 of 1/,
    ],
    [
      'the managed Argo CD',
      [clusterSecret('g', 'arn:aws:eks:eu-west-1:123456789012:cluster/apps-green', {})],
      'g',
      /^green: 1 of 1/,
    ],
    [
      'the slot’s Secret goes before one of the same cluster name elsewhere',
      [
        clusterSecret('shop-green', 'https://green', login('apps-green'), 'green'),
        clusterSecret('us-green', 'https://us', login('apps-green'), 'red'),
      ],
      'us-green',
      /^green: no Application/,
    ],
    [
      'a cluster that has the name goes before one that logs in to it',
      [
        clusterSecret('apps-green', 'https://green', login('apps-green')),
        clusterSecret('again', 'https://green', login('apps-green')),
      ],
      'again',
      /^green: no Application/,
    ],
    ['no such cluster', [clusterSecret('x', 'https://x', login('y'))], 'x', /^green: no Application/],
    [
      'a Secret that can not be read',
      [clusterSecret('x', 'https://x', [null])],
      'x',
      /^green: no Application/,
    ],
  ])('a cluster with another name in Argo CD: %s', async (_name, registered, cluster, reason) => {
    const podinfo = application(`${cluster}-podinfo`, { cluster, set: 'podinfo' });
    expect((await evaluate([blue, podinfo], registered)).reason).toMatch(reason);
  });

  test('Secrets that may not be listed are asked for only to look for other names', async () => {
    const denied = new KubernetesError('denied', 'list secrets: not allowed', 403);
    const evaluate = (applications: readonly KubernetesObject[]) =>
      argoApplications.kind
        .create(
          'argo',
          {},
          contextOf({
            kubernetes: () =>
              Promise.resolve({
                server: '',
                get: () => Promise.reject(new Error()),
                list: ({ kind }) =>
                  kind === 'Secret' ? Promise.reject(denied) : Promise.resolve(applications),
              }),
          }),
        )
        .evaluate(next);
    expect((await evaluate([blue])).reason).toMatch(/^green: no Application/);
    await expect(evaluate([blue, application('x', { server: 'https://x' })])).rejects.toThrow(/not allowed/);
  });

  test('the cluster that Argo CD runs in has no Secret', async () => {
    const slots = { blue: { clusterName: 'in-cluster' }, green: { clusterName: 'apps-green' } };
    const own = application('podinfo', { server: 'https://kubernetes.default.svc' });
    const { opened } = hub([]);
    const check = argoApplications.kind.create(
      'argo',
      { context: 'hub' },
      {
        ...contextOf({}),
        subject: { ...subject, slots },
        kubernetes: (given) => {
          opened.push(given);
          return Promise.resolve({
            server: '',
            get: () => Promise.reject(new Error()),
            list: ({ kind }) => Promise.resolve(kind === 'Secret' ? [] : [own]),
          });
        },
      },
    );
    const result = await check.evaluate(next);
    expect(result.reason).toBe('green: no Application, no counterpart of podinfo');
    expect(opened).toEqual([{ context: 'hub' }]);
  });
});

describe('while a sync window of a shift holds rollouts up', () => {
  const now = windowOf({}).to;
  const window = (over: object = {}) => ({
    ...shiftWindow({ from: new Date(now - 60_000), lasts: '1h', applications: ['*'], of: 'apps' }),
    ...over,
  });
  const project = (...syncWindows: object[]): KubernetesObject => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'apps' },
    spec: { syncWindows },
  });
  const behind = green({ sync: 'OutOfSync' });
  const later = windowOf({ blue: 50, green: 50 }, { blue: 0, green: 100 });
  const statusOf = async (
    projects: KubernetesObject[] | Error,
    at = later,
    applications = [blue, behind],
  ): Promise<string> => (await hub(applications, [], {}, projects).check.evaluate(at)).status;

  test('a slot that has traffic may be behind, but not before its first percent', async () => {
    const result = await hub([blue, behind], [], {}, [project(window())]).check.evaluate(later);
    expect(result).toMatchObject({
      status: 'pass',
      reason: expect.stringMatching(/^green: 0 of 1 .*apps-green-podinfo Healthy, and waiting for the shift/),
    });
    expect(await statusOf([project(window())], next)).toBe('inconclusive');
  });

  test.each<[string, KubernetesObject[] | Error]>([
    ['no window', [project()]],
    ['no project', []],
    ['a window of somebody else', [project(window({ description: 'holiday' }))]],
    ['a window that is over', [project(window({ duration: '30s' }))]],
    ['a window that comes', [project(window({ schedule: '0 0 30 2 *' }))]],
    ['a window that allows', [project(window({ kind: 'allow' }))]],
    ['a window of other Applications', [project(window({ applications: ['apps-blue-*'] }))]],
    ['a window of other clusters', [project(window({ applications: [], clusters: ['apps-blue'] }))]],
    ['projects that may not be listed', new KubernetesError('denied', 'not allowed', 403)],
  ])('%s excuses nothing', async (_name, projects) => {
    expect(await statusOf(projects)).toBe('inconclusive');
  });

  test.each<[string, object]>([['clusters', { applications: [], clusters: ['apps-gr?en'] }]])(
    'a window by %s does',
    async (_name, over) => {
      expect(await statusOf([project(window(over))])).toBe('pass');
    },
  );

  test('what is not well is not excused', async () => {
    const broken = green({ sync: 'OutOfSync', health: 'Degraded' });
    const coming = green({ sync: 'OutOfSync', health: 'Progressing' });
    expect(await statusOf([project(window())], later, [blue, broken, behind])).toBe('fail');
    expect(await statusOf([project(window())], later, [blue, coming])).toBe('inconclusive');
  });
});

describe('counterparts', () => {
  const words = (slot: string) => ({ slot, clusters: [`apps-${slot}`] });
  const names = (old: readonly KubernetesObject[], own: readonly KubernetesObject[]) =>
    uncovered(applicationsOf(old), words('blue'), applicationsOf(own), words('green')).map(
      ({ name }: ObservedApplication) => name,
    );
  const of = (name: string, set?: string) => application(name, { ...(set ? { set } : {}) });

  test.each([
    ['the cluster’s name in front', [of('apps-blue-web')], [of('apps-green-web')], []],
    ['the cluster’s name behind', [of('web-apps-blue')], [of('web-apps-green')], []],
    ['the slot’s name only', [of('web-blue')], [of('web-green')], []],
    ['another name altogether', [of('web-blue')], [of('shop-green')], ['web-blue']],
    ['one of two', [of('web-blue'), of('shop-blue')], [of('shop-green')], ['web-blue']],
    ['more than before', [of('web-blue')], [of('web-green'), of('new-green')], []],
    ['made by hand instead of by the set', [of('web-blue', 'web')], [of('web-green')], ['web-blue']],
    ['names of a set that say nothing of the cluster', [of('web-1', 'web')], [of('web-7', 'web')], []],
    ['fewer of a set', [of('web-1', 'web'), of('web-2', 'web')], [of('web-7', 'web')], ['web-2']],
    [
      'a set’s names first, then its number',
      [of('blue-a', 'web'), of('blue-b', 'web')],
      [of('green-b', 'web'), of('green-c', 'web')],
      [],
    ],
    [
      'one counterpart is not two',
      [of('web-blue'), of('web-apps-blue')],
      [of('web-green')],
      ['web-apps-blue'],
    ],
  ])('%s', (_name, old, own, lacking) => {
    expect(names(old, own)).toEqual(lacking);
  });

  test.each([
    ['apps-blue-web', '*-web'],
    ['web.apps-blue', 'web.*'],
    ['blueprint-web', 'blueprint-web'],
    ['web-blue-x', 'web-*-x'],
    ['apps-blue', '*'],
  ])('%s is %s', (name, expected) => {
    expect(nameless(name, words('blue'))).toBe(expected);
  });

  test('a name that can’t stand in an object’s name is looked for as ApplicationSets write it', () => {
    expect(nameless('team-a-blue-web', { slot: 'b', clusters: ['Team_a/blue'] })).toBe('*-web');
  });

  test('a missing counterpart is waited for', async () => {
    const more = application('apps-blue-shop', { cluster: 'apps-blue' });
    const result = await evaluate([blue, more, green()]);
    expect(result).toMatchObject({
      status: 'inconclusive',
      reason: expect.stringMatching(/1 of 1 .*no counterpart of apps-blue-shop/),
      figures: [
        { value: 1, min: 2 },
        { value: 1, max: 0 },
      ],
    });
  });
});

describe('the hub', () => {
  test.each([
    new KubernetesError('denied', 'list applications: not allowed', 403),
    new InvalidInput('kubeconfig', [{ path: 'context', value: 'x', allowed: 'a context' }]),
  ])('%s is a failing source', async (error: Error) => {
    const check = argoApplications.kind.create(
      'argo',
      {},
      contextOf({ kubernetes: () => Promise.reject(error) }),
    );
    await expect(check.evaluate(next)).rejects.toThrow(SourceError);
    await expect(check.evaluate(next)).rejects.toThrow(errorLine(error));
  });

  test('an abort is no failing source', async () => {
    const reason = new Error('enough');
    const check = argoApplications.kind.create(
      'argo',
      {},
      contextOf({ kubernetes: () => Promise.reject(reason) }),
    );
    await expect(check.evaluate(next)).rejects.toBe(reason);
  });

  test('is opened once for all checks that ask it, and again after a failure', async () => {
    let opened = 0;
    const kubernetes = openedOnce(() => {
      opened += 1;
      return opened === 1
        ? Promise.reject(new Error('no kubeconfig yet'))
        : Promise.resolve({} as KubernetesReader);
    });
    await expect(kubernetes({})).rejects.toThrow();
    await Promise.all([kubernetes({}), kubernetes({})]);
    await kubernetes({ context: 'other' });
    expect(opened).toBe(3);
  });

  test('is found by a kubeconfig that a program knows, which is shown nowhere', async () => {
    const asked: object[] = [];
    const check = argoApplications.kind.create(
      'argo',
      { kubeconfigText: 'clusters: []', context: 'hub' },
      contextOf({ kubernetes: (settings) => Promise.reject(new Error(String(asked.push(settings)))) }),
    );
    await expect(check.evaluate(next)).rejects.toThrow();
    expect(asked).toEqual([{ kubeconfigText: 'clusters: []', context: 'hub' }]);
    const problems = (args: object) => settingsProblems(argoApplications.kind, args as never, subject);
    expect(problems({ kubeconfigText: '{ "clusters": [] }' })).toEqual([]);
    const wrong = problems({ kubeconfigText: 'hidden', kubeconfig: '/k', kubeConfigText: 'hidden' });
    expect(wrong.map(({ path }) => path)).toEqual(['kubeConfigText', 'kubeconfigText', 'kubeconfigText']);
    expect(JSON.stringify(wrong)).not.toContain('hidden');
  });

  test('what it takes', () => {
    const paths = (args: object) =>
      settingsProblems(argoApplications.kind, args as never, subject).map(({ path }) => path);
    expect(paths({ kubeconfig: 'x', context: 'hub', namespace: 'argocd', selector: 'a=b' })).toEqual([]);
    expect(paths({ kubeconfig: '', namespace: 'Argo CD', slots: [] })).toEqual([
      'slots',
      'kubeconfig',
      'namespace',
    ]);
    expect(argoApplications.kind.access!({ namespace: 'cd' }, subject)).toEqual([
      {
        cluster: 'hub',
        at: [{}],
        rule: { apiGroups: ['argoproj.io'], resources: ['applications'], verbs: ['list'], namespace: 'cd' },
      },
      {
        cluster: 'hub',
        at: [{}],
        rule: { apiGroups: [''], resources: ['secrets'], verbs: ['list'], namespace: 'cd' },
      },
      {
        cluster: 'hub',
        at: [{}],
        rule: { apiGroups: ['argoproj.io'], resources: ['appprojects'], verbs: ['list'], namespace: 'cd' },
      },
    ]);
    const slots = { blue: {}, green: {} };
    const unnamed = { ...contextOf({}), subject: { ...subject, slots } };
    expect(() => argoApplications.kind.create('argo', {}, unnamed)).toThrow(
      /slots.blue.clusterName[^]*slots.green/,
    );
  });
});
