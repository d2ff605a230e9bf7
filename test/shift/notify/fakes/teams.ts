import { Receiver } from '../receiver';
import type { Answer } from '../receiver';
import { contextWith } from './fake';
import type { SinkFake } from './fake';

const well: Answer = (_got, response) => response.writeHead(202).end();

export const fake: SinkFake = {
  least: { webhookUrl: { file: 'teams' } },
  secretKeys: ['webhookUrl'],
  start: async () => {
    const receiver = await Receiver.start(well);
    const url = `${receiver.url}/workflows/secret-in-path/triggers?sig=secret-in-query`;
    return {
      settings: { webhookUrl: { file: 'teams' } },
      context: contextWith({
        readFile: () => Promise.resolve(url),
        http: receiver.standIn('https://nowhere.example'),
      }),
      ...{ receiver, well, secrets: ['secret-in-path', 'secret-in-query'] },
    };
  },
};
