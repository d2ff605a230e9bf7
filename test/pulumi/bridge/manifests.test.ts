import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { ApiObject, App, Chart, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { InvalidInput } from '../../../lib/core/validation';
import { Manifests, manifestYaml, outputToken } from '../../../lib/pulumi/bridge';
import { register, secret } from '../../pulumi-mocks';

function chartOf(build: (chart: Chart) => void): Chart {
  const chart = new Chart(Testing.app(), 'test');
  build(chart);
  return chart;
}
const configMap = (scope: Chart, name: string, data: Record<string, unknown> = {}, namespace = 'apps') =>
  new ApiObject(scope, name, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data,
  });
const namespaceObject = (scope: Chart, name: string) =>
  new ApiObject(scope, `ns-${name}`, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

function problemsOf(build: (chart: Chart) => void): string[] {
  const chart = chartOf(build);
  try {
    new Manifests('m', { chart });
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInput);
    return (error as InvalidInput).problems.map((each) => `${each.path}: ${each.allowed}`);
  }
  throw new Error('nothing was refused');
}

describe('Manifests', () => {
  test('registers each kind as its own Pulumi type, under the component and its provider', async () => {
    const seen = await register(() => {
      const provider = new k8s.Provider('blue', { kubeconfig: '{}' });
      const cluster = new pulumi.ComponentResource('test:index:Cluster', 'cluster');
      const chart = chartOf((scope) => {
        new kplus.Deployment(scope, 'web', {
          metadata: { name: 'web', namespace: 'apps' },
          containers: [{ image: 'nginx', portNumber: 80 }],
        });
        new ApiObject(scope, 'role', {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: 'r' },
        });
        new ApiObject(scope, 'hook', {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'MutatingWebhookConfiguration',
          metadata: { name: 'w' },
        });
        new ApiObject(scope, 'project', {
          apiVersion: 'argoproj.io/v1alpha1',
          kind: 'AppProject',
          metadata: { name: 'p', namespace: 'argocd' },
          spec: { a: 1 },
        });
        // The first label of this group is a module of the SDK, but of another group.
        new ApiObject(scope, 'batch', {
          apiVersion: 'batch.volcano.sh/v1',
          kind: 'Job',
          metadata: { name: 'j', namespace: 'apps' },
        });
      });
      new Manifests('m', { chart, deletedWith: cluster }, { provider });
    });
    const component = seen.one('cluster-canary:bridge:Manifests');
    const objects = seen.all.filter((each) => each.parent === component.urn);
    expect(objects.map((each) => `${each.type} ${each.name}`).sort()).toEqual([
      'kubernetes:admissionregistration.k8s.io/v1:MutatingWebhookConfiguration m:w',
      'kubernetes:apps/v1:Deployment m:apps/web',
      'kubernetes:argoproj.io/v1alpha1:AppProject m:argocd/p',
      'kubernetes:batch.volcano.sh/v1:Job m:apps/j',
      'kubernetes:rbac.authorization.k8s.io/v1:ClusterRole m:r',
    ]);
    const provider = seen.one('pulumi:providers:kubernetes');
    const cluster = seen.one('test:index:Cluster');
    for (const each of objects) {
      expect(each.provider).toContain(provider.urn);
      expect(each.deletedWith).toBe(cluster.urn);
    }
    expect(seen.one('kubernetes:argoproj.io/v1alpha1:AppProject').inputs).toMatchObject({
      spec: { a: 1 },
      metadata: { name: 'p' },
    });
  });

  test('puts outputs back: whole values of any type, inside text, inside JSON; a secret stays secret where it stands', async () => {
    const seen = await register(() => {
      const chart = chartOf((scope) => {
        const endpoint = outputToken(scope, pulumi.output('https://x"y'));
        new ApiObject(scope, 'd', {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'd', namespace: 'apps', annotations: { url: `at ${endpoint}` } },
          spec: {
            replicas: outputToken(scope, pulumi.output(3)),
            template: outputToken(scope, pulumi.output({ a: ['b'] })),
          },
        });
        configMap(scope, 'c', {
          plain: 'p',
          known: outputToken(scope, 'known'),
          json: JSON.stringify({ endpoint }),
          password: `pw=${outputToken(scope, pulumi.secret('s3cret'))}`,
        });
        new ApiObject(scope, 's', {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 's', namespace: 'apps' },
          stringData: { key: outputToken(scope, pulumi.output('plain')) },
        });
      });
      new Manifests('m', { chart });
    });
    const deployment = seen.one('kubernetes:apps/v1:Deployment').inputs;
    expect(deployment.metadata.annotations.url).toBe('at https://x"y');
    expect(deployment.spec).toEqual({ replicas: 3, template: { a: ['b'] } });
    const { data } = seen.one('kubernetes:core/v1:ConfigMap').inputs;
    expect(data.plain).toBe('p');
    expect(data.known).toBe('known');
    expect(JSON.parse(data.json)).toEqual({ endpoint: 'https://x"y' });
    expect(secret(data.password)).toEqual({ secret: true, value: 'pw=s3cret' });
    expect(secret(seen.one('kubernetes:core/v1:Secret').inputs.stringData)).toEqual({
      secret: true,
      value: { key: 'plain' },
    });
  });

  test('keeps the order: dependencies of objects and of charts, namespaces, definitions', async () => {
    const seen = await register(() => {
      const app = new App();
      const first = new Chart(app, 'first');
      const second = new Chart(app, 'second');
      const a = configMap(first, 'a');
      const b = configMap(first, 'b');
      a.addDependency(b);
      namespaceObject(first, 'apps');
      new ApiObject(first, 'cr', { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 't' } });
      new ApiObject(first, 'crd', {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'things.example.com' },
        spec: { group: 'example.com', names: { kind: 'Thing' } },
      });
      configMap(second, 'late', {}, 'other');
      second.addDependency(first);
      new Manifests('m', { chart: app });
    });
    const dependencies = (name: string) => {
      const one = seen.all.find((each) => each.name === `m:${name}`)!;
      return one.dependencies.map((urn) => seen.all.find((each) => each.urn === urn)!.name).sort();
    };
    expect(dependencies('apps/a')).toEqual(['m:apps', 'm:apps/b']);
    expect(dependencies('apps/b')).toEqual(['m:apps']);
    expect(dependencies('t')).toEqual(['m:things.example.com']);
    expect(dependencies('other/late')).toEqual([
      'm:apps',
      'm:apps/a',
      'm:apps/b',
      'm:t',
      'm:things.example.com',
    ]);
    expect(dependencies('apps')).toEqual([]);
  });

  test('objects wait for what the component waits for, however it was said', async () => {
    const seen = await register(() => {
      const first = new k8s.core.v1.Namespace('first', {});
      const chart = () => chartOf((scope) => configMap(scope, 'a'));
      new Manifests('one', { chart: chart() }, { dependsOn: first });
      new Manifests('list', { chart: chart() }, { dependsOn: [first] });
      new Manifests('promise', { chart: chart() }, { dependsOn: Promise.resolve([first]) });
      new Manifests('output', { chart: chart() }, { dependsOn: pulumi.output(first) });
    });
    const first = seen.one('kubernetes:core/v1:Namespace', 'first').urn;
    expect(seen.ofType('kubernetes:core/v1:ConfigMap').map(({ dependencies }) => dependencies)).toEqual(
      Array(4).fill([first]),
    );
  });

  test('names depend on the object alone', async () => {
    const names = async (more: boolean) => {
      const seen = await register(() => {
        new Manifests('m', {
          chart: chartOf((scope) => {
            if (more) configMap(scope, 'zero');
            configMap(scope, 'a');
            if (more) configMap(scope, 'more', {}, 'elsewhere');
          }),
        });
      });
      return seen.ofType('kubernetes:core/v1:ConfigMap').map((each) => each.urn);
    };
    const [before] = await names(false);
    expect(await names(true)).toContain(before);
  });

  test('resourceOf finds the resource of an object, and only of those', async () => {
    await register(async () => {
      const chart = chartOf(() => undefined);
      const a = configMap(chart, 'a');
      const manifests = new Manifests('m', { chart });
      expect(manifests.resources).toHaveLength(1);
      expect(manifests.resourceOf(a)).toBe(manifests.resources[0]);
      const stranger = configMap(
        chartOf(() => undefined),
        'x',
      );
      expect(() => manifests.resourceOf(stranger)).toThrow('ConfigMap x');
      await Promise.resolve();
    });
  });

  test('an unknown output stays unknown and loses no dependency', async () => {
    const seen = await register(
      () => {
        const source = new k8s.core.v1.Namespace('source', {});
        new Manifests('m', {
          chart: chartOf((scope) =>
            configMap(scope, 'a', { uid: `u-${outputToken(scope, source.metadata.uid)}` }),
          ),
        });
      },
      { preview: true },
    );
    const map = seen.one('kubernetes:core/v1:ConfigMap');
    expect(map.dependencies).toContain(seen.one('kubernetes:core/v1:Namespace').urn);
  });
});

test('arguments of other types are refused, and nothing of a kubeconfig is shown', async () => {
  const chart = chartOf((scope) => configMap(scope, 'a'));
  const said = (args: object) => () => new Manifests('m', { chart, ...args } as never);
  const seen = await register(() => {
    for (const none of [Promise.resolve(chart), () => chart, 7, {}, pulumi.output({}), undefined]) {
      expect(said({ chart: none })).toThrow(/1 problem\n  chart: /);
    }
    for (const none of [Promise.resolve(1), () => 1, 7, {}, pulumi.output(1), null]) {
      expect(said({ deletedWith: none })).toThrow(/1 problem\n  deletedWith: /);
    }
    const gates = { kubeconfig: { token: 'hunter2' }, contxt: 'hunter2' };
    expect(said({ gates, retained: 'hunter' })).toThrow(
      /3 problems\n  gates\.contxt: unknown key, did you mean "context"[^]*gates\.kubeconfig: must be[^]*retained: "hunter": must be a function/,
    );
    expect(said({ gates })).not.toThrow('hunter2');
    expect(said({ gates: { kubeconfig: Promise.resolve('{}') }, retained: () => false })).not.toThrow();
  });
  expect(seen.ofType('cluster-canary:bridge:Manifests')).toHaveLength(1);
});

describe('markers where no value can be put', () => {
  const token = (scope: Chart) => outputToken(scope, pulumi.output('v'));

  test('all are refused at once, with object and pointer', () => {
    const found = problemsOf((scope) => {
      const value = token(scope);
      configMap(scope, 'name-of-map').metadata.addLabel(`${value}`, 'x');
      new ApiObject(scope, 'n', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `n-${value}`, namespace: value },
      });
      new ApiObject(scope, 's', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 's' },
        data: { a: Buffer.from(`xy${value}`).toString('base64') },
      });
      configMap(scope, 'cut', {
        a: value.slice(0, -1),
        b: encodeURIComponent(value),
        c: value.toUpperCase(),
      });
    });
    const text = found.join('\n');
    expect(text).toMatch(/ConfigMap apps\/name-of-map \/metadata\/labels\/.*a key must be known/);
    expect(text).toMatch(/\/metadata\/name: .*a name or namespace must be known/);
    expect(text).toMatch(/\/metadata\/namespace: .*a name or namespace must be known/);
    expect(text).toMatch(/Secret s \/data\/a: .*base64.*stringData/);
    for (const key of ['a', 'b', 'c']) {
      expect(text).toMatch(new RegExp(`ConfigMap apps/cut /data/${key}: .*cut, encoded or hashed`));
    }
    expect(found).toHaveLength(7);
  });

  test.each([0, 1, 2, 3, 4, 5])('base64 is recognised at offset %d', (offset) => {
    const [only] = problemsOf((scope) => {
      configMap(scope, 'a', {
        x: Buffer.from('z'.repeat(offset) + token(scope) + 'tail').toString('base64'),
      });
    });
    expect(only).toContain('base64');
  });

  test('a construct id, from which cdk8s would make a hashed name', () => {
    expect(problemsOf((scope) => new Chart(scope, `x${token(scope)}`)).join()).toContain('construct id');
  });

  test('the marker of another app', async () => {
    await register(() => {
      const other = chartOf(() => undefined);
      token(other);
      const stray = token(other);
      expect(
        () => new Manifests('m', { chart: chartOf((scope) => configMap(scope, 'a', { x: stray })) }),
      ).toThrow('another cdk8s app');
    });
  });
});

test("two objects of one identity, and a construct's own validation, are refused", () => {
  const found = problemsOf((scope) => {
    configMap(scope, 'a');
    new ApiObject(scope, 'again', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'apps' },
    });
    scope.node.addValidation({ validate: () => ['too many bananas'] });
  });
  expect(found).toEqual([
    expect.stringContaining('valid: too many bananas'),
    expect.stringContaining('has the same kind and name'),
  ]);
});

test('a cycle, and a dependency that leads out, are errors', async () => {
  await register(() => {
    expect(
      () =>
        new Manifests('m', {
          chart: chartOf((scope) => {
            const a = configMap(scope, 'a');
            const b = configMap(scope, 'b');
            a.addDependency(b);
            b.addDependency(a);
          }),
        }),
    ).toThrow('test/a -> test/b -> test/a');
    const outside = configMap(
      chartOf(() => undefined),
      'outside',
    );
    expect(
      () => new Manifests('n', { chart: chartOf((scope) => configMap(scope, 'a').addDependency(outside)) }),
    ).toThrow('not among the manifests');
  });
});

describe('the same chart without a deployment', () => {
  test('is YAML in the order of creation', () => {
    const yaml = manifestYaml(
      chartOf((scope) => {
        configMap(scope, 'a', { known: outputToken(scope, 'v') });
        namespaceObject(scope, 'apps');
      }),
    );
    expect(yaml.indexOf('kind: Namespace')).toBeLessThan(yaml.indexOf('kind: ConfigMap'));
    expect(yaml).toContain('known: v');
  });

  test('a value that only Pulumi knows is an error with object and path, in ours and in cdk8s synth', () => {
    const build = () =>
      chartOf((scope) => configMap(scope, 'a', { url: `x ${outputToken(scope, pulumi.output('v'))}` }));
    expect(() => manifestYaml(build())).toThrow(/ConfigMap a \/data\/url: .*known only at deployment/);
    expect(() => App.of(build()).synth()).toThrow(
      /ConfigMap a \(test\/a\) \/data\/url: its value is known only at deployment/,
    );
  });
});
