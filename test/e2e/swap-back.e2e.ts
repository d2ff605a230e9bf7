import type { SwapWorld } from './bench/swap-world';
import { deployedWorld } from './bench/swap-world';

/** The tests are the life of one stack, in this order. */
let world: SwapWorld;
let file: string;

beforeAll(async () => {
  world = await deployedWorld({ 'apps-blue': ['1.33'], 'apps-green': ['1.34'], 'hub-blue': ['1.35'] });
  file = world.swapFile({ to: '1.34', phases: { soak: { skip: true }, delete: { approve: true } } });
});

/** Objects that the program has made in the old cluster, and that a drain deletes. */
async function bindings(): Promise<readonly string[]> {
  const listed = await world.planes
    .now('apps-blue')!
    .kubectl('get', 'targetgroupbindings', '--all-namespaces', '--output', 'name');
  return listed.split('\n').filter((line) => line !== '');
}

/** What the hub's Secret of the old cluster says of the pause. */
async function paused(): Promise<{ readonly label?: string; readonly annotations: readonly string[] }> {
  const text = await world.planes
    .now('hub-blue')!
    .kubectl(
      ...['get', 'secrets', '--namespace', 'argocd', '--output', 'json'],
      ...['--selector', 'cluster-canary/fleet=apps,cluster-canary/slot=blue'],
    );
  const { items } = JSON.parse(text) as { items: { metadata: Record<string, Record<string, string>> }[] };
  expect(items).toHaveLength(1);
  const { labels = {}, annotations = {} } = items[0]!.metadata;
  const { 'cluster-canary/traffic': label } = labels;
  return {
    ...(label !== undefined && { label }),
    annotations: Object.keys(annotations).filter((key) =>
      ['argocd.argoproj.io/skip-reconcile', 'cluster-canary/labels-before-drain'].includes(key),
    ),
  };
}

test('a swap waits before delete: the old cluster is drained, and Argo CD leaves it alone', async () => {
  expect(await bindings()).toHaveLength(1);
  const before = await paused();
  expect(before.annotations).toEqual([]);
  const { status, stdout, stderr } = await world.start('swap', file, '--no-wait').result;
  expect({ status, said: status === 0 ? '' : `${stdout}\n${stderr}` }).toEqual({ status: 0, said: '' });
  expect(stdout).toContain('delete waits until a person agrees');
  expect(await world.weights()).toMatchObject({ 'apps-green-web': 100 });
  expect(await bindings()).toEqual([]);
  expect(await paused()).toEqual({
    label: 'draining',
    annotations: ['argocd.argoproj.io/skip-reconcile', 'cluster-canary/labels-before-drain'],
  });
});

test('the way back restores the old cluster before it gets traffic, and nothing is left of the pause', async () => {
  const { status, stdout, stderr } = await world.start('swap', file, '--back').result;
  expect({ status, said: status === 0 ? '' : `${stdout}\n${stderr}` }).toEqual({ status: 0, said: '' });
  const steps = [
    'Argo CD may deploy to blue again',
    'the program makes again what drain deleted in blue',
    'waits until every application is on blue',
    'waits until blue can take the first steps',
    'blue gets all traffic',
  ].map((text) => stderr.indexOf(`The way back: ${text}.`));
  expect(steps.every((at) => at >= 0)).toBe(true);
  expect(steps).toEqual([...steps].sort((one, other) => one - other));
  expect(await bindings()).toHaveLength(1);
  expect((await paused()).annotations).toEqual([]);
  expect(await world.weights()).toMatchObject({ 'apps-blue-web': 100 });
  await world.argo.synced('apps-blue-podinfo');
  expect(await world.pulumi('preview')).not.toMatch(/ListenerRule.*update|TargetGroupBinding.*create/);
});
