import { Chart, Testing } from 'cdk8s';
import type { ShiftWorkflowProps, WorkflowPlan } from '../../lib/manifests/workflows';
import { approverOf } from '../../lib/cli/actions/shift/approver';
import { ShiftWorkflow } from '../../lib/manifests/workflows';
import type { ArgoWorkflows } from './bench/argo-workflows';
import { argoWorkflows } from './bench/argo-workflows';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { eventually } from './bench/eventually';
import type { KubernetesObject } from './bench/kubernetes-api';
import { KubernetesError } from './bench/kubernetes-api';

const image = `registry.example.com/cluster-canary@sha256:${'0a'.repeat(32)}`;
const slots = { blue: {}, green: {} };
const route = { router: { simulated: {} }, slots };

let plane: ControlPlane;
let argo: ArgoWorkflows;

beforeAll(async () => {
  plane = await controlPlane({ name: 'shifts' });
  argo = await argoWorkflows(plane);
});

/** A plan with these waves. */
function planOf(waves: readonly (readonly string[])[], more: Partial<WorkflowPlan> = {}): WorkflowPlan {
  const routes = Object.fromEntries(waves.flat().map((name) => [name, route]));
  return { routes, waves, weights: { green: 100 }, ...more };
}

/** A workflow that was started in a namespace of its own, which takes none but restricted pods. */
class Started {
  public constructor(private readonly namespace: string) {}

  /** The Workflow, when a condition on it holds. */
  public async when(what: string, holds: (found: KubernetesObject) => boolean): Promise<KubernetesObject> {
    return eventually(`${this.namespace}: ${what}`, async () => {
      const [found] = await plane.api.list('argoproj.io/v1alpha1', 'Workflow', {
        namespace: this.namespace,
      });
      if (!found || !holds(found)) {
        throw new Error(JSON.stringify(found?.status));
      }
      return found;
    });
  }

  /** Pods that nothing has ended yet, by the path of their node: `wave-1.eu(0)`. */
  public async running(): Promise<Map<string, KubernetesObject>> {
    const pods = await plane.api.list('v1', 'Pod', { namespace: this.namespace });
    return new Map(
      pods
        .filter(({ status }) => status?.phase === 'Running')
        .map((pod) => [
          pod.metadata.annotations['workflows.argoproj.io/node-name'].replace(/^[^.]*\./, ''),
          pod,
        ]),
    );
  }

  /** The pods of these nodes, when they and no others run. */
  public async pods(...nodes: string[]): Promise<KubernetesObject[]> {
    const wanted = [...nodes].sort();
    return eventually(`${this.namespace}: pods ${wanted.join(', ')}`, async () => {
      const running = await this.running();
      if ([...running.keys()].sort().join() !== wanted.join()) {
        throw new Error(`running: ${[...running.keys()].join(', ')}`);
      }
      return nodes.map((node) => running.get(node)!);
    });
  }

  /** Ends the pods of these nodes well, when they and no others run. */
  public async finish(...nodes: string[]): Promise<void> {
    for (const pod of await this.pods(...nodes)) {
      await argo.finish(pod);
    }
  }

  /** What became of each node, by the path of the node: `wave-1-at-10: Running`. */
  public async phases(): Promise<Record<string, string>> {
    const { status } = await this.when('nodes', (found) => found.status?.nodes !== undefined);
    const nodes = Object.values<any>(status.nodes).map(({ name, phase }) => [
      name.replace(/^[^.]*\.?/, ''),
      phase,
    ]);
    return Object.fromEntries(nodes);
  }
}

async function start(
  namespace: string,
  plan: WorkflowPlan,
  props: Partial<ShiftWorkflowProps> = {},
  change: (text: string) => string = (text) => text,
): Promise<Started> {
  const chart = new Chart(Testing.app(), 'test');
  new ShiftWorkflow(chart, 'shift', { name: 'web', namespace, image, plan, start: 'once', ...props });
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  // The pauses between two tries are shorter here; nothing else is.
  const text = JSON.stringify(Testing.synth(chart)).replaceAll('"duration":"30"', '"duration":"1"');
  const objects = JSON.parse(change(text));
  await plane.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } },
    ...objects,
  ]);
  return new Started(namespace);
}

/** Ends a pod with an exit status of its main container, and reports so, as a kubelet and Argo's executor would. */
async function fail(pod: KubernetesObject, exitCode: number): Promise<void> {
  const { name, namespace, labels, annotations, uid } = pod.metadata;
  await plane.api.apply({
    apiVersion: 'argoproj.io/v1alpha1',
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
  const containerStatuses = pod.spec.containers.map((container: { name: string; image: string }) => ({
    ...{ name: container.name, image: container.image, imageID: '', ready: false, restartCount: 0 },
    state: { terminated: { exitCode: container.name === 'main' ? exitCode : 0, reason: 'Error' } },
  }));
  await plane.api.patch(
    pod,
    { status: { phase: 'Failed', containerStatuses } },
    { subresource: 'status', type: 'merge' },
  );
}

const ended = ({ status }: KubernetesObject): boolean =>
  ['Succeeded', 'Failed', 'Error'].includes(status?.phase);

test('waves: pods of the second are created when those of the first have succeeded; then the records go', async () => {
  const shift = await start('waves', planOf([['eu'], ['us', 'ap']]));
  const [first] = await shift.pods('wave-1.eu(0)');
  const main = first!.spec.containers.find(({ name }: { name: string }) => name === 'main');
  expect(main.args).toEqual(['shift', '/etc/cluster-canary/plan.yaml', '--route', 'eu', '--keep-record']);
  await argo.finish(first!);
  await shift.finish('forget-wave-1.eu(0)', 'wave-2.us(0)', 'wave-2.ap(0)');
  await shift.finish('forget-wave-2.us(0)', 'forget-wave-2.ap(0)');
  const { status } = await shift.when('the end', ended);
  expect(status.phase).toBe('Succeeded');
});

test('a route that fails is not tried again; its wave is taken back when all of it has ended, and no other begins', async () => {
  const shift = await start('fails', planOf([['eu'], ['us', 'ap'], ['me']]));
  await shift.finish('wave-1.eu(0)');
  const [forget, us, ap] = await shift.pods('forget-wave-1.eu(0)', 'wave-2.us(0)', 'wave-2.ap(0)');
  await argo.finish(forget!);
  await fail(us!, 1);
  await shift.pods('wave-2.ap(0)');
  await argo.finish(ap!);
  await shift.finish('roll-back-wave-2.us(0)', 'roll-back-wave-2.ap(0)');
  const { status } = await shift.when('the end', ended);
  expect(status.phase).toBe('Failed');
  expect(await shift.phases()).toMatchObject({
    'wave-1': 'Succeeded',
    'wave-2': 'Failed',
    'wave-3': 'Omitted',
    'roll-back-wave-2': 'Succeeded',
  });
});

test('or every wave is, from the last to the first', async () => {
  const shift = await start('all', planOf([['eu'], ['us']], { rollBack: 'all' }));
  await shift.finish('wave-1.eu(0)');
  await fail((await shift.pods('wave-2.us(0)'))[0]!, 1);
  await shift.finish('roll-back-wave-2.us(0)');
  await shift.finish('roll-back-wave-1.eu(0)');
  const { status } = await shift.when('the end', ended);
  expect(status.phase).toBe('Failed');
});

test('a pause waits until somebody resumes it, and the next pod is told so', async () => {
  const shift = await start('pauses', { ...route, weights: { green: 100 }, shift: { pause: [10] } });
  await shift.finish('wave-1.traffic(0)');
  const waits = await shift.when('the pause', ({ status }) =>
    Object.values<any>(status?.nodes ?? {}).some(
      ({ type, phase }) => type === 'Suspend' && phase === 'Running',
    ),
  );
  expect(await shift.running()).toEqual(new Map());
  const [id] = Object.entries<any>(waits.status.nodes).find(([, { type }]) => type === 'Suspend')!;
  // What `argo resume` writes by an Argo Server that knows who asks.
  const resumed = { phase: 'Succeeded', finishedAt: new Date().toISOString() };
  const labels = {
    'workflows.argoproj.io/actor': 'a1b2',
    'workflows.argoproj.io/actor-preferred-username': 'kim',
    'workflows.argoproj.io/action': 'Resume',
  };
  await plane.api.patch(waits, { metadata: { labels }, status: { nodes: { [id]: resumed } } });
  const [pod] = await shift.pods('wave-1-beyond-10.traffic(0)');
  const { args } = pod!.spec.containers.find(({ name }: { name: string }) => name === 'main');
  expect(args.slice(4, 7)).toEqual(['--resumed', '10', '--approved-by']);
  expect(approverOf(args[7])).toBe('kim by argo resume');
  await argo.finish(pod!);
  expect((await shift.when('the end', ended)).status.phase).toBe('Succeeded');
});

test.each([
  ['killed', 137],
  ['interrupted', 130],
  ['without its lease', 2],
])('a pod that was %s is tried again', async (_, exitCode) => {
  const shift = await start(`retries-${exitCode}`, { ...route, weights: { green: 100 } });
  await fail((await shift.pods('wave-1.traffic(0)'))[0]!, exitCode);
  await shift.finish('wave-1.traffic(1)');
  expect((await shift.when('the end', ended)).status.phase).toBe('Succeeded');
});

test('a pod that is refused or deleted is tried again', async () => {
  const policies = 'admissionregistration.k8s.io/v1';
  const name = 'no-pods';
  const binding = {
    apiVersion: policies,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: {
      policyName: name,
      validationActions: ['Deny'],
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'refused' } } },
    },
  };
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
  await plane.apply([
    {
      apiVersion: policies,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: {
        matchConstraints: { resourceRules: [rule] },
        validations: [{ expression: 'false', message: 'not now' }],
      },
    },
    binding,
  ]);
  await plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'refused' } });
  const probe = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'probe', namespace: 'refused' },
    spec: { containers: [{ name: 'probe', image }] },
  };
  await eventually('the policy', () =>
    plane.api.create(probe, { dryRun: true }).then(
      () => false,
      (error: Error) => error.message.includes('not now'),
    ),
  );
  const shift = await start('refused', { ...route, weights: { green: 100 } });
  await shift.when('a refusal', ({ status }) => JSON.stringify(status ?? {}).includes('not now'));
  await plane.api.delete(binding);
  const another = (uid?: string): Promise<[string, KubernetesObject]> =>
    eventually('a pod', async () =>
      [...(await shift.running())].find(([, { metadata }]) => metadata.uid !== uid),
    );
  const [node, pod] = await another();
  expect(node).toMatch(/^wave-1\.traffic\([1-9]\d*\)$/);
  await plane.api.delete(pod);
  // A kubelet ends what is deleted; it may be gone by then.
  await fail(pod, 143).catch((error: unknown) => {
    if (!(error instanceof KubernetesError && error.status === 404)) {
      throw error;
    }
  });
  // Argo makes the same pod again where it has not seen it run yet.
  await argo.finish((await another(pod.metadata.uid))[1]);
  expect((await shift.when('the end', ended)).status.phase).toBe('Succeeded');
});

describe('a window', () => {
  const hour = new Date().getUTCHours();
  const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

  test('that is open lets waves begin', async () => {
    const window = { days, from: 0, to: 24, timeZone: 'UTC' };
    const shift = await start('open', { ...route, weights: { green: 100 } }, { start: 'byHand', window });
    await submit('open');
    await shift.finish('wave-1.traffic(0)');
    expect((await shift.when('the end', ended)).status.phase).toBe('Succeeded');
  });

  test('that is closed lets them wait until it opens', async () => {
    // Two to three hours from now, or tomorrow.
    const from = (hour + 3) % 24;
    const window = { days, from, to: from + 1, timeZone: 'UTC' };
    const shift = await start('closed', { ...route, weights: { green: 100 } }, { start: 'byHand', window });
    await submit('closed');
    const waits = (found: KubernetesObject): any =>
      Object.values<any>(found.status?.nodes ?? {}).find(
        ({ name, phase }) => /wave-1-window\[1\]\.wait$/.test(name) && phase === 'Running',
      );
    const { inputs } = waits(await shift.when('the wait', (found) => waits(found) !== undefined));
    const seconds = Number(inputs.parameters[0].value);
    expect(seconds).toBeGreaterThan(2 * 3600 - 120);
    expect(seconds).toBeLessThanOrEqual(3 * 3600);
    expect(await shift.running()).toEqual(new Map());
  });

  test('starts a shift by a CronWorkflow, once', async () => {
    const window = { days, from: 0, to: 24, timeZone: 'Europe/Berlin' };
    // In the next minute, not in the next quarter of an hour.
    const soon = (text: string): string => text.replace('*/15 0-23 * *', '* * * *');
    const shift = await start('cron', { ...route, weights: { green: 100 } }, { window }, soon);
    await shift.when('a workflow', ({ status }) => status !== undefined);
    await shift.finish('wave-1.traffic(0)');
    expect((await shift.when('the end', ended)).status.phase).toBe('Succeeded');
    const cron = await eventually('the end of the schedule', async () => {
      const [found] = await plane.api.list('argoproj.io/v1alpha1', 'CronWorkflow', { namespace: 'cron' });
      return found?.status?.phase === 'Stopped' && found;
    });
    expect(cron.status).toMatchObject({ succeeded: 1, failed: 0 });
    expect(await plane.api.list('argoproj.io/v1alpha1', 'Workflow', { namespace: 'cron' })).toHaveLength(1);
  });

  /** What `argo submit --from workflowtemplate/web` creates. */
  async function submit(namespace: string): Promise<void> {
    await plane.api.create({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Workflow',
      metadata: { name: 'web-by-hand', namespace },
      spec: { workflowTemplateRef: { name: 'web' } },
    });
  }
});
