import { Receiver } from '../receiver';
import { contextWith } from './fake';
import type { SinkFake } from './fake';

export const fake: SinkFake = {
  least: { url: 'http://127.0.0.1:9091' },
  secretKeys: [],
  start: async () => {
    const receiver = await Receiver.start((_got, response) => response.end());
    const secret = 'Bearer secret-of-the-pushgateway';
    return {
      settings: { url: receiver.url, headers: { authorization: { env: 'A' } } },
      context: contextWith({ env: { A: secret }, http: receiver.standIn('https://nowhere.example') }),
      ...{ receiver, well: (_got, response) => response.end(), secrets: ['secret-of-the-pushgateway'] },
    };
  },
};
