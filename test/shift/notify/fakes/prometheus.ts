import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { contextWith } from './fake';
import type { SinkFake } from './fake';

/** Prometheus asks: there is no receiver that could fail. */
export const fake: SinkFake = {
  least: {},
  secretKeys: [],
  start: async () => {
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    return { settings: { listen: `127.0.0.1:${port}` }, context: contextWith({}), secrets: [] };
  },
};
