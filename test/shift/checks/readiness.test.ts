import type { CheckContext, ReadinessArgs } from '../../../lib/shift/checks';
import { checkAccess, checkRights, settingsProblems } from '../../../lib/shift/checks';
import { readinessSubjects } from '../../../lib/core/readiness';
import type { SubjectResult } from '../../../lib/core/readiness';
import type { KubernetesSettings } from '../../../lib/core/kubernetes/access';
import { Asking } from '../../../lib/shift/checks/readiness/asking';
import { readiness } from '../../../lib/shift/checks/readiness/readiness';
import { isNoUpgrade, shiftedSlots } from '../../../lib/shift/checks/readiness/slots';
import { evaluateReadiness } from '../../../lib/core/readiness';
import { simulatedChecks } from '../../../lib/shift/simulation/checks';
import type { Answers } from '../../core/readiness/eks/fake-eks';
import { denied, FakeAws, sdkError, today, wellAnswers } from '../../core/readiness/eks/fake-eks';
import { findingOf, subjectOf } from '../../core/readiness/fake-subjects';
import { World } from '../engine/world';
import { contextOf, subject, windowOf } from './health-samples';

const ofEks = readinessSubjects.filter(({ needs }) => needs === 'eks').map(({ name }) => name);

/** Blue runs 1.35 and green 1.36. */
const twoClusters: Answers = {
  ...wellAnswers,
  'eks:DescribeCluster': ({ name }) => ({
    cluster: {
      ...(wellAnswers['eks:DescribeCluster']!({ name }) as any).cluster,
      version: name === 'apps-green' ? '1.36' : '1.35',
    },
  }),
};

const before = (more = {}) =>
  windowOf({ blue: 100, green: 0 }, { blue: 99, green: 1 }, { to: today, ...more });

function asked(settings: ReadinessArgs = {}, answers: Answers = {}, given: Partial<CheckContext> = {}) {
  const aws = new FakeAws({ ...twoClusters, ...answers });
  const regions: unknown[] = [];
  const context = contextOf({
    aws: (region) => {
      regions.push(region);
      return aws.clients;
    },
    kubernetes: () => Promise.reject(new Error('no API server is to be asked')),
    ...given,
  });
  const check = readiness.kind.create('readiness', { subjects: ofEks, ...settings }, context);
  return { aws, regions, check };
}

const brokenAddon: Answers = { 'eks:DescribeAddonVersions': () => ({ addons: [] }) };

describe('before the first write', () => {
  test('a cluster without a fault passes, and all of EKS was asked', async () => {
    const { check, aws, regions } = asked({ region: 'eu-central-1' });
    expect(await check.evaluate(before())).toMatchObject({
      status: 'pass',
      reason: 'no errors before Kubernetes 1.36',
    });
    expect(aws.actions).toContain('eks:ListInsights');
    expect(new Set(regions)).toEqual(new Set(['eu-central-1']));
    const clusters = aws.inputs.filter(({ action }) => action === 'eks:ListInsights');
    expect(clusters.map(({ input }) => input.clusterName)).toEqual(['apps-blue']);
  });

  test('an error fails, with what it is', async () => {
    const result = await asked({}, brokenAddon).check.evaluate(before());
    expect(result).toMatchObject({ status: 'fail' });
    expect(result.reason).toMatch(/^1 finding before Kubernetes 1\.36: EKS10 add-on vpc-cni .*no version/);
    expect(result.holds).toBeUndefined();
  });

  test('a finding that is accepted does not, nor one of a subject that is not asked', async () => {
    expect(await asked({ allow: ['EKS10'] }, brokenAddon).check.evaluate(before())).toMatchObject({
      status: 'pass',
    });
    const other = asked({ subjects: ['eks-insights'] }, brokenAddon);
    expect(await other.check.evaluate(before())).toMatchObject({ status: 'pass' });
    expect(other.aws.actions).toEqual(['eks:DescribeCluster', 'eks:ListInsights']);
  });

  test('what may not be read is inconclusive, unless that is said to be fine', async () => {
    const answers: Answers = { 'eks:ListInsights': denied };
    const result = await asked({}, answers).check.evaluate(before());
    expect(result.status).toBe('inconclusive');
    expect(result.reason).toContain('not allowed to call eks:ListInsights');
    const fine = asked({ mayBeUntried: ['eks-insights'] }, answers);
    expect(await fine.check.evaluate(before())).toMatchObject({ status: 'pass' });
    const other = asked({ mayBeUntried: ['eks-quotas'] }, answers);
    expect(await other.check.evaluate(before())).toMatchObject({ status: 'inconclusive' });
  });

  test('a pass is not asked for again while other checks are, a failure is', async () => {
    const passing = asked();
    await passing.check.evaluate(before());
    const calls = passing.aws.called.length;
    expect(await passing.check.evaluate(before({ to: today + 60_000 }))).toMatchObject({ status: 'pass' });
    expect(passing.aws.called).toHaveLength(calls);
    await passing.check.evaluate(before({ to: today + 600_000 }));
    expect(passing.aws.called.length).toBeGreaterThan(calls);
    const failing = asked({}, brokenAddon);
    await failing.check.evaluate(before());
    failing.aws.answers = twoClusters;
    expect(await failing.check.evaluate(before())).toMatchObject({ status: 'pass' });
  });

  test('of several slots that lose, the cluster of each is asked', async () => {
    const slots = { ...subject.slots, teal: { clusterName: 'apps-teal' } };
    const answers: Answers = {
      ...brokenAddon,
      'eks:DescribeCluster': ({ name }) => ({
        cluster: {
          ...(wellAnswers['eks:DescribeCluster']!({ name }) as any).cluster,
          version: name === 'apps-blue' ? '1.35' : '1.36',
        },
      }),
    };
    const { check } = asked({}, answers, { subject: { ...subject, slots } });
    const moved = { origin: { blue: 30, teal: 70, green: 0 }, wanted: { blue: 0, teal: 0, green: 100 } };
    const result = await check.evaluate(before(moved));
    expect(result).toMatchObject({ status: 'fail' });
    expect(result.reason).toMatch(/^teal runs 1\.36: 1\.36 is no upgrade; 1 finding before Kubernetes 1\.36/);
  });

  test('of several slots that gain, the version of each is asked, and what it breaks', async () => {
    const slots = { ...subject.slots, teal: { clusterName: 'apps-teal' } };
    const versions: Readonly<Record<string, string>> = { 'apps-green': '1.35', 'apps-teal': '1.36' };
    const describe = ({ name }: { readonly name: string }) => ({
      cluster: {
        ...(wellAnswers['eks:DescribeCluster']!({ name }) as any).cluster,
        version: versions[name] ?? '1.35',
      },
    });
    // Teal gains less, and it alone is an upgrade.
    const moved = { origin: { blue: 100, green: 0, teal: 0 }, wanted: { blue: 0, green: 90, teal: 10 } };
    const given = { subject: { ...subject, slots } };
    const broken = asked({}, { ...brokenAddon, 'eks:DescribeCluster': describe as never }, given);
    const result = await broken.check.evaluate(before(moved));
    expect(result.status).toBe('fail');
    expect(result.reason).toMatch(/^blue runs 1\.35: 1\.35 is no upgrade; 1 finding before Kubernetes 1\.36/);
    const unknown = asked(
      {},
      {
        'eks:DescribeCluster': ({ name }) => {
          if (name === 'apps-teal') {
            throw sdkError('ResourceNotFoundException', 'No cluster found', 404);
          }
          return describe({ name: String(name) });
        },
      },
      given,
    );
    const nobody = await unknown.check.evaluate(before(moved));
    expect(nobody.status).toBe('inconclusive');
    expect(nobody.reason).toContain('the version of teal is not known');
  });

  test('what slots of one version have in common is said once', async () => {
    const slots = { ...subject.slots, teal: { clusterName: 'apps-teal' } };
    const moved = { origin: { blue: 60, teal: 40, green: 0 }, wanted: { blue: 0, teal: 0, green: 100 } };
    const { check } = asked({}, {}, { subject: { ...subject, slots } });
    expect(await check.evaluate(before(moved))).toMatchObject({
      status: 'pass',
      reason: 'no errors before Kubernetes 1.36',
    });
  });

  test('an abort ends it', async () => {
    const controller = new AbortController();
    controller.abort(new Error('enough'));
    await expect(asked().check.evaluate(before(), controller.signal)).rejects.toThrow('enough');
  });
});

describe('nothing is asked', () => {
  test.each([
    ['after the first write', { writes: [{ at: 1, weights: { blue: 99, green: 1 } }] }, /not again$/],
    [
      'where no slot loses traffic',
      { origin: { blue: 0, green: 0 }, wanted: { blue: 0, green: 100 } },
      /no slot/,
    ],
  ])('%s', async (_, window, reason) => {
    const { check, aws } = asked({}, brokenAddon);
    const result = await check.evaluate(before(window));
    expect([result.status, aws.called]).toEqual(['pass', []]);
    expect(result.reason).toMatch(reason);
  });

  test('of a shift back to the older version, or to the same one, but the versions', async () => {
    const { check, aws } = asked({}, brokenAddon);
    const back = { origin: { blue: 0, green: 100 }, wanted: { blue: 100, green: 0 } };
    expect(await check.evaluate(before(back))).toMatchObject({
      status: 'pass',
      reason: 'green runs 1.36: 1.35 is no upgrade',
    });
    expect(aws.actions).toEqual(['eks:DescribeCluster']);
  });
});

describe('the version', () => {
  test('is that of the slot that gains, unless it is given', async () => {
    const versions = async (settings: ReadinessArgs): Promise<unknown> => {
      const { check, aws } = asked({ subjects: ['eks-addons'], ...settings });
      await check.evaluate(before());
      return aws.inputs.find(({ action }) => action === 'eks:DescribeAddonVersions')?.input.kubernetesVersion;
    };
    expect([await versions({}), await versions({ to: '1.37' })]).toEqual(['1.36', '1.37']);
  });

  test('of an earlier upgrade says nothing of this one', async () => {
    const result = await asked({ to: '1.35' }, brokenAddon).check.evaluate(before());
    expect(result).toMatchObject({
      status: 'inconclusive',
      reason: 'green runs 1.36, which is newer than 1.35: set `to` to its version, or leave it out',
    });
  });

  test('that nobody says is inconclusive', async () => {
    const answers: Answers = {
      'eks:DescribeCluster': () => {
        throw sdkError('ResourceNotFoundException', 'No cluster found', 404);
      },
    };
    const result = await asked({}, answers).check.evaluate(before());
    expect(result.status).toBe('inconclusive');
    expect(result.reason).toMatch(/^the version of green is not known \(set `to`\): .*No cluster found/);
  });

  test.each([
    ['1.35', '1.36', false],
    ['v1.36.2-eks-1', '1.36', true],
    ['1.37', '1.36', true],
    [undefined, '1.36', false],
    ['x', '1.36', false],
  ])('from %s to %s is no upgrade: %s', (running, to, is) => {
    expect(isNoUpgrade(running, to)).toBe(is);
  });
});

test.each([
  [{ blue: 100, green: 0 }, { blue: 0, green: 100 }, ['blue'], ['green']],
  [{ a: 60, b: 40, c: 0 }, { a: 50, b: 10, c: 40 }, ['b', 'a'], ['c']],
  [{ a: 100, b: 0, c: 0, d: 0 }, { a: 0, b: 10, c: 90, d: 0 }, ['a'], ['c', 'b']],
  [{ blue: 0, green: 0 }, { blue: 0, green: 100 }, [], ['green']],
  [{ blue: 100 }, { blue: 100 }, [], []],
])('from %j to %j it is %s to %s', (origin, wanted, losing, gaining) => {
  expect(shiftedSlots({ origin, wanted } as never)).toEqual({ losing, gaining });
});

describe('the verdict', () => {
  const rules = { to: '1.36', failOn: 'error', allow: [], mayBeUntried: [] } as const;
  const of = (more: Partial<SubjectResult>): SubjectResult => ({
    ...{ name: 'a', title: 'a', findings: [], looked: 'x', untried: [], seconds: 0, ...more },
  });
  const warning = findingOf('W1', { severity: 'warning' });
  test.each([
    ['a warning', [of({ findings: [warning] })], {}, 'pass', /no errors .*; 1 warning$/],
    ['a warning that fails', [of({ findings: [warning] })], { failOn: 'warning' }, 'fail', /W1 is there/],
    ['nothing asked', [], {}, 'inconclusive', /nothing to ask/],
    [
      'many errors',
      [of({ findings: ['A1', 'A2', 'A3', 'A4', 'A5'].map((id) => findingOf(id)), untried: ['x'] })],
      {},
      'fail',
      /^5 findings .*A1 is there; A2 .*; A3 A3 is there; and 2 more; not looked at: a: x$/,
    ],
    [
      'an object',
      [
        of({
          findings: [findingOf('A1', { object: { apiVersion: 'v1', kind: 'K', name: 'n', namespace: 's' } })],
        }),
      ],
      {},
      'fail',
      /A1 is there \(s\/n\)/,
    ],
  ] as const)('of %s', (_, results, more, status, reason) => {
    const result = evaluateReadiness(results, { ...rules, ...more });
    expect(result.status).toBe(status);
    expect(result.reason).toMatch(reason);
  });
});

describe('subjects of API servers', () => {
  const opened: KubernetesSettings[] = [];
  const api = (context: string | undefined) => ({
    server: `https://${context}`,
    version: () => Promise.resolve(context === 'apps-green' ? 'v1.36.1' : 'v1.35.4'),
    get: () => Promise.reject(new Error('not asked for')),
    list: () => Promise.resolve([]),
  });
  const live = subjectOf(
    'live',
    ({ kubernetes, to }) =>
      Promise.resolve({
        findings: [findingOf('L1', { message: `${kubernetes?.server} ${to}` })],
        looked: 'x',
        untried: [],
      }),
    { needs: 'kubernetes' },
  );
  const fresh = subjectOf(
    'fresh',
    ({ newKubernetes }) =>
      Promise.resolve({
        findings: [findingOf('N1', { message: `${newKubernetes?.server}` })],
        looked: 'x',
        untried: [],
      }),
    { needs: 'newKubernetes' },
  );
  const ask = (settings: ReadinessArgs, kubernetes: CheckContext['kubernetes'], subjects = [live, fresh]) =>
    new Asking(settings, contextOf({ kubernetes }), new AbortController().signal, subjects).evaluate(
      { losing: 'blue', gaining: 'green' },
      before(),
    );
  const open: CheckContext['kubernetes'] = (settings) => {
    opened.push(settings);
    return Promise.resolve(api(settings.context));
  };

  test('ask that of the slot that loses, and of the one that gains, whose version is the wanted one', async () => {
    const { status, reason } = await ask({ kubeconfig: '/k' }, open);
    expect(status).toBe('fail');
    expect(reason).toContain('L1 https://apps-blue 1.36; N1 https://apps-green');
    expect(opened).toContainEqual({ kubeconfig: '/k', context: 'apps-green' });
    const named = await ask({ contexts: { blue: 'b' }, to: '1.36' }, open);
    expect(named.reason).toContain('L1 https://b 1.36');
  });

  test('of a slot whose name every object has a key of', async () => {
    const slots = { constructor: { clusterName: 'apps-blue' }, green: { clusterName: 'apps-green' } };
    const context = contextOf({ kubernetes: open, subject: { layer: 'http', slots } });
    const asking = new Asking({}, context, new AbortController().signal, [live]);
    const { reason } = await asking.evaluate({ losing: 'constructor', gaining: 'green' }, before());
    expect(reason).toContain('L1 https://apps-blue 1.36');
    const [rule] = readiness.kind.access?.({ subjects: ['client-calls'] }, context.subject) ?? [];
    expect(rule).toMatchObject({ at: [{ context: 'apps-blue' }, { context: 'apps-green' }] });
  });

  test('take the kubeconfig that a program knows', async () => {
    await ask({ kubeconfigTexts: { blue: 'text' }, kubeconfig: '/k' }, open);
    expect(opened).toContainEqual({ kubeconfigText: 'text', context: undefined });
  });

  test('of a server that can not be opened have passed nothing', async () => {
    const result = await ask({ to: '1.36' }, () => Promise.reject(new Error('no such context')));
    expect(result.status).toBe('inconclusive');
    expect(result.reason).toContain('live: no such context; fresh: no such context');
  });
});

test('a shift whose cluster is not ready ends with nothing moved', async () => {
  const { check } = asked({ subjects: ['eks-addons'] }, brokenAddon);
  const world = new World();
  const outcome = await world.run({ step: 25, every: '2m', bake: '10m' }, { checks: [check] });
  expect(outcome).toMatchObject({ verdict: 'rolledBack', writes: [], final: { blue: 100, green: 0 } });
  expect(outcome.reason).toContain('EKS10');
  const fine = asked({ subjects: ['eks-addons'] });
  const other = await new World().run({ step: 25, every: '2m', bake: '10m' }, { checks: [fine.check] });
  expect(other).toMatchObject({ verdict: 'completed' });
  expect(fine.aws.called.filter((action) => action === 'eks:ListAddons')).toHaveLength(1);
});

test('rights are those of what is asked, for the clusters of the slots', () => {
  const rights = checkRights([{ readiness: { subjects: ['eks-insights'], region: 'eu-west-1' } }], subject);
  expect(rights).toEqual([
    {
      actions: ['eks:DescribeCluster', 'eks:DescribeInsight', 'eks:ListInsights'],
      resources: ['apps-blue', 'apps-green'].map((name) => `arn:*:eks:eu-west-1:*:cluster/${name}`),
    },
  ]);
  expect(checkAccess([{ readiness: { subjects: ['eks-insights'] } }], subject)).toEqual([]);
});

test('rights on API servers are those of the subjects that are asked, in each slot', () => {
  const rulesOf = (args: ReadinessArgs) => checkAccess([{ readiness: args }], subject);
  const [metrics] = rulesOf({ subjects: ['client-calls'] });
  expect(metrics).toMatchObject({
    ...{ cluster: 'slots', at: [{ context: 'apps-blue' }, { context: 'apps-green' }] },
    rule: { nonResourceURLs: ['/metrics'], verbs: ['get'] },
  });
  const secrets = (args: ReadinessArgs) =>
    rulesOf(args).some(({ rule }) => rule.resources.includes('secrets'));
  expect([secrets({}), secrets({ helmReleases: true })]).toEqual([false, true]);
});

test('a simulation takes it to pass', () => {
  expect(simulatedChecks([{ readiness: {} }]).notSimulated).toEqual(['readiness']);
});

test('what it takes', () => {
  const paths = (args: object) =>
    settingsProblems(readiness.kind, args as never, subject).map(({ path }) => path);
  expect(paths({})).toEqual([]);
  expect(
    paths({
      ...{ to: 'v1.36', region: 'x', subjects: ['nothing'], allow: ['eks'], failOn: 'info', timeout: '1m' },
      ...{ mayBeUntried: ['x'], contexts: { red: 'r' }, helmReleases: 'yes', unheardOf: 1 },
    }).sort(),
  ).toEqual([
    ...['allow[0]', 'contexts.red', 'failOn', 'helmReleases', 'mayBeUntried[0]', 'region', 'subjects[0]'],
    ...['timeout', 'to', 'unheardOf'],
  ]);
  const secrets = settingsProblems(
    readiness.kind,
    { kubeconfigTexts: { green: 'hidden', red: 'hidden' } } as never,
    subject,
  );
  expect(secrets.length).toBeGreaterThan(0);
  expect(JSON.stringify(secrets)).not.toContain('hidden');
});
