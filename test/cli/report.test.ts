import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keptText } from '../../lib/shift/history/kept-shift';
import { hostile, keptShift, simulatedOutcome } from '../shift/history/shifts';
import type { Result } from './run-cli';
import { scratch } from './run-cli';
import { clusterCanary } from './run-here';

const folder = join(scratch, 'kept');
const first = keptShift(1, { fleet: 'apps', route: 'eu' });
const shift = { ...first, reason: 'green: 5 of 100 requests failed (5 %).\nThe traffic is back.' };
const { id } = shift.run;
mkdirSync(folder);
writeFileSync(join(folder, `${id}.json`), keptText(shift));
const file = (name: string, text: string): string => {
  writeFileSync(join(scratch, name), text);
  return join(scratch, name);
};

let reports = 0;
const newFolder = (): string => join(scratch, `report-${(reports += 1)}`);

/** What the files of a report say. */
const page = (out: string): string => readFileSync(join(out, 'report.html'), 'utf8');

test('of a kept shift by its name, of a plan and of a place', async () => {
  const plan = file(
    'plan.yaml',
    'router: { simulated: }\nslots: { blue: , green: }\nweights: { green: 100 }\nhistory: { folder: kept }\n',
  );
  for (const args of [
    ['--plan', plan],
    ['--store', `folder:${folder}`],
  ]) {
    const out = newFolder();
    const { status, stdout, stderr } = await clusterCanary(['report', id, ...args, '--out', out]);
    expect([status, stdout, stderr]).toEqual([0, '', `report: ${join(out, 'report.html')}\n`]);
    expect(page(out)).toContain('<title>Traffic shift of plan.yaml: eu: completed</title>');
    expect(page(out)).toContain(`Run by alex@laptop; kept as ${id}.`);
    expect(page(out)).toContain('5 of 100 requests failed');
    expect(existsSync(join(out, 'shift.svg'))).toBe(true);
  }
});

test('of a file, in the folder "report" by default', async () => {
  const cwd = join(scratch, 'cwd');
  mkdirSync(cwd);
  const outcome = file('outcome.json', JSON.stringify(simulatedOutcome()));
  const { status, stderr } = await clusterCanary(['report', outcome], { cwd });
  expect([status, stderr]).toEqual([0, `report: ${join('report', 'report.html')}\n`]);
  expect(page(join(cwd, 'report'))).toContain(`<title>Traffic shift of ${outcome}: completed</title>`);
});

test('of one route of several', async () => {
  const outcome = simulatedOutcome();
  const waves = file(
    'waves.json',
    JSON.stringify({ schemaVersion: 1, shifts: { eu: outcome, us: outcome, me: null } }),
  );
  const out = newFolder();
  expect(await clusterCanary(['report', waves, '--route', 'us', '--out', out])).toMatchObject({ status: 0 });
  expect(page(out)).toContain(`Traffic shift of ${waves}: us`);
  for (const args of [[], ['--route', 'me']]) {
    const refused = await clusterCanary(['report', waves, ...args, '--out', newFolder()]);
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringContaining(`must be one of eu, us, the routes of ${waves}`),
    ]);
  }
});

test('what is no outcome is refused in a sentence, and nothing is written', async () => {
  const out = newFolder();
  const huge = file('huge.json', '');
  truncateSync(huge, 32 * 2 ** 20 + 1);
  const { 'no origin': _taken, 'nested without end': _slow, ...texts } = hostile;
  const cases: [string, string, RegExp][] = [
    ...Object.entries(texts).map(([name, [text, said]], index): [string, string, RegExp] => [
      name,
      file(`hostile-${index}.json`, text),
      new RegExp(said.source.replace('$', '\\n')),
    ]),
    ['a huge file', huge, /more than 32 MiB/],
    ['a folder', folder, /a folder/],
    ['no file', join(scratch, 'none.json'), /there is no such file/],
  ];
  for (const [, path, said] of cases) {
    const { status, stdout, stderr } = await clusterCanary(['report', path, '--out', out]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(said);
    expect(stderr.split('\n').length).toBeLessThan(5);
  }
  expect(existsSync(out)).toBe(false);
});

test.each<[string, readonly string[], string]>([
  ['a name that is none', ['outcome.json', '--store', 'folder:.'], 'must be the name of a kept shift'],
  ['a shift that is not there', [id, '--store', 'folder:.'], 'must be the name of a shift in folder .'],
  ['a folder that is not there', [id, '--store', 'folder:none'], 'must be folder: and the path of a folder'],
  ['a place without shifts', [id, '--store', 'ssm'], 'must be a place of whole shifts'],
  ['a route of a kept shift', [id, '--route', 'eu', '--store', 'folder:.'], 'must be left out with --store'],
  ['a context without a cluster', [id, '--context', 'hub'], 'must be left out without --store kubernetes'],
  ['two places', [id, '--store', 'ssm', '--plan', 'plan.yaml'], '--store'],
])('%s is refused', async (_, args, said) => {
  const result: Result = await clusterCanary(['report', ...args, '--out', newFolder()], { cwd: scratch });
  expect([result.status, result.stdout]).toEqual([2, '']);
  expect(result.stderr).toContain(said);
  expect(result.stderr).toMatch(/^error: report: /);
});

test('a link in a history is not followed', async () => {
  const other = '20270101t000000z-link-00000000';
  symlinkSync(join(folder, `${id}.json`), join(folder, `${other}.json`));
  const { status, stderr } = await clusterCanary([
    'report',
    other,
    '--store',
    `folder:${folder}`,
    '--out',
    newFolder(),
  ]);
  expect(status).toBe(2);
  expect(stderr).toContain(`${other}.json: a link, which is not followed`);
});
