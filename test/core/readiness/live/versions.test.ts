import { judgeVersions } from '../../../../lib/core/readiness/live/live-objects';
import { atMost } from '../../../../lib/core/readiness/live/subject';
import {
  VersionCounter,
  allWritings,
  countKey,
  listingsOf,
} from '../../../../lib/core/readiness/live/written-versions';
import type { Writing } from '../../../../lib/core/readiness/live/writings';

const served = (...names: readonly string[]) =>
  names.map((name) => {
    const [apiVersion = '', kind = ''] = name.split(' ');
    return { apiVersion, kind, resource: `${kind.toLowerCase()}s` };
  });

describe('in which version a kind is listed', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['the first', ['apps/v1 Deployment', 'apps/v2 Deployment'], ['apps/v1 Deployment']],
    [
      'the first that is not deprecated: a list counts as a call',
      ['storage.k8s.io/v1beta1 VolumeAttributesClass', 'storage.k8s.io/v1 VolumeAttributesClass'],
      ['storage.k8s.io/v1 VolumeAttributesClass'],
    ],
    [
      'a deprecated one where there is no other',
      ['networking.k8s.io/v1beta1 IPAddress'],
      ['networking.k8s.io/v1beta1 IPAddress'],
    ],
    [
      'a removed one where there is no other: its objects are lost without a replacement',
      ['policy/v1beta1 PodSecurityPolicy'],
      ['policy/v1beta1 PodSecurityPolicy only, lost'],
    ],
    [
      'a removed one where there is no other, whose replacement is not served yet',
      ['autoscaling/v2beta1 HorizontalPodAutoscaler'],
      ['autoscaling/v2beta1 HorizontalPodAutoscaler only'],
    ],
    [
      'not at all where another group has the same objects',
      ['extensions/v1beta1 Ingress', 'networking.k8s.io/v1 Ingress'],
      ['networking.k8s.io/v1 Ingress'],
    ],
    [
      'not at all what has no versions, is gone soon, or is stored nowhere',
      [
        ...['v1 Secret', 'v1 Event', 'events.k8s.io/v1 Event', 'v1 ComponentStatuse'],
        ...['metrics.k8s.io/v1beta1 PodMetric', 'custom.metrics.k8s.io/v1beta1 Service'],
      ],
      [],
    ],
    ['of another group, also what is called so', ['example.com/v1 Secret'], ['example.com/v1 Secret']],
  ])('%s', (_, kinds, expected) => {
    expect(
      listingsOf(served(...kinds), '1.36').map(
        ({ kind, only }) =>
          `${kind.apiVersion} ${kind.kind}${only === undefined ? '' : only.declared ? ' only, lost' : ' only'}`,
      ),
    ).toEqual(expected);
  });

  test('Endpoints are deprecated themselves, and asked for by nobody', () => {
    expect(listingsOf([{ apiVersion: 'v1', kind: 'Endpoints', resource: 'endpoints' }], '1.36')).toEqual([]);
  });
});

const writing = (apiVersion: string, declared: boolean, more: Partial<Writing> = {}): Writing => ({
  ...{ apiVersion, declared, seenIn: declared ? 'last applied' : 'managed fields of helm' },
  ...(declared ? {} : { who: 'helm wrote it on 2026-01-02' }),
  ...more,
});

const counted = (kind: string, objects: Readonly<Record<string, readonly Writing[]>>) => {
  const counter = new VersionCounter();
  for (const [name, writings] of Object.entries(objects)) {
    counter.add(kind, { name, namespace: 'shop' }, writings);
  }
  return counter.versions;
};

test.each<[string, string, boolean, string, readonly string[]]>([
  ['policy/v1beta1', 'PodDisruptionBudget', true, '1.36', ['API01 error']],
  ['policy/v1beta1', 'PodDisruptionBudget', false, '1.36', ['API01 warning']],
  ['policy/v1', 'PodDisruptionBudget', true, '1.36', []],
  ['storage.k8s.io/v1beta1', 'VolumeAttributesClass', true, '1.36', ['API02 warning']],
  ['storage.k8s.io/v1beta1', 'VolumeAttributesClass', false, '1.36', ['API02 info']],
  ['storage.k8s.io/v1beta1', 'VolumeAttributesClass', false, '1.37', ['API01 warning']],
  ['cert-manager.io/v1alpha2', 'Certificate', true, '1.36', ['API04 warning']],
  ['cert-manager.io/v1alpha2', 'Certificate', false, '1.36', ['API04 info']],
  ['v1', 'Endpoints', false, '1.36', ['API02 info']],
  ['example.com/v1', 'Widget', true, '1.36', []],
])('%s %s, declared %s, for %s', (apiVersion, kind, declared, to, expected) => {
  const findings = judgeVersions(counted(kind, { web: [writing(apiVersion, declared)] }), to);
  expect(findings.map(({ id, severity }) => `${id} ${severity}`)).toEqual(expected);
});

test('a finding names object, version, writer and day', () => {
  const findings = judgeVersions(
    counted('PodDisruptionBudget', { web: [writing('policy/v1beta1', false), writing('policy/v1', true)] }),
    '1.36',
  );
  expect(findings).toEqual([
    {
      ...{ id: 'API01', severity: 'warning', seenIn: 'managed fields of helm' },
      message:
        'PodDisruptionBudget of policy/v1beta1 is not served any more since Kubernetes 1.25; helm wrote it on 2026-01-02',
      why: 'unless the writer has learned another version since, its next write of this kind fails',
      fix: 'use policy/v1, whose fields may differ',
      object: { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', name: 'web', namespace: 'shop' },
    },
  ]);
});

test('of very many objects the first are told, and the rest is counted', () => {
  const all = Object.fromEntries(
    Array.from({ length: 250 }, (_, index) => [`web-${index}`, [writing('policy/v1beta1', true)]]),
  );
  const findings = judgeVersions(counted('PodDisruptionBudget', all), '1.36');
  expect(findings).toHaveLength(101);
  expect(findings[100]).toMatchObject({
    message:
      'PodDisruptionBudget of policy/v1beta1 is not served any more since Kubernetes 1.25: 150 more objects',
  });
});

describe('an object that only removed versions serve', () => {
  const object = (manager: string, apiVersion: string) => ({
    ...{ apiVersion: 'policy/v1beta1', kind: 'PodSecurityPolicy' },
    metadata: { name: 'x', managedFields: [{ manager, apiVersion, operation: 'Update' }] },
  });
  const only = writing('policy/v1beta1', true, { seenIn: 'live' });

  test.each([
    ['is told, whoever wrote it', 'kubectl', 'policy/v1', ['policy/v1 false', 'policy/v1beta1 true']],
    ['is told once', 'kubectl', 'policy/v1beta1', ['policy/v1beta1 true']],
    ['is none of yours where Kubernetes made it', 'kube-apiserver', 'policy/v1beta1', []],
  ])('%s', (_, manager, apiVersion, expected) => {
    expect(
      allWritings(object(manager, apiVersion), only).map((each) => `${each.apiVersion} ${each.declared}`),
    ).toEqual(expected);
  });
});

test('kinds are counted by group, whichever version they are listed in', () => {
  expect(['v1', 'apps/v1', 'apps/v2'].map((apiVersion) => countKey({ apiVersion, kind: 'X' }))).toEqual([
    ' X',
    'apps X',
    'apps X',
  ]);
});

test('findings are in the order of their severity, and those beyond the limit are counted by name', () => {
  const finding = (id: string, severity: 'error' | 'warning' | 'info', message = id) => ({
    ...{ id, severity, message, why: 'w', fix: 'f' },
  });
  const findings = [
    ...[finding('B', 'info'), finding('A', 'warning'), finding('A', 'warning'), finding('A', 'warning')],
    finding('A', 'error'),
  ];
  expect(atMost(findings, 2).map(({ severity, message }) => `${severity} ${message}`)).toEqual([
    ...['error A', 'warning A', 'warning A', 'warning 1 more findings like those before'],
    'info B',
  ]);
});
