import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlanReports } from '../../lib/operate/planned-shift';
import type { ShiftOutcome, WavesOutcome } from '../../lib/shift/engine';
import Ajv2020 from 'ajv/dist/2020';
import type { Result } from './run-cli';
import { root, scratch } from './run-cli';
import { clusterCanary } from './run-here';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
const schema = JSON.parse(readFileSync(join(root, 'schemas/shift.json'), 'utf8'));
const isOutcome = ajv.compile(schema);

/** Each key of a type, with a compile error where one is missing. */
function keysOf<T>(keys: Readonly<Record<keyof T, true>>): readonly string[] {
  return Object.keys(keys).sort();
}

function documentOf(result: Result): any {
  const document = JSON.parse(result.stdout);
  expect([isOutcome(document), isOutcome.errors]).toEqual([true, null]);
  return document;
}

let files = 0;
function fileOf(text: string): string {
  files += 1;
  const file = join(scratch, `plan-${files}.yaml`);
  writeFileSync(file, text);
  return file;
}

test('the schema has each key of an outcome and of what is reported with it', () => {
  const reports: Readonly<Record<keyof PlanReports, true>> = { notifications: true, kept: true };
  const outcome = keysOf<ShiftOutcome & PlanReports>({
    ...{ schemaVersion: true, verdict: true, reason: true, failed: true, from: true, to: true, final: true },
    ...{ pausedAt: true, noRecord: true, leaseProblem: true, capacityProblem: true, approvals: true },
    ...{ startedAt: true, endedAt: true, writes: true, checks: true, log: true },
    ...reports,
  });
  const waves = keysOf<WavesOutcome & PlanReports>({
    ...{
      schemaVersion: true,
      verdict: true,
      reason: true,
      shifts: true,
      reverted: true,
      leaseProblems: true,
    },
    ...{ startedAt: true, endedAt: true },
    ...reports,
  });
  const { run, ...described } = schema.$defs.outcome.properties;
  expect(run).toBeDefined();
  expect(Object.keys(described).sort()).toEqual(outcome);
  expect(Object.keys(schema.$defs.waves.properties).sort()).toEqual(waves);
});

describe('a plan with a history', () => {
  const withHistory = (history: string, program = 'exit 0') => {
    return fileOf(`
router: { simulated: }
slots: { blue: , green: }
weights: { green: 100 }
shift:
  step: 50
  every: 60ms
  bake: 0s
  checks:
    - program: { name: smoke test, command: [sh, -c, ${JSON.stringify(program)}] }
history: ${history}
`);
  };

  test('keeps the document of each shift, and says where', async () => {
    const plan = withHistory('{ folder: kept }');
    const shifts = await clusterCanary(['shift', plan, '--json']);
    expect(shifts.status).toBe(0);
    const { kept, ...outcome } = documentOf(shifts);
    expect(kept).toEqual({
      place: 'folder kept',
      ids: [expect.stringMatching(/^\d{8}t\d{6}z-traffic-[0-9a-f]{8}$/)],
    });
    expect(shifts.stderr).toContain(`kept: ${kept.ids[0]} (folder kept)`);
    const { run, ...stored } = JSON.parse(readFileSync(join(scratch, 'kept', `${kept.ids[0]}.json`), 'utf8'));
    expect(stored).toEqual(outcome);
    expect(run).toEqual({ id: kept.ids[0], plan, route: 'traffic', by: expect.stringMatching(/.@./) });
  });

  test('that can not be written: it is said, and the exit status stays', async () => {
    writeFileSync(join(scratch, 'occupied'), '');
    for (const [program, status] of [
      ['exit 0', 0],
      ['exit 1', 1],
    ] as const) {
      const plan = withHistory('{ folder: occupied }', program);
      const [json, text] = await Promise.all([
        clusterCanary(['shift', plan, '--json']),
        clusterCanary(['shift', plan]),
      ]);
      expect([json.status, text.status]).toEqual([status, status]);
      expect(documentOf(json).kept).toEqual({
        place: 'folder occupied',
        ids: [],
        problem: expect.stringContaining('a file'),
      });
      expect(text.stderr).toMatch(/warning: the history has not all of it: folder occupied: .*: a file\n/);
    }
  });

  test('keeps a document for each route of a plan in waves, of what was taken back as well', async () => {
    const plan = fileOf(`
routes:
  eu: { router: { simulated: }, slots: &slots { blue: , green: } }
  us: { router: { simulated: }, slots: *slots }
waves: [[eu, us]]
weights: { green: 100 }
shift:
  step: 50
  every: 60ms
  bake: 0s
  checks:
    - program: { name: smoke test, command: [sh, -c, 'exit 1'] }
history: { folder: waves }
`);
    const result = await clusterCanary(['shift', plan, '--json']);
    const { kept, shifts, reverted } = documentOf(result);
    const routes = [...Object.values(shifts), ...Object.values(reverted)].filter((each) => each !== null);
    expect(readdirSync(join(scratch, 'waves')).sort()).toEqual(
      kept.ids.map((id: string) => `${id}.json`).sort(),
    );
    expect(kept.ids).toHaveLength(routes.length);
  });

  const slots = '{ blue: , green: }';
  test.each([
    ['of one route', `router: { simulated: }\nslots: ${slots}`],
    ['in waves', `routes: { eu: { router: { simulated: }, slots: ${slots} } }\nwaves: [[eu]]`],
    [
      'of several routes in waves',
      `routes: { eu: { router: { simulated: }, slots: ${slots} }, us: { router: { simulated: }, slots: ${slots} } }
waves: [[eu, us]]`,
    ],
  ])('%s reports its notifications too, in a document of the schema', async (_, routes) => {
    const plan = fileOf(`
${routes}
weights: { green: 100 }
shift: { step: 50, every: 60ms, bake: 0s }
history: { folder: notified }
notify: [{ webhook: { url: { env: ADDRESS } } }]
`);
    const { kept, notifications } = documentOf(await clusterCanary(['shift', plan, '--json']));
    expect(kept.place).toBe('folder notified');
    const report = { sink: 'notify[0] webhook', delivered: 0, undelivered: expect.any(Number) };
    expect(notifications).toEqual([{ ...report, problem: expect.stringContaining('ADDRESS') }]);
  });
});
