import { spawn } from 'node:child_process';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Ajv2020 from 'ajv/dist/2020';
import type { PlainServer } from '../core/kubernetes/plain-server';
import { plainServer } from '../core/kubernetes/plain-server';
import { clusterCanary as ownProcess, main, root, scratch } from './run-cli';
import { clusterCanary } from './run-here';

const schema = JSON.parse(readFileSync(join(root, 'schemas', 'clusters-plan.json'), 'utf8'));
const validate = new Ajv2020({ strict: true, strictTypes: false, validateFormats: false }).compile(schema);

const config = join(scratch, 'clusterset.yaml');
const kubeconfig = join(scratch, 'kubeconfig.json');
const text = `
metadata: { name: production }
spec:
  selector: { eksTags: { env: production } }
  accounts: [{ regions: [eu-west-1, us-east-1], account: '123456789012' }]
  template: { metadata: { labels: { env: production } } }
  interval: 10s
`;

let servers: PlainServer[] = [];
let env: NodeJS.ProcessEnv;
/** Regions that refuse. */
let denied: string[] = [];
let secrets: Record<string, any> = {};
/** Account of the credentials. */
let caller = '123456789012';

const clusters: Record<string, Record<string, string>> = {
  'eu-west-1': { blue: 'ACTIVE', green: 'CREATING' },
  'us-east-1': { far: 'ACTIVE' },
};

function aws(request: IncomingMessage, response: ServerResponse): void {
  const [, region = '', service] =
    /\/\d{8}\/([^/]+)\/(eks|sts)\//.exec(request.headers.authorization ?? '') ?? [];
  if (service === 'sts') {
    const identity = `<GetCallerIdentityResult><Account>${caller}</Account></GetCallerIdentityResult>`;
    response
      .writeHead(200, { 'content-type': 'text/xml' })
      .end(`<GetCallerIdentityResponse>${identity}</GetCallerIdentityResponse>`);
    return;
  }
  const answer = (status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (denied.includes(region)) {
    response.setHeader('x-amzn-errortype', 'AccessDeniedException');
    answer(403, { message: 'User is not authorized to perform: eks:ListClusters' });
    return;
  }
  const [, name] = /^\/clusters\/([a-z]+)/.exec(request.url!) ?? [];
  const found = clusters[region] ?? {};
  const cluster = (one: string) => ({
    ...{
      name: one,
      status: found[one],
      arn: `arn:aws:eks:${region}:123456789012:cluster/${one}`,
      tags: { env: 'production' },
    },
    ...{ endpoint: `https://${one}.example.com`, certificateAuthority: { data: 'Y2E=' } },
  });
  answer(200, name === undefined ? { clusters: Object.keys(found) } : { cluster: cluster(name) });
}

function hub(request: IncomingMessage, response: ServerResponse): void {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const { pathname } = new URL(request.url!, 'http://hub');
    const name = pathname.split('/').at(-1)!;
    if (request.method === 'PATCH') {
      const object = JSON.parse(Buffer.concat(parts).toString());
      secrets[name] = { ...object, metadata: { ...object.metadata, uid: name, resourceVersion: '1' } };
    }
    const answers: Record<string, object> = {
      '/api/v1': { resources: [{ kind: 'Secret', name: 'secrets', namespaced: true }] },
      '/api/v1/namespaces/argocd/secrets': { items: Object.values(secrets) },
    };
    const body = answers[pathname] ?? secrets[name];
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { kind: 'Status', status: 'Failure' }));
  });
}

beforeAll(async () => {
  servers = [await plainServer(aws), await plainServer(hub, kubeconfig)];
  writeFileSync(config, text);
  env = {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${servers[0]!.port}`,
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'not-shown',
  };
});
beforeEach(() => {
  denied = [];
  secrets = {};
  caller = '123456789012';
});
afterAll(() => Promise.all(servers.map((server) => server.stop())));

const run = (verb: string, ...args: string[]) =>
  clusterCanary(['clusters', verb, '--config', config, '--kubeconfig', kubeconfig, ...args], { env });

test('a plan says what would be done, and writes nothing', async () => {
  const [document, shown] = await Promise.all([run('plan', '--json'), run('plan')]);
  expect(document).toMatchObject({ status: 0, stderr: '' });
  const plan = JSON.parse(document.stdout);
  expect([validate(plan), validate.errors]).toEqual([true, null]);
  expect(plan).toMatchObject({
    ...{
      schemaVersion: 1,
      clusterSet: 'production',
      namespace: 'argocd',
      update: [],
      delete: [],
      keep: [],
      problems: [],
    },
    create: [
      { cluster: 'blue', secret: 'blue' },
      { cluster: 'far', secret: 'far' },
    ],
    skipped: [{ cluster: 'green', reason: 'its status is CREATING' }],
  });
  expect(shown.stdout).toBe(
    [
      'Set "production", Secrets in namespace "argocd":',
      '  + blue  arn:aws:eks:eu-west-1:123456789012:cluster/blue',
      '  + far  arn:aws:eks:us-east-1:123456789012:cluster/far',
      '  ! green (arn:aws:eks:eu-west-1:123456789012:cluster/green) left out: its status is CREATING',
      '2 to create, 0 to change, 0 to remove, 0 as they are, 1 left out.',
      '',
    ].join('\n'),
  );
  expect(secrets).toEqual({});
});

test('a region that does not answer does not stop the others, and shows in status and document', async () => {
  denied = ['us-east-1'];
  const result = await run('sync', '--json');
  expect(result).toMatchObject({ status: 1, stderr: '' });
  const document = JSON.parse(result.stdout);
  expect([validate(document), validate.errors]).toEqual([true, null]);
  expect(document).toMatchObject({ written: 1, failed: [], create: [{ secret: 'blue' }] });
  expect(document.problems).toEqual([
    expect.stringMatching(
      /^us-east-1 by account 123456789012: the credentials lack the right eks:ListClusters/,
    ),
  ]);
  expect(Object.keys(secrets)).toEqual(['blue']);
  expect(result.stdout).not.toContain('not-shown');
});

test('credentials of another account remove nothing, and show in status and document', async () => {
  await run('sync');
  caller = '999999999999';
  const before = structuredClone(secrets);
  clusters['eu-west-1'] = {};
  clusters['us-east-1'] = {};
  const result = await run('sync', '--json', '--force');
  clusters['eu-west-1'] = { blue: 'ACTIVE', green: 'CREATING' };
  clusters['us-east-1'] = { far: 'ACTIVE' };
  const document = JSON.parse(result.stdout);
  expect([result.status, document.written, secrets]).toEqual([1, 0, before]);
  expect(document.problems).toEqual(
    ['eu-west-1', 'us-east-1'].map((region) =>
      expect.stringContaining(`${region} by account 123456789012: the `),
    ),
  );
  expect(document.keep.map(({ reason }: any) => reason)).toEqual(
    Array(2).fill('not found, but not everything answered'),
  );
});

test('a set whose account is not set says so', async () => {
  const open = join(scratch, 'open.yaml');
  writeFileSync(open, text.replace(", account: '123456789012'", ''));
  const args = ['clusters', 'plan', '--config', open, '--kubeconfig', kubeconfig];
  const result = await clusterCanary(args, { env });
  expect([result.status, result.stdout]).toEqual([
    0,
    expect.stringMatching(
      /\nnote: eu-west-1: no account is set, so [^]*\nnote: us-east-1: no account is set/,
    ),
  ]);
});

test('it looks again and again until it is interrupted, and tells what it does on stderr', async () => {
  const args = ['clusters', 'sync', '--config', config, '--kubeconfig', kubeconfig, '--watch'];
  const result = await ownProcess(args, { env, signalAt: /2 written/ });
  expect(result).toMatchObject({ status: 130, stdout: '' });
  expect(result.stderr).toMatch(/^\S+Z {3}\+ blue[^]*\+ far[^]*! green[^]*2 written\.\nInterrupted\.\n$/);
  expect(Object.keys(secrets).sort()).toEqual(['blue', 'far']);
});

test('it goes on looking, with a stderr that is full', async () => {
  const stderr = openSync('/dev/full', 'w');
  const args = ['clusters', 'sync', '--config', config, '--kubeconfig', kubeconfig, '--watch', '--json'];
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...process.env, NODE_OPTIONS: '', _: '', ...env },
    stdio: ['ignore', 'pipe', stderr],
  });
  let stdout = '';
  child.stdout!.on('data', (data: Buffer) => (stdout += data.toString()));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const isWritten = () => Object.keys(secrets).length === 2;
  for (let waited = 0; waited < 200 && !isWritten(); waited += 1) {
    await setTimeout(50);
  }
  // The second look says something, too.
  clusters['us-east-1'] = { far: 'ACTIVE', farther: 'ACTIVE' };
  for (let waited = 0; waited < 300 && !('farther' in secrets) && child.exitCode === null; waited += 1) {
    await setTimeout(50);
  }
  clusters['us-east-1'] = { far: 'ACTIVE' };
  child.kill('SIGHUP');
  expect([await ended, Object.keys(secrets).sort()]).toEqual([130, ['blue', 'far', 'farther']]);
  expect(JSON.parse(stdout).create).toMatchObject([{ secret: 'farther' }]);
}, 30_000);

test.each<[string, string[], RegExp]>([
  [
    'no file',
    ['plan', '--config', join(scratch, 'none.yaml')],
    /none\.yaml: must be a set of clusters, in YAML/,
  ],
  ['a folder', ['plan', '--config', scratch], /must be a file; it is a folder/],
  ['no kubeconfig', ['plan', '--config', config, '--kubeconfig', join(scratch, 'none')], /ENOENT/],
  ['no set', ['plan'], /--config/],
  [
    'force again and again',
    ['sync', '--config', config, '--watch', '--force'],
    /--force: true: must be left out with --watch/,
  ],
  ['no verb', [], /plan.*sync/s],
])('it can not run with %s', async (_, args, message) => {
  const result = await clusterCanary(['clusters', ...args], { env });
  expect(result).toMatchObject({ status: 2, stdout: '' });
  expect(result.stderr).toMatch(message);
  expect(result.stderr).not.toMatch(/\n\s+at |not-shown/);
});

test('a set that is wrong is told with lines', async () => {
  const wrong = join(scratch, 'wrong.yaml');
  writeFileSync(wrong, 'metadata: { name: a }\nspec:\n  selector: {}\n  template: {}\n  interval: often\n');
  const result = await clusterCanary(['clusters', 'plan', '--config', wrong], { env });
  expect(result.status).toBe(2);
  expect(result.stderr).toMatch(
    /wrong\.yaml:5:3 spec\.interval: "often": must be a duration of at least 10s/,
  );
});
