import { systemClock } from '../../../lib/core/async';
import type { CheckResult, CheckStage, CheckWindow } from '../../../lib/shift/engine';
import { CheckCalls } from '../../../lib/shift/engine/driver/check-calls';

const live = { blue: 90, green: 10 };

test('a check that waits for its turn says so, and not that its calls hang', async () => {
  let now = 0;
  let answer: (() => void) | undefined;
  const calls = new CheckCalls(
    [
      {
        name: 'slow',
        stages: ['before', 'after'],
        evaluate: () =>
          new Promise<CheckResult>((resolve) => {
            answer = () => resolve({ status: 'pass', reason: 'well', figures: [] });
          }),
      },
    ],
    {
      ...{ everyMs: 10_000, timeoutMs: 60_000, wall: (at) => at, onAnswer: () => undefined },
      clock: { ...systemClock, now: () => now },
    },
  );
  const ask = async (stage: CheckStage): Promise<string> => {
    now += 1_000;
    const window: CheckWindow = {
      ...{ stage, from: 0, to: now, startedAt: 0, origin: live, live, wanted: live, writes: [] },
    };
    const { results } = await calls.ask(window, 0, AbortSignal.abort());
    return results.map(({ status, reason }) => `${status}: ${reason}`).join();
  };
  await ask('before');
  await ask('after');
  answer!();
  await new Promise(setImmediate);
  expect(await ask('before')).toBe('pass: well');
  expect(await ask('before')).toMatch(/^inconclusive: .*takes longer than checkEvery$/);
  calls.close();
});
