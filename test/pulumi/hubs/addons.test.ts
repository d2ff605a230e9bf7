import { generators } from '../../../lib/manifests/argocd';
import type { Addon, HelmAddonOptions } from '../../../lib/pulumi/addons';
import { certManager, HelmAddon } from '../../../lib/pulumi/addons';
import { ClusterFleet } from '../../../lib/pulumi/fleet';
import type { ArgoCdHubArgs } from '../../../lib/pulumi/hubs';
import { ArgoCdHub, ManagedArgoCd } from '../../../lib/pulumi/hubs';
import { setNames } from '../../../lib/pulumi/hubs/hub-args';
import type { Registrations } from '../../pulumi-mocks';
import { register, secret } from '../../pulumi-mocks';
import { fleetOf, namesOf } from './fleets';
import { refusalOf } from './refusal';

const charted = (name: string, over: Partial<HelmAddonOptions> = {}) =>
  new HelmAddon({
    name,
    chart: name,
    repository: 'https://charts.example.com',
    version: '1.2.3',
    namespace: 'tools',
    deliveredBy: 'argocd',
    ...over,
  });
const split = (): Addon[] => [
  certManager(),
  charted('first', { chart: 'oci://registry.example.com/charts/first', repository: undefined }),
  charted('second', {
    requires: ['cert-manager'],
    values: ({ vpcId, clusterArn }) => ({ vpcId, arns: [clusterArn] }),
    identity: { serviceAccounts: ['second'], policyArns: ['arn:aws:iam::aws:policy/ReadOnlyAccess'] },
  }),
  charted('third', { requires: ['first'] }),
];
const madeFleet = (addons: readonly Addon[], name = 'apps', slots = ['blue']) => {
  const slot = { version: '1.35', nodes: { instanceTypes: ['m7i.large'], min: 2, max: 6 } };
  return new ClusterFleet(name, {
    network: { vpcId: 'vpc-1', privateSubnetIds: ['subnet-a'] },
    endpoint: { private: { reachedFrom: 'vpc' } },
    slots: Object.fromEntries(slots.map((each) => [each, slot])),
    addons,
  });
};
const hubOf = (over: Partial<ArgoCdHubArgs> = {}) =>
  register(
    () => new ArgoCdHub('hub', { fleet: fleetOf('hub', 'a'), manages: [madeFleet(split())], ...over }),
  );
const ofKind = (seen: Registrations, kind: string) =>
  seen.all.filter(({ type, inputs }) => type.startsWith('kubernetes:') && inputs.kind === kind);
const repositoriesOf = (seen: Registrations) =>
  ofKind(seen, 'Secret')
    .filter(({ inputs }) => inputs.metadata.labels?.['argocd.argoproj.io/secret-type'] === 'repository')
    .map(({ inputs }) => secret(inputs.stringData).value.url);
const elementsOf = ({ inputs }: Registrations['all'][number]) =>
  inputs.spec.generators[0].list.elements as any[];
const valuesOf = (slot: string) => ({
  vpcId: 'vpc-1',
  arns: [`arn:aws:eks:eu-west-1:123456789012:cluster/apps-${slot}`],
});

describe('a hub that delivers add-ons of a fleet', () => {
  let seen: Registrations;
  beforeAll(async () => {
    const manages = () => [madeFleet(split(), 'apps', ['blue', 'green'])];
    seen = await register(() => new ArgoCdHub('hub', { fleet: fleetOf('hub', 'a'), manages: manages() }));
  });

  test('has a project, a registry and a set with an entry for each add-on and slot', () => {
    expect(ofKind(seen, 'AppProject').map(({ inputs }) => inputs.metadata.name)).toEqual(['apps-addons']);
    expect(repositoriesOf(seen)).toEqual(['registry.example.com/charts']);
    const [set, ...others] = ofKind(seen, 'ApplicationSet');
    expect(others).toEqual([]);
    expect(elementsOf(set!).map(({ cluster, addon, values }) => [cluster, addon, values])).toEqual([
      ['apps-blue', 'first', {}],
      ['apps-blue', 'second', valuesOf('blue')],
      ['apps-blue', 'third', {}],
      ['apps-green', 'first', {}],
      ['apps-green', 'second', valuesOf('green')],
      ['apps-green', 'third', {}],
    ]);
  });

  test('keeps the project when it leaves the program, since Applications that go need it', () => {
    expect(ofKind(seen, 'AppProject')[0]!.retainOnDelete).toBe(true);
    expect(ofKind(seen, 'ApplicationSet')[0]!.retainOnDelete).toBe(false);
  });

  test('waits for the roles of their pods and for what Pulumi delivers first', () => {
    const [set] = ofKind(seen, 'ApplicationSet');
    const waitsFor = namesOf(set!.dependencies);
    expect(waitsFor).toEqual(expect.arrayContaining(['apps-blue-cert-manager', 'apps-green-cert-manager']));
    const associations = seen
      .ofType('aws:eks/podIdentityAssociation:PodIdentityAssociation')
      .filter(({ name }) => name.includes('second'));
    expect(associations).toHaveLength(2);
    associations.forEach(({ name }) => expect(waitsFor).toContain(name));
  });

  test('follows no steps, and Argo CD is not told to', () => {
    expect(ofKind(seen, 'ApplicationSet')[0]!.inputs.spec.strategy).toBeUndefined();
    const argoCd = seen.one('kubernetes:helm.sh/v3:Release', 'hub-a-argocd');
    expect(JSON.stringify(argoCd.inputs.values)).not.toContain('progressive.syncs');
  });
});

test('other objects of the hub do not wait for the slots', async () => {
  const project = {
    name: 'apps',
    sourceRepos: ['https://github.com/example/config'],
    destinations: [{ server: '*', namespace: 'podinfo' }],
  };
  const seen = await hubOf({ projects: [project] });
  const [apps] = ofKind(seen, 'AppProject').filter(({ inputs }) => inputs.metadata.name === 'apps');
  expect(apps!.dependencies.join()).not.toContain('cert-manager');
});

test('a hub of fleets without such add-ons, or of other stacks, has nothing of it', async () => {
  const seen = await register(
    () =>
      new ArgoCdHub('hub', {
        fleet: fleetOf('hub', 'a'),
        manages: [madeFleet([certManager()]), fleetOf('others', 'blue')],
      }),
  );
  expect(ofKind(seen, 'ApplicationSet')).toEqual([]);
  expect(ofKind(seen, 'AppProject')).toEqual([]);
});

test('steps are followed where they are asked for', async () => {
  const seen = await hubOf({ addonSteps: true });
  expect(ofKind(seen, 'ApplicationSet')[0]!.inputs.spec.strategy.rollingSync.steps).toHaveLength(2);
  const argoCd = seen.one('kubernetes:helm.sh/v3:Release', 'hub-a-argocd');
  expect(JSON.stringify(argoCd.inputs.values)).toContain('progressive.syncs');
});

test.each([
  ['registry.example.com/charts', ['registry.example.com/charts']],
  ['Registry.example.com/charts', ['Registry.example.com/charts']],
  // Argo CD would not find it by that.
  ['registry.example.com/charts/', ['registry.example.com/charts/', 'registry.example.com/charts']],
])('beside the registry %s there are %j', async (url, expected) => {
  const seen = await hubOf({ repositories: [{ name: 'own', url, type: 'helm', enableOCI: true }] });
  expect(repositoriesOf(seen)).toEqual(expected);
});

test('two fleets share a registry', async () => {
  const seen = await register(
    () =>
      new ArgoCdHub('hub', {
        fleet: fleetOf('hub', 'a'),
        manages: [madeFleet(split()), madeFleet(split(), 'batch')],
      }),
  );
  expect(repositoriesOf(seen)).toEqual(['registry.example.com/charts']);
  expect(ofKind(seen, 'ApplicationSet').map(({ inputs }) => inputs.metadata.name)).toEqual([
    'apps-addons',
    'batch-addons',
  ]);
});

test('a hub that stands by compares with the same values, and neither writes nor deletes', async () => {
  let names: readonly string[] = [];
  const seen = await register(() => {
    const args = {
      fleet: fleetOf('hub', 'a', 'b'),
      active: 'a',
      manages: [madeFleet([...split(), charted('gone', { state: 'absent' })])],
    };
    names = setNames(args);
    return new ArgoCdHub('hub', args);
  });
  const spec = (slot: string) =>
    ofKind(seen, 'ApplicationSet').find(({ name }) => name.startsWith(`hub-${slot}-addons`))!.inputs.spec;
  expect(names).toEqual(['apps-addons']);
  expect(spec('b').generators).toEqual(spec('a').generators);
  expect(spec('a').templatePatch).toMatch(/finalizers[^]*valuesObject/);
  expect(spec('b').templatePatch).toMatch(/valuesObject/);
  expect(spec('b').templatePatch).not.toContain('finalizers');
  expect(spec('a').template.spec.syncPolicy.automated).toEqual({ prune: true, selfHeal: true });
  expect(spec('b').template.spec.syncPolicy.automated).toBeUndefined();
});

test('the managed Argo CD delivers them as well, in projects that name its namespace', async () => {
  const seen = await register(
    () =>
      new ManagedArgoCd('managed', {
        fleet: fleetOf('hub', 'a'),
        manages: [madeFleet(split())],
        identityCenter: { instanceArn: 'arn:aws:sso:::instance/ssoins-1234567890abcdef' },
      }),
  );
  const [project] = ofKind(seen, 'AppProject');
  expect(project!.inputs.spec.sourceNamespaces).toEqual(['argocd']);
  expect(elementsOf(ofKind(seen, 'ApplicationSet')[0]!)).toHaveLength(3);
});

describe('refused before anything of the hub is registered', () => {
  const set = {
    name: 'apps-addons',
    generators: [generators.list({ elements: [{ cluster: 'apps-blue' }] })],
    template: {
      metadata: { name: '{{.cluster}}-own' },
      spec: {
        project: 'apps',
        source: { repoURL: 'https://github.com/example/config', path: '.' },
        destination: { name: '{{.cluster}}', namespace: 'own' },
      },
    },
  };
  /** The message of the error; of the hub nothing is registered. */
  const refusal = async (program: () => unknown): Promise<string> => {
    const { message, registered } = await refusalOf(program);
    expect(registered.filter((type) => type.startsWith('cluster-canary:hubs'))).toEqual([]);
    return message;
  };

  test.each<[string, Partial<ArgoCdHubArgs>, RegExp]>([
    [
      'a project of that name',
      {
        projects: [
          {
            name: 'apps-addons',
            sourceRepos: ['*'],
            destinations: [{ name: 'apps-blue', namespace: 'own' }],
          },
        ],
      },
      /projects\[0\]\.name: "apps-addons": must be another name, or left out: the hub makes it/,
    ],
    [
      'a set of that name',
      { applicationSets: [set] },
      /1 problem\n.*applicationSets\[0\]\.name: "apps-addons": must be another/,
    ],
    [
      'a hub that is limited to namespaces',
      { targetNamespaces: ['podinfo'] },
      /1 problem\n.*targetNamespaces: \["podinfo"\]: must be left out: Argo CD delivers add-ons of manages\[0\]/,
    ],
  ])('%s', async (_what, over, expected) => {
    const program = () =>
      new ArgoCdHub('hub', { fleet: fleetOf('hub', 'a'), manages: [madeFleet(split())], ...over });
    expect(await refusal(program)).toMatch(expected);
  });

  test('a null among the values, which would be lost', async () => {
    const manages = () => [madeFleet([charted('a', { values: { off: null } })])];
    const program = () => new ArgoCdHub('hub', { fleet: fleetOf('hub', 'a'), manages: manages() });
    const expected = /manages\[0\]\.addons\.applicationSets\[0\].*off: null/;
    expect(await refusal(program)).toMatch(expected);
  });

  test('steps of the managed Argo CD', async () => {
    const program = () =>
      new ManagedArgoCd('managed', {
        fleet: fleetOf('hub', 'a'),
        manages: [madeFleet(split())],
        identityCenter: { instanceArn: 'arn:aws:sso:::instance/ssoins-1234567890abcdef' },
        addonSteps: true,
      } as never);
    expect(await refusal(program)).toMatch(/addonSteps.*must be left out.*RollingSync/);
  });
});
