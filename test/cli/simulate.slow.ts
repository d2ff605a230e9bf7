import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { simulationLines } from '../../lib/cli/actions/simulate';
import type { Result } from './run-cli';
import { clusterCanary, root, scratch } from './run-cli';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
ajv.addSchema(JSON.parse(readFileSync(join(root, 'schemas', 'shift.json'), 'utf8')));
const validate = ajv.compile(JSON.parse(readFileSync(join(root, 'schemas', 'simulate.json'), 'utf8')));

function documentOf(result: Result): any {
  const document = JSON.parse(result.stdout);
  expect([validate(document), validate.errors]).toEqual([true, null]);
  expect(validate({ ...document, more: 1 })).toBe(false);
  return document;
}

function fileOf(name: string, text: string): string {
  const file = join(scratch, name);
  writeFileSync(file, text);
  return file;
}

const plan = fileOf(
  'plan.yaml',
  `
router: { simulated: }
slots: { blue: , green: }
weights: { green: 100 }
shift:
  step: 10
  every: 2m
  bake: 5m
  checks:
    - cloudWatch.errorShare: { max: 0.02, minRequests: 100 }
    - program: { name: smoke test, command: ["true"] }
`,
);
const outage = fileOf('outage.yaml', 'requests: { perSecond: 100 }\nslots: { green: { errorShare: 1 } }\n');
const healthy = fileOf('healthy.yaml', 'requests: { perSecond: 100 }\n');

test('answers that are counted late take no healthy slot back, unless the check does not wait for them', async () => {
  const late = fileOf(
    'late.yaml',
    'requests: { perSecond: 1000 }\nmetrics: { late: { share: 0.05, lasts: 3m } }\n',
  );
  const hasty = fileOf(
    'hasty.yaml',
    readFileSync(plan, 'utf8').replace('max: 0.02', 'max: 0.02, delay: 30s'),
  );
  const [waits, control] = await Promise.all(
    [plan, hasty].map((file) =>
      clusterCanary(['simulate', file, '--scenario', late, '--runs', '50', '--seed', '3', '--json']),
    ),
  );
  expect(documentOf(waits!).verdicts).toMatchObject({ completed: 50 });
  expect(documentOf(control!).detection.falseAlarms).toBeGreaterThan(40);
});

test('many runs in numbers, the same for the same seed', async () => {
  const args = ['simulate', plan, '--scenario', outage, '--runs', '20', '--json'];
  const [one, same, other] = await Promise.all([
    clusterCanary([...args, '--seed', '7']),
    clusterCanary([...args, '--seed', '7']),
    clusterCanary([...args, '--seed', '8']),
  ]);
  expect([one.status, one.stderr]).toEqual([0, '']);
  const document = documentOf(one);
  expect(document).toMatchObject({
    runs: 20,
    seed: 7,
    verdicts: { completed: 0, rolledBack: 20, held: 0, aborted: 0 },
    writes: { p50: 2, max: 2 },
    detection: { runs: 20, falseAlarms: 0 },
    notSimulated: ['smoke test'],
  });
  expect(document.failedRequests).toEqual(document.exposedRequests);
  expect(document.exposedRequests.p50).toBeGreaterThan(0);
  expect(document.steps).toBeUndefined();
  expect(same.stdout).toBe(one.stdout);
  expect(documentOf(other).exposedRequests).not.toEqual(document.exposedRequests);
});

test('one run step by step, and drawn', async () => {
  const report = join(scratch, 'report');
  const result = await clusterCanary([
    'simulate',
    plan,
    '--scenario',
    outage,
    '--runs',
    '1',
    '--json',
    '--report',
    report,
  ]);
  expect(result.status).toBe(0);
  const { steps, outcome } = documentOf(result);
  expect(steps.map((step: any) => [step.weights.green, step.rollback])).toEqual([
    [10, false],
    [0, true],
  ]);
  expect(outcome).toMatchObject({ verdict: 'rolledBack', to: { blue: 0, green: 100 } });
  const lines = simulationLines(documentOf(result), 'it');
  const sentence = /^green: ([\d,]+) of \1 requests failed \(100 %\), blue [\d.]+ %\.$/;
  const [said] = outcome.reason.split('\n');
  expect([said, outcome.failed]).toEqual([
    expect.stringMatching(sentence),
    outcome.checks.filter(({ status }: any) => status === 'fail').map(({ name }: any) => name),
  ]);
  // Statistics are the last lines.
  expect(lines.slice(-3)).toEqual([
    said,
    expect.stringContaining('The traffic is back at '),
    expect.stringMatching(/^ {2}failed {2}\S+: green: .*\[.*error share of green 100 % \(/),
  ]);
  const page = readFileSync(join(report, 'report.html'), 'utf8');
  expect(page).toContain('↩ Rolled back');
  expect(page).toContain(`<p class="sentence">${said}</p>`);
  expect(page).toContain('No traffic was moved.');
  expect(existsSync(join(report, 'shift.svg'))).toBe(true);
  expect(result.stderr).toBe(`report: ${join(report, 'report.html')}\n`);
});

test('a report overwrites nothing through a link', async () => {
  const [mine, folder] = [fileOf('mine', 'mine'), join(scratch, 'with-link')];
  mkdirSync(folder);
  symlinkSync(mine, join(folder, 'shift.svg'));
  const result = await clusterCanary(['simulate', plan, '--scenario', healthy, '--report', folder]);
  expect(result).toEqual({
    status: 2,
    stdout: '',
    stderr: `error: --report: 1 problem\n  --report: ${JSON.stringify(folder)}: must be a folder for the report; ${join(folder, 'shift.svg')} is a link\n`,
  });
  expect(readFileSync(mine, 'utf8')).toBe('mine');
  // The folder itself may be a link.
  const [real, link] = [join(scratch, 'real-folder'), join(scratch, 'folder-link')];
  mkdirSync(real);
  symlinkSync(real, link);
  const args = ['simulate', plan, '--scenario', healthy, '--runs', '1', '--report', link];
  expect((await clusterCanary(args)).status).toBe(0);
  expect(readdirSync(real).sort()).toEqual(['report.html', 'shift.svg']);
});

test('of many runs, the first is drawn', async () => {
  const [many, one] = [join(scratch, 'many'), join(scratch, 'one')];
  const [result] = await Promise.all([
    clusterCanary(['simulate', plan, '--scenario', outage, '--runs', '3', '--report', many]),
    clusterCanary(['simulate', plan, '--scenario', outage, '--runs', '1', '--report', one]),
  ]);
  expect(result.stdout).toMatch(/^3 runs of /);
  expect(readFileSync(join(many, 'report.html'), 'utf8')).toContain('the first of 3 runs');
  expect(readFileSync(join(many, 'shift.svg'), 'utf8')).toBe(readFileSync(join(one, 'shift.svg'), 'utf8'));
});

test('a text for a person', async () => {
  const result = await clusterCanary(['simulate', plan, '--scenario', healthy, '--runs', '5']);
  expect(result.status).toBe(0);
  expect(result.stdout.replace(/(4[45]m\d*s?) +(4[45]m\d*s?)/, '   45m           45m')).toBe(
    [
      `5 runs of ${plan} with ${healthy}, seed 1`,
      '',
      '  completed  5  100.0 %',
      '',
      '                          median  95 % at most',
      '  requests to a bad slot       0             0',
      '  of them failed               0             0',
      '  duration                   45m           45m',
      '  writes                      10     10 (most)',
      '',
      'Not simulated, taken to pass: smoke test.',
      '',
    ].join('\n'),
  );
});

test('slots with autoscalers: pods of all runs, and of each step of a single one', async () => {
  const scaled = fileOf(
    'scaled.yaml',
    `
requests: { perSecond: 1000 }
slots:
  blue: { autoscaler: { minReplicas: 2, replicas: 20 } }
  green: { autoscaler: { minReplicas: 2, podStart: 20s } }
`,
  );
  const followed = fileOf(
    'followed.yaml',
    `
router: { simulated: }
slots: { blue: , green: }
weights: { green: 100 }
shift: { checks: [targetHealth: , capacity: ] }
`,
  );
  const raised = fileOf(
    'raised.yaml',
    readFileSync(followed, 'utf8').replace(
      '{ checks',
      '{ capacity: { services: [{ namespace: shop, name: web }], contexts: { blue: blue, green: green } }, checks',
    ),
  );
  const args = (file: string) => ['simulate', file, '--scenario', scaled];
  const [json, text, withAccess] = await Promise.all([
    clusterCanary([...args(followed), '--runs', '1', '--json']),
    clusterCanary([...args(followed), '--runs', '5']),
    clusterCanary([...args(raised), '--runs', '5', '--json']),
  ]);
  expect(documentOf(withAccess!).workloads).toMatchObject({
    blue: { pods: { least: 20 } },
    green: { peakUtilization: { max: 0.6 } },
  });
  const document = documentOf(json!);
  expect(document.workloads.green.pods).toMatchObject({ before: 2, least: 2 });
  expect(document.steps[0].pods.blue).toEqual({ ready: 20, utilization: 0.594 });
  expect(text!.stdout).toMatch(
    /\n {2}blue, pods: 20 before, 2 to 20 meanwhile, 2 at the end; CPU at most 60 %\n {2}green, pods: 2 before, 2 to \d+ meanwhile, \d+ at the end; CPU at most 90 %\n/,
  );
});

test('many runs: why the first of each verdict ended', async () => {
  const short = fileOf(
    'short.yaml',
    'requests: { perSecond: 1000 }\nslots:\n' +
      '  blue: { autoscaler: { minReplicas: 2, maxReplicas: 40, replicas: 20 } }\n' +
      '  green: { autoscaler: { minReplicas: 2, maxReplicas: 10 } }\n',
  );
  const raising = fileOf(
    'raising.yaml',
    'router: { simulated: }\nslots: { blue: { clusterName: blue }, green: { clusterName: green } }\n' +
      'weights: { green: 100 }\nshift: { capacity: { services: [{ namespace: shop, name: web }] } }\n' +
      'lease: { ssm: { region: eu-west-1 } }\n',
  );
  const args = ['simulate', raising, '--scenario', short, '--runs', '3'];
  const [text, json] = await Promise.all([clusterCanary(args), clusterCanary([...args, '--json'])]);
  expect(documentOf(json!).reasons).toEqual({
    rolledBack: expect.stringContaining('20 pods needed at 100 %, and maxReplicas is 10'),
  });
  expect(text!.stdout).toContain(
    '\nThe first that was rolled back: shift.capacity: green: 20 pods needed at 100 %, and maxReplicas is 10.\n',
  );
});

test('it says how many runs are done, and an interrupt ends it while it computes', async () => {
  const started = Date.now();
  const child = clusterCanary(['simulate', plan, '--scenario', outage, '--runs', '1000000'], {
    signalAt: /runs simulated: \d+ of 1000000 \(\d+ s\)/,
  });
  expect(await child).toMatchObject({ status: 130, stdout: '' });
  expect(Date.now() - started).toBeLessThan(30_000);
});
