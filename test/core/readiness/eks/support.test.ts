import { readVersionSupport } from '../../../../lib/core/readiness/eks';
import { centsAnHour, dollars } from '../../../../lib/core/readiness/eks';

const now = Date.parse('2026-06-01T00:00:00Z');
const version = (clusterVersion: string, standard: string, extended: string, more: object = {}) => ({
  clusterVersion,
  endOfStandardSupportDate: new Date(standard),
  endOfExtendedSupportDate: new Date(extended),
  ...more,
});

test('support of every version, over all pages', async () => {
  const inputs: any[] = [];
  const pages: Record<string, object> = {
    first: {
      clusterVersions: [
        version('1.35', '2027-03-27', '2028-03-27'),
        version('1.36', '2020-01-01', '2021-01-01', { clusterType: 'eks-local-outposts' }),
        { clusterVersion: 'no version' },
      ],
      nextToken: 'second',
    },
    second: {
      clusterVersions: [
        version('1.32', '2026-03-23', '2027-03-23'),
        version('1.29', '2025-03-23', '2026-03-23'),
      ],
    },
  };
  const eks = {
    describeClusterVersions: (input: any) => {
      inputs.push(input);
      return Promise.resolve(pages[input.nextToken ?? 'first']);
    },
  };
  const clients = { region: 'eu-west-1', eks: () => Promise.resolve(eks as never) };
  expect(await readVersionSupport(clients, now, new AbortController().signal)).toEqual({
    '1.35': 'standard',
    '1.32': 'extended',
    '1.29': 'none',
  });
  expect(inputs).toEqual([{ includeAll: true }, { includeAll: true, nextToken: 'second' }]);
});

test('a refusal is an error that names the right', async () => {
  const refusal = Object.assign(new Error('no'), { name: 'AccessDeniedException', $fault: 'client' });
  const eks = { describeClusterVersions: () => Promise.reject(refusal) };
  const clients = { region: 'eu-west-1', eks: () => Promise.resolve(eks as never) };
  await expect(readVersionSupport(clients, now, new AbortController().signal)).rejects.toThrow(
    /eks:DescribeClusterVersions/,
  );
});

test('prices are cents, and shown as dollars', () => {
  expect([centsAnHour.standard, centsAnHour.extended, 1_560].map(dollars)).toEqual(['0.10', '0.60', '15.60']);
});
