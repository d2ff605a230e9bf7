import * as pulumi from '@pulumi/pulumi';
import { formatProblem as line } from '../../../lib/core/validation';
import type { AddonTarget, EksAddonOptions } from '../../../lib/pulumi/addons';
import { Addon, checkAddons, EksAddon, installAddons } from '../../../lib/pulumi/addons';
import { register } from '../../pulumi-mocks';
import { clusterArn, slot } from './slot';

const type = 'aws:eks/addon:Addon';
const name = 'apps-blue-aws-ebs-csi-driver';

/** Installs one on a slot, with an EKS that knows versions. */
async function install(options: Partial<EksAddonOptions> = {}, over: Partial<AddonTarget> = {}) {
  const asked: [string, any][] = [];
  const registered = await register(
    () => {
      installAddons([Addon.eks({ addonName: 'aws-ebs-csi-driver', ...options })], slot(over));
    },
    {
      calls: ({ token, inputs }) => {
        asked.push([token, inputs]);
        return token.includes('getCluster')
          ? { version: '1.34' }
          : {
              version: inputs.mostRecent
                ? `v9-for-${inputs.kubernetesVersion}`
                : `v5-for-${inputs.kubernetesVersion}`,
            };
      },
    },
  );
  return { registered, asked, addon: registered.one(type, name) };
}

describe('version', () => {
  test.each<[string, EksAddonOptions['version'], string | undefined, string]>([
    ['the default one for the version of the slot', undefined, '1.35', 'v5-for-1.35'],
    ['another slot version gives another', 'default', '1.36', 'v5-for-1.36'],
    ['the newest', 'latest', '1.35', 'v9-for-1.35'],
    ['a cluster that was made elsewhere is asked', 'default', undefined, 'v5-for-1.34'],
    ['an exact one', 'v1.2.3-eksbuild.4', '1.35', 'v1.2.3-eksbuild.4'],
  ])('%s', async (_, version, kubernetesVersion, expected) => {
    const { addon } = await install({ version }, { kubernetesVersion });
    expect(addon.inputs.addonVersion).toBe(expected);
  });

  test('one that AWS chooses stays: its choice of tomorrow updates nothing', async () => {
    const ignored = async (options: Partial<EksAddonOptions>) => (await install(options)).addon.ignoreChanges;
    expect(await ignored({})).toEqual(['addonVersion']);
    expect(await ignored({ version: 'latest' })).toEqual(['addonVersion']);
    expect(await ignored({ version: 'v1.2.3-eksbuild.4' })).toEqual([]);
    expect(await ignored({ addonArgs: { addonVersion: 'v1.2.3-eksbuild.4' } })).toEqual([]);
  });

  test('EKS is asked once for the version, and not for the cluster of a known one', async () => {
    const { asked } = await install({}, { kubernetesVersion: '1.35' });
    expect(asked).toEqual([
      [
        'aws:eks/getAddonVersion:getAddonVersion',
        {
          addonName: 'aws-ebs-csi-driver',
          kubernetesVersion: '1.35',
          mostRecent: false,
          region: 'eu-west-1',
        },
      ],
    ]);
    expect((await install({ version: 'v1.2.3-eksbuild.4' })).asked).toEqual([]);
  });
});

describe('what is registered', () => {
  test('stays when it leaves the list, and keeps what others have changed', async () => {
    const { addon } = await install({ version: 'v1.2.3-eksbuild.4' });
    expect(addon.inputs).toEqual({
      clusterName: 'blue',
      addonName: 'aws-ebs-csi-driver',
      addonVersion: 'v1.2.3-eksbuild.4',
      resolveConflictsOnCreate: 'OVERWRITE',
      resolveConflictsOnUpdate: 'PRESERVE',
      preserve: true,
    });
    expect(addon.deletedWith).toContain('::blue');
  });

  test('goes, and overwrites, where that is said', async () => {
    const { addon } = await install({
      state: 'absent',
      conflicts: 'overwrite',
      addonArgs: { tags: { a: 'b' } },
    });
    expect(addon.inputs).toMatchObject({
      preserve: false,
      resolveConflictsOnUpdate: 'OVERWRITE',
      tags: { a: 'b' },
    });
  });

  test('configuration is JSON, with outputs in it', async () => {
    const { addon } = await install({
      configuration: { controller: { region: pulumi.output('eu-west-1'), replicas: 2 } },
    });
    expect(JSON.parse(addon.inputs.configurationValues)).toEqual({
      controller: { region: 'eu-west-1', replicas: 2 },
    });
  });

  test('a role for this cluster alone, before its pods', async () => {
    const policyArn = 'arn:aws:iam::aws:policy/service-role/AmazonEBSCSIDriverPolicy';
    const { registered, addon } = await install({
      identity: { serviceAccounts: ['ebs-csi-controller-sa'], policyArns: [policyArn] },
    });
    expect(registered.ofType('aws:iam/rolePolicy:RolePolicy')).toEqual([]);
    const attachment = registered.one('aws:iam/rolePolicyAttachment:RolePolicyAttachment');
    expect(attachment.inputs.policyArn).toBe(policyArn);
    const association = registered.one('aws:eks/podIdentityAssociation:PodIdentityAssociation');
    expect(association.inputs).toMatchObject({
      namespace: 'kube-system',
      serviceAccount: 'ebs-csi-controller-sa',
    });
    expect(association.dependencies).toContain(attachment.urn);
    expect(addon.dependencies).toContain(association.urn);
    const { Statement } = JSON.parse(registered.one('aws:iam/role:Role').inputs.assumeRolePolicy);
    expect(JSON.stringify(Statement)).toContain(clusterArn);
  });

  test('statements of its own in a namespace of its own', async () => {
    const statements = [{ Effect: 'Allow', Action: ['s3:GetObject'], Resource: 'arn:aws:s3:::b/*' }] as const;
    const { registered } = await install({
      identity: { serviceAccounts: ['agent'], namespace: 'agents', statements },
    });
    expect(JSON.parse(registered.one('aws:iam/rolePolicy:RolePolicy').inputs.policy).Statement).toEqual(
      statements,
    );
    expect(registered.one('aws:eks/podIdentityAssociation:PodIdentityAssociation').inputs.namespace).toBe(
      'agents',
    );
  });
});

test.each<[string, EksAddonOptions, RegExp[]]>([
  ['nothing', { addonName: 'metrics-server' }, []],
  [
    'a range',
    { addonName: 'vpc-cni', version: '^1.2' },
    [/version: "\^1\.2": must be "default", "latest" or/],
  ],
  ['a name', { addonName: 'vpc cni', name: 'vpc-cni' }, [/addonName: "vpc cni": must be the name/]],
  ['a name that is no DNS label', { addonName: 'vendor_thing' }, [/\.name: "vendor_thing": must be/]],
  ['the same with a name', { addonName: 'vendor_thing', name: 'vendor-thing' }, []],
  [
    'conflicts',
    { addonName: 'vpc-cni', conflicts: 'none' as 'preserve' },
    [/conflicts: "none": must be one of "preserve", "overwrite"/],
  ],
  [
    'a policy by its name',
    {
      addonName: 'vpc-cni',
      identity: { serviceAccounts: ['aws-node'], policyArns: ['AmazonEKS_CNI_Policy'] },
    },
    [/identity\.policyArns\[0\]: "AmazonEKS_CNI_Policy": must be the ARN of an IAM policy/],
  ],
  [
    'a role without rights or accounts',
    { addonName: 'vpc-cni', identity: { serviceAccounts: [], namespace: 'A' } },
    [
      /identity\.serviceAccounts: \[\]/,
      /identity\.namespace: "A"/,
      /identity\.statements: must be at least one/,
    ],
  ],
])('refuses %s', (_, options, expected) => {
  const found = checkAddons([Addon.eks(options)]).map(line);
  expect(found).toHaveLength(expected.length);
  expected.forEach((pattern, position) => expect(found[position]).toMatch(pattern));
});

test('only Pulumi can deliver it', () => {
  const moved = Object.assign(Addon.eks({ addonName: 'vpc-cni' }), { deliveredBy: 'argocd' as const });
  expect(checkAddons([moved]).map(line)).toEqual([
    expect.stringContaining('deliveredBy: "argocd": must be "pulumi"'),
  ]);
});

test('an add-on that is none yet has an error without "undefined"', () => {
  expect(() => new EksAddon('vpc-cni' as unknown as EksAddonOptions)).toThrow(
    /^EksAddon: 1 problem\n {2}args: must be an object with addonName/,
  );
});
