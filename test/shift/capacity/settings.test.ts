import {
  capacityAccess,
  capacityProblems,
  capacitySettings,
  openCapacity,
} from '../../../lib/shift/capacity';
import { problemsOf } from '../../../lib/core/validation/schema';
import { formatProblem } from '../../../lib/core/validation/problems';
import { subject } from './shop';

test.each<[object, readonly string[]]>([
  [{}, []],
  [{ scale: 'hpa', hold: 'untilBaked' }, []],
  [{ scale: ['hpa', 'keda', 'replicas'], kubeconfig: 'fleet.yaml', contexts: { blue: 'one' } }, []],
  [{ services: [{ namespace: 'shop', name: 'web' }] }, []],
  [{ scale: 'vpa' }, ['scale: "vpa": must be one of "hpa", "keda", "replicas"']],
  [{ scale: [] }, ['scale: []: must be a list of at least one']],
  [{ scale: 7 }, ['scale: 7: must be one of "hpa", "keda", "replicas", or a list of them']],
  [{ hold: 'forever' }, ['hold: "forever": must be one of "untilBaked"']],
  [
    { scael: 'hpa' },
    [expect.stringMatching(/^scael: unknown key, did you mean "scale"\?/) as unknown as string],
  ],
  [{ services: [] }, ['services: []: must be a list of at least one']],
  [
    { services: [{ namespace: 'Shop' }], contexts: { blue: '' } },
    [
      'contexts.blue: "": must be text on one line',
      expect.stringMatching(/^services\[0\]\.namespace: "Shop": must be /) as unknown as string,
      expect.stringMatching(/^services\[0\]\.name: is required/) as unknown as string,
    ],
  ],
])('%j', (settings, expected) => {
  expect(problemsOf(capacitySettings, settings).map(formatProblem)).toEqual(expected);
});

test('slots that there are not, and routers without target groups', () => {
  const settings = { contexts: { green: 'g', gren: 'x' } };
  expect(capacityProblems(settings, subject).map(({ path }) => path)).toEqual(['contexts.gren']);
  const names = { ...subject, layer: 'names' } as const;
  expect(capacityProblems({}, names).map(formatProblem)).toEqual([
    expect.stringMatching(/^services: .*: this router has no target groups$/),
  ]);
  expect(capacityProblems({ services: [{ namespace: 'shop', name: 'web' }] }, names)).toEqual([]);
});

test('a cluster whose name is not known needs a context', () => {
  const unnamed = { ...subject, slots: { ...subject.slots, green: {} } };
  expect(() => openCapacity({}, unnamed, { id: 'rule' })).toThrow(
    'contexts.green: is required: a context of the kubeconfig, unless the slot has clusterName',
  );
  expect(() => openCapacity({ contexts: { green: 'g' } }, unnamed, { id: 'rule' })).not.toThrow();
  expect(() =>
    openCapacity({ scale: 'vpa' as never, contexts: { red: 'r' } }, unnamed, { id: 'rule' }),
  ).toThrow(/scale/);
});

const rulesOf = (settings: Parameters<typeof capacityAccess>[0]) =>
  capacityAccess(settings, subject).map(({ rule: { apiGroups, resources, verbs, namespace } }) =>
    [
      `${verbs.join()} ${resources.join()}.${apiGroups.join()}`,
      ...(namespace === undefined ? [] : [namespace]),
    ].join(' '),
  );

test('the rights are those that it uses', () => {
  expect(rulesOf({})).toEqual([
    'list targetgroupbindings.elbv2.k8s.aws',
    'list pods,services.',
    'list deployments,statefulsets.apps',
    'list rollouts.argoproj.io',
    'get,list,patch horizontalpodautoscalers.autoscaling',
    'get,list,patch scaledobjects.keda.sh',
    'list poddisruptionbudgets.policy',
  ]);
  const services = [
    { namespace: 'shop', name: 'web' },
    { namespace: 'shop', name: 'api' },
    { namespace: 'team', name: 'web' },
  ];
  const within = (namespace: string) => [
    `list pods,services. ${namespace}`,
    `get,list,patch deployments,statefulsets.apps ${namespace}`,
    `get,list,patch rollouts.argoproj.io ${namespace}`,
    `list horizontalpodautoscalers.autoscaling ${namespace}`,
    `list scaledobjects.keda.sh ${namespace}`,
    `list poddisruptionbudgets.policy ${namespace}`,
  ];
  expect(rulesOf({ scale: 'replicas', services })).toEqual([...within('shop'), ...within('team')]);
  expect(capacityAccess({ kubeconfig: 'fleet.yaml', contexts: { green: 'g' } }, subject)[0]).toMatchObject({
    cluster: 'slots',
    at: [
      { kubeconfig: 'fleet.yaml', context: 'apps-blue' },
      { kubeconfig: 'fleet.yaml', context: 'g' },
    ],
  });
});
