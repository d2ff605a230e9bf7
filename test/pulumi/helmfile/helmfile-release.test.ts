import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import type { SlotRef } from '../../../lib/pulumi/fleet';
import type { HelmfileReleaseArgs } from '../../../lib/pulumi/helmfile';
import { HelmfileRelease, uninstallRemovedReleases } from '../../../lib/pulumi/helmfile';
import { secretTexts } from '../../../lib/pulumi/helmfile/settings';
import { preview } from '../../../lib/pulumi/preview';
import { register } from '../../pulumi-mocks';

let file: string;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'helmfile-release-test-'));
  file = join(folder, 'helmfile.yaml');
  writeFileSync(file, 'releases: []\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

const slot: SlotRef = {
  ...{ clusterName: 'apps-blue', clusterArn: 'arn:aws:eks:eu-west-1:123456789012:cluster/apps-blue' },
  ...{
    region: 'eu-west-1',
    endpoint: 'https://blue.example.com',
    certificateAuthority: 'Y2E=',
    vpcId: 'vpc-1',
  },
  ...{ clusterSecurityGroupId: 'sg-1', nodeSecurityGroupId: 'sg-2', targetGroupArns: {} },
};

/** helmfile that is not there: an offline plan runs nothing. */
const releaseOf =
  (args: Partial<HelmfileReleaseArgs> = {}, opts: pulumi.ComponentResourceOptions = {}) =>
  () => {
    const given = { file, helmfile: 'no-such-helmfile', selectors: ['tier=a'], ...args };
    new HelmfileRelease(
      'platform',
      { ...(args.kubeconfig === undefined && { cluster: slot }), ...given },
      opts,
    );
  };

test('a plan has the record and, after it, what is applied; each has its hooks', async () => {
  const { resources } = await preview({ program: releaseOf({ environment: 'production' }) });
  const stashes = resources.filter(({ type }) => type === 'pulumi:index:Stash');
  expect(stashes).toMatchObject([
    {
      name: 'platform-releases',
      hooks: { beforeDelete: ['cluster-canary:beforeDelete:helmfile'] },
      inputs: {
        input: {
          ...{ file, environment: 'production', selectors: ['tier=a'], releases: [] },
          cluster: { clusterName: 'apps-blue', region: 'eu-west-1', endpoint: 'https://blue.example.com' },
        },
      },
    },
    {
      name: 'platform',
      hooks: {
        beforeCreate: ['cluster-canary:beforeCreate:platform'],
        beforeUpdate: ['cluster-canary:beforeUpdate:platform'],
      },
      inputs: { input: {} },
      dependencies: [stashes[0]!.urn],
    },
  ]);
});

test('no value, no variable and no kubeconfig is in what Pulumi keeps', async () => {
  const values = { deep: [{ password: 'hunter2' }] };
  const { all } = await register(
    releaseOf({
      kubeconfig: 'token: hunter2',
      ...{ values, stateValues: values, environmentVariables: { TOKEN: 'hunter2' } },
    }),
  );
  expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(['platform', 'platform-releases']));
  expect(JSON.stringify(all)).not.toContain('hunter2');
});

test('what it depends on comes before both, and both go with the cluster', async () => {
  const { resources } = await preview({
    program: () => {
      const before = new pulumi.Stash('before', { input: 1 });
      releaseOf({ uninstallOnDelete: false }, { dependsOn: before, deletedWith: before })();
    },
  });
  const before = resources.find(({ name }) => name === 'before')!.urn;
  for (const name of ['platform', 'platform-releases']) {
    const made = resources.find((each) => each.name === name && each.type === 'pulumi:index:Stash')!;
    expect([name, made.dependencies]).toEqual([name, expect.arrayContaining([before])]);
    expect(made.deletedWith).toBe(before);
    expect(made.hooks?.beforeDelete ?? []).toEqual([]);
  }
});

test('it can depend on a component, and waits for what is in it', async () => {
  const { resources } = await preview({
    program: () => {
      const component = new pulumi.ComponentResource('test:index:Part', 'part');
      const child = new pulumi.Stash('inside', { input: 1 }, { parent: component });
      releaseOf({ stateValues: { a: child.id } }, { dependsOn: [component] })();
    },
  });
  const inside = resources.find(({ name }) => name === 'inside')!.urn;
  const record = resources.find(({ name }) => name === 'platform-releases')!;
  expect(record.dependencies).toContain(inside);
});

test('one hook uninstalls for a whole program, also for one without a HelmfileRelease', async () => {
  const two = () => {
    releaseOf()();
    new HelmfileRelease('other', { file, cluster: slot });
    uninstallRemovedReleases();
  };
  const { resources } = await preview({ program: two });
  const hooks = resources.flatMap((each) => each.hooks?.beforeDelete ?? []);
  expect(hooks).toEqual(['cluster-canary:beforeDelete:helmfile', 'cluster-canary:beforeDelete:helmfile']);
  await expect(preview({ program: () => uninstallRemovedReleases() })).resolves.toBeDefined();
});

test('wrong arguments are told before anything is registered', () => {
  expect(releaseOf({ file: join(folder, 'gone.yaml') })).toThrow(
    /HelmfileRelease "platform": 1 problem\n.*gone\.yaml/,
  );
  expect(releaseOf({ file: '', kubeconfig: 'k', credentials: {} })).toThrow(/2 problems/);
  // All at once, and nothing that may be secret.
  const wrong = {
    environmentVariables: ['hunter2'],
    values: 'hunter2',
    stateValues: ['hunter2'],
    selectors: 7,
  };
  const all = { file: join(folder, 'gone.yaml'), cluster: () => slot, helm: '', ...wrong } as never;
  expect(releaseOf(all)).toThrow(
    /: 7 problems\n  cluster: must[^]*selectors: 7[^]*stateValues: must[^]*values: must[^]*environmentVariables: must[^]*helm: ""[^]*file: ".*gone/,
  );
  expect(releaseOf(all)).not.toThrow('hunter2');
});

/** The texts that are found in a value, which has to be made in a program. */
async function textsOf(value: () => unknown): Promise<string[]> {
  let found: string[] = [];
  await register(async () => {
    found = await new Promise((resolve) => void secretTexts(value()).apply(resolve));
  });
  return found.sort();
}

test('texts of what is secret, at any depth, and of nothing else', async () => {
  const value = () => ({
    plain: 'plain',
    output: pulumi.output('output'),
    secret: pulumi.secret('secret-1'),
    list: [{ deep: pulumi.secret({ a: 'secret-2', b: [42] }) }, Promise.resolve('promised')],
    nothing: undefined,
  });
  expect(await textsOf(value)).toEqual(['42', 'secret-1', 'secret-2']);
});

test('an output of an object is secret as a whole where a part of it is', async () => {
  const value = () => pulumi.output({ a: pulumi.secret('secret-1'), b: 'beside' });
  expect(await textsOf(value)).toEqual(['beside', 'secret-1']);
});
