import { argoCd } from './bench/argo-cd';
import { argoEvents } from './bench/argo-events';
import { argoRollouts } from './bench/argo-rollouts';
import { argoWorkflows } from './bench/argo-workflows';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { eventually } from './bench/eventually';
import { flagger } from './bench/flagger';
import { GitRepository } from './bench/git-repository';
import type { KubernetesObject } from './bench/kubernetes-api';
import { nats } from './bench/nats';
import { requestRecorder } from './bench/request-recorder';

const namespace = 'podinfo';
const labels = { app: 'podinfo' };

/** A pod template; kwok runs nothing of it. */
const podTemplate = (image = 'registry.example.com/podinfo:1') => ({
  metadata: { labels },
  spec: { containers: [{ name: 'podinfo', image, ports: [{ name: 'http', containerPort: 9898 }] }] },
});
const workload = { replicas: 2, selector: { matchLabels: labels } };

let hub: ControlPlane;

beforeAll(async () => {
  hub = await controlPlane({ name: 'hub' });
});

/** An object of the API server, when a condition on it holds. */
const when = (
  ref: { apiVersion: string; kind: string; metadata: { name: string; namespace?: string } },
  holds: (found: KubernetesObject) => boolean,
): Promise<KubernetesObject> =>
  eventually(`${ref.kind} ${ref.metadata.name}`, async () => {
    const found = await hub.api.get(ref);
    if (!holds(found)) {
      throw new Error(JSON.stringify(found.status));
    }
    return found;
  });

const newNamespace = async (name: string): Promise<void> => {
  await hub.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
};

describe('Argo Rollouts', () => {
  const rollout = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: { name: 'podinfo', namespace: 'rollouts' },
    spec: {
      ...workload,
      template: podTemplate(),
      strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } },
    },
  };

  test('a Rollout becomes Healthy; a new image stops at the pause, and a restarted controller promotes it', async () => {
    const rollouts = await argoRollouts(hub);
    await newNamespace('rollouts');
    await hub.api.create(rollout);
    await when(rollout, ({ status }) => status?.phase === 'Healthy' && status.readyReplicas === 2);
    await hub.api.patch(rollout, { spec: { template: podTemplate('registry.example.com/podinfo:2') } });
    await when(rollout, ({ status }) => status.phase === 'Paused' && status.updatedReplicas === 1);
    await rollouts.restart();
    await hub.api.patch(rollout, { status: { promoteFull: true } }, { subresource: 'status' });
    const { status } = await when(
      rollout,
      (found) => found.status.phase === 'Healthy' && found.status.updatedReplicas === 2,
    );
    expect(status.availableReplicas).toBe(2);
    expect(hub.audit({ user: 'argo-rollouts', resource: 'replicasets', verb: 'create' })).toHaveLength(2);
  });
});

describe('Argo Workflows', () => {
  const workflow = (name: string, template: object): KubernetesObject => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name, namespace: 'workflows' },
    spec: { entrypoint: 'main', templates: [{ name: 'main', ...template }] },
  });
  const container = { image: 'registry.example.com/task:1', command: ['task'] };

  test('templates without a pod end by themselves; a pod is made, runs, and its end is the end of the Workflow', async () => {
    const workflows = await argoWorkflows(hub);
    await newNamespace('workflows');
    const [waits, runs] = [
      workflow('waits', { suspend: { duration: '1s' } }),
      workflow('runs', { container }),
    ];
    await hub.api.create(waits);
    await hub.api.create(runs);
    await when(waits, ({ status }) => status?.phase === 'Succeeded');
    const nodes = (found: KubernetesObject): any[] => Object.values(found.status?.nodes ?? {});
    const running = await when(runs, (found) => nodes(found).some(({ phase }) => phase === 'Running'));
    expect(running.status.phase).toBe('Running');
    expect(nodes(running)).toMatchObject([{ type: 'Pod', templateName: 'main' }]);
    const pods = await hub.api.list('v1', 'Pod', { namespace: 'workflows' });
    expect(pods).toHaveLength(1);
    expect(pods[0]!.spec.containers.map(({ name }: { name: string }) => name)).toEqual(['wait', 'main']);
    await workflows.finish(pods[0]!);
    await when(runs, ({ status }) => status.phase === 'Succeeded');
  });
});

describe('Argo Events', () => {
  const events = (kind: string, name: string, within: string, spec: object): KubernetesObject => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind,
    metadata: { name, namespace: within },
    spec,
  });
  const account = { name: 'sensor', namespace: 'events' };
  const rbac = 'rbac.authorization.k8s.io';
  const trigger = (kind: string, data: object, dest: string) => ({
    template: {
      name: kind.toLowerCase(),
      k8s: {
        operation: 'create',
        source: {
          resource: { apiVersion: 'v1', kind, metadata: { name: 'note', namespace: 'events' }, data },
        },
        parameters: [{ src: { dependencyName: 'alert', dataKey: 'body.text' }, dest }],
      },
    },
  });
  const source = events('EventSource', 'hook', 'events', {
    webhook: {
      alert: {
        port: '12000',
        endpoint: '/alert',
        method: 'POST',
        authSecret: { name: 'hook-token', key: 'token' },
      },
    },
  });
  const sensor = events('Sensor', 'hook', 'events', {
    template: { serviceAccountName: account.name },
    dependencies: [{ name: 'alert', eventSourceName: 'hook', eventName: 'alert' }],
    triggers: [trigger('ConfigMap', { text: '' }, 'data.text'), trigger('Secret', {}, 'stringData.text')],
  });

  test('a request with the token goes by EventSource, NATS and Sensor to what RBAC allows, one without goes nowhere', async () => {
    const [controllers, bus] = await Promise.all([argoEvents(hub), nats()]);
    await hub.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'events' } },
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account },
      {
        apiVersion: `${rbac}/v1`,
        kind: 'Role',
        metadata: account,
        rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create'] }],
      },
      {
        apiVersion: `${rbac}/v1`,
        kind: 'RoleBinding',
        metadata: account,
        roleRef: { apiGroup: rbac, kind: 'Role', name: account.name },
        subjects: [{ kind: 'ServiceAccount', ...account }],
      },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'hook-token', namespace: 'events' },
        stringData: { token: 'only-for-tests' },
      },
      events('EventBus', 'default', 'events', {
        jetstreamExotic: { url: bus.url, streamConfig: 'replicas: 1\n' },
      }),
      source,
      sensor,
    ]);
    await controllers.run('Sensor', 'hook', 'events');
    await eventually('the Sensor listens', async () => (await bus.consumers()).length === 2);
    const { address } = await controllers.run('EventSource', 'hook', 'events');
    const post = (text: string, token?: string): Promise<number> =>
      fetch(`http://${address}:12000/alert`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ text }),
      }).then(({ status }) => status);
    await eventually('EventSource takes requests', async () => (await post('no token')) === 401);
    expect(await post('wrong token', 'guessed')).toBe(401);
    expect(await post('right token', 'only-for-tests')).toBe(200);
    const note = await eventually('the Sensor acted', () =>
      hub.api.find({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'note', namespace: 'events' } }),
    );
    expect(note.data).toEqual({ text: 'right token' });
    const writes = await eventually('both triggers', () => {
      const found = hub.audit({ user: 'system:serviceaccount:events:sensor' });
      return found.length >= 2 && found;
    });
    expect(writes.map(({ verb, resource, status }) => `${verb} ${resource} ${status}`).sort()).toEqual([
      'create configmaps 201',
      'create secrets 403',
    ]);
  });

  test('an EventBus of its own becomes a StatefulSet', async () => {
    await newNamespace('own-bus');
    await hub.api.create(events('EventBus', 'default', 'own-bus', { jetstream: { version: '2.12.1' } }));
    const set = await eventually('StatefulSet of the EventBus', async () =>
      (await hub.api.list('apps/v1', 'StatefulSet', { namespace: 'own-bus' })).find(
        ({ status }) => status?.readyReplicas === 3,
      ),
    );
    expect(set.metadata.ownerReferences).toMatchObject([{ kind: 'EventBus', name: 'default' }]);
  });
});

describe('Flagger', () => {
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'podinfo', namespace },
    spec: { ...workload, template: podTemplate() },
  };
  const primary = { ...deployment, metadata: { name: 'podinfo-primary', namespace } };
  const canary = {
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: 'podinfo', namespace },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo' },
      service: { port: 9898 },
      analysis: { interval: '10s', threshold: 1, iterations: 1 },
    },
  };

  test('a Canary is initialised: the primary runs, the Service leads to it, the target is empty; then it is promoted', async () => {
    await flagger(hub);
    await newNamespace(namespace);
    await hub.api.create(deployment);
    await hub.api.create(canary);
    await when(canary, ({ status }) => status?.phase === 'Initialized');
    expect((await hub.api.get(primary)).status.readyReplicas).toBe(2);
    expect((await hub.api.get(deployment)).spec.replicas).toBe(0);
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'podinfo', namespace } };
    expect((await hub.api.get(service)).spec.selector).toEqual({ app: 'podinfo-primary' });
    const image = 'registry.example.com/podinfo:2';
    await hub.api.patch(canary, { spec: { skipAnalysis: true } });
    await hub.api.patch(deployment, { spec: { template: podTemplate(image) } });
    await when(canary, ({ status }) => status.phase === 'Succeeded');
    expect((await hub.api.get(primary)).spec.template.spec.containers[0].image).toBe(image);
  });
});

describe('Argo CD notifications', () => {
  test('a webhook is told of every revision that is deployed, once', async () => {
    const receiver = await requestRecorder();
    const argo = await argoCd(hub, {
      notifications: {
        settings: {
          'service.webhook.receiver': JSON.stringify({
            url: receiver.url,
            headers: [{ name: 'Authorization', value: 'Bearer $receiver-token' }],
          }),
          'template.deployed': JSON.stringify({
            webhook: { receiver: { method: 'POST', path: '/deployed', body: '{{.app.metadata.name}}' } },
          }),
          'trigger.on-deployed': JSON.stringify([
            {
              when: "app.status.operationState.phase in ['Succeeded'] and app.status.health.status == 'Healthy'",
              oncePer: 'app.status.sync.revision',
              send: ['deployed'],
            },
          ]),
        },
        secrets: { 'receiver-token': 'only-for-tests' },
      },
    });
    const repository = new GitRepository();
    const commit = (text: string): void => {
      const configMap = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'podinfo' },
        data: { text },
      };
      repository.commit({ 'podinfo/config.yaml': JSON.stringify(configMap) });
    };
    commit('first');
    await newNamespace('deployed');
    const application = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: {
        name: 'podinfo',
        namespace: 'argocd',
        annotations: { 'notifications.argoproj.io/subscribe.on-deployed.receiver': '' },
      },
      spec: {
        project: 'default',
        source: { repoURL: repository.url, path: 'podinfo', targetRevision: 'main' },
        destination: { server: 'https://kubernetes.default.svc', namespace: 'deployed' },
        syncPolicy: { automated: {} },
      },
    };
    await hub.api.create(application);
    await argo.synced('podinfo');
    await eventually('a notification', () => receiver.requests.length > 0);
    commit('second');
    await eventually('a second notification', () => receiver.requests.length > 1);
    const told = {
      ...{ method: 'POST', path: '/deployed', body: 'podinfo' },
      headers: { authorization: 'Bearer only-for-tests' },
    };
    expect(receiver.requests).toMatchObject([told, told]);
  });
});
