import { setTimeout as sleep } from 'node:timers/promises';
import { ResumeCalls } from '../../../lib/shift/engine/driver/resume-call';

/** Asks for a person who answers after a while, with calls that are given up sooner. */
async function asked(waits: boolean): Promise<{ readonly news: object; readonly log: readonly string[] }> {
  const log: string[] = [];
  const resume = { how: 'say so', waits, resumed: () => sleep(150, { by: 'kim' }) };
  const settings = {
    everyMs: 1_000,
    timeoutMs: 20,
    log: (text: string) => log.push(text),
    onAnswer: () => {},
  };
  const calls = new ResumeCalls(resume, settings);
  const news = await calls.ask(50, new AbortController().signal);
  calls.close();
  return { news, log };
}

test('a call that waits for a person is not given up; another one is, and that is logged', async () => {
  expect(await asked(true)).toEqual({
    news: { type: 'resumed', by: 'kim' },
    log: ['To let it go on: say so'],
  });
  expect(await asked(false)).toEqual({
    news: { type: 'notResumed' },
    log: ['To let it go on: say so', expect.stringContaining('It could not be read whether')],
  });
});
