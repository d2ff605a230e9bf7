import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Addon, HelmAddon } from '../../lib/addons';
import { addonsHelmfile, stepsBack } from '../../lib/addons';
import { AddonsWorld, gadgetKind } from './bench/addons-world';
import { eventually } from './bench/eventually';
import { temporaryFolder } from './bench/temporary';
import { programPath } from './tools/go-tools';

let world: AddonsWorld;

beforeAll(async () => {
  world = await AddonsWorld.start();
}, 120_000);

const argocd = { deliveredBy: 'argocd' as const };
const deployment = (namespace: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: namespace, namespace },
});
const gadget = (namespace: string, name = namespace) => ({ ...gadgetKind, metadata: { name, namespace } });
const color = async (namespace: string) => (await world.find(deployment(namespace)))?.metadata.labels?.color;

describe('order', () => {
  const operator = () => world.addon('operator', { ...argocd, chart: 'operator' });
  const user = (values = {}) =>
    world.addon('user', { ...argocd, chart: 'gadget', requires: ['operator'], values });

  test('with steps, what is required is healthy before anything else starts', async () => {
    const late = world.addon('operator', { ...argocd, chart: 'operator', values: { start: 'now' } });
    await world.deliver('order', [user(), late], { steps: true });
    await eventually('the operator is synchronised, and its pods wait', async () => {
      const { status } = await world.argo.application('apps-blue-operator');
      return status?.sync?.status === 'Synced' && status?.health?.status === 'Progressing';
    });
    // Longer than Argo CD needs for a sync.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const waiting = await world.argo.application('apps-blue-user');
    expect(waiting.status.operationState).toBeUndefined();
    expect(waiting.spec.syncPolicy.automated?.enabled ?? false).toBe(false);
    const [node] = await world.plane.api.list('v1', 'Node');
    await world.plane.api.patch(
      { apiVersion: 'v1', kind: 'Node', metadata: node!.metadata },
      { metadata: { labels: { start: 'now' } } },
    );
    await world.argo.synced('apps-blue-user');
    expect(await world.find(gadget('user'))).toMatchObject({ spec: { color: 'none' } });
  }, 60_000);

  test('without, each is tried again until what it requires is there', async () => {
    await world.deliver('order', [operator(), user({ color: 'blue' })]);
    await world.argo.synced('apps-blue-operator');
    await eventually('a change of values alone arrives', async () => {
      return (await world.find(gadget('user')))?.spec.color === 'blue';
    });
  });
});

/** The command at the end of the steps that begins with a word. */
const commandIn = (steps: readonly string[], program: string): string[] =>
  new RegExp(`${program} (.*)$`, 'm').exec(steps.join('\n'))![1]!.split(' ');

describe('from Pulumi to Argo CD and back', () => {
  const values = { color: 'blue' };
  const before = () => world.addon('moved', { values });
  const after = () => world.addon('moved', { values, ...argocd });
  let running: readonly string[];

  beforeAll(async () => {
    await world.helm('upgrade', '--install', ...world.arguments(before()));
    running = await world.running('moved');
  });

  test('the Application takes over what Helm has installed: the same objects, the same pods', async () => {
    expect(running).toHaveLength(4);
    const { metadata } = (await world.find(deployment('moved')))!;
    await world.deliver('move', [after()]);
    await world.argo.synced('apps-blue-moved');
    expect(await world.running('moved')).toEqual(running);
    const taken = (await world.find(deployment('moved')))!.metadata;
    expect(taken.generation).toBe(metadata.generation);
    expect(taken.annotations['argocd.argoproj.io/tracking-id']).toMatch(/^apps-blue-moved:/);
    expect(await world.records('moved')).toEqual(['sh.helm.release.v1.moved.v1']);
  });

  test('what somebody changes is taken back', async () => {
    await world.plane.api.patch(deployment('moved'), { metadata: { labels: { color: 'red' } } });
    await eventually('healed', async () => (await color('moved')) === 'blue');
  });

  test('it leaves the list: the Application goes, all that it runs stays', async () => {
    await world.deliver('move', []);
    await eventually('no Application', async () => !(await world.applications()).includes('apps-blue-moved'));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await world.running('moved')).toEqual(running);
  });

  test('by the steps that are printed, a release of Pulumi takes it over', async () => {
    const steps = stepsBack(after(), world.destination([]));
    const install = world.arguments(before());
    // As the Release does: an installation, never an upgrade.
    await expect(world.helm('install', ...install)).rejects.toThrow(
      /cannot re-use a name that is still in use/,
    );
    await world.plane.kubectl(...commandIn(steps, 'kubectl'));
    expect(await world.records('moved')).toEqual([]);
    expect(steps[1]).toContain('takeOwnership: true, atomic: false');
    await world.helm('install', ...install, '--take-ownership');
    expect(await world.running('moved')).toEqual(running);
    expect(await world.records('moved')).toEqual(['sh.helm.release.v1.moved.v1']);
  });
});

describe('what Argo CD has installed', () => {
  test('is refused by Helm, unless it is told to take it over', async () => {
    await world.deliver('first', [world.addon('first', argocd)]);
    await world.argo.synced('apps-blue-first');
    const running = await world.running('first');
    const install = world.arguments(world.addon('first'));
    await expect(world.helm('install', ...install)).rejects.toThrow(/invalid ownership metadata/);
    // Argo CD still delivers it: both write the same.
    await world.helm('install', ...install, '--take-ownership');
    await world.argo.synced('apps-blue-first');
    expect(await world.running('first')).toEqual(running);
  });

  test('goes when it was absent first, and custom resources stay', async () => {
    const list = (state: 'present' | 'absent') => [
      world.addon('factory', { ...argocd, chart: 'operator', state }),
      world.addon('user', { ...argocd, chart: 'gadget', requires: ['factory'], state }),
    ];
    await world.deliver('going', list('present'));
    await world.argo.synced('apps-blue-user');
    const own = { ...gadget('user', 'own'), spec: { color: 'red' } };
    await world.plane.apply([own]);
    await world.deliver('going', list('absent'));
    await eventually('finalizers', async () => {
      const { metadata } = await world.argo.application('apps-blue-factory');
      return metadata.finalizers?.includes('resources-finalizer.argocd.argoproj.io');
    });
    expect(await world.running('factory')).toHaveLength(4);
    await world.deliver('going', []);
    await eventually('nothing runs', async () => (await world.running('factory')).length === 0);
    await eventually('no Applications', async () => {
      const left = await world.applications();
      return !left.includes('apps-blue-factory') && !left.includes('apps-blue-user');
    });
    expect(await world.find(gadget('user'))).toBeUndefined();
    expect(await world.find(own)).toMatchObject({ spec: { color: 'red' } });
  });
});

describe('a helmfile', () => {
  const text = (list: readonly Addon[]) =>
    new Promise<string>((resolve) => void addonsHelmfile(list).apply(resolve));
  const list = (over: Partial<ConstructorParameters<typeof HelmAddon>[0]> = {}) => [
    world.addon('second', {
      deliveredBy: 'helmfile',
      requires: ['base'],
      values: ({ vpcId }) => ({ color: vpcId }),
      ...over,
    }),
    world.addon('base', { deliveredBy: 'helmfile' }),
    world.addon('elsewhere'),
  ];
  const helmfile = async (addons: readonly Addon[], ...args: string[]) => {
    const file = join(temporaryFolder('helmfile'), 'helmfile.yaml.gotmpl');
    writeFileSync(file, await text(addons));
    return promisify(execFile)(
      programPath('helmfile'),
      ['--file', file, '--state-values-set', 'vpcId=vpc-1', ...args],
      { env: { ...process.env, KUBECONFIG: world.plane.kubeconfigFile } },
    );
  };

  test('installs in order, with the values of the cluster', async () => {
    await helmfile(list(), 'sync');
    expect(await color('second')).toBe('vpc-1');
    const created = await Promise.all(
      ['base', 'second'].map(async (name) => {
        const [record] = await world.plane.api.list('v1', 'Secret', {
          namespace: name,
          labelSelector: 'owner=helm',
        });
        return Number(record!.metadata.labels.modifiedAt);
      }),
    );
    expect(created[0]).toBeLessThanOrEqual(created[1]!);
    expect(await world.running('elsewhere')).toEqual([]);
  });

  test('takes over what Argo CD has delivered, by the steps that are printed', async () => {
    const argo = world.addon('handed', argocd);
    await world.deliver('handing', [argo]);
    await world.argo.synced('apps-blue-handed');
    const running = await world.running('handed');
    await world.deliver('handing', []);
    await eventually(
      'no Application',
      async () => !(await world.applications()).includes('apps-blue-handed'),
    );
    const steps = stepsBack(argo, world.destination([]), 'helmfile');
    await world.plane.kubectl(...commandIn(steps, 'kubectl'));
    await helmfile([world.addon('handed', { deliveredBy: 'helmfile' })], ...commandIn(steps, 'helmfile'));
    expect(await world.running('handed')).toEqual(running);
  });

  test('removes what is absent, and all of it by destroy', async () => {
    await helmfile(list({ state: 'absent' }), 'sync');
    expect(await world.find(deployment('second'))).toBeUndefined();
    expect(await world.find(deployment('base'))).toBeDefined();
    await helmfile(list(), 'destroy');
    expect(await world.find(deployment('base'))).toBeUndefined();
  });
});
