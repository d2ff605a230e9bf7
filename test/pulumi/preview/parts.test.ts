import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as messages from '@pulumi/pulumi/proto/resource_pb';
import type { PreviewPlan, PlannedResource } from '../../../lib/pulumi/preview';
import {
  coloured,
  errorText,
  listFile,
  manifestFiles,
  renderPlan,
  schemaVersion,
  writeManifests,
} from '../../../lib/pulumi/preview';
import { answerAboutRegion, PreviewMonitor } from '../../../lib/pulumi/preview/monitor';
import { summarize } from '../../../lib/pulumi/preview/plan';
import { Transforms } from '../../../lib/pulumi/preview/transforms';
import { highlight, shortType } from '../../../lib/pulumi/preview/tree';
import { readable, unknownValue, wireSecret } from '../../../lib/pulumi/preview/wire';
import { filesBelow } from '../../cli/files-below';
import { folder, problemsOf } from './scratch';

test.each([
  ['eu-west-1', 'aws', 'com.amazonaws'],
  ['us-gov-east-1', 'aws-us-gov', 'com.amazonaws'],
  ['cn-northwest-1', 'aws-cn', 'cn.com.amazonaws'],
  ['us-iso-east-1', 'aws-iso', 'gov.ic.c2s'],
  ['eusc-de-east-1', 'aws-eusc', 'eu.amazonaws'],
])('the partition of %s is %s', (region, partition, reverseDnsPrefix) => {
  expect(answerAboutRegion('aws:index/getPartition:getPartition', region)).toMatchObject({
    partition,
    reverseDnsPrefix,
  });
});

test.each([
  ['aws:index/getPartition:getPartition', undefined],
  ['aws:index/getCallerIdentity:getCallerIdentity', 'eu-west-1'],
])('%s in %s is not answered', (token, region) => {
  expect(answerAboutRegion(token, region)).toBeUndefined();
});

describe('wire values', () => {
  const signed = (signature: string, rest: object) => ({
    '4dabf18193072939515e22adb298388d': signature,
    ...rest,
  });

  test.each([
    ['a text with something unknown in it', `a-${unknownValue}`, 'a-[unknown]'],
    ['a secret', [wireSecret({ a: 1 })], ['[secret]']],
    ['a resource', signed('5cf8f73096256a8f31e491e813e4eb8e', { urn: 'urn:x', id: '' }), 'urn:x'],
    ['an unknown output', signed('d0e6a833031e9bbcd3f4e8bde6ca49a4', {}), '[unknown]'],
    ['a known output', signed('d0e6a833031e9bbcd3f4e8bde6ca49a4', { value: unknownValue }), '[unknown]'],
    ['a secret output', signed('d0e6a833031e9bbcd3f4e8bde6ca49a4', { value: 'x', secret: true }), '[secret]'],
    ['a file', signed('c44067f5952c0a294b673a41bacd8c17', { path: 'a.txt' }), '[asset a.txt]'],
    ['a text as a file', signed('c44067f5952c0a294b673a41bacd8c17', { text: 'x' }), '[asset of text]'],
    ['an archive', signed('0def7320c3a5731c473e5ecbe6d01bc7', { uri: 'http://x' }), '[archive http://x]'],
    [
      'an archive of files',
      signed('0def7320c3a5731c473e5ecbe6d01bc7', {
        assets: { a: signed('c44067f5952c0a294b673a41bacd8c17', { path: 'b' }) },
      }),
      { archive: { a: '[asset b]' } },
    ],
    ['plain data', { a: [1, true, null, 'x'] }, { a: [1, true, null, 'x'] }],
    [
      'a Kubernetes Secret at any depth',
      { items: [{ apiVersion: 'v1', kind: 'Secret', data: { a: 'eA==' }, stringData: unknownValue }] },
      { items: [{ apiVersion: 'v1', kind: 'Secret', data: { a: '[secret]' }, stringData: '[unknown]' }] },
    ],
  ])('%s', (_, value, shown) => {
    expect(readable(value)).toEqual(shown);
  });
});

const resource = (type: string, name: string, more: Partial<PlannedResource> = {}): PlannedResource => ({
  urn: `urn:pulumi:dev::shop::${type}::${name}`,
  type,
  name,
  kind: 'custom',
  parent: null,
  inputs: {},
  dependencies: [],
  propertyDependencies: {},
  provider: null,
  protect: false,
  deletedWith: null,
  hooks: {},
  ...more,
});

const plan = (resources: PlannedResource[], more: Partial<PreviewPlan> = {}): PreviewPlan => ({
  schemaVersion,
  project: 'shop',
  stack: 'dev',
  configurationFile: null,
  resources,
  outputs: {},
  notRun: { hooks: [], transforms: { stack: 0, resource: 0, invoke: 0 } },
  unknown: [],
  summary: summarize(resources),
  ...more,
});

describe('highlights', () => {
  const group = (arn: unknown, weight: unknown) => ({ arn, weight });
  const targetGroup = (name: string) => `urn:pulumi:dev::shop::a$aws:lb/targetGroup:TargetGroup::${name}`;
  const shares = (groups: object[], dependencies: string[]) =>
    highlight(
      resource('aws:lb/listenerRule:ListenerRule', 'web', {
        inputs: { actions: [{ type: 'forward', forward: { targetGroups: groups } }] },
        propertyDependencies: { actions: dependencies },
      }),
    );
  const arn = 'arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/green/0a';

  test.each([
    [
      'are named in the order of the dependencies',
      [group('[unknown]', 90), group('[unknown]', 10)],
      [targetGroup('blue'), 'urn:pulumi:dev::shop::test:index:Other::x', targetGroup('green')],
      'blue 90, green 10',
    ],
    [
      'are named by known ARNs',
      [group('[unknown]', 1), group(arn, 99)],
      [targetGroup('blue')],
      'blue 1, green 99',
    ],
    [
      'have no names where the lists differ',
      [group('[unknown]', 90), group('[unknown]', 10)],
      [targetGroup('blue')],
      '90, 10',
    ],
    ['may be unknown', [group('[unknown]', '[unknown]')], [targetGroup('blue')], 'blue [unknown]'],
  ])('weights %s', (_, groups, dependencies, text) => {
    expect(shares(groups, dependencies)).toBe(text);
  });

  test.each([
    ['aws:lb/listenerRule:ListenerRule', { actions: '[unknown]', priority: 5 }, 'priority 5'],
    ['aws:lb/targetGroup:TargetGroup', { protocol: 'HTTP', port: 80 }, 'HTTP 80'],
    ['aws:lb/loadBalancer:LoadBalancer', {}, 'internet-facing'],
    ['eks:index:Cluster', { version: '1.35' }, 'version 1.35'],
    [
      'eks:index:ManagedNodeGroup',
      { scalingConfig: { minSize: 2, maxSize: 6 }, instanceTypes: ['a', 'b'] },
      '2 to 6 nodes, a b',
    ],
    ['aws:eks/nodeGroup:NodeGroup', { scalingConfig: '[unknown]' }, ''],
    [
      'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule',
      { ipProtocol: 'tcp', fromPort: 1, toPort: 2 },
      'tcp 1-2',
    ],
    [
      'kubernetes:helm.sh/v3:Release',
      { chart: 'c', version: '1.0', namespace: 'n' },
      'chart c, 1.0, namespace n',
    ],
    ['kubernetes:apps/v1:Deployment', { metadata: { name: 'a', namespace: 'b' } }, 'b/a'],
    ['kubernetes:core/v1:Namespace', { metadata: { name: 'a' } }, 'a'],
    ['other:index:Thing', { name: 'x' }, ''],
  ])('%s %j', (type, inputs, text) => {
    expect(highlight(resource(type, 'x', { inputs }))).toBe(text);
  });
});

test.each(['cluster:b/a', 'b/a'])('the name %s says what the object is called', (name) => {
  const inputs = { metadata: { name: 'a', namespace: 'b' } };
  expect(highlight(resource('kubernetes:apps/v1:Deployment', name, { inputs }))).toBe('');
});

describe('the tree', () => {
  const stack = resource('pulumi:pulumi:Stack', 'shop-dev', { kind: 'stack' });
  const part = resource('test:index:Part', 'part', { kind: 'component', parent: stack.urn });
  const resources = [
    stack,
    part,
    resource('aws:lb/targetGroup:TargetGroup', 'inner', { parent: part.urn, protect: true }),
    resource('eks:index:Cluster', 'blue', {
      parent: stack.urn,
      kind: 'remote',
      hooks: { beforeUpdate: ['walk'] },
    }),
    resource('aws:ec2/vpc:Vpc', 'bad\u001b[2Jname\n', { parent: stack.urn, kind: 'read' }),
  ];

  test('shows resources below their parents, and all that a reader must know', () => {
    const text = renderPlan(
      plan(resources, {
        outputs: { long: 'x'.repeat(200), object: { a: 1 } },
        notRun: { hooks: ['walk', 'loose'], transforms: { stack: 1, resource: 2, invoke: 0 } },
        unknown: [
          { kind: 'invoke', name: 'a:b:c', times: 2 },
          { kind: 'environment', name: 'base', times: 1 },
        ],
      }),
    );
    expect(text).toBe(
      [
        'shop, stack dev (no configuration file)',
        'A plan of registrations, made offline. Not a diff: nothing that is deployed was looked at.',
        '',
        'pulumi:pulumi:Stack  shop-dev',
        '├─ test:index:Part  part',
        '│  └─ aws:lb:TargetGroup  inner  (protected)',
        '├─ eks:index:Cluster  blue  (its own resources are not known)',
        String.raw`└─ aws:ec2:Vpc  bad\u001b[2Jname\n  (exists already)`,
        '',
        'Outputs',
        `  long: ${'x'.repeat(97)}...`,
        '  object: {"a":1}',
        '',
        'Registered, not run',
        '  hook walk: beforeUpdate of blue',
        '  hook loose',
        '  1 stack transform',
        '  2 resource transforms',
        '',
        'Not known offline',
        '  result of a:b:c (2 times)',
        '  values of environment base',
        '',
        '4 registrations: 1 component, 1 resource of a provider, 1 remote component, 1 existing resource',
        '',
      ].join('\n'),
    );
  });

  test('says that the objects of a chart are not known, where there is one', () => {
    const release = resource('kubernetes:helm.sh/v3:Release', 'podinfo', { parent: stack.urn });
    expect(renderPlan(plan([stack, release]))).toContain('The objects of a chart are not known');
    expect(renderPlan(plan([stack]))).not.toContain('chart');
  });

  test('is the same with colours, apart from them', () => {
    const without = renderPlan(plan(resources), coloured).replace(/\u001b\[\d+m/g, '');
    expect(without).toBe(renderPlan(plan(resources)));
    expect(renderPlan(plan(resources), coloured)).not.toBe(without);
  });

  test.each([
    ['aws:lb/listenerRule:ListenerRule', 'aws:lb:ListenerRule'],
    ['kubernetes:apps/v1:Deployment', 'kubernetes:apps/v1:Deployment'],
    ['eks:index:Cluster', 'eks:index:Cluster'],
  ])('%s is shown as %s', (type, shown) => {
    expect(shortType(type)).toBe(shown);
  });
});

describe('manifest files', () => {
  const object = (kind: string, metadata: object, more: object = {}, of: Partial<PlannedResource> = {}) =>
    resource(`kubernetes:core/v1:${kind}`, `res-${kind}`.toLowerCase(), {
      inputs: { apiVersion: 'v1', kind, metadata, ...more },
      ...of,
    });
  const provider = (name: string) => `urn:pulumi:dev::shop::pulumi:providers:kubernetes::${name}`;

  test('are one for each object, in a folder for each provider', () => {
    const files = manifestFiles(
      plan([
        object(
          'ConfigMap',
          { name: 'a', namespace: 'n' },
          { data: { x: '[unknown] and more', y: 'on' } },
          { provider: provider('Blue') },
        ),
        object('Namespace', { name: 'n' }, {}, { provider: provider('green') }),
        object('Namespace', { labels: { a: 'b' } }),
        resource('aws:ec2/vpc:Vpc', 'vpc'),
        resource('kubernetes:yaml:ConfigFile', 'component', { kind: 'component', inputs: { file: 'x' } }),
      ]),
    );
    expect(files.map(({ path }) => path)).toEqual([
      'blue/configmap-n-a.yaml',
      'green/namespace-n.yaml',
      'default/namespace-res-namespace.yaml',
    ]);
    expect(files[0]!.text).toBe(
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: n\ndata:\n' +
        '  x: "[unknown until deployment] and more"\n  y: on\n',
    );
  });

  test('hold what is known of a chart', () => {
    const [file] = manifestFiles(
      plan([
        resource('kubernetes:helm.sh/v3:Release', 'podinfo', {
          inputs: {
            chart: 'podinfo',
            version: '6.9.0',
            namespace: 'n',
            repositoryOpts: { repo: 'https://example.com' },
            values: { a: 1 },
          },
        }),
      ]),
    );
    expect(file).toEqual({
      path: 'default/release-podinfo.yaml',
      text:
        '# A Helm chart. Its objects are not known: only Helm makes them, from these values.\n' +
        'name: podinfo\nnamespace: n\nchart: podinfo\nversion: 6.9.0\nrepository: https://example.com\nvalues:\n  a: 1\n',
    });
  });

  test('have safe names of their own', () => {
    const files = manifestFiles(
      plan([
        object('Role', { name: '../../etc/passwd', namespace: '..' }),
        object('Role', { name: 'system:Node' }),
        object('Role', { name: 'system-node' }),
        object('Role', { name: 'x'.repeat(253), namespace: 'n' }),
        object('Role', { name: 'a' }, {}, { provider: provider('a/b') }),
        object('Role', { name: 'a' }, {}, { provider: provider('a:b') }),
      ]),
    );
    expect(files.map(({ path }) => path)).toEqual([
      'default/role-..-..-..-etc-passwd.yaml',
      'default/role-system-node.yaml',
      'default/role-system-node-2.yaml',
      `default/role-n-${'x'.repeat(193)}.yaml`,
      'a-b/role-a.yaml',
      'a-b-2/role-a.yaml',
    ]);
  });
});

describe('the manifest folder', () => {
  const first = [
    { path: 'blue/a.yaml', text: 'a: 1\n' },
    { path: 'green/b.yaml', text: 'b: 1\n' },
  ];

  test('is made, and made anew, without what an earlier plan had', () => {
    const target = join(folder({}), 'deep', 'out');
    writeManifests(target, first);
    writeManifests(target, [{ path: 'blue/c.yaml', text: 'c: 1\n' }]);
    expect(filesBelow(target)).toEqual({
      'blue/c.yaml': 'c: 1\n',
      [listFile]: '{\n  "schemaVersion": 1,\n  "files": [\n    "blue/c.yaml"\n  ]\n}\n',
    });
    expect(readdirSync(dirname(target))).toEqual(['out']);
  });

  test('may be empty', () => {
    const target = folder({});
    writeManifests(target, first);
    expect(Object.keys(filesBelow(target)).sort()).toEqual([listFile, 'blue/a.yaml', 'green/b.yaml']);
  });

  test.each([
    ['files of somebody else', { 'notes.txt': 'mine', 'blue/a.yaml': 'mine' }, 'blue/a.yaml, notes.txt'],
    ['a list that is no list', { [listFile]: '{}', 'x.yaml': 'mine' }, 'x.yaml'],
    ['many files', Object.fromEntries([...'abcdefg'].map((name) => [name, ''])), 'a, b, c, d, e and 2 more'],
  ])('is refused with %s, and nothing changes', (_, files, named) => {
    const target = folder(files);
    expect(problemsOf(() => writeManifests(target, first))).toEqual([
      expect.stringMatching(
        new RegExp(`^--out: ".*": must be an empty folder, .*; not from a preview: ${named}$`),
      ),
    ]);
    expect(filesBelow(target)).toEqual(files);
  });

  test('is refused with a file that was added to it', () => {
    const target = folder({});
    writeManifests(target, first);
    writeFileSync(join(target, 'blue', 'mine.yaml'), 'mine');
    expect(problemsOf(() => writeManifests(target, []))).toEqual([
      expect.stringContaining('not from a preview: blue/mine.yaml') as unknown,
    ]);
    expect(filesBelow(target)['blue/a.yaml']).toBe('a: 1\n');
  });

  test('is not what a list elsewhere says', () => {
    const [target, elsewhere] = [
      folder({ 'mine.yaml': 'mine' }),
      folder({ list: '{"files":["mine.yaml"]}' }),
    ];
    symlinkSync(join(elsewhere, 'list'), join(target, listFile));
    expect(problemsOf(() => writeManifests(target, first))).toEqual([
      expect.stringContaining('not from a preview: mine.yaml') as unknown,
    ]);
    expect(filesBelow(target)).toEqual({ 'mine.yaml': 'mine' });
  });

  test('is no file and no link', () => {
    const root = folder({ file: 'mine', 'real/x': 'mine' });
    symlinkSync(join(root, 'real'), join(root, 'link'));
    for (const name of ['file', 'link']) {
      expect(problemsOf(() => writeManifests(join(root, name), first))).toEqual([
        expect.stringContaining('must be a folder, or nothing yet') as unknown,
      ]);
    }
    expect(filesBelow(root)).toEqual({ file: 'mine', 'real/x': 'mine' });
  });
});

describe('the text of an error', () => {
  test('has its causes, and none of its other fields', () => {
    const error = Object.assign(new Error('outer', { cause: new TypeError('inner') }), {
      resource: { a: 'hidden' },
    });
    const text = errorText(error);
    expect(text).toMatch(/^Error: outer\n {4}at .*parts\.test\.ts:\d+:\d+/);
    expect(text).toMatch(/\ncaused by: TypeError: inner\n/);
    expect(text).not.toContain('hidden');
  });

  test('has each of several, and ends with a cause of itself', () => {
    expect(errorText(new AggregateError([new Error('one'), new Error('two')], 'both'))).toMatch(
      /both[^]*caused by: Error: one[^]*caused by: Error: two/,
    );
    const loop: Error = new Error('loop');
    loop.cause = loop;
    expect(errorText(loop).match(/caused by/g)).toHaveLength(5);
  });

  test('of refused inputs has the place in the program, and no stack of the library', () => {
    const library = join(__dirname, '..', '..', '..');
    const error = Object.assign(new Error('FleetTraffic "apps": 1 problem\n  weights: must be'), {
      name: 'InvalidInput',
      stack: [
        'InvalidInput: FleetTraffic',
        `    at Problems.throwIfAny (${library}/dist/core/validation/problems.js:1:1)`,
        `    at new FleetTraffic (${library}/lib/pulumi/traffic/fleet-traffic.ts:2:2)`,
        '    at new Wrapper (/home/user/shop/node_modules/wrapper/index.js:3:3)',
        '    at Object.<anonymous> (/home/user/shop/lib/preview/index.ts:4:4)',
        '    at Module._compile (node:internal/modules/cjs/loader:5:5)',
      ].join('\n'),
    });
    expect(errorText(error)).toBe(
      'FleetTraffic "apps": 1 problem\n  weights: must be\n' +
        '    at Object.<anonymous> (/home/user/shop/lib/preview/index.ts:4:4)',
    );
  });

  test('of a syntax error has its place', () => {
    const error = Object.assign(new SyntaxError('Unexpected token'), {
      stack:
        '/home/user/shop/index.js:3\nlet let\n    ^^^\n\nSyntaxError: Unexpected token\n    at node:internal/x:1:1',
    });
    expect(errorText(error)).toBe('/home/user/shop/index.js:3\nSyntaxError: Unexpected token');
  });

  test.each([
    ['nothing', undefined, 'thrown, but not an Error: undefined'],
    ['a text', 'text', 'thrown, but not an Error: text'],
    ['an object', { token: 'x' }, 'thrown, but not an Error: object'],
    ['an error without a stack of use', Object.assign(new Error('short'), { hideStack: true }), 'short'],
  ])('of %s', (_, error, text) => {
    expect(errorText(error)).toBe(text);
  });
});

test('an SDK that asks for all features at once is sent to the question about each', () => {
  const options = { project: 'p', stack: 's', region: undefined, answers: {}, canConstruct: () => false };
  const monitor = new PreviewMonitor({
    ...options,
    transforms: new Transforms(messages),
    onRegistration: () => undefined,
  });
  const answers: unknown[] = [];
  monitor.getDeploymentInfo({}, (error, info) => answers.push([(error as any).code, info]));
  // UNIMPLEMENTED, as an older engine answers.
  expect(answers).toEqual([[12, undefined]]);
});
