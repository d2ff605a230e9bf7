import { ClusterFleet } from '../../../lib/pulumi/fleet';
import type { ArgoCdHubArgs } from '../../../lib/pulumi/hubs';
import { ArgoCdHub } from '../../../lib/pulumi/hubs';
import type { Registrations } from '../../pulumi-mocks';
import { register } from '../../pulumi-mocks';
import { fleetOf, podinfo } from './fleets';
import { refusalOf } from './refusal';

const base: ArgoCdHubArgs = {
  fleet: fleetOf('hub', 'a', 'b'),
  active: 'b',
  manages: [fleetOf('apps', 'blue', 'green')],
  applicationSets: [podinfo],
};
const hub = (args: Partial<ArgoCdHubArgs> = {}) => register(() => new ArgoCdHub('hub', { ...base, ...args }));
/** The same two hubs, by the slot of the one that writes. */
let writing: Readonly<Record<'a' | 'b', Registrations>>;
beforeAll(async () => {
  writing = { a: await hub({ active: 'a' }), b: await hub({ active: 'b' }) };
});

const association = 'aws:eks/accessPolicyAssociation:AccessPolicyAssociation';
const configMap = 'kubernetes:core/v1:ConfigMap';
const applicationSet = 'kubernetes:argoproj.io/v1alpha1:ApplicationSet';

/** Names of everything that has to be there before a resource, however far away. */
function before(seen: Registrations, name: string): Set<string> {
  const found = new Set<string>();
  const add = (urns: readonly string[]): void =>
    urns.forEach((urn) => {
      const each = seen.all.find((other) => other.urn === urn);
      if (each && !found.has(each.name)) {
        found.add(each.name);
        add(each.dependencies);
      }
    });
  add(seen.all.find((each) => each.custom && each.name === name)!.dependencies);
  return found;
}

const way = [
  'hub-a-duty',
  'hub-a-gitops:argocd/podinfo',
  'hub-a-duty-done',
  'hub-apps-blue-writer',
  'hub-b-duty',
  'hub-b-gitops:argocd/podinfo',
  'hub-b-duty-done',
];

test.each<['a' | 'b', readonly string[]]>([
  ['b', way],
  ['a', way.map((name) => name.replace(/^hub-[ab]-/, (slot) => (slot === 'hub-a-' ? 'hub-b-' : 'hub-a-')))],
])(
  'with %s active: what rests, the right to write, what writes, each after all before it',
  (active, order) => {
    order.forEach((name, index) => {
      const earlier = before(writing[active], name);
      expect(order.slice(0, index).filter((each) => !earlier.has(each))).toEqual([]);
      expect(order.slice(index).filter((each) => earlier.has(each))).toEqual([]);
    });
  },
);

test('every hub may read in every cluster, whoever writes; in each cluster one may write', () => {
  const rights = (seen: Registrations) =>
    seen
      .ofType(association)
      .map(({ inputs }) => {
        const [role, policy] = [inputs.principalArn, inputs.policyArn].map((arn) => arn.split('/').at(-1));
        return `${inputs.clusterName}: ${role} ${policy} ${JSON.stringify(inputs.accessScope)}`;
      })
      .sort();
  const scope = '{"type":"cluster"}';
  for (const active of ['a', 'b'] as const) {
    expect(rights(writing[active])).toEqual(
      ['apps-blue', 'apps-green']
        .flatMap((cluster) => [
          `${cluster}: hub-a AmazonEKSAdminViewPolicy ${scope}`,
          `${cluster}: hub-b AmazonEKSAdminViewPolicy ${scope}`,
          `${cluster}: hub-${active} AmazonEKSClusterAdminPolicy ${scope}`,
        ])
        .sort(),
    );
  }
});

test('a standby reads before it compares, and its Secrets do not wait for the right to write', () => {
  const standby = before(writing.b, 'hub-a-gitops:argocd/apps-green');
  expect(standby).toContain('hub-a-apps-green-view');
  expect([...standby].filter((name) => name.endsWith('-writer'))).toEqual([]);
});

test('duties are told in both hubs, and a standby is as passive as an ApplicationSet can be', () => {
  const seen = writing.b;
  expect(
    seen.ofType(configMap).map(({ inputs: { metadata, data } }) => [metadata.namespace, metadata.name, data]),
  ).toEqual([
    ['argocd', 'cluster-canary-duty', { duty: 'standby' }],
    ['argocd', 'cluster-canary-duty-done', { duty: 'standby' }],
    ['argocd', 'cluster-canary-duty', { duty: 'writer' }],
    ['argocd', 'cluster-canary-duty-done', { duty: 'writer' }],
  ]);
  const [a, b] = ['a', 'b'].map(
    (slot) => seen.one(applicationSet, `hub-${slot}-gitops:argocd/podinfo`).inputs.spec,
  );
  expect(a.syncPolicy).toEqual({ preserveResourcesOnDeletion: true });
  expect(a.template.spec.syncPolicy).toEqual({ syncOptions: ['CreateNamespace=true'] });
  expect(b.syncPolicy).toBeUndefined();
  expect(b.template.spec.syncPolicy).toEqual(podinfo.template.spec.syncPolicy);
});

test('one hub alone has nobody to hand over to: no duties, and the right to write is its only one', async () => {
  const seen = await hub({ fleet: fleetOf('hub', 'a'), active: undefined });
  expect(seen.ofType(configMap)).toEqual([]);
  expect(seen.ofType(association).map(({ name }) => name)).toEqual([
    'hub-apps-blue-writer',
    'hub-apps-green-writer',
  ]);
});

test('what is lost is registered as before, over a provider that asks nothing of it; the rights go all the same', async () => {
  const seen = await hub({ active: 'b', lost: ['a'] });
  expect(seen.all.map(({ urn }) => urn).sort()).toEqual(writing.b.all.map(({ urn }) => urn).sort());
  const [lost, reached] = ['a', 'b'].map((slot) => seen.one('pulumi:providers:kubernetes', `hub-${slot}`));
  expect(lost!.inputs).toMatchObject({ skipUpdateUnreachable: 'true', deleteUnreachable: 'true' });
  expect(reached!.inputs.skipUpdateUnreachable).toBeUndefined();
  const within = seen.all.filter(({ custom, provider }) => custom && provider.startsWith(lost!.urn));
  expect(within.length).toBeGreaterThan(5);
  expect(within.filter(({ deletedWith }) => deletedWith !== lost!.urn)).toEqual([]);
  expect(JSON.parse(lost!.inputs.kubeconfig).clusters[0].cluster.server).toBe('https://hub-a.example.com');
});

describe('refused', () => {
  const nodes = { instanceTypes: ['m7i.large'], min: 2, max: 6 };
  const made = () =>
    new ClusterFleet('hub', {
      network: { vpcId: 'vpc-1', privateSubnetIds: ['subnet-a'] },
      endpoint: { private: { reachedFrom: 'vpc' } },
      slots: { a: { version: '1.35', nodes }, b: { version: '1.35', nodes } },
    });
  test.each<[string, () => Partial<ArgoCdHubArgs>, RegExp]>([
    ['an unknown slot', () => ({ lost: ['z'] }), /lost\[0\]: "z": must be one of "a", "b"/],
    ['the active one', () => ({ lost: ['b'] }), /lost\[0\]: "b": must be another slot than "active"/],
    [
      'a shared role',
      () => ({ lost: ['a'], identity: 'shared' }),
      /lost\[0\]: "a": must be left out: with a shared identity the clusters can't tell the hubs apart/,
    ],
    [
      'a fleet of this program',
      () => ({ fleet: made(), lost: ['a'] }),
      /lost\[0\]: "a": must be left out: this program/,
    ],
    ['a time', () => ({ handover: { settle: 'soon' } }), /handover\.settle: "soon": must be a time span/],
    [
      'a setting',
      () => ({ handover: { wait: '5m' } as never }),
      /handover\.wait: unknown key; known keys: compareWithin/,
    ],
    [
      'a role',
      () => ({ handover: { roleArn: 'x' } }),
      /handover\.roleArn: "x": must be the ARN of an IAM role/,
    ],
    [
      'Applications that their set does not change',
      () => ({ applicationSets: [{ ...podinfo, syncPolicy: { applicationsSync: 'create-only' } }] }),
      /applicationSets\[0\]\.syncPolicy\.applicationsSync: "create-only": must be "create-update" or "sync"/,
    ],
  ])('%s', async (_, args, expected) => {
    const { message } = await refusalOf(() => new ArgoCdHub('hub', { ...base, ...args() }));
    expect(message).toMatch(expected);
  });

  test('nothing of that with one hub: its set may be as it wants', async () => {
    const only = { ...podinfo, syncPolicy: { applicationsSync: 'create-only' as const } };
    const seen = await hub({ fleet: fleetOf('hub', 'a'), active: 'a', applicationSets: [only] });
    expect(seen.ofType(applicationSet)).toHaveLength(1);
  });
});
