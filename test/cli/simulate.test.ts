import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { simulationLines } from '../../lib/cli/actions/simulate';
import { scratch } from './run-cli';
import { clusterCanary } from './run-here';

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
const healthy = fileOf('healthy.yaml', 'requests: { perSecond: 100 }\n');

test('false alarms are said, and numbers are aligned', () => {
  const none = { p50: 0, p95: 0 };
  const lines = simulationLines(
    {
      schemaVersion: 1,
      runs: 2000,
      seed: 1,
      verdicts: { completed: 1937, rolledBack: 60, held: 0, aborted: 3 },
      reasons: { rolledBack: 'green: 9 of 9 requests failed (100 %).\nBack.', aborted: 'Lost.' },
      exposedRequests: none,
      failedRequests: none,
      writes: { p50: 7, max: 8 },
      durationSeconds: { p50: 90, p95: 3600 },
      detection: { runs: 0, falseAlarms: 60, undecided: 3, seconds: null, exposedRequests: null },
      notSimulated: [],
    },
    'a with b',
  );
  const text = `${lines.join('\n')}\n`;
  expect(text).toContain(
    '  completed    1,937  96.9 %\n  rolled back     60   3.0 %\n  aborted          3   0.1 %\n',
  );
  expect(text).toMatch(/ {2}duration +1m30s +1h\n/);
  expect(text).toMatch(
    /\nFalse alarms: 60, no slot was bad before\.\nWithout a verdict in time: 3, no slot was bad before\.\nThe first that was rolled back: green: 9 of 9 requests failed \(100 %\)\.\n {2}Back\.\nThe first that was aborted: Lost\.\n$/,
  );
});

describe('what it can not run with', () => {
  test('a bad scenario: every problem with its place', async () => {
    const bad = fileOf(
      'bad.yaml',
      'requests: { perSecond: -1 }\nslots: { red: { errorShare: 2 } }\nboom: 1\n',
    );
    const result = await clusterCanary(['simulate', plan, '--scenario', bad, '--json']);
    expect([result.status, result.stdout]).toEqual([2, '']);
    expect(result.stderr).toContain(`${bad}:1:13 requests.perSecond`);
    expect(result.stderr).toContain(`${bad}:3:1 boom`);
  });

  test('a bad plan, no scenario, too many runs, a scenario that is not there', async () => {
    const bad = fileOf('bad-plan.yaml', 'weights: {}\n');
    const results = await Promise.all([
      clusterCanary(['simulate', bad, '--scenario', healthy]),
      clusterCanary(['simulate', plan]),
      clusterCanary(['simulate', plan, '--scenario', healthy, '--runs', '0']),
      clusterCanary(['simulate', plan, '--scenario', healthy, '--runs', 'many']),
      clusterCanary(['simulate', plan, '--scenario', join(scratch, 'none.yaml')]),
      clusterCanary(['simulate', plan, '--scenario', scratch]),
      clusterCanary(['simulate', plan, '--scenario', healthy, '--seed', '4294967296']),
      clusterCanary(['simulate', plan, '--scenario', healthy, '--report', healthy]),
    ]);
    expect(results.map(({ status, stdout }) => [status, stdout])).toEqual(results.map(() => [2, '']));
    expect(results.map(({ stderr }) => stderr)).toEqual([
      expect.stringContaining('bad-plan.yaml:1:1 router'),
      expect.stringContaining('--scenario'),
      expect.stringContaining('It must be a whole number from 1 to 1000000.'),
      expect.stringContaining('whole number'),
      expect.stringMatching(/none\.yaml: must be a scenario, in YAML or JSON; there is no such file$/m),
      expect.stringContaining(`${scratch}: must be a file; it is a folder`),
      expect.stringContaining('It must be a whole number from 0 to 4294967295.'),
      expect.stringContaining('must be a folder; there is a file of that name'),
    ]);
    results.forEach(({ stderr }) => expect(stderr).not.toContain('    at '));
  });
});
