import { samples } from '../events';
import { Receiver, json } from '../receiver';
import type { Answer } from '../receiver';
import { contextWith } from './fake';
import type { SinkFake } from './fake';

const well: Answer = (_got, response) => json(response, { partialSuccess: {} });

export const fake: SinkFake = {
  least: {},
  secretKeys: [],
  start: async () => {
    const receiver = await Receiver.start(well);
    const secret = 'Bearer secret-of-the-collector';
    return {
      settings: { endpoint: receiver.url, headers: { authorization: { env: 'A' } } },
      context: contextWith({ env: { A: secret }, http: receiver.standIn('https://nowhere.example') }),
      event: samples.ended,
      ...{ receiver, well, secrets: ['secret-of-the-collector'] },
    };
  },
};
