import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { plainPlan, wavesPlan } from '../shift/plan-file/plans';
import { scratch } from './run-cli';
import { clusterCanary } from './run-here';

let files = 0;
function fileOf(text: string): string {
  files += 1;
  const file = join(scratch, `plan-${files}.yaml`);
  writeFileSync(file, text);
  return file;
}

const plan = (shift = '', live = '') =>
  fileOf(`
router: { simulated: { ${live} } }
slots: { blue: , green: }
weights: { green: 100 }
shift: { step: 50, every: 30ms, checkEvery: 30ms, bake: 0s, ${shift} }
`);

describe('--to-pause', () => {
  test('ends with status 0 at a pause, and says where', async () => {
    const result = await clusterCanary(['shift', plan('pause: [50]'), '--to-pause', '--json']);
    expect([result.status, JSON.parse(result.stdout)]).toMatchObject([0, { verdict: 'held', pausedAt: 50 }]);
  });

  test('but not where it is held for another reason', async () => {
    const failing = "pause: [50], onFailure: hold, checks: [{ program: { command: ['false'] } }]";
    const result = await clusterCanary(['shift', plan(failing), '--to-pause', '--json']);
    const outcome = JSON.parse(result.stdout);
    expect([result.status, outcome.verdict]).toEqual([1, 'held']);
    expect(outcome).not.toHaveProperty('pausedAt');
  });
});

test.each([['--roll-back', 'Its wave has failed.'], ['--keep-record'], ['--forget']])(
  '%s needs a lease, which has the record',
  async (...flags) => {
    const result = await clusterCanary(['shift', plan(), ...flags]);
    expect([result.status, result.stdout]).toEqual([2, '']);
    expect(result.stderr).toContain(
      `${flags[0]}: must be left out: the record is in the lease, and this plan has none`,
    );
  },
);

test('--resumed names a pause of the plan', async () => {
  const result = await clusterCanary(['shift', plan('pause: [0, 50]'), '--resumed', '30']);
  expect([result.status, result.stderr]).toEqual([
    2,
    expect.stringContaining('--resumed: 30: must be a pause of the plan: 0, 50'),
  ]);
});

test('--approved-by stands in the outcome', async () => {
  const labels = {
    'workflows.argoproj.io/action': 'Resume',
    'workflows.argoproj.io/actor-preferred-username': 'kim',
  };
  for (const [said, by] of [
    ['kim by phone', 'kim by phone'],
    [JSON.stringify(labels), 'kim by argo resume'],
  ] as const) {
    const args = ['--resumed', '50', '--approved-by', said, '--json'];
    const result = await clusterCanary(['shift', plan('pause: [50]'), ...args]);
    expect([result.status, JSON.parse(result.stdout).approvals]).toEqual([
      0,
      [{ place: 50, by, at: expect.stringMatching(/Z$/) }],
    ]);
  }
});

test('--approved-by is a name, with a place', async () => {
  const result = await clusterCanary(['shift', plan('pause: [50]'), '--approved-by', 'x'.repeat(201)]);
  expect(result.status).toBe(2);
  expect(result.stderr).toContain('--approved-by: must be together with --resumed');
  expect(result.stderr).toContain(
    'must be a text of 1 to 200 characters on one line, or labels of an Argo Workflow',
  );
});

test('a dry run goes beyond a pause as the run does', async () => {
  const dry = async (...flags: string[]) =>
    JSON.parse(
      (await clusterCanary(['shift', plan('pause: [0, 50]'), '--dry-run', '--json', ...flags])).stdout,
    ).steps;
  expect((await dry()).map(({ pauseBefore }: any) => pauseBefore)).toEqual([0, 50]);
  expect((await dry('--resumed', '50')).some((step: any) => 'pauseBefore' in step)).toBe(false);
});

test('--forget deletes nothing, and writes no weights', async () => {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    let asked = '';
    request.on('data', (data: Buffer) => (asked += data.toString()));
    request.on('end', () => {
      const action = String(request.headers['x-amz-target'] ?? asked).replace('AmazonSSM.', '');
      calls.push(action);
      const value = JSON.parse(asked).Value ?? stored;
      stored = value;
      const answer =
        action === 'GetParameter' ? { Parameter: { Value: stored, Version: 1 } } : { Version: 1 };
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1', connection: 'close' });
      response.end(JSON.stringify(answer));
    });
  });
  let stored = '';
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const env = {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'a-key-that-is-hidden',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const result = await clusterCanary(['shift', fileOf(plainPlan), '--forget'], { env });
  server.close();
  expect([result.status, result.stderr]).toEqual([0, '']);
  expect(result.stdout).toContain('there is no unfinished shift');
  expect(new Set(calls)).toEqual(new Set(['PutParameter', 'GetParameter']));
});

test.each([
  [['--to-pause'], /--to-pause: must be together with --route: the plan has 3 routes/],
  [['--roll-back', 'x'], /--roll-back: must be together with --route/],
  [
    ['--keep-record', '--forget'],
    /--keep-record: must be together with --route[^]*--forget: must be without --keep-record/,
  ],
  [['--if-recorded'], /--if-recorded: must be together with --roll-back/],
  [['--route', 'eu', '--roll-back', ' '], /--roll-back: " ": must be a reason/],
  [['--route', 'eu', '--forget', '--dry-run'], /--forget: must be without --dry-run/],
  [['--route', 'eu', '--forget', '--json'], /--json: must be without --forget/],
  [['--route', 'eu', '--to-pause', '--resume-file', 'go'], /--to-pause: must be without --resume-file/],
])('%p: bad input', async (flags, said) => {
  const result = await clusterCanary(['shift', fileOf(wavesPlan), ...flags]);
  expect([result.status, result.stdout]).toEqual([2, '']);
  expect(result.stderr).toMatch(said);
});
