import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { timeBefore } from '../../lib/cli/actions/watch';
import { recordLines } from '../../lib/cli/actions/watch-record';
import type { LeaseLook, ShiftRecord } from '../../lib/shift/engine';
import type { ShiftStatus } from '../../lib/shift/watch';
import { samples } from '../shift/notify/events';
import { scratch } from './run-cli';
import { clusterCanary } from './run-here';
import { closed, env, leases, plan } from './watch-world';

test.each<[string, Partial<ShiftStatus['soFar']> | undefined, readonly (string | undefined)[]]>([
  ['known', { writtenAt: 1_000, pausedSince: 2_000 }, ['00:00:00', '00:00:01', '00:00:02']],
  ['not known', undefined, ['00:00:00', undefined, undefined]],
])('the time of what was there before it is watched: %s', (_, soFar, expected) => {
  const status = { progress: { startedAt: 0 }, ...(soFar && { soFar }) } as ShiftStatus;
  const { started, stepWritten, paused } = samples;
  expect([started, stepWritten, paused].map((event) => timeBefore(event, status)?.slice(11, 19))).toEqual(
    expected,
  );
  expect(timeBefore(samples.checkAnswered, status)).toBe(samples.checkAnswered.at);
});

test('a plan without a lease, flags that do not go together: 2', async () => {
  const refused = async (file: string, ...flags: readonly string[]) => {
    const { status, stderr } = await clusterCanary(['watch', file, ...flags], { env, cwd: scratch });
    expect(status).toBe(2);
    return stderr;
  };
  expect(await refused(plan, '--hold', '--back')).toContain('--hold: must be without --back');
  expect(await refused(plan, '--hold', '--json')).toContain('--hold: must be without --json');
  expect(await clusterCanary(['watch', plan], { env, cwd: scratch })).toMatchObject({
    status: 2,
    stdout: 'No shift of this plan has been recorded yet.\n',
  });
  const alone = join(scratch, 'alone.yaml');
  writeFileSync(alone, readFileSync(closed, 'utf8').replace(/lease: .*/, ''));
  expect(await refused(alone)).toContain('lease: must be a lease: without one a shift is known to its own');
});

test('without watch: true, what its lease knows is printed once; nothing is asked or written', async () => {
  const look = (...flags: readonly string[]) =>
    clusterCanary(['watch', closed, ...flags], { env, cwd: scratch });
  expect(await look()).toMatchObject({ status: 2, stdout: 'No shift of this plan has been recorded yet.\n' });
  const shifting = ['shift', closed, '--to-pause'];
  expect(await clusterCanary(shifting, { env, cwd: scratch })).toMatchObject({ status: 0 });
  const before = JSON.stringify([...leases]);
  const paused = await look();
  expect([paused.status, paused.stdout.split('\n')]).toEqual([
    1,
    [
      expect.stringMatching(/^From blue 100, green 0 to blue 0, green 100, since 20.*Z\.$/),
      'Last write: blue 90, green 10 (step 1 of 3, 10 % of the way).',
      'The plan pauses there, at 10 % of the way, until a person lets it continue.',
      'No process runs it. Run the same shift again: it continues where it was.',
      'With "watch: true" in the plan, watch also shows checks, follows the shift, and lets people answer.',
      '',
    ],
  ]);
  const refused = async (flag: string) => {
    const { status, stderr } = await look(flag);
    expect(status).toBe(2);
    return stderr;
  };
  const needs = 'must be left out: it needs "watch: true" in the plan; ';
  expect(await refused('--continue')).toContain(
    `--continue: ${needs}to continue beyond a pause, run "shift --resumed PLACE"`,
  );
  expect(await refused('--hold')).toContain(`--hold: ${needs}to hold it, interrupt its process`);
  expect(await refused('--back')).toContain(
    `--back: ${needs}to take the traffic back, run "shift --roll-back REASON"`,
  );
  expect(await refused('--json')).toContain(`--json: ${needs}without it, "watch" prints once`);
  expect(JSON.stringify([...leases])).toBe(before);
  expect([...leases.keys()]).toHaveLength(1);

  const onward = ['shift', closed, '--resumed', '10'];
  expect(await clusterCanary(onward, { env, cwd: scratch })).toMatchObject({ status: 0 });
  const { status, stdout } = await look();
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(
      /\(step 3 of 3, 100 % of the way\)\.\nIt ended 20.*: completed, with blue 0, green 100 live\.\n/,
    ),
  ]);
});

test.each<[string, Partial<ShiftRecord>, Partial<LeaseLook>, RegExp]>([
  [
    'it runs',
    {},
    { holder: 'alex@ci', expiresAt: 60_000 },
    /\nalex@ci runs it, and holds its lease until 1970-01-01T00:01:00.000Z\.\n/,
  ],
  [
    'it holds',
    { heldBy: 'kim' },
    { holder: 'alex@ci' },
    /\nIt holds there, as kim asked\.\n[^]*\nalex@ci runs it\.\n/,
  ],
  [
    'it goes back',
    { rollingBack: true },
    {},
    /green 10 \(step 1 of 3, 10 % of the way\)\.\nIt takes the traffic back\.\nNo process/,
  ],
  [
    'agreed to',
    { approvals: [{ place: 10, by: 'kim', at: 1 }] },
    {},
    /way\)\.\nBeyond 10 % of the way since .*Z, by kim\.\nNo/,
  ],
  ['at its start', { written: { blue: 100, green: 0 } }, {}, /green 0 \(no step of 3\)\./],
  ['beside the steps', { written: { blue: 70, green: 30 } }, {}, /Last write: blue 70, green 30\.\n/],
  ['the plan has changed', { wanted: { blue: 50, green: 50 } }, {}, /Last write: blue 90, green 10\.\n/],
  ['aborted', { ended: { at: 1, verdict: 'aborted', live: null } }, {}, /\nIt ended .*Z: aborted\.\nWith/],
  ['evacuated', { evacuated: { slots: ['green'], by: 'kim' } }, {}, /\nslot green was evacuated by kim\.\n/],
  ['a text from outside', { heldBy: 'a\u001b[31m\nb' }, {}, /as a\\u001b\[31m\\nb asked/],
])('what a lease knows: %s', (_, more, look, expected) => {
  const known = { slots: ['blue', 'green'], weights: { green: 100 } };
  const record: ShiftRecord = {
    ...{ origin: { blue: 100, green: 0 }, wanted: { blue: 0, green: 100 }, written: { blue: 90, green: 10 } },
    ...{ startedAt: 0, ...more },
  };
  const shift = { step: [10, 50], pause: [10] };
  expect(recordLines({ ...known, shift, watch: false }, look, record).join('\n')).toMatch(expected);
});
