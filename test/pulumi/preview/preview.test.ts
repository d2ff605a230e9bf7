import { join } from 'node:path';
import * as aws from '@pulumi/aws';
import * as eks from '@pulumi/eks';
import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { PreviewPlan, PreviewOptions } from '../../../lib/pulumi/preview';
import { preview } from '../../../lib/pulumi/preview';
import { Part, planned, Thing } from './program';

const plan = (program: () => unknown, options: PreviewOptions = {}): Promise<PreviewPlan> =>
  preview({ program, timeoutSeconds: 10, ...options });

describe('resources', () => {
  test('have the URNs that the engine would give them, with the types of all parents', async () => {
    const result = await plan(
      () => {
        const outer = new Part('outer');
        const inner = new Part('inner', {}, { parent: outer });
        new Thing('deep', {}, { parent: inner });
        new Thing('flat');
      },
      { project: 'shop', stack: 'acme/shop/live' },
    );
    expect(result.resources.map(({ urn }) => urn)).toEqual([
      'urn:pulumi:live::shop::pulumi:pulumi:Stack::shop-live',
      'urn:pulumi:live::shop::test:index:Part::outer',
      'urn:pulumi:live::shop::test:index:Part$test:index:Part::inner',
      'urn:pulumi:live::shop::test:index:Part$test:index:Part$test:index:Thing::deep',
      'urn:pulumi:live::shop::test:index:Thing::flat',
    ]);
    expect(planned(result, 'deep').parent).toBe(planned(result, 'inner').urn);
    expect(planned(result, 'flat').parent).toBe(result.resources[0]!.urn);
  });

  test('come in the order of the program, whenever their inputs resolve', async () => {
    const later = new Promise((resolve) => setTimeout(() => resolve('later'), 20));
    const result = await plan(() => {
      new Thing('slow', { value: later });
      new Thing('quick');
    });
    expect(result.resources.map(({ name }) => name)).toEqual(['project-dev', 'slow', 'quick']);
    expect(planned(result, 'slow').inputs).toEqual({ value: 'later' });
  });

  test('carry their dependencies, explicit and by property, also through unknown values', async () => {
    const result = await plan(() => {
      const [a, b, c] = ['a', 'b', 'c'].map((name) => new Thing(name, { value: name }));
      new Thing(
        'user',
        {
          known: a!.value,
          unknown: b!.made,
          text: pulumi.interpolate`${a!.value}-${b!.made}`,
          computed: b!.made.apply((made: string) => made.toUpperCase()),
          nested: { list: [a!.id] },
          plain: 'x',
        },
        { dependsOn: c!, deletedWith: a! },
      );
    });
    const [a, b, c] = ['a', 'b', 'c'].map((name) => planned(result, name).urn);
    const user = planned(result, 'user');
    expect(user.inputs).toEqual({
      known: 'a',
      unknown: '[unknown]',
      text: '[unknown]',
      computed: '[unknown]',
      nested: { list: ['[unknown]'] },
      plain: 'x',
    });
    expect(user.propertyDependencies).toEqual({
      known: [a],
      unknown: [b],
      text: [a, b],
      computed: [b],
      nested: [a],
    });
    expect([...user.dependencies].sort()).toEqual([a, b, c]);
    expect(user.deletedWith).toBe(a);
  });

  test('say what they are, whether they are protected, and which provider they have', async () => {
    const result = await plan(() => {
      const part = new Part('part', {}, { protect: true });
      const provider = new k8s.Provider('cluster', {}, { parent: part });
      new k8s.core.v1.Namespace('namespace', {}, { parent: part, provider });
      new eks.Cluster('remote', {});
      aws.ec2.Vpc.get('existing', 'vpc-1');
    });
    expect(
      Object.fromEntries(result.resources.map(({ name, kind, protect }) => [name, [kind, protect]])),
    ).toEqual({
      'project-dev': ['stack', false],
      part: ['component', true],
      cluster: ['provider', true],
      namespace: ['custom', true],
      remote: ['remote', false],
      existing: ['read', false],
    });
    expect(planned(result, 'namespace').provider).toBe(planned(result, 'cluster').urn);
    expect(planned(result, 'remote').provider).toBeNull();
    expect(result.unknown).toEqual([{ kind: 'read', name: planned(result, 'existing').urn, times: 1 }]);
    expect(result.summary).toEqual({
      resources: 5,
      kinds: { component: 1, provider: 1, custom: 1, remote: 1, read: 1 },
      types: {
        'aws:ec2/vpc:Vpc': 1,
        'eks:index:Cluster': 1,
        'kubernetes:core/v1:Namespace': 1,
        'pulumi:providers:kubernetes': 1,
        'test:index:Part': 1,
      },
    });
  });
});

describe('unknown values', () => {
  test('stay unknown: what is computed from them is not run, and isDryRun holds', async () => {
    const ran: unknown[] = [];
    const result = await plan(() => {
      const thing = new Thing('thing', { value: { a: 1 } });
      thing.made.apply((made: unknown) => ran.push(made));
      thing.id.apply((id) => ran.push(id));
      thing.value.apply((value: unknown) => ran.push(value));
      return {
        dryRun: pulumi.runtime.isDryRun(),
        id: thing.id,
        part: (thing.made as pulumi.Output<{ some: { part: string } }>).some.part,
        a: (thing.value as pulumi.Output<{ a: number }>).a,
      };
    });
    expect(ran).toEqual([{ a: 1 }]);
    expect(result.outputs).toEqual({ dryRun: true, id: '[unknown]', part: '[unknown]', a: 1 });
  });

  test('are what a provider adds inside of a given object', async () => {
    const result = await plan(() => {
      const cluster = new aws.eks.Cluster('cluster', { roleArn: 'r', vpcConfig: { subnetIds: ['s'] } });
      const named = new k8s.core.v1.Namespace('named', { metadata: { name: 'shop' } });
      const unnamed = new k8s.core.v1.Namespace('unnamed', { metadata: { labels: { a: 'b' } } });
      const bare = new k8s.core.v1.Namespace('bare');
      new Thing('user', {
        group: cluster.vpcConfig.clusterSecurityGroupId,
        subnets: cluster.vpcConfig.subnetIds,
        named: named.metadata.name,
        unnamed: unnamed.metadata.name,
        bare: bare.metadata.name,
      });
    });
    const user = planned(result, 'user');
    expect(user.inputs).toEqual({
      group: '[unknown]',
      subnets: ['s'],
      named: 'shop',
      unnamed: '[unknown]',
      bare: '[unknown]',
    });
    expect(Object.keys(user.propertyDependencies).sort()).toEqual(Object.keys(user.inputs).sort());
  });

  test('have the id of an import', async () => {
    const result = await plan(() => {
      const thing = new Thing('thing', {}, { import: 'an-id' });
      return { id: thing.id };
    });
    expect(result.outputs).toEqual({ id: 'an-id' });
  });
});

describe('remote components of @pulumi/eks', () => {
  const program = () => {
    const cluster = new eks.Cluster('blue', { name: 'apps-blue', version: '1.34' });
    const unnamed = new eks.Cluster('green', {});
    const { eksCluster } = cluster;
    new Thing('lifted', {
      name: eksCluster.name,
      version: eksCluster.version,
      arn: eksCluster.arn,
      endpoint: eksCluster.endpoint,
      ca: eksCluster.certificateAuthority.data,
      group: eksCluster.vpcConfig.clusterSecurityGroupId,
      issuer: cluster.oidcIssuer,
      kubeconfig: cluster.kubeconfigJson,
      nodes: cluster.nodeSecurityGroupId,
      core: cluster.core.apply((core) => core.vpcId),
    });
    new Thing('applied', {
      name: eksCluster.apply((made) => made.name),
      issuer: eksCluster.apply((made) => made.identities[0]!.oidcs[0]!.issuer),
      unnamed: unnamed.eksCluster.name,
    });
    eksCluster.apply((made) => new Thing('made-inside', { arn: made.arn }));
    new k8s.Provider('kubernetes', { kubeconfig: cluster.kubeconfigJson });
    new eks.ManagedNodeGroup('nodes', { cluster, nodeRoleArn: 'arn' });
    new eks.NodeGroupV2('v2', { cluster: cluster.core });
    return { kubeconfig: cluster.getKubeconfig({ roleArn: 'x' }) };
  };
  let result: PreviewPlan;
  beforeAll(async () => {
    result = await plan(program);
  });

  test('hand out a cluster whose name and version are known and whose other outputs are unknown', () => {
    expect(planned(result, 'lifted').inputs).toEqual({
      name: 'apps-blue',
      version: '1.34',
      arn: '[unknown]',
      endpoint: '[unknown]',
      ca: '[unknown]',
      group: '[unknown]',
      issuer: '[unknown]',
      kubeconfig: '[unknown]',
      nodes: '[unknown]',
      core: '[unknown]',
    });
    expect(planned(result, 'applied').inputs).toEqual({
      name: 'apps-blue',
      issuer: '[unknown]',
      unnamed: '[unknown]',
    });
    expect(planned(result, 'made-inside').inputs).toEqual({ arn: '[unknown]' });
  });

  test('are what their users depend on', () => {
    const [blue, green] = ['blue', 'green'].map((name) => planned(result, name).urn);
    const lifted = planned(result, 'lifted');
    expect(lifted.dependencies).toEqual([blue]);
    expect(Object.keys(lifted.propertyDependencies).sort()).toEqual(Object.keys(lifted.inputs).sort());
    expect([...planned(result, 'applied').dependencies].sort()).toEqual([blue, green]);
    for (const name of ['kubernetes', 'nodes', 'v2', 'made-inside']) {
      expect([name, planned(result, name).dependencies]).toEqual([name, [blue]]);
    }
  });

  test('answer a method call with an unknown value, and it is listed', () => {
    expect(result.outputs).toEqual({ kubeconfig: '[unknown]' });
    expect(result.unknown).toEqual([{ kind: 'call', name: 'eks:index:Cluster/getKubeconfig', times: 1 }]);
  });
});

describe('functions of providers', () => {
  test('about the region are answered from the configuration, or the provider that is asked', async () => {
    const result = await plan(
      async () => {
        const china = new aws.Provider('china', { region: 'cn-north-1' });
        return {
          region: aws.getRegionOutput().region,
          partition: aws.getPartitionOutput().partition,
          plain: (await aws.getRegion()).region,
          suffix: aws.getPartitionOutput({}, { provider: china }).dnsSuffix,
          given: aws.getRegionOutput({ region: 'us-gov-west-1' }).endpoint,
        };
      },
      { config: { 'aws:region': 'eu-west-1' } },
    );
    expect(result.outputs).toEqual({
      region: 'eu-west-1',
      partition: 'aws',
      plain: 'eu-west-1',
      suffix: 'amazonaws.com.cn',
      given: 'ec2.us-gov-west-1.amazonaws.com',
    });
    expect(result.unknown).toEqual([]);
  });

  test('are unknown without an answer, in both forms, and listed once each', async () => {
    const result = await plan(async () => {
      const vpc = aws.ec2.getVpcOutput({ default: true });
      const plain = await aws.ec2.getVpc({ default: true });
      const zones = aws.getAvailabilityZonesOutput().names.apply((names) => names.slice(0, 2));
      new Thing('user', {
        vpc: vpc.id,
        block: vpc.cidrBlock,
        whole: vpc.apply((found) => found.arn),
        plain: plain.id,
        text: `arn:${plain.ownerId}:x`,
        json: JSON.stringify({ id: plain.id }),
        zones,
        region: aws.getRegionOutput().region,
      });
    });
    expect(planned(result, 'user').inputs).toEqual({
      vpc: '[unknown]',
      block: '[unknown]',
      whole: '[unknown]',
      plain: '[unknown]',
      text: 'arn:[unknown]:x',
      json: '{"id":"[unknown]"}',
      zones: '[unknown]',
      region: '[unknown]',
    });
    expect(result.unknown).toEqual([
      { kind: 'invoke', name: 'aws:ec2/getVpc:getVpc', times: 2 },
      { kind: 'invoke', name: 'aws:index/getAvailabilityZones:getAvailabilityZones', times: 1 },
      { kind: 'invoke', name: 'aws:index/getRegion:getRegion', times: 1 },
    ]);
  });

  test('are answered by the first answer whose arguments fit', async () => {
    const token = 'aws:ec2/getVpc:getVpc';
    const result = await plan(
      () => ({
        one: aws.ec2.getVpcOutput({ tags: { Name: 'one' } }).id,
        other: aws.ec2.getVpcOutput({ tags: { Name: 'two' } }).id,
        subnets: aws.ec2.getSubnetsOutput().ids,
      }),
      {
        answers: {
          invokes: [
            { token, args: { tags: { Name: 'one' } }, returns: { id: 'vpc-one' } },
            { token, returns: { id: 'vpc-any' } },
          ],
        },
      },
    );
    expect(result.outputs).toEqual({ one: 'vpc-one', other: 'vpc-any', subnets: '[unknown]' });
    expect(result.unknown.map(({ name }) => name)).toEqual(['aws:ec2/getSubnets:getSubnets']);
  });
});

describe('stack references', () => {
  const program = () => {
    const network = new pulumi.StackReference('acme/network/live');
    new Thing('user', {
      vpc: network.getOutput('vpcId'),
      zones: network.requireOutput('zones').apply((zones: string[]) => zones[0]),
    });
  };

  test('are unknown and listed without an answer, and keep their edges', async () => {
    const result = await plan(program);
    const user = planned(result, 'user');
    expect(user.inputs).toEqual({ vpc: '[unknown]', zones: '[unknown]' });
    expect(user.dependencies).toEqual([planned(result, 'acme/network/live').urn]);
    expect(result.unknown).toEqual([{ kind: 'stackReference', name: 'acme/network/live', times: 1 }]);
  });

  test('have the outputs of their answer', async () => {
    const result = await plan(program, {
      answers: { stackReferences: { 'acme/network/live': { vpcId: 'vpc-1', zones: ['a', 'b'] } } },
    });
    expect(planned(result, 'user').inputs).toEqual({ vpc: 'vpc-1', zones: 'a' });
    expect(result.unknown).toEqual([]);
  });
});

describe('hooks and transforms', () => {
  test('of resources run, hooks and transforms of invokes do not, without a server', async () => {
    const ran: string[] = [];
    const run = (what: string) => (): undefined => {
      ran.push(what);
      return undefined;
    };
    const result = await plan(() => {
      const hook = new pulumi.ResourceHook('walk', run('hook'), { onDryRun: true });
      new pulumi.ErrorHook('retry', () => Boolean(ran.push('error hook')));
      pulumi.runtime.registerStackTransform(run('stack transform'));
      pulumi.runtime.registerInvokeTransform(run('invoke transform'));
      new Thing(
        'thing',
        {},
        {
          hooks: { beforeUpdate: [hook], afterCreate: [run('plain function')] },
          transforms: [run('transform'), run('another')],
        },
      );
    });
    // The stack is a resource itself.
    expect(ran).toEqual(['stack transform', 'transform', 'another', 'stack transform']);
    expect(result.notRun).toEqual({
      hooks: ['walk', 'retry', 'test:index:Thing_thing_afterCreate_0'],
      transforms: { stack: 0, resource: 0, invoke: 1 },
    });
    expect(planned(result, 'thing').hooks).toEqual({
      beforeUpdate: ['walk'],
      afterCreate: ['test:index:Thing_thing_afterCreate_0'],
    });
    expect(process.getActiveResourcesInfo()).not.toContain('TCPServerWrap');
  });

  test('that run while a program registers, as transformations do, have their effect', async () => {
    const result = await plan(() => {
      new Thing('thing', { value: 1 }, { transformations: [({ opts }) => ({ props: { value: 2 }, opts })] });
    });
    expect(planned(result, 'thing').inputs).toEqual({ value: 2 });
  });
});

describe('secrets', () => {
  const hidden = 'a-value-that-nobody-may-see';

  test('are redacted wherever they stand', async () => {
    const result = await plan(
      () => {
        const secret = pulumi.secret(hidden);
        const thing = new Thing('thing', {
          value: secret,
          nested: { list: [{ deep: secret, open: 'open' }] },
          text: pulumi.interpolate`before ${secret}`,
        });
        new Thing('user', { echoed: thing.value, also: secret.apply((value) => ({ value })) });
        new Thing('marked', { value: hidden }, { additionalSecretOutputs: ['value'] });
        new Part('part', { token: secret });
        new k8s.core.v1.Secret('typed', { stringData: { a: hidden, b: secret }, data: { c: hidden } });
        new k8s.apiextensions.CustomResource('raw', {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'raw' },
          stringData: { token: hidden },
        });
        return {
          secret,
          own: { inner: secret },
          stack: new pulumi.StackReference('a/b/c').getOutput('token'),
          config: new pulumi.Config().requireSecret('token'),
        };
      },
      {
        answers: {
          stackReferences: {
            'a/b/c': {
              token: {
                '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
                value: hidden,
              },
            },
          },
        },
        config: { token: '[secret]' },
      },
    );
    expect(JSON.stringify(result)).not.toContain(hidden);
    expect(planned(result, 'thing').inputs).toEqual({
      value: '[secret]',
      nested: { list: [{ deep: '[secret]', open: 'open' }] },
      text: '[secret]',
    });
    expect(planned(result, 'typed').inputs).toMatchObject({
      stringData: { a: '[secret]', b: '[secret]' },
      data: { c: '[secret]' },
    });
    expect(planned(result, 'raw').inputs['stringData']).toEqual({ token: '[secret]' });
    expect(result.outputs).toMatchObject({ secret: '[secret]', stack: '[secret]', config: '[secret]' });
  });
});

describe('a program that goes wrong', () => {
  test('fails with its own error, and leaves the process as it was', async () => {
    const before = [process.cwd(), process.argv, pulumi.runtime.getProject(), pulumi.runtime.getMonitor()];
    const fails = plan(
      () => {
        new Thing('before');
        throw new TypeError('the reason');
      },
      { project: 'failing' },
    );
    await expect(fails).rejects.toMatchObject({
      name: 'PreviewFailed',
      summary: 'the program threw',
      causes: [new TypeError('the reason')],
    });
    expect([process.cwd(), process.argv, pulumi.runtime.getProject(), pulumi.runtime.getMonitor()]).toEqual(
      before,
    );
    await expect(plan(() => ({ works: true }))).resolves.toMatchObject({ outputs: { works: true } });
  });

  test('names the function whose unknown result it may have stumbled over', async () => {
    const fails = plan(async () => (await aws.getAvailabilityZones()).names.slice(0, 2));
    await expect(fails).rejects.toThrow(
      'note: the result of aws:index/getAvailabilityZones:getAvailabilityZones was unknown; the answers file can give it',
    );
  });

  test('is given up after its time, with what is pending', async () => {
    const late = plan(() => void new Thing('waiting', { value: new Promise(() => undefined) }), {
      timeoutSeconds: 0.05,
    });
    await expect(late).rejects.toMatchObject({
      summary: 'the program did not finish within 0.05 s',
      details: ['pending: test:index:Thing waiting'],
    });
  });

  test('is refused inside of another one', async () => {
    await expect(plan(() => plan(() => undefined))).rejects.toThrow(
      'a preview is running in this process already',
    );
  });
});

test('a program gets its project, organization and configuration', async () => {
  const result = await plan(
    () => {
      const config = new pulumi.Config();
      return {
        names: [pulumi.getOrganization(), pulumi.getProject(), pulumi.getStack()],
        text: config.require('text'),
        number: config.requireNumber('number'),
        object: config.requireObject('object'),
        other: new pulumi.Config('aws').require('region'),
      };
    },
    {
      project: 'shop',
      stack: 'acme/shop/live',
      config: { text: 'a', number: 3, object: { a: [1] }, 'aws:region': 'eu-west-1' },
    },
  );
  expect(result.outputs).toEqual({
    names: ['acme', 'shop', 'live'],
    text: 'a',
    number: 3,
    object: { a: [1] },
    other: 'eu-west-1',
  });
});

test('a program on disk runs under jest, too, but not where its module is loaded already', async () => {
  const program = join(__dirname, 'programs', 'single', 'program.js');
  const result = await preview({ program });
  expect(result.outputs).toMatchObject({ project: 'single', arguments: [] });
  await expect(preview({ program })).rejects.toThrow('was loaded before its preview');
});
