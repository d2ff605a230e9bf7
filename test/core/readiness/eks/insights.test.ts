import { eksInsights } from '../../../../lib/core/readiness/eks';
import { judgeInsights } from '../../../../lib/core/readiness/eks/insights';
import { denied, insight, inspected, today } from './fake-eks';

const ids = (findings: readonly { id: string; severity: string }[]): string[] =>
  findings.map(({ id, severity }) => `${id} ${severity}`);

const judged = (insights: readonly any[], to = '1.36') => judgeInsights(insights, { to, now: today });

test.each([
  ['PASSING', []],
  ['WARNING', ['EKS01 warning']],
  ['ERROR', ['EKS01 error']],
  ['UNKNOWN', ['EKS02 warning']],
  // What EKS may say some day has not passed.
  ['PAUSED', ['EKS02 warning']],
])('an insight that is %s', (status, expected) => {
  expect(ids(judged([insight('1', status)]))).toEqual(expected);
});

const deprecation = {
  usage: '/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas',
  replacedWith: '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
  stopServingVersion: '1.32',
  clientStats: [{ userAgent: 'argocd', numberOfRequestsLast30Days: 12 }],
};

test('details of an insight: what is called, by whom, what replaces it, what is affected', () => {
  const [finding] = judged([
    insight('1', 'ERROR', {
      name: 'Deprecated APIs removed in Kubernetes v1.32',
      recommendation: 'Update manifests and API clients',
      description: 'Checks for usage of deprecated APIs',
      categorySpecificSummary: {
        deprecationDetails: [deprecation],
        addonCompatibilityDetails: [{ name: 'coredns', compatibleVersions: ['v1.13.0-eksbuild.1'] }],
      },
      resources: [
        { arn: 'arn:passing', insightStatus: { status: 'PASSING' } },
        { kubernetesResourceUri: '/apis/x/flowschemas/f', insightStatus: { status: 'ERROR' } },
      ],
    }),
  ]);
  expect(finding).toEqual({
    id: 'EKS01',
    severity: 'error',
    message:
      'insight "Deprecated APIs removed in Kubernetes v1.32" is ERROR: reason 1; ' +
      '/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas, not served from 1.32 on, ' +
      'replaced by /apis/flowcontrol.apiserver.k8s.io/v1/flowschemas, called by argocd (12 in 30 days); ' +
      'coredns needs v1.13.0-eksbuild.1; affected: /apis/x/flowschemas/f',
    why: 'Checks for usage of deprecated APIs',
    fix: 'Update manifests and API clients',
  });
});

test('EKS warns of what a later minor removes; where that minor is wanted, it is an error', () => {
  const warning = insight('1', 'WARNING', { categorySpecificSummary: { deprecationDetails: [deprecation] } });
  expect(ids(judged([warning], '1.31'))).toEqual(['EKS01 warning']);
  expect(ids(judged([warning], '1.32'))).toEqual(['EKS01 error']);
  const unused = { deprecationDetails: [{ ...deprecation, clientStats: [] }] };
  expect(ids(judged([insight('1', 'WARNING', { categorySpecificSummary: unused })], '1.32'))).toEqual([
    'EKS01 warning',
  ]);
});

test.each([
  [3, []],
  [25, []],
  [27, ['EKS03 warning']],
])('the newest insight is %i hours old', async (hours, expected) => {
  const at = (age: number) => ({ lastRefreshTime: new Date(today - age * 3_600_000) });
  const { findings, looked } = await inspected(eksInsights, {
    'eks:ListInsights': () => ({
      insights: [insight('1', 'PASSING', at(hours)), insight('2', 'PASSING', at(hours + 90))],
    }),
  });
  expect(ids(findings)).toEqual(expected);
  expect(looked).toBe(`2 insights, the newest ${hours} h old`);
});

test('insights of later versions and of other kinds are not of this upgrade; those of no version are', async () => {
  const { findings } = await inspected(eksInsights, {
    'eks:ListInsights': () => ({
      insights: [
        insight('1', 'ERROR', { kubernetesVersion: '1.37' }),
        insight('2', 'ERROR', { category: 'MISCONFIGURATION' }),
        insight('3', 'ERROR', { kubernetesVersion: undefined }),
        insight('4', 'ERROR', { kubernetesVersion: '1.34' }),
      ],
    }),
    'eks:DescribeInsight': ({ id }) => ({ insight: insight(id, 'ERROR') }),
  });
  expect(findings.map(({ message }) => message)).toEqual([
    expect.stringContaining('insight 3'),
    expect.stringContaining('insight 4'),
  ]);
});

test('where details are denied, what the list says is found all the same', async () => {
  const { findings, untried } = await inspected(eksInsights, {
    'eks:ListInsights': () => ({ insights: [insight('1', 'ERROR')] }),
    'eks:DescribeInsight': denied,
  });
  expect(ids(findings)).toEqual(['EKS01 error']);
  expect(untried).toEqual([
    'insight "insight 1" of EKS cluster apps in eu-west-1: not allowed to call eks:DescribeInsight',
  ]);
});

test('a cluster that EKS has not looked at yet has not passed', async () => {
  const { untried, looked } = await inspected(eksInsights, { 'eks:ListInsights': () => ({ insights: [] }) });
  expect(looked).toBe('0 insights');
  expect(untried).toEqual([expect.stringContaining('EKS has none up to 1.36 yet')]);
});

test('many deprecations, resources and clients are bounded', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => index);
  const [finding] = judged([
    insight('1', 'ERROR', {
      categorySpecificSummary: {
        deprecationDetails: many.map(() => ({ ...deprecation, clientStats: many.map(() => ({})) })),
      },
      resources: many.map((index) => ({ arn: `arn:${index}` })),
    }),
  ]);
  expect(finding!.message.length).toBeLessThan(2_000);
  expect(finding!.message).toContain('995 more');
});
