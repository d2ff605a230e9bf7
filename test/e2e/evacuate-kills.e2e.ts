import type { PlannedShift } from 'cluster-canary/plan-file';
import { eventually } from './bench/eventually';
import { ShiftCommandBench } from './bench/shift-command';

let bench: ShiftCommandBench;

beforeAll(async () => {
  bench = await ShiftCommandBench.start();
});

const at = (green: number) => ({ blue: 100 - green, green });
const quick: PlannedShift = { step: [10, 50], every: '100ms', checkEvery: '100ms', bake: '0s' };
const evacuation = (plan: string): string[] => ['evacuate', 'green', '--plan', plan, '--yes', '--force'];
const calls = (since: number): number => bench.aws.proxy.calls.filter((call) => call.at >= since).length;

/** With and without a shift that runs. */
describe.each(['alone', 'beside a shift'])('%s', (how) => {
  test.each(Array.from({ length: 12 }, (_, index) => index))(
    'killed after call %i, a new run ends it',
    async (call) => {
      await bench.reset(at(50));
      const plan = bench.plan({ shift: { ...quick, every: '2s', checkEvery: '1s' } });
      const began = Date.now();
      const shift = how === 'alone' ? undefined : bench.start('shift', plan);
      await (shift && bench.written(1, began));
      const since = Date.now();
      const running = bench.start(...evacuation(plan));
      let isOver = false;
      void running.result.then(() => (isOver = true));
      await eventually(`call ${call}`, () => isOver || calls(since) > call, { every: 1 });
      running.kill();
      await running.result;
      const { status } = await bench.run(...evacuation(plan));
      expect(status).toBe(0);
      await shift?.result;
      expect(await bench.weights()).toEqual(at(0));
      expect((await bench.lease()).record).toMatchObject({ evacuated: { slots: ['green'] } });
      const refused = await bench.run('shift', plan);
      expect([refused.status, await bench.weights()]).toEqual([2, at(0)]);
    },
  );
});
