import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { entryText } from '../../lib/operate/history/entry';
import { historyParameter } from '../../lib/operate/history/ssm';
import { swapLeaseId } from '../../lib/operate/swap';
import { ssmLeaseParameter } from '../../lib/shift/leases';
import { plainServer } from '../core/kubernetes/plain-server';
import type { PlainServer } from '../core/kubernetes/plain-server';
import { entry } from '../operate/history/entries';
import { record } from '../operate/swap/records';
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

/** Parameter Store, and what is asked of it; a name that is refused stands in `refused`. */
const parameters = new Map<string, string>();
const refused = new Set<string>();
let calls: string[] = [];
let server: PlainServer;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  server = await plainServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const [, action = ''] = String(request.headers['x-amz-target']).split('.');
      const { Name, Path } = JSON.parse(Buffer.concat(chunks).toString());
      calls.push(action);
      const answer = (status: number, body: object) =>
        response
          .writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
          .end(JSON.stringify(body));
      if (refused.has(action)) {
        return answer(400, { __type: 'AccessDeniedException', message: 'not allowed' });
      }
      if (action === 'GetParametersByPath') {
        const found = [...parameters].filter(([name]) => name.startsWith(`${Path}/`));
        return answer(200, { Parameters: found.map(([name, Value]) => ({ Name: name, Value })) });
      }
      const Value = parameters.get(Name);
      return Value === undefined
        ? answer(400, { __type: 'ParameterNotFound' })
        : answer(200, { Parameter: { Name, Value, Version: 1 } });
    });
  });
  env = {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${server.port}`,
    ...{ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'eu-west-1', AWS_MAX_ATTEMPTS: '1' },
  };
});
afterAll(() => server.stop());
beforeEach(() => {
  [parameters, refused].forEach((each) => each.clear());
  calls = [];
});

const run = (...args: readonly string[]) => clusterCanary(['history', ...args], { env });
const put = (each: typeof entry) => parameters.set(historyParameter(each), entryText(each));
const file = (name: string, text: string): string => {
  writeFileSync(join(scratch, name), text);
  return join(scratch, name);
};
const swapFile = file('swap.yaml', 'fleet: apps\nregion: eu-west-1\nto: "1.36"\nprogram: { commands: {} }\n');

test('people get a table, the newest first, with what it cost and what is not in that', async () => {
  put(entry);
  put({
    ...entry,
    ...{ id: 'later', startedAt: entry.startedAt + 86_400_000, endedAt: entry.endedAt + 3_600_000 },
    ...{ verdict: 'rolledBack', why: 'try: smoke failed', phases: [], cost: { hours: 1.5 } },
  });
  put({ ...entry, id: 'shop', fleet: 'shop' });
  const { status, stdout, stderr } = await run('--fleet', 'apps');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toBe(
    [
      'STARTED            TOOK       WHAT                      FROM       TO          RESULT       BY           CONTROL PLANE',
      '2026-01-03T03:04Z  3 h 0 min  swap of apps (eu-west-1)  blue 1.35  green 1.36  rolled back  alex@laptop  1.5 h',
      '  went back: try: smoke failed',
      '2026-01-02T03:04Z  1 d 2 h    swap of apps (eu-west-1)  blue 1.35  green 1.36  completed    alex@laptop  26 h, 15.60 USD',
      '  agreed: create by kim',
      '',
      'CONTROL PLANE: hours of the second control plane, and their price in most regions. Nodes cost more.',
      '',
    ].join('\n'),
  );
});

test('one entry of each kind of thing is a document of the schema', async () => {
  put(entry);
  const { status, stdout } = await run('--json', '--limit', '5');
  expect(status).toBe(0);
  expect(documentOf(stdout)).toEqual({
    schemaVersion: 1,
    entries: [
      {
        ...entry,
        ...{ startedAt: '2026-01-02T03:04:05.000Z', endedAt: '2026-01-03T05:04:05.000Z' },
        phases: [
          {
            ...entry.phases[0],
            ...{ startedAt: '2026-01-02T03:04:05.000Z', endedAt: '2026-01-02T04:04:05.000Z' },
          },
          {
            ...entry.phases[1],
            ...{ startedAt: '2026-01-03T04:04:05.000Z', endedAt: '2026-01-03T05:04:05.000Z' },
          },
        ],
        cost: { hours: 26, usdAnHour: 0.6, usd: 15.6 },
      },
    ],
    problems: [],
  });
});

test('an empty history says so', async () => {
  const { status, stdout } = await run();
  expect([status, stdout]).toEqual([0, 'Nothing has ended yet.\n']);
});

test('what can not be read is listed, and is status 1', async () => {
  put(entry);
  parameters.set('/cluster-canary/history/apps/other', 'no entry');
  const { status, stdout, stderr } = await run();
  expect(status).toBe(1);
  expect(stdout).toContain('swap of apps');
  expect(stderr).toBe('SSM parameter /cluster-canary/history/apps/other: it is no entry of the history\n');
  const asJson = await run('--json');
  expect([asJson.status, asJson.stderr]).toEqual([1, '']);
  expect(documentOf(asJson.stdout).problems).toHaveLength(1);
});

test('a history that is refused is status 2', async () => {
  refused.add('GetParametersByPath');
  const { status, stdout, stderr } = await run('--json');
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^error: .*lack the right ssm:GetParametersByPath.*\n$/);
});

describe('with a swap file', () => {
  const lease = ssmLeaseParameter(swapLeaseId({ fleet: 'apps', region: 'eu-west-1' }));
  const holds = (each: object) =>
    parameters.set(lease, JSON.stringify({ schemaVersion: 1, expiresAt: 0, record: each }));

  test('a swap that has not ended is in the list', async () => {
    put({ ...entry, id: 'before' });
    put({ ...entry, id: 'shop', fleet: 'shop' });
    holds(record);
    const { status, stdout } = await run('--plan', swapFile, '--json');
    expect(status).toBe(0);
    expect(documentOf(stdout).entries).toMatchObject([
      { id: 'before', fleet: 'apps' },
      { id: record.id, verdict: 'unfinished', phase: 'shift', startedAt: '1970-01-01T00:00:01.000Z' },
    ]);
    expect((await run('--plan', swapFile)).stdout).toContain('unfinished (shift)');
  });

  test('one that was killed before its entry was added is there, and no entry is there twice', async () => {
    const ended = { ...record, ended: { at: 20_000, verdict: 'completed' } };
    holds(ended);
    const one = documentOf((await run('--plan', swapFile, '--json')).stdout).entries;
    expect(one).toMatchObject([{ id: record.id, verdict: 'completed' }]);
    put({ ...entry, id: record.id });
    expect(documentOf((await run('--plan', swapFile, '--json')).stdout).entries).toHaveLength(1);
  });

  test('a lease that can not be read is a line, and the history counts', async () => {
    put(entry);
    refused.add('GetParameter');
    const { status, stdout, stderr } = await run('--plan', swapFile);
    expect(status).toBe(1);
    expect(stdout).toContain('swap of apps');
    expect(stderr).toMatch(/ssm:GetParameter/);
  });

  test('everything that is wrong with it is named at once', async () => {
    const wrong = file('wrong-swap.yaml', 'fleet: A B\nregion: here\nlease: { s3: {} }\n');
    const { status, stderr } = await run('--plan', wrong);
    expect(status).toBe(2);
    expect(stderr).toMatch(/:1:1 fleet: .*\n.*:2:1 region: .*\n.*:3:10 lease/);
    const several = file('wrong-waves.yaml', 'fleets:\n  eu: { region: here }\n  us: { fleet: A B }\n');
    const waves = await run('--plan', several);
    expect(waves.status).toBe(2);
    expect(waves.stderr).toMatch(
      /:2:3 fleets\.eu\.fleet: is required: the name.*\n.*:2:9 fleets\.eu\.region: .*\n.*:3:9 fleets\.us\.fleet: /,
    );
  });
});

test('with the plan of a shift, the newest shift of its route is in the list', async () => {
  put(entry);
  const shift = {
    ...{ origin: { blue: 100, green: 0 }, wanted: { blue: 0, green: 100 }, written: { blue: 0, green: 100 } },
    startedAt: entry.endedAt,
    ended: { at: entry.endedAt + 600_000, verdict: 'completed', live: { blue: 0, green: 100 } },
  };
  parameters.set(
    ssmLeaseParameter(ruleArn),
    JSON.stringify({ schemaVersion: 2, expiresAt: 0, record: shift }),
  );
  const plan = file('plan.yaml', plainPlan);
  const { status, stdout } = await run('--plan', plan, '--json');
  expect(status).toBe(0);
  expect(documentOf(stdout).entries).toMatchObject([
    { kind: 'shift', route: 'traffic', verdict: 'completed', from: { blue: 100 }, to: { green: 100 } },
    { kind: 'swap' },
  ]);
  expect((await run('--plan', plan)).stdout).toContain('shift of traffic');
  expect([...new Set(calls)].sort()).toEqual(['GetParameter', 'GetParametersByPath']);
});

test('a folder of this machine', async () => {
  const folder = join(scratch, 'kept');
  mkdirSync(join(folder, 'apps'), { recursive: true });
  writeFileSync(join(folder, 'apps', 'one.json'), entryText(entry));
  const { status, stdout } = await run('--store', `folder:${folder}`, '--json');
  expect(status).toBe(0);
  expect(documentOf(stdout).entries).toMatchObject([{ id: entry.id }]);
  expect(calls).toEqual([]);
});

test('flags that are wrong are named at once', async () => {
  const { status, stderr } = await run(
    ...['--fleet', 'A B', '--store', 's3:x', '--plan', swapFile, '--context', 'hub'],
  );
  expect(status).toBe(2);
  expect(stderr).toMatch(/--fleet: .*\n.*--store.*--plan.*\n.*--store: "s3:x".*\n.*--context/);
});

describe('--rights', () => {
  const rightsOf = async (...args: readonly string[]): Promise<any> => {
    const { status, stdout, stderr } = await run(...args, '--rights', '--json');
    expect([status, stderr, calls]).toEqual([0, '', []]);
    return JSON.parse(stdout);
  };

  test('of one fleet in SSM', async () => {
    expect(await rightsOf('--fleet', 'apps', '--store', 'ssm:eu-west-1')).toEqual({
      schemaVersion: 1,
      aws: [
        {
          roleArn: null,
          policy: {
            Version: '2012-10-17',
            Statement: [
              {
                ...{ Sid: 'ReadHistory', Effect: 'Allow', Action: ['ssm:GetParametersByPath'] },
                Resource: ['', '/*'].map(
                  (end) => `arn:aws:ssm:eu-west-1:*:parameter/cluster-canary/history/apps${end}`,
                ),
              },
            ],
          },
        },
      ],
      kubernetes: [],
    });
  });

  test('of a swap file whose lease has a role', async () => {
    const roleArn = 'arn:aws:iam::123456789012:role/leases';
    const text = `fleet: apps\nregion: eu-west-1\nlease: { ssm: { roleArn: "${roleArn}" } }\n`;
    const { aws } = await rightsOf('--plan', file('role.yaml', text));
    expect(aws.map((each: any) => [each.roleArn, each.policy.Statement.map(({ Sid }: any) => Sid)])).toEqual([
      [null, ['TakeOnRoles']],
      [roleArn, ['ReadHistory', 'ReadLease']],
    ]);
    expect(aws[1].policy.Statement[1]).toMatchObject({
      Action: ['ssm:GetParameter'],
      Resource: [
        expect.stringMatching(/parameter\/cluster-canary\/leases\/swap-eu-west-1-apps-[0-9a-f]{12}\*$/),
      ],
    });
  });

  const several = `fleet: apps
fleets:
  eu: { region: eu-west-1 }
  us: { region: us-east-1 }
  shop: { fleet: shop, region: eu-west-1 }
`;

  test('of a swap file of several fleets, each once', async () => {
    const { aws } = await rightsOf('--plan', file('waves.yaml', several));
    const statements: readonly any[] = aws[0].policy.Statement;
    expect(statements.map(({ Sid }) => Sid)).toEqual(['ReadHistory', 'ReadLease']);
    expect(JSON.stringify(statements[0].Resource)).toMatch(
      /eu-west-1.*history\/apps.*us-east-1.*history\/apps.*eu-west-1.*history\/shop/,
    );
    expect(statements[1].Resource).toHaveLength(3);
    const one = await rightsOf('--plan', file('waves.yaml', several), '--fleet', 'shop');
    expect(JSON.stringify(one)).not.toContain('apps');
    const hub = `lease: { kubernetes: { namespace: argocd, context: hub } }\n${several}`;
    const { kubernetes } = await rightsOf('--plan', file('waves.yaml', hub));
    expect(kubernetes).toHaveLength(1);
    const rules: readonly any[] = kubernetes[0].roles[0].rules;
    expect(rules.flatMap(({ resourceNames = [] }) => resourceNames)).toHaveLength(3);
    expect(rules.filter(({ resources }) => resources.includes('configmaps'))).toHaveLength(1);
  });

  test('of the plan of a shift: its lease is read, and nothing else of it', async () => {
    const { aws } = await rightsOf('--plan', file('plan.yaml', plainPlan));
    expect(aws).toHaveLength(1);
    expect(aws[0].policy.Statement).toMatchObject([
      { Sid: 'ReadHistory' },
      { Sid: 'ReadLease', Action: ['ssm:GetParameter'] },
    ]);
  });

  test('of Kubernetes', async () => {
    const text =
      'fleet: apps\nregion: eu-west-1\nlease: { kubernetes: { namespace: argocd, context: hub } }\n';
    const { aws, kubernetes } = await rightsOf('--plan', file('hub.yaml', text));
    expect(aws).toEqual([]);
    expect(kubernetes).toEqual([
      {
        of: 'context hub',
        cluster: { context: 'hub' },
        roles: [
          expect.objectContaining({
            kind: 'Role',
            metadata: { name: 'cluster-canary-history', namespace: 'argocd' },
            rules: [
              { apiGroups: [''], resources: ['configmaps'], verbs: ['list'] },
              {
                ...{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get'] },
                resourceNames: [expect.stringMatching(/^swap-eu-west-1-apps-/)],
              },
            ],
          }),
        ],
      },
    ]);
  });
});
