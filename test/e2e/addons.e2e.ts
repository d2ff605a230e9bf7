import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { Addon, HelmAddonOptions } from '../../lib/pulumi/addons';
import { addonsHelmfile, HelmAddon, installAddons, moveToPulumiSteps } from '../../lib/pulumi/addons';
import { AddonsWorld, gadgetKind } from './bench/addons-world';
import { eventually } from './bench/eventually';
import type { Moto } from './bench/moto';
import type { PulumiStack } from './bench/pulumi-stack';
import { pulumiStack } from './bench/pulumi-stack';
import { temporaryFolder } from './bench/temporary';
import { programPath } from './tools/go-tools';

let world: AddonsWorld;

beforeAll(async () => {
  world = await AddonsWorld.start();
});

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

  test('each is tried again until what it requires is there', async () => {
    await world.deliver('order', [world.addon('user', { ...argocd, chart: 'gadget' })]);
    await eventually('refused', async () => {
      const { operationState } = (await world.argo.application('apps-blue-user')).status;
      return /could not find example.com\/Gadget/.test(
        operationState.syncResult.resources[0].message as string,
      );
    });
    await world.deliver('order', [operator(), user()]);
    await world.argo.synced('apps-blue-operator');
    await world.argo.synced('apps-blue-user');
  });

  test('a change of values alone arrives', async () => {
    await world.deliver('order', [operator(), user({ color: 'blue' })]);
    await eventually('blue', async () => (await world.find(gadget('user')))?.spec.color === 'blue');
    await world.deliver('order', []);
    await eventually('no Applications', async () => (await world.applications()).length === 0);
  });

  test('with steps, what is required is healthy before anything else starts', async () => {
    const late = (name: string, values = {}) =>
      world.addon(name, { ...argocd, requires: name === 'late' ? [] : ['late'], values });
    await world.deliver('steps', [late('later'), late('late', { start: 'now' })], { steps: true });
    await eventually('the first is synchronised, and its pods wait', async () => {
      const { status } = await world.argo.application('apps-blue-late');
      return status?.sync?.status === 'Synced' && status?.health?.status === 'Progressing';
    });
    // Longer than Argo CD needs for a sync.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect((await world.argo.application('apps-blue-later')).status.operationState).toBeUndefined();
    const [node] = await world.plane.api.list('v1', 'Node');
    await world.plane.api.patch(
      { apiVersion: 'v1', kind: 'Node', metadata: { name: node!.metadata.name } },
      { metadata: { labels: { start: 'now' } } },
    );
    await world.argo.synced('apps-blue-later');
    await eventually('the last step ends', async () => {
      const set = { apiVersion: 'argoproj.io/v1alpha1', kind: 'ApplicationSet' };
      const metadata = { name: 'steps-addons', namespace: 'argocd' };
      const { applicationStatus } = (await world.plane.api.get({ ...set, metadata })).status;
      return applicationStatus.every(({ status }: { status: string }) => status === 'Healthy');
    });
    // Why steps are not the default: Argo CD does not see what is no new version.
    await world.deliver('steps', [late('later', { color: 'blue' }), late('late', { start: 'now' })], {
      steps: true,
    });
    await eventually(
      'OutOfSync',
      async () => (await world.argo.application('apps-blue-later')).status.sync.status === 'OutOfSync',
    );
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await color('later')).toBe('none');
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
    const { spec } = (await world.find(deployment('moved')))!;
    await world.deliver('move', [after()]);
    await world.argo.synced('apps-blue-moved');
    expect(await world.running('moved')).toEqual(running);
    const taken = (await world.find(deployment('moved')))!;
    expect(taken.spec).toEqual(spec);
    expect(taken.metadata.annotations['argocd.argoproj.io/tracking-id']).toMatch(/^apps-blue-moved:/);
    expect(await world.records('moved')).toEqual(['sh.helm.release.v1.moved.v1']);
  });

  test('what somebody changes is taken back', async () => {
    await world.plane.api.patch(deployment('moved'), { metadata: { labels: { color: 'red' } } });
    await eventually('healed', async () => (await color('moved')) === 'blue');
  });

  test('a hub that stands by finds no difference, and takes nothing back', async () => {
    await world.deliver('move', [after()], { standby: true });
    await eventually(
      'automated sync off',
      async () => (await world.argo.application('apps-blue-moved')).spec.syncPolicy?.automated === undefined,
    );
    const application = (await world.argo.application('apps-blue-moved'))!;
    expect(application.spec.source.helm.valuesObject).toEqual(values);
    await world.argo.synced('apps-blue-moved');
    await world.plane.api.patch(deployment('moved'), { metadata: { labels: { color: 'red' } } });
    await eventually(
      'a difference',
      async () => (await world.argo.application('apps-blue-moved')).status.sync.status === 'OutOfSync',
    );
    expect(await color('moved')).toBe('red');
    await world.deliver('move', [after()]);
    await eventually('healed', async () => (await color('moved')) === 'blue');
  });

  test('it leaves the list: the Application goes, all that it runs stays', async () => {
    await world.deliver('move', []);
    await eventually('no Application', async () => !(await world.applications()).includes('apps-blue-moved'));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await world.running('moved')).toEqual(running);
  });

  test('by the steps that are printed, a release of Pulumi takes it over', async () => {
    const steps = moveToPulumiSteps(after(), world.destination([]));
    const install = world.arguments(before());
    // As the Release does: an installation, never an upgrade.
    await expect(world.helm('install', ...install)).rejects.toThrow(
      /cannot re-?use a name that is still in use/,
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
  test('may come from an OCI registry', async () => {
    const chart = `oci://${world.registry}/plain`;
    await world.deliver('oci', [
      world.addon('oci', { ...argocd, chart, repository: undefined, values: { color: 'red' } }),
    ]);
    await world.argo.synced('apps-blue-oci');
    expect(await color('oci')).toBe('red');
  });

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
      world.addon('guest', { ...argocd, chart: 'gadget', requires: ['factory'], state }),
    ];
    await world.deliver('going', list('present'));
    await world.argo.synced('apps-blue-guest');
    const own = { ...gadget('guest', 'own'), spec: { color: 'red' } };
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
      return !left.includes('apps-blue-factory') && !left.includes('apps-blue-guest');
    });
    expect(await world.find(gadget('guest'))).toBeUndefined();
    expect(await world.find(own)).toMatchObject({ spec: { color: 'red' } });
  });
});

describe('a helmfile', () => {
  const text = (list: readonly Addon[]) =>
    new Promise<string>((resolve) => void addonsHelmfile(list).apply(resolve));
  const list = (over: Partial<HelmAddonOptions> = {}) => [
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
    // Helm's records: the last of one release comes before the first of the other.
    const written = world.plane.audit({ resource: 'secrets' }).map(({ namespace }) => namespace);
    expect(written).toContain('base');
    expect(written.lastIndexOf('base')).toBeLessThan(written.indexOf('second'));
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
    const steps = moveToPulumiSteps(argo, world.destination([]), 'helmfile');
    await world.plane.kubectl(...commandIn(steps, 'kubectl'));
    await helmfile(
      [world.addon('handed', { deliveredBy: 'helmfile' })],
      'sync',
      ...commandIn(steps, 'helmfile sync'),
    );
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

describe('the Pulumi engine', () => {
  const tools = (over: Partial<HelmAddonOptions> = {}) =>
    new HelmAddon({
      ...{ name: 'tools', namespace: 'tools', chart: 'tools', version: '1.0.0' },
      repository: 'https://charts.example.com',
      ...over,
    });
  /** The stand-in for Pulumi's Kubernetes provider can't delete a release there. */
  const unreachable = () =>
    JSON.stringify(world.plane.kubeconfig).replaceAll(world.plane.server, 'https://127.0.0.1:1');
  const program = (list: readonly Addon[]) => () => {
    const kubernetes = new k8s.Provider('gone', { kubeconfig: unreachable() });
    const parent = new pulumi.ComponentResource('test:Slot', 'apps-blue');
    installAddons(list, { ...world.destination([]), kubernetes, parent, dependsOn: [] });
    return Promise.resolve({});
  };
  let stack: PulumiStack;
  const run = async (list: readonly Addon[], preview = false) => {
    const options = { program: program(list) };
    const { succeeded, errors, log, operations } = await (preview
      ? stack.preview(options)
      : stack.up(options));
    const releases = operations.filter(({ type }) => type.endsWith(':Release'));
    return {
      succeeded,
      errors: errors.join(),
      log,
      releases: releases.map(({ op, name }) => `${op} ${name}`),
    };
  };

  beforeEach(async () => {
    const aws = { env: {}, settings: { region: 'eu-west-1' } } as unknown as Moto;
    stack = await pulumiStack(() => Promise.resolve(), { aws });
    expect(await run([tools()])).toMatchObject({ succeeded: true, releases: ['create apps-blue-tools'] });
  });

  test.each<[string, readonly Addon[]]>([
    ['moves to Argo CD', [tools({ deliveredBy: 'argocd' })]],
    ['leaves the list', []],
  ])('uninstalls nothing where the add-on %s', async (_what, list) => {
    const preview = await run(list, true);
    expect(preview.log.includes('nothing is uninstalled')).toBe(list.length > 0);
    expect(await run(list)).toMatchObject({ succeeded: true, errors: '' });
    expect((await stack.state()).filter(({ type }) => type.endsWith(':Release'))).toEqual([]);
  });

  test('uninstalls what was absent first', async () => {
    expect(await run([tools({ state: 'absent' })])).toMatchObject({ succeeded: true });
    const removed = await run([]);
    expect(removed).toMatchObject({ succeeded: false });
    expect(removed.errors).toMatch(/can't delete Helm Release with unreachable cluster/);
  });
});
