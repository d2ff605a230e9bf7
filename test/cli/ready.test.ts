import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { parse } from 'yaml';
import type { ReadinessQuestion } from '../../lib/core/readiness';
import { ready } from '../../lib/cli/actions/ready/ready';
import type { ReadyFlags } from '../../lib/cli/actions/ready/flags';
import { findingOf, subjectOf } from '../core/readiness/fake-subjects';
import type { PlainServer } from '../core/kubernetes/plain-server';
import { plainServer } from '../core/kubernetes/plain-server';
import { root, scratch } from './run-cli';
import { clusterCanary } from './run-here';

const schemaOf = (name: string) =>
  new Ajv2020({ strict: false })
    .addFormat('date-time', true)
    .compile(JSON.parse(readFileSync(join(root, 'schemas', `${name}.json`), 'utf8')) as object);
const validate = schemaOf('ready');
const rightsFit = schemaOf('shift-rights');

const file = (name: string, text: string): string => {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
};
const good = file('good.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: { name: web }\n');
const old = file(
  'old.yaml',
  'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: { name: web }\n',
);
const deprecated = file(
  'deprecated.yaml',
  'apiVersion: v1\nkind: ComponentStatus\nmetadata: { name: web }\n',
);

/** An AWS that allows nothing, and an API server of 1.35. */
let servers: PlainServer[];
let env: Record<string, string>;
let kubeconfig: string;

beforeAll(async () => {
  const refuse = (_: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(403, { 'x-amzn-errortype': 'AccessDeniedException' });
    response.end('{"message":"no"}');
  };
  const version = (request: IncomingMessage, response: ServerResponse): void => {
    response.setHeader('content-type', 'application/json');
    response.statusCode = request.url === '/version' ? 200 : 404;
    response.end(JSON.stringify({ gitVersion: 'v1.35.4' }));
  };
  servers = [await plainServer(refuse), await plainServer(version)];
  env = {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${servers[0]!.port}`,
    ...{ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'eu-west-1' },
  };
  kubeconfig = file(
    'kubeconfig.json',
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${servers[1]!.port}` } }],
      contexts: ['c', 'd'].map((name) => ({ name, context: { cluster: 'c', user: 'u' } })),
      users: [{ name: 'u', user: {} }],
      'current-context': 'c',
    }),
  );
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
});

const run = (...args: string[]) => clusterCanary(['ready', '--to', '1.36', ...args], { env });

describe('manifests alone', () => {
  test.each([
    ['that are served', [good], 0],
    ['that are not', [good, old], 1],
    ['that are not there', [good, join(scratch, 'absent.yaml')], 2],
    ['that are not served, beside one that is not there', [old, join(scratch, 'absent.yaml')], 1],
    ['that are deprecated', [deprecated], 0],
  ])('%s', async (_, paths, status) => {
    const result = await run(...paths);
    expect([result.status, result.stderr]).toEqual([status, '']);
  });

  test('by the name of their subject, which asks no cluster', async () => {
    const only = ['--subject', 'manifests', '--cluster', 'apps', '--format', 'json'];
    const { status, stdout } = await run(...only, old);
    const { subjects, leftOut } = JSON.parse(stdout);
    expect([status, subjects, leftOut]).toMatchObject([1, [{ name: 'manifests' }], []]);
    const rights = await run('--rights', '--subject', 'manifests', '--format', 'json');
    expect(JSON.parse(rights.stdout)).toEqual({ schemaVersion: 1, aws: [], kubernetes: [] });
  });

  test('as text, JSON and SARIF', async () => {
    const [text, json, sarif] = await Promise.all([
      run(old),
      run(old, '--format', 'json'),
      run(old, '--format', 'sarif'),
    ]);
    expect(text.stdout).toMatch(/^Kubernetes 1\.36: 1 error, 0 warnings, 0 infos\n/);
    expect(text.stdout).toContain('not asked, without --cluster: eks-health');
    const document = JSON.parse(json.stdout);
    expect([validate(document), validate.errors]).toEqual([true, null]);
    expect(document.findings).toMatchObject([{ id: 'API01', subject: 'manifests', line: 1 }]);
    expect(JSON.parse(sarif.stdout)).toMatchObject({
      version: '2.1.0',
      runs: [{ results: [{ ruleId: 'API01' }] }],
    });
  });
});

test('a cluster that nobody may ask has passed nothing', async () => {
  const { status, stdout } = await run('--cluster', 'apps', '--subject', 'eks-health,eks-insights');
  expect(status).toBe(2);
  expect(stdout).toContain('unknown  eks-insights');
  expect(stdout).toContain('not allowed to call eks:ListInsights');
});

test('API servers are named with their versions; a new one of another version is no proof', async () => {
  const context = ['--kubeconfig', kubeconfig, '--new-context', 'd', '--subject', 'eks-health'];
  const { status, stdout } = await run(...context, '--format', 'json');
  const { versions, subjects } = JSON.parse(stdout);
  expect([status, versions]).toEqual([2, { to: '1.36', kubernetes: 'v1.35.4', newKubernetes: 'v1.35.4' }]);
  expect(subjects).toMatchObject([
    { name: 'api-servers', untried: [expect.stringContaining('the new cluster runs v1.35.4')] },
  ]);
});

describe('rights', () => {
  test('are those of what is named, and nothing is asked', async () => {
    const { status, stdout } = await run(
      '--rights',
      '--cluster',
      'apps',
      '--region',
      'eu-west-1',
      '--format',
      'json',
    );
    const rights = JSON.parse(stdout);
    expect([status, rightsFit(rights), rightsFit.errors]).toEqual([0, true, null]);
    expect(rights.aws[0].roleArn).toBeNull();
    expect(rights.aws[0].policy.Statement[0]).toMatchObject({
      Resource: 'arn:*:eks:eu-west-1:*:cluster/apps',
    });
  });

  test('of everything, where no cluster is named, as YAML', async () => {
    const { stdout } = await run('--rights');
    const rights = parse(stdout) as {
      aws: { policy: { Statement: { Action: string[] }[] } }[];
      kubernetes: object[];
    };
    expect([rightsFit(rights), rightsFit.errors]).toEqual([true, null]);
    expect(rights.kubernetes).toMatchObject([
      { of: 'the cluster that runs now' },
      { of: 'the cluster of the new version' },
    ]);
    const actions = rights.aws.flatMap(({ policy }) => policy.Statement.flatMap(({ Action }) => Action));
    expect(actions).toContain('eks:ListInsights');
  });

  test('say which cluster they are for', async () => {
    const clustersOf = async (...args: string[]) => {
      const { stdout } = await run('--rights', '--format', 'json', ...args);
      return JSON.parse(stdout).kubernetes.map(({ roles: _, ...which }: { roles: object[] }) => which);
    };
    expect(await clustersOf('--cluster', 'apps')).toEqual([
      { of: 'the cluster that runs now, EKS cluster apps' },
    ]);
    expect(await clustersOf('--kubeconfig', 'k', '--new-context', 'green')).toEqual([
      { of: 'the cluster that runs now', cluster: { kubeconfig: 'k' } },
      { of: 'the cluster of the new version', cluster: { kubeconfig: 'k', context: 'green' } },
    ]);
  });

  test('of a role are those of its own, and that of taking it on', async () => {
    const role = 'arn:aws:iam::123456789012:role/reader';
    const { stdout } = await run('--rights', '--cluster', 'apps', '--role-arn', role, '--format', 'json');
    const { aws } = JSON.parse(stdout);
    expect(aws.map(({ roleArn }: { roleArn: string | null }) => roleArn)).toEqual([null, role]);
    expect(aws[0].policy.Statement).toMatchObject([
      { Action: ['sts:AssumeRole', 'sts:TagSession'], Resource: [role] },
    ]);
  });
});

describe('with subjects of one\u2019s own', () => {
  const flags: ReadyFlags = { to: '1.36', concurrency: 4, failOn: 'error', format: 'json' };
  let printed = '';
  beforeEach(() => {
    printed = '';
    process.exitCode = undefined;
    jest.spyOn(process.stdout, 'write').mockImplementation((text: any, done: any) => {
      printed += text;
      done?.();
      return true;
    });
    jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    process.exitCode = undefined;
  });

  test('those of API servers get the servers that were named', async () => {
    const asked: ReadinessQuestion[] = [];
    const note = (question: ReadinessQuestion) => {
      asked.push(question);
      return Promise.resolve({
        findings: [findingOf('L01', { severity: 'warning' })],
        looked: 'x',
        untried: [],
      });
    };
    const subjects = [
      subjectOf('live', note, { needs: 'kubernetes' }),
      subjectOf('helm', note, { needs: 'kubernetes', optional: 'helmReleases' }),
    ];
    await ready([], { ...flags, kubeconfig, failOn: 'warning' }, subjects);
    const document = JSON.parse(printed);
    expect([process.exitCode, document.summary]).toEqual([1, { error: 0, warning: 1, info: 0, untried: 0 }]);
    expect(asked.map(({ kubernetes }) => kubernetes?.server)).toEqual([
      `http://127.0.0.1:${servers[1]!.port}`,
    ]);
    expect(document.leftOut).toEqual([{ name: 'helm', title: 'what helm looks at', needs: 'helmReleases' }]);
  });

  test('an interrupt ends it with 130, and prints nothing', async () => {
    const waiting = subjectOf(
      'live',
      () =>
        new Promise(() => {
          setImmediate(() => process.emit('SIGINT'));
        }),
      { needs: 'kubernetes' },
    );
    await ready([], { ...flags, kubeconfig }, [waiting]);
    expect([process.exitCode, printed]).toEqual([130, '']);
  });

  test('an API server that EKS does not tell of leaves its subjects untried', async () => {
    const before = { ...process.env };
    Object.assign(process.env, env);
    try {
      await ready([], { ...flags, cluster: 'apps', region: 'eu-west-1' }, [
        subjectOf('live', {}, { needs: 'kubernetes' }),
        subjectOf('eks'),
      ]);
    } finally {
      process.env = before;
    }
    const { subjects, leftOut } = JSON.parse(printed);
    expect([process.exitCode, leftOut]).toEqual([2, []]);
    expect(subjects).toMatchObject([
      { name: 'live', status: 'unknown', untried: [expect.stringContaining('eks:DescribeCluster')] },
      { name: 'eks', status: 'passed' },
    ]);
  });
});
