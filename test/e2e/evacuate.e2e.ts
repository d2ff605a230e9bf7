import type { CommandResult } from './bench/command';
import { startCommand } from './bench/command';
import type { Outcome } from './bench/pulumi-outcome';
import type { LiveWeights, ShiftBench } from './bench/pulumi-shift';
import { quick, shiftBench } from './bench/pulumi-shift';
import type { ShiftProgramOptions } from './bench/shift-program';

/** The tests are the life of one stack, in this order. */
let bench: ShiftBench;

beforeAll(async () => {
  bench = await shiftBench();
});

const toGreen = { blue: 0, green: 100 };
const at = (green: number): LiveWeights => ({ 'blue-web': 100 - green, 'green-web': green });
// A process takes its time to start on a busy machine.
const slow = { ...quick, every: '30s', checkEvery: '2s' } as const;

const up = (options: Partial<ShiftProgramOptions> = {}, refresh = false): Promise<Outcome> =>
  bench.stack.up({ program: bench.program({ shift: quick, ...options }), refresh });
/** No target group has a target here. */
const evacuate = (slot: string, ...args: string[]): Promise<CommandResult> =>
  startCommand(bench.aws.env, 'evacuate', slot, ...args).result;

test('without a healthy target it writes nothing, and lists what there is', async () => {
  expect(await up()).toMatchObject({ succeeded: true, errors: [] });
  await bench.setWeights({ 'apps-blue-web': 50, 'apps-green-web': 50 });
  const since = Date.now();
  const { status, stdout } = await evacuate('apps-green', '--yes');
  expect([status, bench.writes(since)]).toEqual([2, []]);
  expect(stdout).toContain('blue: weight 50, 0 healthy targets');
  await bench.setWeights({ 'apps-blue-web': 100, 'apps-green-web': 0 });
});

test('a shift that runs in pulumi up ends without another write', async () => {
  const since = Date.now();
  const running = up({ weights: toGreen, shift: slow });
  await bench.written(1, since);
  const before = Date.now();
  const { status, stdout, stderr } = await evacuate('green', '--yes', '--force', '--json');
  expect([status, stderr]).toEqual([0, expect.stringContaining('blue 100, green 0')]);
  expect(JSON.parse(stdout)).toMatchObject({ verdict: 'evacuated', slot: 'green', problems: [] });
  const { succeeded, errors } = await running;
  expect([succeeded, errors.join('\n')]).toEqual([
    false,
    expect.stringContaining('slot green was evacuated at'),
  ]);
  expect(bench.writes(before)).toEqual([at(0)]);
  expect(await bench.weights()).toEqual(at(0));
});

test.each([false, true])(
  'the next pulumi up, with refresh: %s, explains itself and does not undo it',
  async (refresh) => {
    const since = Date.now();
    const { succeeded, errors } = await up({ weights: toGreen }, refresh);
    expect(succeeded).toBe(false);
    expect(errors.join('\n')).toContain('slot green was evacuated at');
    expect(errors.join('\n')).toContain('cluster-canary evacuate FLEET-green --forget');
    expect([bench.writes(since), await bench.weights()]).toEqual([[], at(0)]);
  },
);

test('after --forget the slot gets its traffic again', async () => {
  const { status, stdout } = await evacuate('apps-green', '--forget');
  expect([status, stdout]).toEqual([0, expect.stringContaining('shifts may give green traffic again')]);
  expect(await up({ weights: toGreen }, true)).toMatchObject({ succeeded: true, errors: [] });
  expect(await bench.weights()).toEqual(at(100));
});

test('of a slot that has everything, the traffic goes where it was; a program that wants it so ends the evacuation', async () => {
  expect((await evacuate('apps-green', '--yes', '--force')).status).toBe(0);
  expect(await bench.weights()).toEqual(at(0));
  expect(await up({ weights: { blue: 100 } }, true)).toMatchObject({ succeeded: true, errors: [] });
  expect((await evacuate('apps-green', '--forget')).stdout).toContain('there was no evacuation of green');
});
