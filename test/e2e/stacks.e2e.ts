import { LoadBalancing } from './bench/aws-load-balancing';
import { onCleanUp } from './bench/clean-up';
import type { Moto } from './bench/moto';
import { moto } from './bench/moto';
import { exampleProgram } from './bench/pulumi-example';
import { fleetPlanes } from './bench/pulumi-fleet';
import { previewedResources, registeredResources } from './bench/pulumi-preview';
import type { PulumiStack } from './bench/pulumi-stack';
import { pulumiStack } from './bench/pulumi-stack';
import { temporaryFolder } from './bench/temporary';

/** The tests bring up the stacks of `examples/stacks`, one behind the other, with their states in one place. */
let aws: Moto;
let planes: Awaited<ReturnType<typeof fleetPlanes>>;
const states = temporaryFolder('states');
const stacks = new Map<string, PulumiStack>();

beforeAll(async () => {
  [aws, planes] = [await moto(), await fleetPlanes()];
});

async function config(project: string): Promise<Record<string, unknown>> {
  const { vpcId, subnetIds } = await aws.network();
  const network = { vpcId, privateSubnetIds: subnetIds };
  const values: Record<string, Record<string, unknown>> = {
    edge: { vpcId, publicSubnetIds: subnetIds, certificateArn: await aws.certificate('www') },
    slot: { ...network, version: '1.35' },
    hub: { ...network, slotStacks: 'organization/slot' },
    traffic: {
      edgeStack: 'organization/edge/production',
      slotStacks: 'organization/slot',
      host: 'www.example.com',
    },
  };
  return Object.fromEntries(
    Object.entries(values[project]!).map(([key, value]) => [`${project}:${key}`, value]),
  );
}

test.each([
  ['edge', 'production'],
  ['slot', 'blue'],
  ['slot', 'green'],
  ['hub', 'production'],
  ['traffic', 'production'],
])('%s/%s goes up with what preview shows', async (project, name) => {
  const stack = await pulumiStack(exampleProgram(`stacks/${project}/index.ts`, require), {
    ...{ aws, planes, states, project, stack: name },
    config: await config(project),
  });
  stacks.set(`${project}/${name}`, stack);
  const up = await stack.up();
  expect(up).toMatchObject({ succeeded: true, errors: [] });
  expect(await previewedResources(`stacks/${project}`, name, 'stacks/answers.yaml')).toEqual(
    await registeredResources(stack),
  );
});

test('the weights are those of the traffic stack', async () => {
  const balancing = new LoadBalancing(aws);
  onCleanUp(() => balancing.close());
  const edge = await stacks.get('edge/production')!.state();
  const listener = edge.find(({ urn }) => urn.endsWith('::edge-https'));
  expect(await balancing.weights(listener!.id!)).toEqual({ 'apps-blue-web': 90, 'apps-green-web': 10 });
});

test('taking a slot down touches no other stack', async () => {
  const before = aws.proxy.changes().length;
  expect(await stacks.get('traffic/production')!.destroy()).toMatchObject({ succeeded: true });
  expect(await stacks.get('slot/green')!.destroy()).toMatchObject({ succeeded: true });
  const deleted = aws.proxy.changes().slice(before);
  expect(deleted.filter(({ action }) => /clusters\/apps-blue/.test(action))).toEqual([]);
  expect(await stacks.get('slot/blue')!.preview()).toMatchObject({ succeeded: true, operations: [] });
});
