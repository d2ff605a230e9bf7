import { setTimeout as sleep } from 'node:timers/promises';
import { openKubernetes } from '../../lib/core/kubernetes/open';
import { restartRollouts, defaultRestartLimits } from '../../lib/operate/restart-rollouts';
import type { ArgoEvents } from './bench/argo-events';
import { argoEvents } from './bench/argo-events';
import { argoRollouts } from './bench/argo-rollouts';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import type { Controller } from './bench/controller';
import { eventually } from './bench/eventually';
import type { KubernetesObject } from './bench/kubernetes-api';
import type { Nats } from './bench/nats';
import { nats } from './bench/nats';
import { image, jobFor, own, restarterObjects, runJob, shop, token } from './bench/restarter-world';

let plane: ControlPlane;
let rollouts: Controller;
let events: ArgoEvents;
let bus: Nats;
const objects = restarterObjects();

const argo = 'argoproj.io/v1alpha1';
const sensorUser = `system:serviceaccount:${own}:restarter-sensor`;
const jobUser = `system:serviceaccount:${own}:restarter-job`;
const account = ['system:serviceaccounts', `system:serviceaccounts:${own}`, 'system:authenticated'];

/** A Rollout of an Application of the same name. */
const rolloutOf = (name: string, more: object = {}, podLabels: object = {}): KubernetesObject => ({
  apiVersion: argo,
  kind: 'Rollout',
  metadata: {
    name,
    namespace: shop,
    annotations: { 'argocd.argoproj.io/tracking-id': `${name}:argoproj.io/Rollout:${shop}/${name}` },
  },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name, ...podLabels } },
      spec: { containers: [{ name: 'main', image: 'registry.example.com/app:1' }] },
    },
    strategy: { canary: {} },
    ...more,
  },
});
const podsOf = async (name: string): Promise<KubernetesObject[]> =>
  (await plane.api.list('v1', 'Pod', { namespace: shop, labelSelector: `app=${name}` })).filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
const uidsOf = async (name: string): Promise<string[]> =>
  (await podsOf(name)).map(({ metadata }) => metadata['uid'] as string).sort();
const phase = (rollout: KubernetesObject, wanted: string): Promise<KubernetesObject> =>
  eventually(`${rollout.metadata.name} ${wanted}`, async () => {
    const found = await plane.api.get(rollout);
    return found['status']?.phase === wanted && found;
  });
/** The state of the bug: nothing but the status says that it is stuck. */
const stick = (rollout: KubernetesObject): Promise<KubernetesObject> => {
  const at = new Date().toISOString();
  const condition = {
    ...{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' },
    ...{ message: 'timed out', lastTransitionTime: at, lastUpdateTime: at },
  };
  const status = {
    phase: 'Degraded',
    message: 'ProgressDeadlineExceeded: timed out',
    conditions: [condition],
  };
  return plane.api.patch(rollout, { status }, { subresource: 'status' });
};
const run = (name: string) => runJob(plane, jobFor(objects, name, shop));
const eventsOn = async (name: string): Promise<any[]> =>
  (
    await plane.api.list('v1', 'Event', { namespace: shop, fieldSelector: `involvedObject.name=${name}` })
  ).filter((each) => each['source']?.component === 'cluster-canary');

beforeAll(async () => {
  plane = await controlPlane({ name: 'apps' });
  [rollouts, events, bus] = await Promise.all([argoRollouts(plane), argoEvents(plane), nats()]);
  await plane.apply([
    ...[own, shop, 'other'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'restarter-token', namespace: own },
      stringData: { token },
    },
    {
      apiVersion: argo,
      kind: 'EventBus',
      metadata: { name: 'default', namespace: own },
      spec: { jetstreamExotic: { url: bus.url, streamConfig: 'replicas: 1\n' } },
    },
    ...objects,
  ]);
});

describe('Rollouts', () => {
  test('one that is stuck is restarted once, and its pods are new ones; without the Job they stay', async () => {
    const rollout = rolloutOf('stuck');
    await plane.api.create(rollout);
    await phase(rollout, 'Healthy');
    const before = await uidsOf('stuck');
    await rollouts.process.kill();
    await stick(rollout);
    await rollouts.start();
    await sleep(3_000);
    expect(await uidsOf('stuck')).toEqual(before);

    await rollouts.process.kill();
    await stick(rollout);
    const first = await run('stuck');
    expect(first).toMatchObject({
      status: 0,
      document: { rollouts: [{ name: 'stuck', outcome: 'restart' }] },
    });
    expect(first.message).toMatch(/^Rollout stuck: restarted at /);
    const [{ restartAt, warning }] = first.document.rollouts;
    expect(warning).toBeUndefined();
    const second = await run('stuck');
    expect(second).toMatchObject({ status: 0, document: { rollouts: [{ outcome: 'changing' }] } });
    const { spec, metadata } = await plane.api.get(rollout);
    expect(spec.restartAt).toBe(restartAt);
    expect(metadata['annotations']).toMatchObject({
      'cluster-canary/restarts': restartAt,
      'cluster-canary/restarts-total': '1',
    });
    expect(plane.audit({ user: jobUser }).map(({ verb, resource }) => `${verb} ${resource}`)).toEqual([
      'patch rollouts',
    ]);
    expect(await uidsOf('stuck')).toEqual(before);
    await rollouts.start();
    await phase(rollout, 'Healthy');
    await eventually('new pods', async () => {
      const after = await uidsOf('stuck');
      return after.length === 2 && after.every((uid) => !before.includes(uid));
    });
    const [told] = await eventsOn('stuck');
    expect(told).toMatchObject({ type: 'Normal', reason: 'Restarted' });
    expect(told.message).toMatch(
      /for the Argo CD Application stuck: restarted: Degraded with ProgressDeadline/,
    );
  });

  test('the cool-down and the limit of a day hold', async () => {
    const rollout = rolloutOf('flapping');
    await plane.api.create(rollout);
    await phase(rollout, 'Healthy');
    await rollouts.process.kill();
    try {
      const outcomes: string[] = [];
      const again = async (coolDown: string) => {
        const { spec } = await plane.api.get(rollout);
        await stick(rollout);
        // The controller is stopped: the restart that was asked for is done.
        const seen = { restartedAt: spec.restartAt, observedGeneration: '99' };
        await plane.api.patch(rollout, { status: seen }, { subresource: 'status' });
        const job = jobFor(objects, 'flapping', shop);
        const [container] = job.spec.template.spec.containers;
        container.args = container.args.map((each: string) => each.replace('=30m', `=${coolDown}`));
        const { document, status } = await runJob(plane, job);
        outcomes.push(`${document.rollouts[0].outcome} ${status}`);
      };
      await again('30m');
      await again('30m');
      for (let times = 0; times < 4; times += 1) {
        await sleep(1_100);
        await again('1s');
      }
      expect(outcomes).toEqual([
        'restart 0',
        'limited 1',
        'restart 0',
        'restart 0',
        'limited 1',
        'limited 1',
      ]);
      const { metadata } = await plane.api.get(rollout);
      expect(metadata['annotations']['cluster-canary/restarts-total']).toBe('3');
    } finally {
      await rollouts.start();
    }
  });

  test('two at once make one restart', async () => {
    const rollout = rolloutOf('twice');
    await plane.api.create(rollout);
    await phase(rollout, 'Healthy');
    await rollouts.process.kill();
    await stick(rollout);
    const api = await openKubernetes({ kubeconfig: await plane.kubeconfigFor(jobUser, account) });
    const request = { application: 'twice', namespace: shop, limits: defaultRestartLimits, host: 'e2e' };
    const both = await Promise.all([restartRollouts(api, request), restartRollouts(api, request)]);
    api.close();
    await rollouts.start();
    expect(
      both
        .flat()
        .map(({ outcome }) => outcome)
        .sort(),
    ).toEqual(['changing', 'restart']);
    const { metadata } = await plane.api.get(rollout);
    expect(metadata['annotations']['cluster-canary/restarts-total']).toBe('1');
  });

  test('a broken one is not touched, and told; when its pods are well and it is stuck all the same, it is', async () => {
    const rollout = rolloutOf('broken', { progressDeadlineSeconds: 5 }, { sick: 'true' });
    await plane.api.create(rollout);
    // The controller itself has driven it there.
    const degraded = await phase(rollout, 'Degraded');
    expect(JSON.stringify(degraded['status'].conditions)).toContain('ProgressDeadlineExceeded');
    const before = await uidsOf('broken');
    const left = await run('broken');
    expect(left).toMatchObject({ status: 1, document: { rollouts: [{ outcome: 'broken' }] } });
    expect(left.message).toMatch(/2 of 2 pods are not available/);
    const untouched = await plane.api.get(rollout);
    expect(untouched['spec'].restartAt).toBeUndefined();
    expect(untouched.metadata['resourceVersion']).toBe(degraded.metadata['resourceVersion']);
    expect(await uidsOf('broken')).toEqual(before);
    expect(await eventsOn('broken')).toMatchObject([{ type: 'Warning', reason: 'NotRestarted' }]);

    await rollouts.process.kill();
    const ready = ['Ready', 'ContainersReady'].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: new Date().toISOString(),
    }));
    for (const pod of await podsOf('broken')) {
      await plane.api.patch(pod, { metadata: { labels: { sick: null } } });
      await plane.api.patch(pod, { status: { conditions: ready } }, { subresource: 'status' });
    }
    expect(await run('broken')).toMatchObject({
      status: 0,
      document: { rollouts: [{ outcome: 'restart' }] },
    });
    await rollouts.start();
  });

  test('names that are none end in an error, and nothing is asked', async () => {
    for (const name of ['a"b', '$(id)', 'x;id', 'a\nb', '`id`', '--kubeconfig=/x', '../../x']) {
      await expect(runJob(plane, jobFor(objects, name, shop))).rejects.toThrow(/--application/);
    }
    await expect(runJob(plane, jobFor(objects, 'stuck', 'other'))).rejects.toThrow(/must be one of "shop"/);
  });
});

describe('rights', () => {
  const rules = async (user: string, namespace: string): Promise<string[]> => {
    const api = await plane.apiFor(user, account);
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectRulesReview',
      spec: { namespace },
    };
    const { status } = await api.call(
      'POST',
      '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
      review,
    );
    return status.resourceRules
      .filter(({ resources }: any) => !/^selfsubject/.test(resources[0]))
      .map(({ verbs, resources }: any) => `${verbs.join()} ${resources.join()}`)
      .sort();
  };

  test('the accounts may do what they are for, in their namespaces, and nothing else', async () => {
    expect(await rules(jobUser, shop)).toEqual(['create events', 'get,list,patch rollouts', 'list pods']);
    expect(await rules(sensorUser, own)).toEqual(['create jobs']);
    for (const [user, namespace] of [
      [jobUser, own],
      [jobUser, 'other'],
      [jobUser, 'kube-system'],
      [sensorUser, shop],
    ] as const) {
      expect([user, namespace, await rules(user, namespace)]).toEqual([user, namespace, []]);
    }
  });

  const change = (path: string, value: unknown) => (job: any) => {
    const keys = path.split('.');
    const last = keys.pop()!;
    const at = keys.reduce((object, key) => (object[key] ??= {}), job);
    at[last] = value;
  };
  const pod = 'spec.template.spec';
  const container = `${pod}.containers.0`;
  const other = { name: 'other', image };

  test('the policy is in force, and admits the Job of a message', async () => {
    const api = await plane.apiFor(sensorUser, account);
    await eventually('in force', async () => {
      const wrong = jobFor(objects, 'stuck', shop);
      change(`${container}.image`, 'registry.example.com/other')(wrong);
      return api.create(wrong, { dryRun: true }).then(
        () => false,
        ({ status }) => status === 403,
      );
    });
    const job = jobFor(objects, 'stuck', shop);
    expect(await api.create(job, { dryRun: true })).toMatchObject({ kind: 'Job' });
  });

  test.each<[string, unknown]>([
    [`${container}.image`, image.replace('0a', '0b')],
    [`${container}.image`, 'registry.example.com/cluster-canary:1'],
    [`${container}.command`, ['sh', '-c', 'id']],
    [`${container}.command`, undefined],
    [`${container}.args.0`, 'shift'],
    [`${container}.args.1`, '--application=$(id)'],
    [`${container}.args.1`, '--application=a\nb'],
    [`${container}.args.2`, '--namespace=other'],
    [`${container}.args.3`, '--allowed-namespace=other'],
    [`${container}.args.12`, '--kubeconfig=/x'],
    [`${container}.args`, undefined],
    [`${container}.env`, [{ name: 'NODE_OPTIONS', value: '--require=/x' }]],
    [`${container}.envFrom`, [{ secretRef: { name: 'restarter-token' } }]],
    [`${container}.volumeMounts`, [{ name: 'x', mountPath: '/x' }]],
    [`${container}.workingDir`, '/tmp'],
    [`${container}.lifecycle`, { postStart: { exec: { command: ['id'] } } }],
    [`${container}.securityContext`, { allowPrivilegeEscalation: true }],
    [`${container}.name`, 'other'],
    [`${pod}.containers.1`, other],
    [`${pod}.initContainers`, [other]],
    [`${pod}.serviceAccountName`, 'default'],
    [`${pod}.serviceAccountName`, 'restarter-sensor'],
    [`${pod}.serviceAccountName`, undefined],
    [`${pod}.securityContext`, undefined],
    [`${pod}.volumes`, [{ name: 'x', secret: { secretName: 'restarter-token' } }]],
    [`${pod}.hostNetwork`, true],
    [`${pod}.hostPID`, true],
    [`${pod}.nodeName`, 'apps-1'],
    [`${pod}.hostAliases`, [{ ip: '127.0.0.1', hostnames: ['x'] }]],
    [`${pod}.restartPolicy`, 'OnFailure'],
    ['spec.template.metadata.labels', { app: 'x' }],
    ['spec.template.metadata.annotations', { a: 'b' }],
    ['spec.ttlSecondsAfterFinished', undefined],
    ['spec.activeDeadlineSeconds', 999_999],
    ['spec.backoffLimit', 9],
    ['spec.parallelism', 9],
    ['spec.completions', 9],
    ['metadata.generateName', 'other-'],
    ['metadata.finalizers', ['example.com/x']],
    ['metadata.annotations', { a: 'b' }],
    [
      'metadata.ownerReferences',
      [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '00000000-0000-0000-0000-000000000000' }],
    ],
  ])('from the Sensor no Job comes with another %s: %j', async (path, value) => {
    const api = await plane.apiFor(sensorUser, account);
    const job = jobFor(objects, 'stuck', shop);
    change(path, value)(job);
    if (path.endsWith('restartPolicy')) {
      delete job.spec.podFailurePolicy;
    }
    if (path.endsWith('volumeMounts')) {
      change(`${pod}.volumes`, [{ name: 'x', emptyDir: {} }])(job);
    }
    if (path === `${container}.name`) {
      change('spec.podFailurePolicy.rules.0.onExitCodes.containerName', value)(job);
    }
    await expect(api.create(job, { dryRun: true })).rejects.toThrow(/403 .*restarter-sensor makes Jobs with/);
  });

  test.each<[string, object]>([
    ['another image', { spec: { template: { spec: { containers: [{ name: 'main', image: 'x' }] } } } }],
    ['other replicas', { spec: { replicas: 0 } }],
    ['a pause', { spec: { paused: true } }],
    ['a field less', { spec: { strategy: null } }],
    ['a label', { metadata: { labels: { a: 'b' } } }],
    ['a finalizer', { metadata: { finalizers: ['example.com/x'] } }],
    ['another annotation', { metadata: { annotations: { a: 'b' } } }],
    ['no annotations', { metadata: { annotations: null } }],
  ])('from the Job no Rollout gets %s', async (_, patch) => {
    const rollout = rolloutOf('guarded');
    if (!(await plane.api.find(rollout))) {
      await plane.api.create(rollout);
    }
    const api = await plane.apiFor(jobUser, account);
    await api.patch(rollout, { spec: { restartAt: '2026-01-01T00:00:00Z' } }, { dryRun: true });
    await expect(api.patch(rollout, patch, { dryRun: true })).rejects.toThrow(
      /403 .*restarter-job changes of a Rollout only/,
    );
  });

  test('the API server finds nothing odd in the policies', async () => {
    for (const object of objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')) {
      const { status } = await eventually('checked', async () => {
        const found = await plane.api.get(object);
        return found['status']?.observedGeneration !== undefined && found;
      });
      expect(status.typeChecking?.expressionWarnings ?? []).toEqual([]);
    }
  });

  test('Jobs of others are none of its business', async () => {
    const job = jobFor(objects, 'stuck', shop);
    change(`${container}.image`, 'registry.example.com/other')(job);
    expect(await plane.api.create(job, { dryRun: true })).toMatchObject({ kind: 'Job' });
  });
});

test('an API server takes a restarter with everything that there is', async () => {
  const all = restarterObjects({
    ...{
      name: 'everything',
      eventBus: { volumeSize: '1Gi' },
      tlsSecret: 'tls',
      monitoringNamespace: 'other',
    },
  });
  for (const object of all) {
    expect(await plane.api.apply(object, { dryRun: true })).toMatchObject({ kind: object.kind });
  }
});

test('its own EventBus becomes servers, of the version that it names', async () => {
  const [made] = restarterObjects({ namespace: 'other', eventBus: { version: '2.12.1' } }).filter(
    ({ kind }) => kind === 'EventBus',
  );
  await plane.api.create(made!);
  const set = await eventually('StatefulSet of the EventBus', async () =>
    (await plane.api.list('apps/v1', 'StatefulSet', { namespace: 'other' })).find(
      ({ status }) => status?.readyReplicas === 3,
    ),
  );
  const [main] = set['spec'].template.spec.containers;
  expect(main.image).toBe('registry.example.com/nats:2.12.1');
  expect(set['spec'].template.metadata.labels).toMatchObject({
    controller: 'eventbus-controller',
    'eventbus-name': 'default',
  });
});

test('a request with the token leads to the Job, one without to nothing, and no name to anything else', async () => {
  const jobs = async (): Promise<any[]> => {
    const found = await plane.api.list('batch/v1', 'Job', { namespace: own });
    return found.map(({ spec }) => spec.template.spec.containers[0].args.slice(1, 3));
  };
  await events.run('Sensor', 'restarter', own);
  await eventually('the Sensor listens', async () => (await bus.consumers()).length === 1);
  const { address, pod: sourcePod } = await events.run('EventSource', 'restarter', own);
  expect(sourcePod['spec'].containers[0].securityContext).toMatchObject({ readOnlyRootFilesystem: true });
  const post = (body: unknown, given?: string): Promise<number> =>
    fetch(`http://${address}:12000/restart`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(given === undefined ? {} : { authorization: `Bearer ${given}` }),
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }).then(({ status }) => status);
  const good = { application: 'stuck', namespace: shop };
  await eventually('EventSource takes requests', async () => (await post(good)) === 401);
  expect(await post(good, 'guessed')).toBe(401);
  for (const application of [
    'a"},{"b',
    '$(id)',
    'x;id',
    'a\nb',
    '`id`',
    '--kubeconfig=/x',
    'ä',
    {},
    ['a'],
    null,
  ]) {
    expect(await post({ application, namespace: shop }, token)).toBe(200);
  }
  expect(await post({ application: 'stuck', namespace: 'other' }, token)).toBe(200);
  expect(await post({ application: 'stuck', namespace: `${shop}\n` }, token)).toBe(200);
  expect(await post({ namespace: shop }, token)).toBe(200);
  expect(await post('no JSON', token)).toBeGreaterThanOrEqual(200);
  expect(await post(JSON.stringify({ ...good, more: 'x'.repeat(5_000) }), token)).toBe(400);
  expect(await post(good, token)).toBe(200);
  await eventually('a Job', async () => (await jobs()).length > 0);
  await sleep(2_000);
  expect(await jobs()).toEqual([['--application=stuck', `--namespace=${shop}`]]);
  const writes = plane.audit({ user: sensorUser }).filter(({ uri }) => !/dryRun|selfsubject/.test(uri));
  expect(writes.map(({ verb, resource, status }) => `${verb} ${resource} ${status}`)).toEqual([
    'create jobs 201',
  ]);
});
