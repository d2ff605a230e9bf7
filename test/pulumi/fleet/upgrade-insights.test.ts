import type * as pulumi from '@pulumi/pulumi';
import { ClusterFleet } from '../../../lib/pulumi/fleet';
import { programLog } from '../../../lib/pulumi/log';
import { pendingUpgrades, upgradeWarnings, warnOfUpgrades } from '../../../lib/pulumi/fleet/upgrade-insights';
import { denied, FakeAws, insight, sdkError, today, wellAnswers } from '../../core/readiness/eks/fake-eks';
import type { Answers } from '../../core/readiness/eks/fake-eks';
import { register } from '../../pulumi-mocks';

afterEach(() => jest.restoreAllMocks());

const slot = (clusterName: string, version?: string) => ({ clusterName, version });

test.each([
  ['of one version', [slot('blue', '1.35'), slot('green', '1.35')], []],
  ['of two', [slot('blue', '1.35'), slot('green', '1.36')], [{ clusterName: 'blue', to: '1.36' }]],
  [
    'of three, and one that is not known',
    [slot('a', '1.34'), slot('b', '1.36'), slot('c', '1.35'), slot('d')],
    [
      { clusterName: 'a', to: '1.36' },
      { clusterName: 'c', to: '1.36' },
    ],
  ],
  ['of none that is known', [slot('a'), slot('b', 'latest')], []],
])('slots %s', (_, slots, upgrades) => {
  expect(pendingUpgrades(slots)).toEqual(upgrades);
});

const warnings = async (answers: Answers = {}, timeout = 5_000) => {
  const aws = new FakeAws({ ...wellAnswers, ...answers });
  const upgrade = { clusterName: 'apps-blue', to: '1.36' };
  return { aws, lines: await upgradeWarnings(upgrade, aws.clients, today, timeout) };
};

describe('what EKS says', () => {
  test('is nothing where all is well, and little was asked', async () => {
    const { aws, lines } = await warnings();
    expect(lines).toEqual([]);
    expect(new Set(aws.actions.map((action) => action.split(':')[0]))).toEqual(new Set(['eks']));
  });

  test('is a line for each error and warning, the errors first, and how to mend it', async () => {
    const { lines } = await warnings({
      'eks:ListInsights': () => ({ insights: [insight('1', 'WARNING')] }),
      'eks:DescribeInsight': ({ id }) => ({ insight: insight(id, 'WARNING', { recommendation: 'do it' }) }),
      'eks:DescribeAddonVersions': () => ({ addons: [] }),
    });
    expect(lines).toEqual([
      expect.stringMatching(/^Kubernetes 1\.36, beside EKS cluster apps-blue: error EKS10: .*To fix it: /),
      expect.stringMatching(/: warning EKS01: insight "insight 1" .*To fix it: do it$/),
    ]);
  });

  test('of much is bounded, and names the command that says all', async () => {
    const ids = Array.from({ length: 30 }, (_, id) => String(id));
    const { lines } = await warnings({
      'eks:ListInsights': () => ({ insights: ids.map((id) => insight(id, 'ERROR')) }),
      'eks:DescribeInsight': ({ id }) => ({ insight: insight(id, 'ERROR') }),
    });
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toContain('and 20 more; cluster-canary ready --to 1.36 --cluster apps-blue');
  });

  test('that may not be heard is one line', async () => {
    const { lines } = await warnings({ 'eks:ListInsights': denied, 'eks:ListAddons': denied });
    expect(lines).toEqual([expect.stringMatching(/not looked at: .*not allowed to call .*; and 1 more$/)]);
    const all = await warnings({ 'eks:DescribeCluster': denied });
    expect(all.lines).toEqual([expect.stringContaining('could not be asked: EKS cluster apps-blue')]);
    expect(all.aws.actions).toEqual(['eks:DescribeCluster']);
  });

  test('is nothing of a cluster that is not there yet', async () => {
    const { aws, lines } = await warnings({
      'eks:DescribeCluster': () => {
        throw sdkError('ResourceNotFoundException', 'No cluster found', 404);
      },
    });
    expect([lines, aws.actions]).toEqual([[], ['eks:DescribeCluster']]);
  });

  test('is not waited for for long', async () => {
    const silent = () => new Promise(() => undefined);
    expect((await warnings({ 'eks:ListInsights': silent }, 30)).lines).toEqual([
      expect.stringContaining('0.03 s'),
    ]);
  });
});

describe('a program', () => {
  const slots = [slot('apps-blue', '1.35'), slot('apps-green', '1.36')];
  const run = async (isPreview: boolean, given = slots) => {
    // The answers have dates.
    jest.spyOn(Date, 'now').mockReturnValue(today);
    const aws = new FakeAws({ ...wellAnswers, 'eks:DescribeAddonVersions': () => ({ addons: [] }) });
    const regions: (string | undefined)[] = [];
    const said = jest.spyOn(programLog, 'warn').mockImplementation(() => undefined);
    const clients = (region: string | undefined) => {
      regions.push(region);
      return aws.clients;
    };
    const waited = warnOfUpgrades(given, 'eu-west-1', {} as pulumi.Resource, {
      isPreview: () => isPreview,
      clients,
    });
    if (waited) {
      await new Promise((resolve) => waited.apply(resolve));
    }
    return { called: aws.called, regions, lines: said.mock.calls.map(([line]) => line) };
  };

  test('hears in a preview what EKS says of the older slot, and asks in its region', async () => {
    const { lines, regions } = await run(true);
    expect(lines).toEqual([expect.stringContaining('EKS10')]);
    expect(regions).toEqual(['eu-west-1']);
  });

  test('asks nothing in an update, nor where the versions are the same', async () => {
    expect(await run(false)).toEqual({ called: [], regions: [], lines: [] });
    expect(await run(true, [slot('a', '1.36'), slot('b', '1.36')])).toMatchObject({
      called: [],
      regions: [],
    });
  });

  test.each([true, false])('without an engine asks nobody; it takes upgradeInsights: %s', async (wanted) => {
    const fetched = jest.spyOn(programLog, 'warn');
    const nodes = { instanceTypes: ['m7i.large'], min: 2, max: 6 };
    const seen = await register(() => {
      new ClusterFleet('apps', {
        network: { vpcId: 'vpc-1', privateSubnetIds: ['subnet-a', 'subnet-b'] },
        endpoint: { public: { cidrs: ['203.0.113.0/24'] } },
        slots: { blue: { version: '1.35', nodes }, green: { version: '1.36', nodes } },
        upgradeInsights: wanted,
      });
    });
    expect(seen.ofType('cluster-canary:fleet:ClusterSlot')).toHaveLength(2);
    expect(fetched.mock.calls.filter(([line]) => line.includes('beside EKS cluster'))).toEqual([]);
  });

  test('is refused another value', () => {
    const args = {
      endpoint: 'private',
      slots: { blue: { adopt: { clusterName: 'a' } } },
      upgradeInsights: 'no',
    };
    expect(() => new ClusterFleet('apps', args as never)).toThrow(/upgradeInsights: "no": must be/);
  });
});
