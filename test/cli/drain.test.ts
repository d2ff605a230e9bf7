import { cpSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { ApiServer } from '../core/kubernetes/api-server';
import { node, root, scratch } from './run-cli';
import { clusterCanary } from './run-here';

const schema = JSON.parse(readFileSync(join(root, 'schemas', 'drain.json'), 'utf8')) as object;
const validate = new Ajv2020({ strict: true, strictTypes: false }).compile(schema);

/** An AWS with no cluster and one volume. */
let aws: Server;
let env: Record<string, string>;

beforeAll(async () => {
  aws = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const action = /Action=(\w+)/.exec(Buffer.concat(parts).toString())?.[1];
      if (request.url!.startsWith('/clusters/')) {
        response.writeHead(404, { 'x-amzn-errortype': 'ResourceNotFoundException' });
        response.end('{"message":"No cluster found"}');
        return;
      }
      const volume =
        '<item><volumeId>vol-1</volumeId><status>available</status><tagSet><item><key>kubernetes.io/cluster/apps-green</key><value>owned</value></item></tagSet></item>';
      // AWS sends its lists also where they are empty.
      const lists: Readonly<Record<string, string>> = {
        DescribeVolumes: `<volumeSet>${volume}</volumeSet>`,
        DescribeSecurityGroups: '<securityGroupInfo/>',
        DescribeInstances: '<reservationSet/>',
        DescribeNetworkInterfaces: '<networkInterfaceSet/>',
        DescribeLoadBalancers: '<LoadBalancers/>',
        DescribeTargetGroups: '<TargetGroups/>',
      };
      const list = lists[action ?? ''] ?? '';
      response.end(
        `<${action}Response>${list}<${action}Result>${list}</${action}Result></${action}Response>`,
      );
    });
  });
  const port = await new Promise<number>((done) => {
    aws.listen(0, '127.0.0.1', () => done((aws.address() as { port: number }).port));
  });
  const AWS_ENDPOINT_URL = `http://127.0.0.1:${port}`;
  env = { AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'eu-west-1' };
});
afterAll(() => new Promise((done) => aws.close(done)));

const drain = (...args: string[]) => clusterCanary(['drain', ...args, '--ignore-traffic'], { env });

test('of a cluster that is gone, what is left is listed', async () => {
  const text = await drain('apps-green');
  expect([text.status, text.stderr]).toEqual([1, '']);
  expect(text.stdout).toBe(
    'EKS cluster apps-green: there is none any more\n' +
      'Left in AWS: volume vol-1 (kubernetes.io/cluster/apps-green=owned; available; kept until volumes are to be deleted)\n',
  );
  const json = await drain('apps-green', '--json', '--volumes', 'keep');
  expect(json.status).toBe(0);
  const report = JSON.parse(json.stdout);
  expect([validate(report), validate.errors]).toEqual([true, null]);
  expect(report).toMatchObject({ verdict: 'empty', clusterStatus: 'GONE', leftovers: [{ id: 'vol-1' }] });
});

describe('--resume', () => {
  let hub: ApiServer;
  /** Annotations of the Secret, and what was applied to it. */
  let annotations: Record<string, string>;
  let applied: { readonly manager: string; readonly metadata: object }[];
  const file = join(scratch, 'hub.json');
  const skip = 'argocd.argoproj.io/skip-reconcile';

  beforeAll(async () => {
    hub = await ApiServer.start();
    writeFileSync(file, hub.kubeconfig());
  });
  afterAll(() => hub.stop());
  beforeEach(() => {
    applied = [];
    hub.script(({ method, path, query, body }) => {
      if (method === 'GET') {
        const labels = {
          ...{ 'cluster-canary/fleet': 'apps', 'cluster-canary/slot': 'green' },
          'cluster-canary/traffic': 'draining',
        };
        const metadata = { name: 'apps-green', namespace: 'argocd', uid: '1', labels, annotations };
        return { json: { kind: 'SecretList', metadata: {}, items: [{ metadata, data: {} }] } };
      }
      expect(path).toBe('/api/v1/namespaces/argocd/secrets/apps-green');
      applied.push({ manager: query.fieldManager!, metadata: body.metadata });
      return { json: { metadata: { name: 'apps-green' } } };
    });
  });
  const resume = (...args: string[]) =>
    clusterCanary(['drain', 'apps-green', '--hub', file, '--resume', ...args], { env });

  test('gives the labels back and takes the pause away, and asks AWS for nothing but the cluster', async () => {
    annotations = { [skip]: 'true', 'cluster-canary/labels-before-drain': 'traffic' };
    const done = await resume();
    expect([done.status, done.stdout, done.stderr]).toEqual([
      0,
      `Hub ${file}: deploys to apps-green again, by Secret apps-green\n`,
      '',
    ]);
    const secret = { name: 'apps-green', namespace: 'argocd', uid: '1' };
    expect(applied).toEqual([
      {
        manager: 'cluster-canary-traffic',
        metadata: { ...secret, labels: { 'cluster-canary/traffic': 'standby' } },
      },
      { manager: 'cluster-canary-drain', metadata: secret },
    ]);
  });

  test('a hub that no drain has paused is left alone; one that something else has paused is said', async () => {
    annotations = {};
    const done = await resume();
    expect([done.status, done.stdout]).toEqual([0, `Hub ${file}: no drain has paused it for apps-green\n`]);
    annotations = { [skip]: 'true' };
    const paused = await resume();
    expect([paused.status, paused.stdout]).toEqual([
      1,
      `Hub ${file}: does not deploy to apps-green: Secret apps-green has ${skip}, which no drain has set\n`,
    ]);
    expect(applied).toEqual([]);
  });

  test('a hub that refuses is said', async () => {
    hub.script({ status: 403, json: { kind: 'Status', code: 403, message: 'secrets is forbidden' } });
    const done = await resume();
    expect([done.status, done.stdout]).toEqual([
      1,
      expect.stringMatching(/^Hub .*: not resumed: .*secrets is forbidden/),
    ]);
  });

  test('it needs a hub, and goes with nothing that empties a slot', async () => {
    const bad = await clusterCanary(['drain', 'apps-green', '--resume', '--dry-run', '--json'], { env });
    expect([bad.status, bad.stdout]).toEqual([2, '']);
    expect(bad.stderr).toContain('--resume: must be given with --hub');
    expect(bad.stderr).toContain('--dry-run: conflicts with --resume');
    expect(bad.stderr).toContain('--json: conflicts with --resume');
  });
});

test('all that is wrong at once, before anything is asked', async () => {
  const bad = await drain(
    ...['Apps', '--region', 'Ireland', '--volumes', 'burn', '--within', '5', '--yes', '--tunnel'],
    ...['--hosted-zone', 'Z1', '--hosted-zone', 'example.com'],
  );
  expect([bad.status, bad.stdout]).toEqual([2, '']);
  expect(bad.stderr.split('\n').map((line) => /^ {2}([\w-]+):/.exec(line)?.[1])).toEqual(
    expect.arrayContaining([
      '--volumes',
      '--within',
      '--region',
      '--yes',
      '--tunnel',
      '--hosted-zone',
      'slot',
    ]),
  );
});

test('nobody can be asked whether to sweep', async () => {
  const bad = await drain('apps-green', '--sweep');
  expect([bad.status, bad.stdout]).toEqual([2, '']);
  expect(bad.stderr).toMatch(/--sweep: true: must be with --yes where no terminal is there to confirm/);
});

test('a name that says no fleet', async () => {
  const bad = await drain('green');
  expect([bad.status, bad.stdout]).toEqual([2, '']);
  expect(bad.stderr).toMatch(/--fleet[^]*neither the tags nor the name of the cluster shows its fleet/);
});

test('it asks for the traffic without Pulumi', async () => {
  // As in an installation without the packages that these modules load.
  const folder = join(scratch, 'without-pulumi');
  cpSync(realpathSync(join(scratch, 'dist')), join(folder, 'dist'), { recursive: true });
  rmSync(join(folder, 'dist', 'pulumi'), { recursive: true });
  cpSync(join(scratch, 'package.json'), join(folder, 'package.json'), { dereference: true });
  const bad = await node([join(folder, 'dist', 'cli', 'main.js'), 'drain', 'apps-green'], { env });
  expect([bad.status, bad.stdout]).toEqual([2, '']);
  expect(bad.stderr).toMatch(/^error: slot green of fleet apps: no answer to route53:ListHostedZones/);
});
