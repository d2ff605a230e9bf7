import { eksAddons, eksNodes, eksHealth } from '../../../../lib/core/readiness/eks';
import { judgeNodes } from '../../../../lib/core/readiness/eks/nodes';
import { addonVersion, inspected, sdkError } from './fake-eks';

const ids = (findings: readonly { id: string; severity: string }[]): string[] =>
  findings.map(({ id, severity }) => `${id} ${severity}`);

describe('add-ons', () => {
  const offers = (...addonVersions: object[]) => ({
    'eks:DescribeAddonVersions': ({ addonName }: any) => ({ addons: [{ addonName, addonVersions }] }),
  });

  test('a version that does not fit is told with the default and those that do', async () => {
    const { findings, aws } = await inspected(
      eksAddons,
      offers(addonVersion('v1.22.0-eksbuild.1', '1.36'), addonVersion('v1.21.0-eksbuild.1', '1.36', true)),
    );
    expect(findings).toEqual([
      expect.objectContaining({
        ...{ id: 'EKS09', severity: 'warning' },
        message:
          'add-on vpc-cni v1.20.4-eksbuild.2 does not fit 1.36; there, the default is v1.21.0-eksbuild.1, ' +
          'and EKS offers v1.22.0-eksbuild.1, v1.21.0-eksbuild.1',
        fix: expect.stringContaining('v1.21.0-eksbuild.1'),
      }),
    ]);
    expect(aws.inputs.find(({ action }) => action === 'eks:DescribeAddonVersions')!.input).toMatchObject({
      ...{ addonName: 'vpc-cni', kubernetesVersion: '1.36' },
    });
  });

  test.each([
    ['none', () => ({ addons: [] })],
    ['an add-on without versions', ({ addonName }: any) => ({ addons: [{ addonName, addonVersions: [] }] })],
    [
      'those of another version of Kubernetes',
      () => ({ addons: [{ addonVersions: [addonVersion('v1.20.4-eksbuild.2', '1.35')] }] }),
    ],
    [
      'an error, as the region does not have it',
      () => {
        throw sdkError('ResourceNotFoundException', 'no such add-on', 404);
      },
    ],
  ])('none that fits is an error: EKS answers %s', async (_, answer) => {
    const { findings, untried } = await inspected(eksAddons, { 'eks:DescribeAddonVersions': answer });
    expect({ ids: ids(findings), untried }).toEqual({ ids: ['EKS10 error'], untried: [] });
  });

  test('a version of Kubernetes that add-ons of the region do not know is untried', async () => {
    const { findings, untried } = await inspected(eksAddons, {
      'eks:DescribeAddonVersions': () => {
        throw sdkError('InvalidParameterException', 'unsupported Kubernetes version 1.36');
      },
    });
    expect(findings).toEqual([]);
    expect(untried).toEqual([expect.stringContaining('unsupported Kubernetes version 1.36')]);
  });

  test('versions on a later page count, and a list without an end is untried', async () => {
    const paged = await inspected(eksAddons, {
      'eks:DescribeAddonVersions': ({ addonName, nextToken }) =>
        nextToken === undefined
          ? { addons: [], nextToken: '2' }
          : { addons: [{ addonName, addonVersions: [addonVersion('v1.20.4-eksbuild.2', '1.36')] }] },
    });
    expect({ ...paged, aws: 0 }).toMatchObject({ findings: [], untried: [] });
    const endless = await inspected(eksAddons, {
      'eks:DescribeAddonVersions': () => ({ addons: [], nextToken: 'again' }),
    });
    expect(endless.untried).toEqual([expect.stringContaining('the list does not end')]);
  });

  test('health of add-ons', async () => {
    const health = { issues: [{ code: 'AccessDenied', message: 'no\nrole', resourceIds: ['r1', 'r2'] }] };
    const { findings } = await inspected(eksAddons, {
      'eks:DescribeAddon': ({ addonName }) => ({
        addon: { addonName, status: 'DEGRADED', addonVersion: 'v1.20.4-eksbuild.2', health },
      }),
    });
    expect(findings.map(({ id, message }) => `${id} ${message}`)).toEqual([
      'EKS11 add-on vpc-cni is DEGRADED',
      'EKS11 add-on vpc-cni has the issue AccessDenied: no role (r1, r2)',
    ]);
  });
});

describe('node groups', () => {
  test.each([
    ['1.35', '1.35', '1.36', []],
    ['1.34', '1.35', '1.36', []],
    ['1.32', '1.35', '1.36', ['EKS13 warning']],
    ['1.31', '1.35', '1.36', ['EKS12 error']],
    ['1.36', '1.35', '1.36', ['EKS12 error']],
    // Before 1.28, two minors.
    ['1.24', '1.26', '1.27', ['EKS13 warning']],
    ['1.24', '1.27', '1.28', ['EKS12 error']],
    ['1.25', '1.27', '1.28', []],
    ['1.33', undefined, '1.36', []],
    [undefined, '1.35', '1.36', []],
  ])('nodes of %s, control plane of %s, to %s', (version, running, to, expected) => {
    const amiType = 'BOTTLEROCKET_x86_64' as const;
    expect(ids(judgeNodes([{ nodegroupName: 'web', version, amiType }], { running, to }))).toEqual(expected);
  });

  test.each([
    ['AL2_x86_64', '1.32', []],
    ['AL2_x86_64', '1.33', ['EKS14 error']],
    ['AL2_x86_64_GPU', '1.33', ['EKS14 error']],
    ['AL2_ARM_64', '1.34', ['EKS14 error']],
    ['AL2023_ARM_64_STANDARD', '1.36', []],
    ['CUSTOM', '1.36', []],
    [undefined, '1.36', []],
  ] as const)('images %s for %s', (amiType, to, expected) => {
    expect(ids(judgeNodes([{ nodegroupName: 'web', amiType }], { to }))).toEqual(expected);
  });

  test('health of node groups; one without a version is untried', async () => {
    const health = {
      issues: [{ code: 'NodeCreationFailure', message: 'did not join', resourceIds: ['i-1'] }],
    };
    const { findings, untried } = await inspected(eksNodes, {
      'eks:DescribeNodegroup': ({ nodegroupName }) => ({
        nodegroup: { nodegroupName, status: 'UPDATING', health },
      }),
    });
    expect(findings.map(({ id, severity, message }) => `${id} ${severity} ${message}`)).toEqual([
      'EKS15 warning node group web is UPDATING',
      'EKS15 error node group web has the issue NodeCreationFailure: did not join (i-1)',
    ]);
    expect(untried).toEqual(['node group web of EKS cluster apps in eu-west-1: EKS gives no version']);
  });
});

describe('the cluster', () => {
  test.each([
    ['ACTIVE', []],
    ['UPDATING', ['EKS18 warning']],
    ['FAILED', ['EKS17 error']],
    ['DELETING', ['EKS17 error']],
  ])('its state %s', async (status, expected) => {
    const { findings } = await inspected(eksHealth, {
      'eks:DescribeCluster': ({ name }) => ({ cluster: { name, status, version: '1.35' } }),
    });
    expect(ids(findings)).toEqual(expected);
  });

  test('its issues', async () => {
    const issues = [{ code: 'InsufficientFreeAddresses', message: 'no room', resourceIds: ['subnet-a'] }];
    const { findings } = await inspected(eksHealth, {
      'eks:DescribeCluster': ({ name }) => ({ cluster: { name, status: 'ACTIVE', health: { issues } } }),
    });
    expect(findings.map(({ id, message }) => `${id} ${message}`)).toEqual([
      'EKS16 cluster apps has the issue InsufficientFreeAddresses: no room (subnet-a)',
    ]);
  });
});
