import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { keptText } from '../../lib/shift/history/kept-shift';
import { keptShift, simulatedOutcome } from '../shift/history/shifts';
import { root, scratch } from './run-cli';
import { clusterCanary } from './run-here';

jest.setTimeout(120_000);

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
const schema = (name: string) => JSON.parse(readFileSync(join(root, 'schemas', name), 'utf8'));
ajv.addSchema(schema('shift.json'));
const isReplay = ajv.compile(schema('replay.json'));
const documentOf = (text: string): any => {
  const document = JSON.parse(text);
  expect([isReplay(document), isReplay.errors]).toEqual([true, null]);
  return document;
};
const file = (name: string, text: string): string => {
  writeFileSync(join(scratch, name), text);
  return join(scratch, name);
};

const planOf = (max: number, more = '') => `
router: { simulated: }
slots: { blue: , green: }
weights: { green: 100 }
shift:
  step: 25
  every: 2m
  bake: 4m
  checks:
    - cloudWatch.errorShare: { max: ${max}, minRequests: 100 }
    - targetHealth:
${more}`;

/** Green fails more often from 5 minutes on. */
const outcome = simulatedOutcome({
  slots: { green: { errorShare: 0.02, changes: [{ from: '5m', errorShare: 0.6 }] } },
});

test('of a file: where it was taken back, and where this plan would have done so', async () => {
  const record = file('outcome.json', JSON.stringify(outcome));
  const plan = file('strict.yaml', planOf(0.01));
  const out = join(scratch, 'out');
  const { status, stdout, stderr } = await clusterCanary([
    'simulate',
    plan,
    '--from',
    record,
    '--report',
    out,
  ]);
  expect(status).toBe(0);
  expect(stderr).toBe(`report: ${join(out, 'report.html')}\n`);
  expect(stdout).toMatch(
    new RegExp(
      [
        `^Replay of ${record} with ${plan}`,
        '',
        '  it was       rolled back after [67]m\\S*, at blue \\d+, green \\d+',
        ' +green: .* requests failed .*',
        '  it would be  rolled back after [34]m\\S*, at blue 75, green 25',
        ' +green: .* requests failed .*',
        '',
        'This plan would have decided otherwise\\.',
        'By the bounds of this plan: cloudWatch\\.errorShare, targetHealth\\.',
        'Figures are those of the weights that were live then; pauses last no time\\.\n$',
      ].join('\n'),
    ),
  );
  expect(readFileSync(join(out, 'report.html'), 'utf8')).toContain('No traffic was moved.');
  const json = documentOf((await clusterCanary(['simulate', plan, '--from', record, '--json'])).stdout);
  expect(json).toMatchObject({
    same: false,
    recorded: { verdict: 'rolledBack' },
    replayed: { verdict: 'rolledBack' },
  });
});

test("of a name in the plan's history", async () => {
  const kept = keptShift(1);
  mkdirSync(join(scratch, 'kept'));
  file(`kept/${kept.run.id}.json`, keptText(kept));
  const plan = file('kept.yaml', planOf(0.05, 'history: { folder: kept }\n'));
  const { status, stdout } = await clusterCanary(['simulate', plan, '--from', kept.run.id, '--json']);
  expect(status).toBe(0);
  expect(documentOf(stdout)).toMatchObject({ same: true, replayed: { verdict: 'completed' } });
  const none = await clusterCanary(['simulate', plan, '--from', kept.run.id.replace(/.$/, 'x'), '--json']);
  expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('there is no such file')]);
  const other = await clusterCanary(['simulate', plan, '--from', '20200102t030405z-web-1f0c9a3b']);
  expect([other.status, other.stderr]).toEqual([
    2,
    expect.stringContaining('the name of a shift in folder kept'),
  ]);
});

test.each<[string, readonly string[], string]>([
  ['neither a scenario nor a shift', [], '--scenario: is required'],
  ['both', ['--from', 'outcome.json', '--scenario', 'a.yaml'], '--scenario: conflicts with --from'],
  ['how often', ['--from', 'outcome.json', '--runs', '1000'], '--runs: conflicts with --from'],
  ['a seed', ['--from', 'outcome.json', '--seed', '1'], '--seed: conflicts with --from'],
  ['a route of a scenario', ['--scenario', 'a.yaml', '--route', 'web'], '--route: conflicts with --scenario'],
  ['a file that is none', ['--from', 'plan.yaml'], 'must be the outcome of a shift'],
  ['a file that is not there', ['--from', 'none.json'], 'there is no such file'],
])('%s is refused', async (_, args, said) => {
  file('plan.yaml', planOf(0.01));
  const { status, stdout, stderr } = await clusterCanary(['simulate', 'plan.yaml', ...args], {
    cwd: scratch,
  });
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain(said);
});
