import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { plainPlan } from '../shift/plan-file/plans';
import { hangingPrometheus } from '../shift/checks/hanging-prometheus';
import type { Result } from './run-cli';
import { root, scratch } from './run-cli';
import { clusterCanary } from './run-here';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
const schemaOf = (name: string) => JSON.parse(readFileSync(join(root, 'schemas', name), 'utf8'));
const isOutcome = ajv.compile(schemaOf('shift.json'));
const isDryRun = ajv.compile(schemaOf('shift-dry-run.json'));

/** The document that a command printed, which its schema accepts. */
function documentOf(result: Result, validate = isOutcome): any {
  const document = JSON.parse(result.stdout);
  expect([validate(document), validate.errors]).toEqual([true, null]);
  expect(validate({ ...document, more: 1 })).toBe(false);
  return document;
}

let files = 0;
function fileOf(text: string): string {
  files += 1;
  const file = join(scratch, `plan-${files}.yaml`);
  writeFileSync(file, text);
  return file;
}

/** A plan whose shift takes a tenth of a second, with a program as its check. */
function quickPlan(settings: { readonly program?: string; readonly shift?: string } = {}): string {
  const { program = 'exit 0', shift = '' } = settings;
  return fileOf(`
router: { simulated: }
slots: { blue: , green: }
weights: { green: 100 }
shift:
  step: 50
  every: 60ms
  checkEvery: 30ms
  bake: 0s
  ${shift}
  checks:
    - program: { name: smoke test, command: [sh, -c, ${JSON.stringify(program)}] }
`);
}

describe('a shift that completes', () => {
  let text: Result;
  let json: Result;
  const report = join(scratch, 'new', 'report');

  beforeAll(async () => {
    [text, json] = await Promise.all([
      clusterCanary(['shift', quickPlan(), '--report', report]),
      clusterCanary(['shift', quickPlan(), '--json']),
    ]);
  });

  test('says so on stdout, and how it went on stderr', () => {
    expect([text.status, text.stderr]).toEqual([0, expect.stringContaining('Step 1 of 2')]);
    expect(text.stdout).toMatch(/^Completed: blue 0, green 100 is live/);
    expect(text.stdout).toMatch(
      / {2}before {2}blue 100, green 0\n {2}wanted {2}blue 0, green 100\n {2}live {4}blue 0, green 100\n {2}2 writes in /,
    );
    expect(text.stderr).toMatch(/^\d\d:\d\d:\d\d From blue 100, green 0 to blue 0, green 100 in 2 steps/);
    expect(text.stderr).not.toContain('\u001b');
  });

  test('is one JSON document', () => {
    expect(json.status).toBe(0);
    const { verdict, from, final, writes, checks } = documentOf(json);
    expect({ verdict, from, final }).toEqual({
      verdict: 'completed',
      from: { blue: 100, green: 0 },
      final: { blue: 0, green: 100 },
    });
    expect(writes.map((write: any) => write.weights.green)).toEqual([50, 100]);
    expect(new Set(checks.map((check: any) => `${check.name}: ${check.status}`))).toEqual(
      new Set(['smoke test: pass']),
    );
  });

  test('writes a report', () => {
    expect(text.stderr).toContain(`report: ${join(report, 'report.html')}\n`);
    expect(readFileSync(join(report, 'report.html'), 'utf8')).toContain('✓ Completed');
    expect(readFileSync(join(report, 'shift.svg'), 'utf8')).toMatch(/^<\?xml/);
  });
});

test('a failed check takes the traffic back, and the exit status says it', async () => {
  const report = join(scratch, 'rolled-back');
  const result = await clusterCanary([
    'shift',
    quickPlan({ program: 'exit 1' }),
    '--json',
    '--report',
    report,
  ]);
  expect(result.status).toBe(1);
  const { verdict, reason, final, writes } = documentOf(result);
  expect([verdict, final, writes.length]).toEqual(['rolledBack', { blue: 100, green: 0 }, 2]);
  expect(reason).toContain('smoke test');
  expect(writes[1]).toMatchObject({ rollback: true, weights: { blue: 100, green: 0 } });
  expect(readFileSync(join(report, 'report.html'), 'utf8')).toContain('↩ Rolled back');
});

test('with hold, it stays where it is', async () => {
  const result = await clusterCanary(['shift', quickPlan({ program: 'exit 1', shift: 'onFailure: hold' })]);
  expect([result.status, result.stdout]).toEqual([1, expect.stringMatching(/^Held: /)]);
  expect(result.stdout).toContain('  live    blue 50, green 50\n');
});

describe('a source of metrics that accepts the connection and never answers', () => {
  test.each([
    ['does not delay what another one finds', true],
    ['is what makes no difference: the control', false],
  ])('%s', async (_what, hangs) => {
    const sources = await hangingPrometheus(8);
    const query = (name: string, address: string) =>
      `    - prometheus.query: { name: ${name}, address: ${address}, query: errors, max: 0.1, settle: 0s }\n`;
    const plan = fileOf(
      'router: { simulated: }\nslots: { blue: , green: }\nweights: { green: 100 }\n' +
        'shift:\n  step: [50]\n  every: 300ms\n  checkEvery: 300ms\n  checks:\n' +
        query('errors', sources.address) +
        (hangs ? query('silent', `${sources.address}/hangs`) : ''),
    );
    try {
      const result = await clusterCanary(['shift', plan, '--json']);
      const { verdict, reason, checks, endedAt } = documentOf(result);
      expect([result.status, verdict, reason]).toEqual([
        1,
        'rolledBack',
        expect.stringContaining('errors: '),
      ]);
      // It was asked no further once it had failed; a check is given up after a minute.
      expect(sources.asked).toHaveLength(8);
      expect(Date.parse(endedAt) - sources.asked.at(-1)!).toBeLessThan(5_000);
      const gaps = sources.asked.slice(1).map((at, index) => at - sources.asked[index]!);
      expect(Math.max(...gaps)).toBeLessThan(5_000);
      const silent = checks.filter(({ name }: any) => name === 'silent');
      expect(silent.map(({ status }: any) => status)).toEqual(hangs ? ['inconclusive'] : []);
    } finally {
      sources.stop();
    }
  });
});

describe('a pause', () => {
  test('ends it held, and the next run goes on beyond it', async () => {
    const plan = quickPlan({ shift: 'pause: [50]' });
    const first = await clusterCanary(['shift', plan, '--json']);
    expect(first.status).toBe(1);
    const held = documentOf(first);
    expect(held).toMatchObject({ verdict: 'held', final: { blue: 50, green: 50 } });
    expect(held.reason).toContain(`To let it go on: cluster-canary shift ${plan} --resumed 50`);
    const second = await clusterCanary(['shift', plan, '--resumed', '50', '--json']);
    expect([second.status, documentOf(second).verdict]).toEqual([0, 'completed']);
  });

  test('waits for a file', async () => {
    const go = join(scratch, 'go');
    writeFileSync(`${go}-50`, '');
    const result = await clusterCanary(['shift', quickPlan({ shift: 'pause: [50]' }), '--resume-file', go]);
    expect([result.status, result.stderr]).toEqual([0, expect.stringContaining('Paused at 50 %')]);
  });
});

describe('several routes', () => {
  const waves = (more = '') =>
    fileOf(`
routes:
  eu: { router: { simulated: }, slots: &slots { blue: , green: } }
  us: { router: { simulated: { live: { blue: 80, green: 20 } } }, slots: *slots }
weights: { green: 100 }
shift: { step: [50], every: 40ms, checkEvery: 20ms, bake: 0s }
${more}`);

  test('shift in waves', async () => {
    const report = join(scratch, 'waves');
    const result = await clusterCanary(['shift', waves(), '--json', '--report', report]);
    expect(result.status).toBe(0);
    const { verdict, shifts, reverted } = documentOf(result);
    expect([verdict, shifts.eu.verdict, shifts.us.verdict, reverted]).toEqual([
      'completed',
      'completed',
      'completed',
      {},
    ]);
    expect(shifts.us.startedAt >= shifts.eu.endedAt).toBe(true);
    expect(shifts.us.from).toEqual({ blue: 80, green: 20 });
    expect(existsSync(join(report, 'eu', 'report.html')) && existsSync(join(report, 'us', 'shift.svg'))).toBe(
      true,
    );
  });

  test('have no report through a link, whether it is there before or comes meanwhile', async () => {
    const [report, elsewhere] = [join(scratch, 'waves-link'), join(scratch, 'elsewhere')];
    [report, elsewhere].forEach((each) => mkdirSync(each));
    symlinkSync(elsewhere, join(report, 'us'));
    const refused = await clusterCanary(['shift', waves(), '--report', report]);
    expect(refused).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining(`must be a folder for the report; ${join(report, 'us')} is a link`),
    });
    const late = join(scratch, 'late');
    const mine = fileOf('mine');
    const shifted = await clusterCanary([
      'shift',
      quickPlan({ program: `ln -s '${mine}' '${join(late, 'report.html')}' 2>/dev/null; exit 0` }),
      '--report',
      late,
    ]);
    expect([shifted.status, shifted.stdout]).toEqual([1, expect.stringContaining('Completed')]);
    expect(shifted.stderr).toContain(`error: no report: ${join(late, 'report.html')}: a link\n`);
    expect([readdirSync(elsewhere), readFileSync(mine, 'utf8')]).toEqual([[], 'mine']);
  });

  test('say in text what became of each', async () => {
    const result = await clusterCanary(['shift', waves('waves: [[eu, us]]')]);
    expect([result.status, result.stdout]).toEqual([
      0,
      expect.stringMatching(/^Completed: .*\n\neu: completed\n {2}before/),
    ]);
    expect(result.stderr).toMatch(/^\d\d:\d\d:\d\d us: From blue 80, green 20/m);
  });

  test('one of them can be chosen', async () => {
    const result = await clusterCanary(['shift', waves(), '--route', 'us', '--json']);
    expect([result.status, documentOf(result).from]).toEqual([0, { blue: 80, green: 20 }]);
    const none = await clusterCanary(['shift', waves(), '--route', 'sa']);
    expect([none.status, none.stderr]).toEqual([
      2,
      expect.stringContaining('--route: "sa": must be one of "eu", "us"'),
    ]);
  });

  test('are all shown by a dry run', async () => {
    const result = await clusterCanary(['shift', waves(), '--dry-run', '--json']);
    const { waves: shown, routes } = documentOf(result, isDryRun);
    expect([result.status, shown]).toEqual([0, [['eu'], ['us']]]);
    expect(routes.us.steps.map((step: any) => step.weights.green)).toEqual([60, 100]);
  });
});

describe('a dry run', () => {
  test('shows every step with its earliest time, and touches nothing', async () => {
    const plan = fileOf(
      'router: { simulated: }\nslots: { blue: , green: }\nweights: { green: 100 }\nshift: { step: [10, 50], every: 2m, pause: [10], deadline: 1m }\n',
    );
    const folder = join(scratch, 'untouched');
    const [text, json] = await Promise.all([
      clusterCanary(['shift', plan, '--dry-run', '--report', folder]),
      clusterCanary(['shift', plan, '--dry-run', '--json']),
    ]);
    expect(text.status).toBe(0);
    expect(text.stdout).toBe(
      [
        'From blue 100, green 0 to blue 0, green 100, at least 16m.',
        '   0s  blue 90, green 10  (10 % of the way)',
        '   2m  waits for a person, at 10 % of the way',
        '   2m  blue 50, green 50  (50 % of the way)',
        '   4m  blue 0, green 100  (100 % of the way)',
        '   6m  the wanted weights bake',
        '  16m  complete, if every check passes at once',
        'Warning: there are no checks: the shift goes on whatever the new weights do, and takes no traffic back.',
        'Warning: the deadline of 1m is shorter than the least time of 16m: the shift would fail.',
        'Nothing was written.',
        '',
      ].join('\n'),
    );
    expect(text.stderr).toBe('');
    expect(existsSync(folder)).toBe(false);
    expect(documentOf(json, isDryRun)).toMatchObject({
      live: true,
      minimumSeconds: 960,
      bakeFromSeconds: 360,
      steps: [{ atSeconds: 0 }, { atSeconds: 120, pauseBefore: 10 }, { atSeconds: 240 }],
    });
  });
});

describe('AWS', () => {
  /** Answers every call in the same way. */
  async function withAws<Answer>(
    status: number,
    body: string,
    use: (env: NodeJS.ProcessEnv, bodies: readonly string[]) => Promise<Answer>,
  ): Promise<Answer> {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      let asked = '';
      request.on('data', (data: Buffer) => (asked += data.toString()));
      request.on('end', () => {
        bodies.push(asked);
        response.writeHead(status, { 'content-type': 'text/xml', connection: 'close' }).end(body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const env = {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'a-key-that-is-hidden',
      AWS_EC2_METADATA_DISABLED: 'true',
    };
    try {
      return await use(env, bodies);
    } finally {
      server.close();
    }
  }

  const denied =
    '<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>User: x is not authorized to perform: elasticloadbalancing:DescribeRules</Message></Error></ErrorResponse>';

  test('that denies it is no shift: exit status 2, and nothing is written', async () => {
    await withAws(403, denied, async (env, bodies) => {
      const result = await clusterCanary(['shift', fileOf(plainPlan), '--json'], { env });
      expect([result.status, result.stdout]).toEqual([2, '']);
      expect(result.stderr).toMatch(/^error: .*DescribeRules/);
      expect(result.stderr).not.toContain('    at ');
      expect(result.stderr).not.toContain('a-key-that-is-hidden');
      expect(bodies.length).toBeGreaterThan(0);
      expect(bodies.filter((body) => /Action=Modify/.test(body))).toEqual([]);
    });
  });

  test('that denies it does not keep a dry run from showing the steps', async () => {
    await withAws(403, denied, async (env) => {
      const result = await clusterCanary(['shift', fileOf(plainPlan), '--dry-run', '--json'], { env });
      expect(result.status).toBe(0);
      const { live, problem, from, steps } = documentOf(result, isDryRun);
      expect([live, from, steps.length]).toEqual([false, { blue: 100, green: 0 }, 10]);
      expect(problem).toContain('DescribeRules');
    });
  });

  test('that waits in each write: the times of a dry run count it', async () => {
    const record = (name: string, weight: number) =>
      `<ResourceRecordSet><Name>www.example.com.</Name><Type>A</Type><SetIdentifier>${name}</SetIdentifier><Weight>${weight}</Weight>` +
      '<TTL>90</TTL><ResourceRecords><ResourceRecord><Value>192.0.2.1</Value></ResourceRecord></ResourceRecords></ResourceRecordSet>';
    const records = `<ListResourceRecordSetsResponse><ResourceRecordSets>${record('apps-blue', 100)}${record('apps-green', 0)}</ResourceRecordSets><IsTruncated>false</IsTruncated><MaxItems>300</MaxItems></ListResourceRecordSetsResponse>`;
    const plan = fileOf(
      'router: { route53: { hostedZoneId: Z1D633PJN98FT9, recordName: www.example.com, recordType: A } }\n' +
        'slots: { blue: { setIdentifier: apps-blue }, green: { setIdentifier: apps-green } }\n' +
        'weights: { green: 100 }\nshift: { step: [50], every: 2m, bake: 1m, deadline: 6m }\nlease: none\n',
    );
    await withAws(200, records, async (env, bodies) => {
      const result = await clusterCanary(['shift', plan, '--dry-run', '--json'], { env });
      const { live, steps, minimumSeconds, waits, warnings } = documentOf(result, isDryRun);
      const at = steps.map((step: any) => step.atSeconds);
      // Two writes of 90 s, two steps of 120 s, a bake of 60 s.
      expect({ live, at, minimumSeconds }).toEqual({ live: true, at: [0, 210], minimumSeconds: 480 });
      expect(warnings).toEqual([
        expect.stringContaining('there are no checks'),
        expect.stringContaining('the deadline of 6m is shorter'),
      ]);
      expect(waits).toEqual([expect.stringContaining('90 s (TTL)')]);
      expect(bodies.every((body) => body === '')).toBe(true);
    });
  });

  test('in a region that is not there: exit status 2', async () => {
    const plan = fileOf(plainPlan.replaceAll('eu-west-1', 'xx-nowhere-1'));
    // Names are looked up nowhere in a test: the name server is one that does not answer.
    const result = await clusterCanary(['shift', plan], {
      env: {
        AWS_ENDPOINT_URL: 'http://elasticloadbalancing.xx-nowhere-1.invalid',
        AWS_ACCESS_KEY_ID: 'A',
        AWS_SECRET_ACCESS_KEY: 'B',
      },
    });
    expect([result.status, result.stdout]).toEqual([2, '']);
  });
});

describe('what it can not run with', () => {
  test('a bad plan: every problem with its place', async () => {
    const plan = fileOf('router: { simulated: }\nslot: {}\nweights: { green: 101 }\nshift: { every: 5 }\n');
    const result = await clusterCanary(['shift', plan, '--json', '--report', join(scratch, 'none')]);
    expect([result.status, result.stdout]).toEqual([2, '']);
    expect(result.stderr).toContain(`${plan}:2:1 slot: unknown key, did you mean "slots"?`);
    expect(result.stderr).toContain(`${plan}:3:12 weights.green: 101: must be a whole percent`);
    expect(result.stderr).toContain(`${plan}:4:10 shift.every: 5: must be a duration`);
    expect(existsSync(join(scratch, 'none'))).toBe(false);
  });

  test('a plan that is not there, a report where none can be', async () => {
    const file = join(scratch, 'a-file');
    writeFileSync(file, '');
    mkdirSync(join(scratch, 'a-folder'), { recursive: true });
    const [missing, folder, report] = await Promise.all([
      clusterCanary(['shift', join(scratch, 'missing.yaml')]),
      clusterCanary(['shift', join(scratch, 'a-folder')]),
      clusterCanary(['shift', quickPlan(), '--report', join(file, 'out')]),
    ]);
    expect([missing.status, missing.stderr]).toEqual([
      2,
      expect.stringContaining('must be a plan, in YAML or JSON; there is no such file'),
    ]);
    expect([folder.status, folder.stderr]).toEqual([
      2,
      expect.stringContaining('must be a file; it is a folder'),
    ]);
    expect([report.status, report.stdout, report.stderr]).toEqual([
      2,
      '',
      expect.stringContaining('--report: "'),
    ]);
  });

  test.each([
    [['shift']],
    [['shift', 'plan.yaml', '--resumed', '101']],
    [['shift', 'plan.yaml', '--resumed', '']],
    [['shift', 'plan.yaml', '--rewind']],
  ])('%j', async (args) => {
    const result = await clusterCanary(args);
    expect([result.status, result.stdout]).toEqual([2, '']);
    expect(result.stderr).toMatch(/^error: /);
  });
});

test('help has examples', async () => {
  const result = await clusterCanary(['shift', '--help']);
  expect([result.status, result.stdout]).toEqual([
    0,
    expect.stringContaining('cluster-canary shift plan.yaml --dry-run'),
  ]);
});
