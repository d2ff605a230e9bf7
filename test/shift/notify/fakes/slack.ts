import { Receiver, json } from '../receiver';
import type { Answer } from '../receiver';
import { contextWith } from './fake';
import type { SinkFake } from './fake';

const well: Answer = (_got, response) => json(response, { ok: true, channel: 'C1', ts: '1.0' });

/** By a bot; `slack.test.ts` has the webhook. */
export const fake: SinkFake = {
  least: { token: { env: 'T' }, channel: 'C0123456789' },
  secretKeys: ['token', 'webhookUrl'],
  start: async () => {
    const receiver = await Receiver.start(well);
    const token = 'xoxb-secret-token-0123';
    let now = 0;
    // It waits between two updates.
    const clock = { now: () => (now += 10_000), sleep: () => Promise.resolve() };
    return {
      settings: { token: { env: 'T' }, channel: 'C0123456789' },
      context: contextWith({ env: { T: token }, http: receiver.standIn('https://slack.com'), clock }),
      ...{ receiver, well, secrets: [token], readsAnswers: true },
    };
  },
};
