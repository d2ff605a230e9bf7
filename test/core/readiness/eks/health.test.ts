import { AwsError } from '../../../../lib/core/aws/errors';
import {
  addonIssues,
  clusterIssues,
  nodegroupIssues,
  readEksHealth,
} from '../../../../lib/core/readiness/eks';
import { denied, FakeAws, sdkError, wellAnswers } from './fake-eks';
import type { Answers } from './fake-eks';

function asked(answers: Answers, more: { concurrency?: number; signal?: AbortSignal } = {}) {
  const aws = new FakeAws({ ...wellAnswers, ...answers });
  const { concurrency = 4, signal = new AbortController().signal } = more;
  return {
    aws,
    health: readEksHealth({ clusterName: 'apps', clients: aws.clients, concurrency, signal }),
  };
}

test('a healthy cluster has no issues', async () => {
  const { aws, health } = asked({});
  expect(await health).toEqual({ issues: [], looked: 'the cluster, 1 node group, 1 add-on', untried: [] });
  expect(aws.actions).toEqual([
    'eks:DescribeAddon',
    'eks:DescribeCluster',
    'eks:DescribeNodegroup',
    'eks:ListAddons',
    'eks:ListNodegroups',
  ]);
});

test.each(['ACTIVE', 'CREATING', 'PENDING', 'UPDATING', 'DELETING', 'FAILED', undefined] as const)(
  'the state %s of a cluster',
  (status) => {
    const changing = ['CREATING', 'PENDING', 'UPDATING'].includes(status ?? '');
    expect(clusterIssues({ name: 'apps', status })).toEqual(
      status === 'ACTIVE'
        ? []
        : [
            {
              ...{ of: 'cluster', name: 'apps', isState: true, message: '', resourceIds: [] },
              severity: changing ? 'warning' : 'error',
              code: status ?? 'unknown',
            },
          ],
    );
  },
);

test('issues of node groups and add-ons have what EKS says', () => {
  const issue = { message: 'no address is free', resourceIds: ['subnet-1'] };
  expect(
    nodegroupIssues({
      nodegroupName: 'web',
      status: 'DEGRADED',
      health: { issues: [{ code: 'InsufficientFreeAddresses', ...issue }] },
    }),
  ).toEqual([
    expect.objectContaining({ of: 'node group', name: 'web', code: 'DEGRADED', severity: 'error' }),
    {
      ...{ of: 'node group', name: 'web', severity: 'error', code: 'InsufficientFreeAddresses' },
      ...{ isState: false, ...issue },
    },
  ]);
  expect(
    addonIssues({
      addonName: 'coredns',
      status: 'ACTIVE',
      health: { issues: [{ code: 'InsufficientNumberOfReplicas', message: 'none is ready' }] },
    }),
  ).toEqual([
    {
      ...{ of: 'add-on', name: 'coredns', severity: 'error', code: 'InsufficientNumberOfReplicas' },
      ...{ isState: false, message: 'none is ready', resourceIds: [] },
    },
  ]);
});

test.each([
  ['eks:DescribeCluster', 'EKS cluster apps in eu-west-1'],
  ['eks:ListNodegroups', 'node groups of EKS cluster apps in eu-west-1'],
  ['eks:DescribeNodegroup', 'node group web of EKS cluster apps in eu-west-1'],
  ['eks:ListAddons', 'add-ons of EKS cluster apps in eu-west-1'],
  ['eks:DescribeAddon', 'add-on vpc-cni of EKS cluster apps in eu-west-1'],
])('where %s is denied, it is untried', async (action, subject) => {
  const { health } = asked({ [action]: denied });
  expect(await health).toMatchObject({
    issues: [],
    untried: [`${subject}: not allowed to call ${action}`],
  });
});

test('many that are denied are one line; one that went meanwhile is none', async () => {
  const names = ['a', 'b', 'c', 'gone'];
  const { health } = asked({
    'eks:ListNodegroups': () => ({ nodegroups: names }),
    'eks:DescribeNodegroup': ({ nodegroupName }) => {
      throw nodegroupName === 'gone' ? sdkError('ResourceNotFoundException', 'gone', 404) : denied();
    },
  });
  expect(await health).toMatchObject({
    looked: 'the cluster, 0 node groups, 1 add-on',
    untried: [
      'node group a of EKS cluster apps in eu-west-1 and 2 more: not allowed to call eks:DescribeNodegroup',
    ],
  });
});

test('an answer that is not of EKS, and a list that breaks off, are untried; what was named before counts', async () => {
  const { health } = asked({
    'eks:DescribeCluster': () => ({}),
    'eks:ListNodegroups': ({ nextToken }) => {
      if (nextToken !== undefined) {
        throw sdkError('ThrottlingException', 'Rate exceeded');
      }
      return { nodegroups: ['web'], nextToken: '2' };
    },
    'eks:ListAddons': () => ({}),
  });
  const { looked, untried } = await health;
  expect(looked).toBe('1 node group, 0 add-ons');
  expect(untried).toEqual([
    expect.stringContaining('EKS cluster apps in eu-west-1: what answers eks:DescribeCluster'),
    expect.stringContaining('AWS throttles eks:ListNodegroups'),
    expect.stringContaining('eks:ListAddons'),
  ]);
});

test('no such cluster, or no credentials, is an error', async () => {
  for (const name of ['ResourceNotFoundException', 'ExpiredTokenException']) {
    const { health } = asked({
      'eks:DescribeCluster': () => {
        throw sdkError(name, name, 404);
      },
    });
    await expect(health).rejects.toThrow(AwsError);
  }
});

test('calls stay within the concurrency', async () => {
  const nodegroups = Array.from({ length: 40 }, (_, index) => `g${index}`);
  const { aws, health } = asked({ 'eks:ListNodegroups': () => ({ nodegroups }) }, { concurrency: 3 });
  expect((await health).looked).toContain('40 node groups');
  expect(aws.most).toBe(3);
});

test('an abort ends it with its reason, and nothing more is asked', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const { aws, health } = asked(
    {
      'eks:ListNodegroups': () => {
        controller.abort(reason);
        return { nodegroups: ['web'] };
      },
    },
    { signal: controller.signal, concurrency: 1 },
  );
  await expect(health).rejects.toBe(reason);
  expect(aws.called).not.toContain('eks:DescribeNodegroup');
});

test('what a stand-in says a thousand times too often is not followed for ever', async () => {
  const nodegroups = Array.from({ length: 1_010 }, (_, index) => `g${index}`);
  const { aws, health } = asked({ 'eks:ListNodegroups': () => ({ nodegroups }) }, { concurrency: 50 });
  expect((await health).untried).toEqual([
    'EKS cluster apps in eu-west-1: 10 of 1010 were not read, they are too many',
  ]);
  expect(aws.called.filter((action) => action === 'eks:DescribeNodegroup')).toHaveLength(1_000);
});
