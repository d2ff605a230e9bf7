import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { entryText } from '../../lib/operate/history/entry';
import { keptText } from '../../lib/shift/history/kept-shift';
import { ssmLeaseParameter } from '../../lib/shift/leases';
import { plainServer } from '../core/kubernetes/plain-server';
import type { PlainServer } from '../core/kubernetes/plain-server';
import { entry } from '../operate/history/entries';
import { hostile, keptShift } from '../shift/history/shifts';
import { plainPlan, ruleArn } from '../shift/plan-file/plans';
import { root, scratch } from './run-cli';
import { clusterCanary } from './run-here';

const ajv = new Ajv2020({
  strict: true,
  formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
});
const isHistory = ajv.compile(JSON.parse(readFileSync(join(root, 'schemas/history.json'), 'utf8')) as object);
const documentOf = (text: string): any => {
  const document = JSON.parse(text) as unknown;
  expect([isHistory(document), isHistory.errors]).toEqual([true, null]);
  return document;
};

/** A bucket behind a server on loopback, as S3 answers in XML; and parameters of SSM. */
const objects = new Map<string, string>();
const parameters = new Map<string, string>();
let asked: string[] = [];
let server: PlainServer;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  server = await plainServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url!, 'http://127.0.0.1');
      const target = String(request.headers['x-amz-target'] ?? '').split('.')[1];
      if (target !== undefined) {
        const { Name } = JSON.parse(Buffer.concat(chunks).toString());
        const Value = parameters.get(Name);
        const body =
          target === 'GetParametersByPath'
            ? { Parameters: [] }
            : Value === undefined
              ? { __type: 'ParameterNotFound' }
              : { Parameter: { Name, Value, Version: 1 } };
        const headers = { 'content-type': 'application/x-amz-json-1.1' };
        return response.writeHead('__type' in body ? 400 : 200, headers).end(JSON.stringify(body));
      }
      asked.push(`${request.method} ${pathname}`);
      const [, bucket, ...rest] = decodeURIComponent(pathname).split('/');
      const key = rest.join('/');
      if (request.method === 'PUT') {
        expect(request.headers['if-none-match']).toBe('*');
        if (objects.has(key)) {
          return response
            .writeHead(412)
            .end('<Error><Code>PreconditionFailed</Code><Message>no</Message></Error>');
        }
        objects.set(key, Buffer.concat(chunks).toString());
        return response.writeHead(200).end();
      }
      if (searchParams.get('list-type') === '2') {
        expect([bucket, searchParams.get('prefix')]).toEqual(['records', 'teams/web/']);
        const found = [...objects.keys()].map((each) => `<Contents><Key>${each}</Key></Contents>`).join('');
        return response
          .writeHead(200, { 'content-type': 'application/xml' })
          .end(`<ListBucketResult><KeyCount>${objects.size}</KeyCount>${found}</ListBucketResult>`);
      }
      const text = objects.get(key);
      return text === undefined
        ? response.writeHead(404).end('<Error><Code>NoSuchKey</Code><Message>no</Message></Error>')
        : response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    });
  });
  env = {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${server.port}`,
    ...{ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'eu-west-1', AWS_MAX_ATTEMPTS: '1' },
  };
});
afterAll(() => server.stop());
beforeEach(() => {
  [objects, parameters].forEach((each) => each.clear());
  asked = [];
});

const run = (...args: readonly string[]) => clusterCanary(['history', ...args], { env });
const file = (name: string, text: string): string => {
  writeFileSync(join(scratch, name), text);
  return join(scratch, name);
};
let folders = 0;
const folderWith = (texts: Readonly<Record<string, string>>): string => {
  const folder = join(scratch, `folder-${(folders += 1)}`);
  mkdirSync(join(folder, 'apps'), { recursive: true });
  Object.entries(texts).forEach(([name, text]) => writeFileSync(join(folder, name), text));
  return folder;
};

const web = keptShift(200, { fleet: 'apps', route: 'web' });
const held = {
  ...keptShift(1),
  ...{ verdict: 'held' as const, reason: 'It waits for a person at 10 %.\nRun the same shift again.' },
  approvals: [{ place: 5, by: 'kim by the page', at: '2026-01-02T04:05:00.000Z' }],
};

test('swaps and shifts are one list, the newest first', async () => {
  const folder = folderWith({
    [`${web.run.id}.json`]: keptText(web),
    [`${held.run.id}.json`]: keptText(held),
    'apps/one.json': entryText(entry),
  });
  const { status, stdout, stderr } = await run('--store', `folder:${folder}`);
  expect([status, stderr]).toEqual([0, '']);
  const lines = stdout.split('\n').map((line) => line.replace(/ {2,}/g, '  '));
  const minutes = Math.round((Date.parse(web.endedAt) - Date.parse(web.startedAt)) / 60_000);
  expect(minutes).toBeLessThan(60);
  expect(lines.filter((line) => !line.includes('CONTROL PLANE'))).toEqual([
    expect.stringMatching(
      /^2026-01-10T11:04Z {2}\d+ min {2}shift of apps\/web {2}blue 100, green 0 {2}blue 0, green 100 {2}completed {2}alex@laptop$/,
    ),
    `  kept: ${web.run.id}`,
    expect.stringMatching(/^2026-01-02T04:04Z .*shift of plan\.yaml .*held {2}alex@laptop$/),
    '  why: It waits for a person at 10 %.',
    '  agreed: 5 % by kim by the page',
    `  kept: ${held.run.id}`,
    expect.stringMatching(/^2026-01-02T03:04Z .*swap of apps/),
    '  agreed: create by kim',
    '',
    '',
  ]);
  const document = documentOf((await run('--store', `folder:${folder}`, '--json')).stdout);
  expect(document.entries).toMatchObject([
    { kind: 'shift', id: web.run.id, fleet: 'apps', route: 'web', plan: 'plan.yaml', by: 'alex@laptop' },
    { kind: 'shift', id: held.run.id, verdict: 'held', approvals: held.approvals },
    { kind: 'swap', id: entry.id },
  ]);
  expect(document.entries[0]).not.toHaveProperty('why');
  const two = documentOf((await run('--store', `folder:${folder}`, '--json', '--limit', '1')).stdout);
  expect(two.entries).toMatchObject([{ id: web.run.id }]);
  const apps = documentOf((await run('--store', `folder:${folder}`, '--json', '--fleet', 'apps')).stdout);
  expect(apps.entries).toMatchObject([{ id: web.run.id }, { id: entry.id }]);
});

test('what is no shift is a line each, and the others are listed', async () => {
  const texts = Object.values(hostile).map(([text], index) => [
    `20260303t030405z-traffic-0000000${index.toString(16)}.json`,
    text,
  ]);
  const folder = folderWith({ [`${web.run.id}.json`]: keptText(web), ...Object.fromEntries(texts) });
  const { status, stdout, stderr } = await run('--store', `folder:${folder}`);
  expect(status).toBe(1);
  expect(stdout).toContain('shift of apps/web');
  expect(stderr.trimEnd().split('\n')).toHaveLength(texts.length);
});

test('S3: what a shift has kept is listed', async () => {
  const text =
    'router: { simulated: }\nslots: { blue: , green: }\nweights: { green: 100 }\nshift: { step: 50, every: 50ms, bake: 0s }\n';
  const plan = file('s3.yaml', `${text}history: { s3: { bucket: records, prefix: teams/web } }\n`);
  const shifted = await clusterCanary(['shift', plan, '--json'], { env });
  expect(shifted.status).toBe(0);
  const { kept } = JSON.parse(shifted.stdout);
  expect(kept).toEqual({ place: 's3://records/teams/web', ids: [expect.stringMatching(/-traffic-/)] });
  expect([...objects.keys()]).toEqual([`teams/web/${kept.ids[0]}.json`]);
  for (const args of [
    ['--plan', plan],
    ['--store', 's3:records/teams/web'],
  ]) {
    const { status, stdout } = await run(...args, '--json');
    expect(status).toBe(0);
    expect(documentOf(stdout).entries).toMatchObject([{ id: kept.ids[0], plan, verdict: 'completed' }]);
  }
  const report = await clusterCanary(['report', kept.ids[0], '--plan', plan, '--out', join(scratch, 'out')], {
    env,
  });
  expect(report.status).toBe(0);
  expect(asked[0]).toBe(`PUT /records/teams/web/${kept.ids[0]}.json`);
});

test('S3 that refuses is status 2 of the history, and a warning of the shift', async () => {
  const refusing = { ...env, AWS_ENDPOINT_URL: 'http://127.0.0.1:1' };
  const text =
    'router: { simulated: }\nslots: { blue: , green: }\nweights: { green: 100 }\nshift: { step: 50, every: 50ms, bake: 0s }\n';
  const plan = file('refused.yaml', `${text}history: { s3: { bucket: records } }\n`);
  const listed = await clusterCanary(['history', '--store', 's3:records'], { env: refusing });
  expect([listed.status, listed.stdout]).toEqual([2, '']);
  expect(listed.stderr).toMatch(/^error: s3:\/\/records\/cluster-canary\/shifts: /);
  const shifted = await clusterCanary(['shift', plan, '--json'], { env: refusing });
  expect(shifted.status).toBe(0);
  expect(JSON.parse(shifted.stdout).kept).toMatchObject({
    ids: [],
    problem: expect.stringContaining('s3:PutObject'),
  });
});

test('the newest shift of a lease is not listed once more where the history has it', async () => {
  const kept = keptShift(1);
  const ended = (at: number) => ({
    ...{ origin: { blue: 100, green: 0 }, wanted: { blue: 0, green: 100 }, written: { blue: 0, green: 100 } },
    startedAt: Date.parse(kept.startedAt) + 400,
    ended: { at, verdict: 'completed', live: { blue: 0, green: 100 } },
  });
  const folder = folderWith({ [`${kept.run.id}.json`]: keptText(kept) });
  const plan = file('lease.yaml', `${plainPlan}history: { folder: ${JSON.stringify(folder)} }\n`);
  const entriesOf = async (at: number) => {
    const lease = JSON.stringify({ schemaVersion: 2, expiresAt: 0, record: ended(at) });
    parameters.set(ssmLeaseParameter(ruleArn), lease);
    const { status, stdout } = await run('--plan', plan, '--json');
    expect(status).toBe(0);
    return documentOf(stdout).entries.map(({ id }: any) => id);
  };
  expect(await entriesOf(Date.parse(kept.endedAt) + 900)).toEqual([kept.run.id]);
  expect(await entriesOf(Date.parse(kept.endedAt) + 3_600_000)).toEqual([undefined, kept.run.id]);
});

describe('--rights, statement by statement', () => {
  const rightsOf = async (history: string): Promise<any> => {
    const { status, stdout } = await run(
      '--plan',
      file('rights.yaml', `${plainPlan}history: ${history}\n`),
      '--rights',
      '--json',
    );
    expect(status).toBe(0);
    return JSON.parse(stdout);
  };

  test('a bucket is listed and read below the prefix', async () => {
    const { aws } = await rightsOf('{ s3: { bucket: records, prefix: teams/web } }');
    expect(aws[0].policy.Statement.slice(1, 3)).toEqual([
      {
        ...{
          Sid: 'ListShifts',
          Effect: 'Allow',
          Action: ['s3:ListBucket'],
          Resource: ['arn:aws:s3:::records'],
        },
        Condition: { StringEquals: { 's3:prefix': ['teams/web/'] } },
      },
      {
        ...{ Sid: 'ReadShifts', Effect: 'Allow', Action: ['s3:GetObject'] },
        Resource: ['arn:aws:s3:::records/teams/web/*'],
      },
    ]);
    // Beside the lease of the rule, in its region.
    expect(aws[0].policy.Statement[0].Resource[0]).toMatch(/^arn:aws:ssm:eu-west-1:\*:/);
    expect(aws[0].policy.Statement.map(({ Sid }: any) => Sid)).toEqual([
      'ReadHistory',
      'ListShifts',
      'ReadShifts',
      'ReadLease',
    ]);
  });

  test('ConfigMaps are listed', async () => {
    const { kubernetes } = await rightsOf('{ kubernetes: { namespace: records, context: hub } }');
    expect(kubernetes).toEqual([
      {
        of: 'context hub',
        cluster: { context: 'hub' },
        roles: [
          expect.objectContaining({
            metadata: { name: 'cluster-canary-history', namespace: 'records' },
            rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }],
          }),
        ],
      },
    ]);
  });
});
