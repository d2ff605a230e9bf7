import { repairState } from '../../../lib/pulumi/swap/repair';
import { withPendingCreates } from '../../../lib/pulumi/swap/stack-state';

interface StateResource {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly inputs?: object;
  readonly outputs?: object;
}

const root: StateResource = { urn: 'urn:stack', type: 'pulumi:pulumi:Stack' };
const cluster: StateResource = {
  urn: 'urn:cluster',
  type: 'aws:eks/cluster:Cluster',
  inputs: { name: 'apps-green', version: '1.36' },
};
const nodes: StateResource = {
  urn: 'urn:nodes',
  type: 'aws:eks/nodeGroup:NodeGroup',
  inputs: { clusterName: 'apps-green', nodeGroupName: 'default' },
};
const group: StateResource = {
  urn: 'urn:group',
  type: 'aws:lb/targetGroup:TargetGroup',
  inputs: { name: 'web' },
};

/** A stack whose refresh reads what the cloud has, by ID, as the engine does. */
class FakeStack {
  public readonly calls: string[] = [];
  public pending: { readonly type: string; readonly resource: StateResource }[] = [];
  /** Each read takes the next answer, and the last one again. */
  public readonly cloud: Record<string, object[]> = {};

  public constructor(public resources: StateResource[] = [root]) {}

  public exportStack() {
    const deployment = { resources: this.resources, pending_operations: this.pending };
    return Promise.resolve({ version: 3, deployment: structuredClone(deployment) });
  }

  public importStack({ deployment }: { readonly deployment: unknown }) {
    const { resources } = deployment as { resources: StateResource[] };
    this.calls.push(`import ${resources.map(({ urn, id = '' }) => `${urn} ${id}`.trim()).join(', ')}`);
    this.resources = resources;
    // As `pulumi stack import` does.
    this.pending = [];
    return Promise.resolve();
  }

  public readonly refresh = (urns: readonly string[]): Promise<void> => {
    this.calls.push(`refresh ${urns.join(', ')}`);
    this.pending = this.pending.filter(({ type }) => type === 'creating');
    this.resources = this.resources.flatMap((resource) => {
      if (!urns.includes(resource.urn) || resource.id === undefined) {
        return [resource];
      }
      const [first, ...rest] = this.cloud[resource.id] ?? [];
      if (rest.length > 0) {
        this.cloud[resource.id] = rest;
      }
      return first ? [{ ...resource, outputs: first }] : [];
    });
    return Promise.resolve();
  };
}

const repair = async (stack: FakeStack, signal = new AbortController().signal) => {
  const lines: string[] = [];
  const help = { say: (line: string) => void lines.push(line), refresh: stack.refresh, pause: 1, signal };
  return { unknown: await repairState(stack, help), lines };
};

const creating = (resource: StateResource) => ({ type: 'creating', resource });

test('nothing is done where no engine was killed', async () => {
  const stack = new FakeStack([root, { ...cluster, id: 'apps-green', outputs: { status: 'ACTIVE' } }]);
  await expect(repair(stack)).resolves.toEqual({ unknown: [], lines: [] });
  expect(stack.calls).toEqual([]);
});

test('a cluster that was being made is taken into the state, and waited for', async () => {
  const stack = new FakeStack();
  stack.pending = [creating(cluster)];
  stack.cloud['apps-green'] = [{ status: 'CREATING' }, { status: 'CREATING' }, { status: 'ACTIVE' }];
  const { unknown, lines } = await repair(stack);
  expect(unknown).toEqual([]);
  expect(stack.calls).toEqual([
    // Whose lock it is waits here: the state that is written back must be nobody else's.
    'refresh urn:stack',
    'import urn:stack, urn:cluster apps-green',
    ...['refresh urn:cluster', 'refresh urn:cluster', 'refresh urn:cluster'],
  ]);
  expect(stack.resources).toEqual([root, { ...cluster, id: 'apps-green', outputs: { status: 'ACTIVE' } }]);
  expect(lines).toEqual([
    'an earlier deployment was killed while creating urn:cluster',
    ...['AWS is still making urn:cluster; waiting for it', 'AWS is still making urn:cluster; waiting for it'],
  ]);
});

test('one that is only left to be deleted is not waited for', async () => {
  const replaced = { ...cluster, id: 'apps-green', delete: true, outputs: { status: 'CREATING' } };
  const stack = new FakeStack([root, replaced]);
  await expect(repair(stack)).resolves.toEqual({ unknown: [], lines: [] });
  expect(stack.calls).toEqual([]);
});

test('one that AWS has never heard of is made by the deployment', async () => {
  const stack = new FakeStack();
  stack.pending = [creating(cluster), creating(nodes)];
  stack.cloud['apps-green'] = [{ status: 'ACTIVE' }];
  await expect(repair(stack)).resolves.toMatchObject({ unknown: [] });
  expect(stack.resources.map(({ urn }) => urn)).toEqual(['urn:stack', 'urn:cluster']);
});

test.each([
  ['that was not read before the run was killed', undefined],
  ['that AWS was making', { status: 'CREATING' }],
])('one in the state %s is read again', async (_what, outputs) => {
  const stack = new FakeStack([root, { ...cluster, id: 'apps-green', ...(outputs && { outputs }) }]);
  stack.cloud['apps-green'] = [{ status: 'ACTIVE' }];
  await repair(stack);
  expect(stack.calls).toEqual(['refresh urn:cluster']);
  expect(stack.resources[1]).toMatchObject({ outputs: { status: 'ACTIVE' } });
});

test('what AWS names itself stays unknown, and the other operations are refreshed', async () => {
  const rule = { urn: 'urn:rule', type: 'aws:lb/listenerRule:ListenerRule', id: 'arn:rule' };
  const stack = new FakeStack([root, rule]);
  stack.cloud['arn:rule'] = [{}];
  stack.pending = [
    creating(group),
    creating(cluster),
    { type: 'updating', resource: rule },
    { type: 'reading', resource: { urn: 'urn:read', type: 'aws:ec2/vpc:Vpc' } },
  ];
  stack.cloud['apps-green'] = [{ status: 'ACTIVE' }];
  await expect(repair(stack)).resolves.toMatchObject({ unknown: ['urn:group'] });
  expect(stack.calls).toEqual([
    // One that was only read is not in the state, which a refresh refuses.
    'refresh urn:rule',
    'import urn:stack, urn:rule arn:rule, urn:cluster apps-green',
    'refresh urn:cluster',
  ]);
});

test('the wait ends with the run', async () => {
  const stack = new FakeStack();
  stack.pending = [creating(cluster)];
  stack.cloud['apps-green'] = [{ status: 'CREATING' }];
  const stop = new AbortController();
  stop.abort(new Error('enough'));
  await expect(repair(stack, stop.signal)).rejects.toThrow('enough');
});

test.each<[string, object]>([
  ['a name that is a secret', { ...cluster, inputs: { name: { '4dabf18193072939515e22adb298388d': 'x' } } }],
  ['no name', { ...cluster, inputs: {} }],
  ['no inputs', { urn: cluster.urn, type: cluster.type }],
  ['another type', group],
])('%s tells no ID', (_what, resource) => {
  const deployment = { resources: [root], pending_operations: [{ type: 'creating', resource }] };
  expect(withPendingCreates(deployment)).toBeUndefined();
});

test.each([
  ['one that is in the state', { resources: [cluster], pending_operations: [creating(cluster)] }],
  ['another operation', { resources: [], pending_operations: [{ type: 'deleting', resource: cluster }] }],
  ['no state', undefined],
  ['anything else', { resources: 7, pending_operations: [null, { type: 'creating' }] }],
])('%s is not taken into the state', (_what, deployment) => {
  expect(withPendingCreates(deployment)).toBeUndefined();
});

test('of two operations on one resource, it is taken once', () => {
  const deployment = { resources: [], pending_operations: [creating(cluster), creating(cluster)] };
  expect(withPendingCreates(deployment)).toMatchObject({ urns: [cluster.urn] });
  expect(withPendingCreates(deployment)!.deployment.resources).toEqual([{ ...cluster, id: 'apps-green' }]);
});
