import { Receiver } from '../receiver';
import { contextWith } from './fake';
import type { SinkFake } from './fake';

export const fake: SinkFake = {
  least: { url: { env: 'U' } },
  secretKeys: ['url', 'key'],
  start: async () => {
    const receiver = await Receiver.start((_got, response) => response.end());
    const key = `whsec_${Buffer.from('a key of the webhook, 32 bytes!!').toString('base64')}`;
    const url = `${receiver.url}/hooks/secret-in-path?token=secret-in-query`;
    return {
      settings: { url: { env: 'U' }, key: { env: 'K' } },
      context: contextWith({ env: { U: url, K: key }, http: receiver.standIn('https://nowhere.example') }),
      receiver,
      well: (_got, response) => response.end(),
      secrets: [key, 'secret-in-path', 'secret-in-query'],
    };
  },
};
