import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import type { PreviewPlan } from '../../lib/pulumi/preview';
import { filesBelow } from './files-below';
import type { Result } from './run-cli';
import { clusterCanary, node, program, root, scratch } from './run-cli';

/** Texts of the shop that are secret, encrypted or plain. */
const hidden = /plain-cipher-text|written-in-the-open|a-secret-given-in-the-program|hidden-in-the-answers/;

describe('a program that is fine', () => {
  const out = join(scratch, 'manifests');
  const answers = join(scratch, 'answers.yaml');
  let text: Result;
  let json: Result;
  let plan: PreviewPlan;

  beforeAll(async () => {
    writeFileSync(
      answers,
      [
        'invokes:',
        '  - token: aws:ec2/getVpc:getVpc',
        '    args: { default: true }',
        '    returns: { id: vpc-0a1b }',
        'stackReferences:',
        '  acme/network/production:',
        '    nodeRoleArn: arn:aws:iam::123456789012:role/nodes',
        '    podRoleArn: !secret hidden-in-the-answers',
        'secrets:',
        '  limits: { cpu: 2, key: hidden-in-the-answers }',
      ].join('\n'),
    );
    [text, json] = await Promise.all([
      clusterCanary(['preview', program('shop'), '--out', out]),
      clusterCanary(['preview', program('shop'), '--json', '--answers', answers]),
    ]);
    plan = JSON.parse(json.stdout) as PreviewPlan;
  });

  test('is shown as a tree with what matters, without colours in a pipe', () => {
    expect(text.status).toBe(0);
    expect(text.stdout).toContain('shop, stack production (configuration Pulumi.production.yaml)');
    expect(text.stdout).toContain('Not a diff');
    expect(text.stdout).toMatch(/^├─ eks:index:Cluster {2}blue {2}version 1\.34/m);
    expect(text.stdout).toMatch(/^│ {2}├─ aws:lb:TargetGroup {2}blue {2}HTTP 9898, targets ip$/m);
    expect(text.stdout).toMatch(
      /^└─ aws:lb:ListenerRule {2}web {2}blue 90, green 10, priority 10, www\.example\.com {2}\(protected\)$/m,
    );
    expect(text.stdout).toContain('chart podinfo, 6.9.0, namespace shop');
    expect(text.stdout).toContain('\nRegistered, not run\n  hook guard: beforeUpdate of web\n\n');
    expect(text.stdout).toContain('  result of aws:ec2/getVpc:getVpc\n');
    expect(text.stdout).toContain('  outputs of stack acme/network/production\n');
    expect(text.stdout).toContain('  stack: organization/shop/production\n');
    expect(text.stdout).not.toContain('\u001b[');
  });

  test('is one JSON document that its schema accepts', () => {
    expect(json.status).toBe(0);
    const schema = JSON.parse(readFileSync(join(root, 'schemas', 'preview.json'), 'utf8')) as object;
    const validate = new Ajv2020({ strict: true, strictRequired: false }).compile(schema);
    expect([validate(plan), validate.errors]).toEqual([true, null]);
    expect(validate({ ...plan, resources: [{ urn: 'x' }] })).toBe(false);
  });

  test('gets the answers', () => {
    const inputs = (name: string, type: string) =>
      plan.resources.find((resource) => resource.name === name && resource.type.endsWith(type))!.inputs;
    expect(inputs('blue', ':TargetGroup')['vpcId']).toBe('vpc-0a1b');
    expect(inputs('blue-nodes', ':ManagedNodeGroup')['nodeRoleArn']).toMatch(/role\/nodes$/);
    expect(inputs('blue-pods', ':PodIdentityAssociation')['roleArn']).toBe('[secret]');
    expect(plan.unknown.map(({ kind }) => kind)).toEqual(['read']);
    expect(plan.outputs).toMatchObject({ dryRun: true, where: 'aws/eu-west-1', clusterName: 'shop-blue' });
  });

  test('has what it prints and logs on stderr', () => {
    for (const { stderr, stdout } of [text, json]) {
      expect(stderr).toContain('the program talks on stdout\n');
      expect(stderr).toContain('the program logs');
      expect(stdout).not.toMatch(/the program (talks|logs)/);
    }
  });

  test('leaves the objects of each cluster as files', () => {
    const files = filesBelow(out);
    expect(Object.keys(files).sort()).toEqual([
      '.cluster-canary-preview.json',
      ...['blue', 'green'].flatMap((slot) => [
        `${slot}/deployment-shop-frontend.yaml`,
        `${slot}/release-podinfo.yaml`,
        `${slot}/secret-shop-token.yaml`,
      ]),
    ]);
    expect(files['blue/deployment-shop-frontend.yaml']).toContain('value: "[unknown until deployment]"');
    expect(files['green/release-podinfo.yaml']).toMatch(
      /^# A Helm chart\.[^]*password: "\[secret\]"\n {2}slot: green\n$/,
    );
    expect(files['blue/secret-shop-token.yaml']).toContain(
      'stringData:\n  plain: "[secret]"\n  token: "[secret]"\n',
    );
  });

  test('shows no secret anywhere', () => {
    const everything = [text, json].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    for (const shown of [...everything, ...Object.values(filesBelow(out))]) {
      expect(shown).not.toMatch(hidden);
    }
  });

  test('is not shown where its folder is not its own, and the folder stays as it was', async () => {
    const mine = join(scratch, 'mine');
    mkdirSync(mine);
    writeFileSync(join(mine, 'notes.txt'), 'mine');
    const result = await clusterCanary(['preview', join(program('single'), 'program.js'), '--out', mine]);
    expect(result).toMatchObject({ status: 2, stdout: '' });
    expect(result.stderr).toContain('not from a preview: notes.txt');
    expect(filesBelow(mine)).toEqual({ 'notes.txt': 'mine' });
  });
});

describe('a program that goes wrong', () => {
  /** Mode of the program, lines that stderr must have, and texts that it must not have. */
  const cases: [mode: string, expected: (string | RegExp)[], unexpected?: RegExp][] = [
    [
      'throws',
      ['error: the program threw', 'Error: thrown at the top', /^ +at .*misbehaves\/index\.ts:22:11\)$/m],
    ],
    [
      'rejects',
      ['Error: rejected at the top', 'caused by: Error: the deeper reason', /misbehaves\/index\.ts:26:/],
    ],
    [
      'apply',
      [
        'thrown inside of apply',
        'thrown inside of another apply',
        /misbehaves\/index\.ts:33:/,
        /index\.ts:39:/,
      ],
    ],
    ['resource', ['Error: a resource is wrong', /misbehaves\/index\.ts:45:/], /a-hidden-value/],
    [
      'invalid',
      [
        'FleetTraffic "apps": 1 problem\n  weights.blue: 101: must be a whole percent\n    at ',
        /index\.ts:48:/,
      ],
      /InvalidInput|stack\.ts/,
    ],
    ['text', ['thrown, but not an Error: just a text']],
    [
      'twins',
      ['two resources have the URN urn:pulumi:dev::misbehaves::test:index:Thing::twin', /index\.ts:56:/],
    ],
    ['logs', ['something is wrong', 'error: the program logged an error, which ends a deployment']],
    ['exits', ['error: the program ended the process (process.exit) before its plan was complete']],
    ['stuck', ['nothing can resolve any more\n  every resource that it made is registered']],
    ['waits', ['pending: test:index:Thing waiting', 'pending: test:index:Thing child']],
    ['ticks', ['registered everything, but was still running after 4 s', /^ {2}open: .*Timeout/m]],
    ['transform', ['transform failed: Error: no team was named', /index\.ts:77:/]],
    ['hookTwice', ['two hooks have the name "one"', /index\.ts:81:/]],
  ];
  const results = new Map<string, Result>();

  beforeAll(async () => {
    const waiting = cases.map(([mode]) => mode);
    const worker = async (): Promise<void> => {
      for (let mode = waiting.pop(); mode !== undefined; mode = waiting.pop()) {
        const timeout = mode === 'ticks' ? '4' : '60';
        const args = [
          'preview',
          program('misbehaves'),
          '--json',
          '--out',
          join(scratch, mode),
          '--timeout',
          timeout,
        ];
        results.set(mode, await clusterCanary(args, { env: { MODE: mode } }));
      }
    };
    await Promise.all([worker(), worker(), worker()]);
  });

  test.each(cases)('%s: says so, and shows no plan', (mode, expected, unexpected = /^$/) => {
    const { status, stdout, stderr } = results.get(mode)!;
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    for (const text of expected) {
      expect(stderr).toEqual(
        typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text),
      );
    }
    expect(stderr).not.toMatch(unexpected);
    expect(filesBelow(join(scratch, mode))).toEqual({});
  });

  test('an interrupt ends it with 130', async () => {
    const result = await clusterCanary(['preview', program('misbehaves')], {
      env: { MODE: 'interrupted' },
      signalAt: 'waiting',
    });
    expect(result).toEqual({ status: 130, stdout: '', stderr: 'waiting\n' });
  });
});

describe('programs of every kind', () => {
  test.each([
    ['a TypeScript program that registers late', 'misbehaves', { name: 'late' }, {}],
    ['ES modules', 'modules', { name: 'esm' }, { module: true }],
    ['ES modules in TypeScript', 'typed-modules', { name: 'typed' }, { from: 'a function' }],
    [
      'a file without a project',
      'single/program.js',
      { name: 'alone', inputs: { folder: program('single') } },
      {
        project: 'single',
        stack: 'dev',
        arguments: [],
        urn: 'urn:pulumi:dev::single::test:index:Part::alone',
      },
    ],
  ])('%s', async (_, path, resource, outputs) => {
    const result = await clusterCanary(['preview', program(path), '--json'], { env: { MODE: 'lateThing' } });
    expect(result).toMatchObject({ status: 0, stderr: '' });
    const plan = JSON.parse(result.stdout) as PreviewPlan;
    expect(plan.resources[1]).toMatchObject(resource);
    expect(plan.outputs).toEqual(outputs);
  });

  test('one by one in a process of one’s own', async () => {
    const script = `
      const { preview } = require(process.argv[1]);
      const file = process.argv[2];
      (async () => {
        const listeners = process.listenerCount('unhandledRejection');
        const first = await preview({ program: file, stack: 'one' });
        const second = await preview({ program: file, stack: 'two' });
        console.log(JSON.stringify([first, second].map(({ resources, outputs }) => [resources.length, outputs.stack])));
        console.log(process.listenerCount('unhandledRejection') === listeners, process.argv.length);
      })();`;
    const result = await node([
      '-e',
      script,
      join(scratch, 'dist/pulumi/preview'),
      join(program('single'), 'program.js'),
    ]);
    expect(result).toEqual({ status: 0, stdout: '[[2,"one"],[2,"two"]]\ntrue 3\n', stderr: '' });
  });
});

test('says what there is, and loads nothing for that', async () => {
  const result = await clusterCanary(['--help']);
  expect(result).toMatchObject({ status: 0, stderr: '' });
  expect(result.stdout).toContain('preview [options] [program]');
  const script = join(scratch, 'loaded.js');
  writeFileSync(
    script,
    `process.on('exit', () => {
      console.error(Object.keys(require.cache).filter((file) => /@pulumi|dist.pulumi|yaml/.test(file)));
    });
    require('./dist/cli/main.js');`,
  );
  const loaded = await node([script, '--help']);
  expect(loaded.stderr).toBe('[]\n');
});
