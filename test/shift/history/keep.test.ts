import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import * as fc from 'fast-check';
import { InvalidInput } from '../../../lib/core/validation';
import { keepShifts, keptLines, readShifts } from '../../../lib/shift/history';
import type { ShiftHistory } from '../../../lib/shift/history';
import { shiftId, shiftIdForm } from '../../../lib/shift/history/kept-shift';
import { parsePlan, shiftAccessByCluster, shiftPermissions, shiftRoles } from '../../../lib/shift/plan-file';
import { plainPlan, wavesPlan } from '../plan-file/plans';
import { bad, simulatedOutcome } from './shifts';

const scratch = mkdtempSync(join(tmpdir(), 'kept-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const outcome = simulatedOutcome();
const ended = { route: 'traffic', routerId: 'rule', outcome };
const plan = join(scratch, 'plan.yaml');

test('a document is the outcome, with where it comes from, below the folder of the plan', async () => {
  const report = await keepShifts({ folder: 'shifts' }, [ended], { plan, fleet: 'apps', by: 'alex@laptop' });
  const id = shiftId('traffic', 'rule', outcome);
  expect(report).toEqual({ place: 'folder shifts', ids: [id] });
  expect(keptLines(report!)).toEqual([`kept: ${id} (folder shifts)`]);
  expect(readdirSync(join(scratch, 'shifts'))).toEqual([`${id}.json`]);
  const document = JSON.parse(readFileSync(join(scratch, 'shifts', `${id}.json`), 'utf8'));
  expect(document).toEqual({
    ...outcome,
    run: { id, plan, route: 'traffic', fleet: 'apps', by: 'alex@laptop' },
  });
  const isOutcome = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
    JSON.parse(readFileSync(join(__dirname, '../../../schemas/shift.json'), 'utf8')),
  );
  expect([isOutcome(document), isOutcome.errors]).toEqual([true, null]);
});

test.each([
  ['was to roll back, and had no record', { noRecord: true }],
  ['could not read the live weights', { from: null, writes: [] }],
])('of a run that %s there is nothing to keep', async (_, own) => {
  const none = { ...ended, outcome: { ...outcome, ...own } };
  expect(await keepShifts({ folder: 'none' }, [none], { plan })).toBeUndefined();
});

test('what can not be kept is said, and nothing is thrown', async () => {
  const closed: string[] = [];
  const opening = (keep: ShiftHistory['keep']) => () =>
    Promise.resolve({
      history: { name: 'there', keep, list: jest.fn(), read: jest.fn() },
      close: () => void closed.push('closed'),
    });
  const refuse = () => Promise.reject(new Error(bad));
  const hang = () => new Promise<void>(() => undefined);
  const settings = { folder: 'any' };
  const refused = await keepShifts(settings, [ended], { plan, open: opening(refuse) });
  expect(refused).toEqual({ place: 'there', ids: [], problem: expect.stringMatching(/^EVIL [\x20-\x7e]*$/) });
  expect(keptLines(refused!)).toEqual([
    expect.stringMatching(/^warning: the history has not all of it: there: EVIL /),
  ]);
  const slow = await keepShifts(settings, [ended], { plan, open: opening(hang), timeoutMs: 20 });
  expect(slow!.problem).toBe('no answer within 0.02 s');
  const killed = await keepShifts(settings, [ended], {
    plan,
    open: opening(hang),
    signal: AbortSignal.timeout(20),
  });
  expect(killed!.problem).toBe('interrupted');
  expect(closed).toHaveLength(3);
  const unopened = await keepShifts(settings, [ended], {
    plan,
    open: () =>
      Promise.reject(
        new InvalidInput('kubeconfig', [{ path: 'context', value: 'hub', allowed: 'a context' }]),
      ),
  });
  expect(unopened).toMatchObject({ place: 'folder', ids: [], problem: expect.stringContaining('context') });
});

test('names are in the order of time, fit all histories, and differ where runs do', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string({ maxLength: 100 }), fc.string(), fc.integer({ min: 0, max: 4e12 })), {
        maxLength: 5,
      }),
      (runs) => {
        const named = runs.map(([route, router, at]) => {
          const startedAt = new Date(at).toISOString();
          return {
            startedAt,
            id: shiftId(route, router, { startedAt }),
            run: JSON.stringify([router, startedAt]),
          };
        });
        for (const { id, startedAt } of named) {
          expect(id).toMatch(shiftIdForm);
          for (const other of named) {
            if (startedAt.slice(0, 19) < other.startedAt.slice(0, 19)) {
              expect(id < other.id).toBe(true);
            }
          }
        }
        const ids = new Set(named.map(({ id }) => id));
        expect(ids.size).toBeGreaterThanOrEqual(new Set(named.map(({ run }) => run)).size);
      },
    ),
  );
});

test('what `shift --json` prints is read, for one route and for several', () => {
  expect(readShifts('a', JSON.stringify(outcome))).toEqual([{ outcome }]);
  expect(readShifts('a', JSON.stringify({ schemaVersion: 1, seed: 1, shift: outcome }))).toEqual([
    { outcome },
  ]);
  const waves = { schemaVersion: 1, verdict: 'completed', shifts: { eu: outcome, us: null }, reverted: {} };
  expect(readShifts('a', JSON.stringify(waves))).toEqual([{ outcome, route: 'eu' }]);
  expect(
    readShifts('a', JSON.stringify({ ...waves, shifts: { eu: outcome, us: { ...outcome, to: 7 } } })),
  ).toMatch(/^a: us: it is no outcome of a shift: to: 7/);
});

describe('rights, statement by statement', () => {
  const role = 'arn:aws:iam::123456789012:role/records';
  const withHistory = (history: string, base = plainPlan) =>
    parsePlan(`${base}history: ${history}\n`, 'plan.yaml');
  const ofHistory = (history: string, of?: string) => {
    const before = shiftPermissions(parsePlan(plainPlan, 'plan.yaml'));
    const known = before.map(({ Sid }) => Sid);
    return shiftPermissions(withHistory(history), of).filter(({ Sid }) => !known.includes(Sid));
  };

  test('a bucket: objects are created below the prefix, and never overwritten', () => {
    expect(ofHistory('{ s3: { bucket: records, prefix: teams/web } }')).toEqual([
      {
        Sid: 'KeepShifts',
        Effect: 'Allow',
        Action: ['s3:PutObject'],
        Resource: ['arn:aws:s3:::records/teams/web/*'],
        Condition: { Null: { 's3:if-none-match': ['false'] } },
      },
    ]);
    expect(ofHistory('{ s3: { bucket: records, region: cn-north-1 } }')[0]!.Resource).toEqual([
      'arn:aws-cn:s3:::records/cluster-canary/shifts/*',
    ]);
  });

  test('a bucket by a role: that role alone', () => {
    const history = `{ s3: { bucket: records, roleArn: "${role}" } }`;
    expect(shiftRoles(withHistory(history))).toEqual([role]);
    expect(ofHistory(history)).toEqual([expect.objectContaining({ Sid: 'TakeOnRoles', Resource: [role] })]);
    expect(ofHistory(history, role)).toEqual([expect.objectContaining({ Action: ['s3:PutObject'] })]);
  });

  test('ConfigMaps: created and listed in the namespace, changed by name', () => {
    const plans = withHistory('{ kubernetes: { namespace: records, context: hub, keep: 2 } }', wavesPlan);
    expect(shiftAccessByCluster(plans)).toEqual([
      {
        cluster: { context: 'hub' },
        rules: [
          { apiGroups: [''], resources: ['configmaps'], namespace: 'records', verbs: ['create', 'list'] },
          {
            ...{ apiGroups: [''], resources: ['configmaps'], namespace: 'records', verbs: ['update'] },
            resourceNames: ['cluster-canary-shift-01', 'cluster-canary-shift-02'],
          },
        ],
      },
    ]);
  });

  test('a folder needs none', () => {
    expect(ofHistory('{ folder: shifts }')).toEqual([]);
    expect(shiftAccessByCluster(withHistory('{ folder: shifts }'))).toEqual([]);
  });
});

test.each([
  ['{}', 'history: must be an object with exactly one of "folder", "kubernetes", "s3"'],
  ['{ folder: a, s3: { bucket: records } }', 'history: must be an object with exactly one of'],
  ['{ ssm: {} }', 'known keys: folder, kubernetes, s3'],
  ['{ s3: { bucket: UPPER } }', 'history.s3.bucket: "UPPER": must be the name of a bucket'],
  ['{ s3: { bucket: records, prefix: a/ } }', 'history.s3.prefix: "a/"'],
  ['{ s3: { bucket: records, prefix: "a*" } }', 'history.s3.prefix: "a*"'],
  ['{ kubernetes: {} }', 'history.kubernetes.namespace: is required'],
  ['{ kubernetes: { namespace: a, keep: 101 } }', 'history.kubernetes.keep: 101'],
])('settings %s are refused', (history, said) => {
  expect(() => parsePlan(`${plainPlan}history: ${history}\n`, 'plan.yaml')).toThrow(said);
});
