import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Prometheus: errors are none until so many questions were asked. With a folder beside it that is asked for in vain. */
export async function hangingPrometheus(failsFrom: number) {
  const asked: number[] = [];
  const server = createServer((request, response) => {
    if (request.url!.startsWith('/hangs')) {
      return;
    }
    asked.push(Date.now());
    const value = [Date.now() / 1000, asked.length >= failsFrom ? '0.5' : '0'];
    const data = { resultType: 'vector', result: [{ metric: {}, value }] };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status: 'success', data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    asked,
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
