import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import type { ShiftRecord } from '../../lib/shift/engine';
import { ApiServer } from '../core/kubernetes/api-server';
import type { Result } from './run-cli';
import { root, scratch } from './run-cli';
import { clusterCanary } from './run-here';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
const validatorOf = (name: string) =>
  ajv.compile(JSON.parse(readFileSync(join(root, 'schemas', name), 'utf8')));
const [isOutcome, isDryRun] = [validatorOf('shift.json'), validatorOf('shift-dry-run.json')];

function documentOf(result: Result, validate = isOutcome): any {
  const document = JSON.parse(result.stdout);
  expect([validate(document), validate.errors]).toEqual([true, null]);
  return document;
}

let server: ApiServer;
/** The Lease on the API server, and whether a write that marks a record as ended is refused. */
let lease: any;
let refuseEnds: boolean;
const annotation = 'cluster-canary/shift-record';

beforeAll(async () => {
  server = await ApiServer.start();
  writeFileSync(join(scratch, 'hub.json'), server.kubeconfig());
});
afterAll(() => server.stop());
beforeEach(() => {
  lease = undefined;
  refuseEnds = false;
  let version = 0;
  server.script(({ method, path, body }) => {
    if (path === '/apis/coordination.k8s.io/v1') {
      const resources = [{ name: 'leases', kind: 'Lease', namespaced: true }];
      return { json: { kind: 'APIResourceList', groupVersion: 'coordination.k8s.io/v1', resources } };
    }
    const ends = String(body?.metadata?.annotations?.[annotation]).includes('"ended"');
    if (refuseEnds && ends) {
      return { status: 403, json: { kind: 'Status', reason: 'Forbidden', message: 'leases is forbidden' } };
    }
    if (method !== 'GET') {
      version += 1;
      lease = { ...body, metadata: { ...body.metadata, resourceVersion: String(version) } };
    }
    return lease
      ? { json: lease }
      : { status: 404, json: { kind: 'Status', reason: 'NotFound', message: 'leases not found' } };
  });
});

const recordOf = (): any => JSON.parse(lease.metadata.annotations[annotation]);

/** Leaves a record as a run does that has ended without giving it back. */
function leave(record: Partial<ShiftRecord> | string): void {
  const text =
    typeof record === 'string' ? record : JSON.stringify({ schemaVersion: 2, startedAt: 5, ...record });
  lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: 'seen by its path',
      namespace: 'apps',
      resourceVersion: '0',
      annotations: { [annotation]: text },
    },
    spec: { holderIdentity: '' },
  };
}

let files = 0;
/** A plan whose router forgets: each run finds what the plan says is live. */
function plan(live: number, wanted: number, { shift = 'step: 50', program = '' } = {}): string {
  const checks = program === '' ? '' : `, checks: [{ program: { command: ['${program}'] } }]`;
  const file = join(scratch, `record-plan-${(files += 1)}.yaml`);
  writeFileSync(
    file,
    `router: { simulated: { live: { blue: ${100 - live}, green: ${live} } } }
slots: { blue: , green: }
weights: { blue: ${100 - wanted}, green: ${wanted} }
lease: { kubernetes: { kubeconfig: ${join(scratch, 'hub.json')}, namespace: apps } }
shift: { every: 30ms, checkEvery: 30ms, bake: 30ms, ${shift}${checks} }
`,
  );
  return file;
}

const weights = (green: number) => ({ blue: 100 - green, green });
const toGreen = { origin: weights(0), wanted: weights(100), written: weights(100), before: [weights(50)] };

test('a shift back that fails ends where it began, whatever the record of the shift before says', async () => {
  leave(toGreen);
  const result = await clusterCanary(['shift', plan(100, 0, { program: 'false' }), '--json']);
  expect(result.status).toBe(1);
  expect(documentOf(result)).toMatchObject({
    verdict: 'rolledBack',
    from: weights(100),
    final: weights(100),
  });
  expect(result.stderr).toContain(
    'is given up: this plan wants blue 100, green 0. This run starts from the live weights.',
  );
  expect(recordOf()).toMatchObject({ origin: weights(100), ended: { verdict: 'rolledBack' } });
  // The control: the same shift without that record.
  lease = undefined;
  const control = await clusterCanary(['shift', plan(100, 0, { program: 'false' }), '--json']);
  expect(documentOf(control)).toMatchObject({
    verdict: 'rolledBack',
    from: weights(100),
    final: weights(100),
  });
});

test.each([
  [
    'goes on with it',
    { ...toGreen, written: weights(5), before: [weights(0)] },
    5,
    100,
    'goesOn',
    [10, 25, 50, 100],
  ],
  ['of another shift gives it up', toGreen, 100, 90, 'startsAnew', [99, 97, 95, 90]],
  [
    'finishes its rollback',
    { ...toGreen, written: weights(0), rollingBack: true },
    50,
    100,
    'finishesRollback',
    [0],
  ],
  [
    'of an ended one starts from the live weights',
    { ...toGreen, ended: { at: 9, verdict: 'completed', live: null } },
    50,
    60,
    'none',
    [51, 53, 55, 60],
  ],
] as const)(
  'a run %s, and writes what the dry run says',
  async (_does, record, live, wanted, use, writes) => {
    leave(record);
    const before = lease;
    const file = plan(live, wanted, { shift: 'step: geometric' });
    const said = documentOf(await clusterCanary(['shift', file, '--dry-run', '--json']), isDryRun);
    expect(lease).toEqual(before);
    expect(said.record).toMatchObject({
      use,
      from: weights(0),
      to: weights(100),
      startedAt: '1970-01-01T00:00:00.005Z',
    });
    expect([said.recordProblem, said.ends, said.heldBy]).toEqual([null, null, null]);
    expect(said.steps.map((step: any) => step.weights.green)).toEqual(writes);
    const text = await clusterCanary(['shift', file, '--dry-run']);
    expect(text.stdout).toMatch(/unfinished shift|The last shift, from blue 100, green 0/);
    const done = documentOf(await clusterCanary(['shift', file, '--json']));
    expect(done.writes.map((write: any) => write.weights.green)).toEqual(writes);
  },
);

test('weights that the record does not explain end a run, and the dry run says so', async () => {
  leave(toGreen);
  const said = documentOf(await clusterCanary(['shift', plan(70, 100), '--dry-run', '--json']), isDryRun);
  expect([said.record.use, said.ends.verdict, said.steps]).toEqual(['stops', 'aborted', []]);
  const result = await clusterCanary(['shift', plan(70, 100), '--json']);
  expect([result.status, documentOf(result).reason]).toEqual([
    1,
    expect.stringContaining('Another process changed the weights'),
  ]);
});

test('an unreadable record is said, by a dry run too, and a lease that is held', async () => {
  leave('{"origin":{"blue":"all"}}');
  lease.spec = { holderIdentity: 'somebody', renewTime: new Date().toISOString(), leaseDurationSeconds: 60 };
  const said = documentOf(await clusterCanary(['shift', plan(0, 100), '--dry-run', '--json']), isDryRun);
  expect([said.record, said.heldBy, said.recordProblem]).toEqual([
    null,
    'somebody',
    expect.stringContaining('origin: {"blue":"all"}'),
  ]);
  lease.spec = { holderIdentity: '' };
  const result = await clusterCanary(['shift', plan(0, 100)]);
  expect([result.status, result.stderr]).toEqual([
    0,
    expect.stringContaining("The record of the lease can't be read: origin: "),
  ]);
});

test('what a newer release wrote is left alone', async () => {
  leave('{"schemaVersion":3}');
  const before = lease;
  const result = await clusterCanary(['shift', plan(0, 100), '--json']);
  expect([result.status, documentOf(result).reason]).toEqual([
    2,
    expect.stringContaining('a newer release of cluster-canary wrote it (schemaVersion 3'),
  ]);
  const forget = await clusterCanary(['shift', plan(0, 100), '--forget']);
  expect([forget.status, forget.stderr]).toEqual([
    2,
    expect.stringMatching(/^error: Lease apps\/.*a newer release/),
  ]);
  expect(lease).toEqual(before);
});

test('--roll-back after a complete shift is status 2, and says how to go back; --if-recorded makes it 0', async () => {
  expect((await clusterCanary(['shift', plan(0, 100)])).status).toBe(0);
  expect(recordOf()).toMatchObject({ ended: { verdict: 'completed', live: weights(100) } });
  const back = await clusterCanary(['shift', plan(100, 100), '--roll-back', 'green is bad', '--json']);
  expect([back.status, documentOf(back)]).toMatchObject([
    2,
    { verdict: 'aborted', noRecord: true, writes: [], final: weights(100) },
  ]);
  expect(documentOf(back).reason).toMatch(
    /from blue 100, green 0 to blue 0, green 100, ended at .*set the weights that you want/s,
  );
  const either = await clusterCanary([
    'shift',
    plan(100, 100),
    '--roll-back',
    'green is bad',
    '--if-recorded',
  ]);
  expect([either.status, either.stdout]).toEqual([
    0,
    expect.stringMatching(/^Nothing to roll back: There is no record/),
  ]);
  // The control: a record that was kept.
  expect((await clusterCanary(['shift', plan(0, 100), '--keep-record'])).status).toBe(0);
  const kept = await clusterCanary(['shift', plan(100, 100), '--roll-back', 'green is bad', '--json']);
  expect([kept.status, documentOf(kept)]).toMatchObject([0, { verdict: 'rolledBack', final: weights(0) }]);
});

test('a complete shift whose record can not be marked as ended is no success', async () => {
  refuseEnds = true;
  const result = await clusterCanary(['shift', plan(0, 100), '--json']);
  expect([result.status, documentOf(result)]).toMatchObject([
    1,
    {
      verdict: 'completed',
      final: weights(100),
      leaseProblem: expect.stringContaining('could not be marked as ended'),
    },
  ]);
  expect(recordOf()).not.toHaveProperty('ended');
  refuseEnds = false;
  // Its lease expires.
  lease.spec = { holderIdentity: '' };
  const forget = await clusterCanary(['shift', plan(0, 100), '--forget']);
  expect([forget.status, forget.stdout]).toEqual([
    0,
    expect.stringContaining('the shift from blue 100, green 0 to blue 0, green 100 is forgotten'),
  ]);
  expect(recordOf()).toMatchObject({ ended: { verdict: 'forgotten' } });
});
