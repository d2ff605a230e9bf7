import * as fc from 'fast-check';
import { eksVersions } from '../../../../lib/core/readiness/eks';
import { judgeVersions } from '../../../../lib/core/readiness/eks/versions';
import type { VersionFacts } from '../../../../lib/core/readiness/eks/versions';
import { inspected, today, version } from './fake-eks';

const offered = [
  version('1.36', '2027-08-02', '2028-08-02'),
  version('1.35', '2027-03-27', '2028-03-27'),
  version('1.34', '2026-12-02', '2027-12-02'),
  version('1.33', '2026-07-29', '2027-07-29'),
  version('1.31', '2025-11-26', '2026-11-26'),
  version('1.30', '2025-07-23', '2026-07-23'),
];

function judged(facts: Partial<VersionFacts>) {
  const { findings, unknown } = judgeVersions({
    ...{ running: '1.35', to: '1.36', versions: offered, now: today },
    ...facts,
  });
  return {
    ids: findings.map(({ id, severity }) => `${id} ${severity}`),
    text: findings.map(({ message, why, fix }) => `${message} | ${why} | ${fix}`).join('\n'),
    unknown,
  };
}

test.each<[string, Partial<VersionFacts>, string[]]>([
  ['one minor, both in standard support', {}, []],
  ['the same version', { to: '1.35' }, ['EKS05 warning']],
  ['an older version', { to: '1.34', running: '1.35' }, ['EKS05 error', 'EKS07 info']],
  ['several minors', { running: '1.34' }, ['EKS08 info', 'EKS06 info']],
  ['a version in extended support', { running: '1.33', to: '1.34' }, ['EKS06 warning', 'EKS07 info']],
  ['a version without support', { running: '1.30', to: '1.31' }, ['EKS06 error', 'EKS07 warning']],
  ['a target that is not offered here', { running: '1.36', to: '1.37' }, ['EKS04 error']],
  ['a target that is no longer supported', { running: '1.29', to: '1.30' }, ['EKS04 error']],
  ['a cluster that could not be read', { running: undefined }, []],
  ['versions that could not be read', { versions: undefined, to: '1.99' }, ['EKS08 info']],
  ['a target with its patch', { to: '1.36.1' }, []],
])('%s', (_, facts, ids) => {
  expect(judged(facts).ids).toEqual(ids);
});

test('extended support is told with its price, its end and the days that are left', () => {
  const { text } = judged({ running: '1.33', to: '1.35' });
  expect(text).toContain(
    '1.33, which the cluster runs, is in extended support until 2027-07-29, in 248 days',
  );
  expect(text).toContain('0.60 USD an hour instead of 0.10, 0.50 more');
});

test('by its upgrade policy, EKS upgrades a cluster by itself at the end of standard support', () => {
  expect(judged({ running: '1.34', to: '1.35', supportType: 'STANDARD' })).toMatchObject({
    ids: ['EKS06 warning'],
    text: expect.stringContaining('ends on 2026-12-02, in 9 days'),
  });
});

test('support moves with the time: standard, soon at its end, extended, none', () => {
  const at = (day: string) => judged({ running: '1.34', to: '1.35', now: Date.parse(day) }).ids;
  expect(at('2026-09-01')).toEqual([]);
  expect(at('2026-11-10')).toEqual(['EKS06 info']);
  expect(at('2026-12-02')).toEqual(['EKS06 warning', 'EKS07 info']);
  expect(at('2027-12-02')).toEqual(['EKS06 error', 'EKS07 warning']);
});

test('without dates, the state that EKS names counts', () => {
  const states = [
    ['STANDARD_SUPPORT', []],
    ['EXTENDED_SUPPORT', ['EKS06 warning']],
    ['UNSUPPORTED', ['EKS06 error']],
  ] as const;
  for (const [versionStatus, ids] of states) {
    const versions = [{ clusterVersion: '1.35', versionStatus }, offered[0]];
    expect(judged({ versions }).ids).toEqual(ids);
    const status = versionStatus.toLowerCase().replace('_', '-') as 'unsupported';
    expect(judged({ versions: [{ clusterVersion: '1.35', status }, offered[0]] }).ids).toEqual(ids);
  }
});

test('what EKS does not say is unknown, and has not passed', () => {
  expect(judged({ versions: [] }).unknown).toEqual(['EKS names no versions at all']);
  expect(judged({ running: '1.22', to: '1.36' }).unknown).toEqual(['EKS gives no dates of version 1.22']);
  expect(judged({ running: 'latest' }).unknown).toEqual([
    'EKS gives no dates of version latest',
    '"latest" is no version that can be compared',
  ]);
});

test('any dates: one finding about each version at most, and an error only without support', () => {
  const date = fc.date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(fc.tuple(date, date, date, date, date), ([a, b, c, d, now]) => {
      const [running, target] = [
        version('1.35', a.toISOString(), b.toISOString()),
        version('1.36', c.toISOString(), d.toISOString()),
      ];
      const { ids } = judged({ versions: [running, target], now: now.getTime() });
      expect(ids.filter((id) => id.startsWith('EKS06')).length).toBeLessThanOrEqual(1);
      expect(ids.includes('EKS06 error')).toBe(b <= now);
      expect(ids.includes('EKS04 error')).toBe(d <= now);
    }),
  );
});

test('versions are read with those that EKS supports no more, and not those of Outposts; a list that breaks off says nothing', async () => {
  const outposts = { ...version('1.36', '2027-08-02', '2028-08-02'), clusterType: 'eks-local-outposts' };
  const { aws, findings } = await inspected(eksVersions, {
    'eks:DescribeClusterVersions': ({ nextToken }) =>
      nextToken === undefined
        ? { clusterVersions: [outposts], nextToken: '2' }
        : { clusterVersions: [version('1.35', '2027-03-27', '2028-03-27')] },
  });
  expect(findings.map(({ id }) => id)).toEqual(['EKS04']);
  expect(aws.inputs.find(({ action }) => action === 'eks:DescribeClusterVersions')!.input).toMatchObject({
    includeAll: true,
  });
  const broken = await inspected(eksVersions, {
    'eks:DescribeClusterVersions': ({ nextToken }) =>
      nextToken === undefined ? { clusterVersions: [outposts], nextToken: '2' } : {},
  });
  expect(broken.findings).toEqual([]);
  expect(broken.untried).toHaveLength(1);
});
