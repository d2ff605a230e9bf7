import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onCleanUp } from './clean-up';
import type { HubEks } from './hub-eks';

/**
 * EKS of two parts: what is asked of access entries goes to the one that knows them, all else to moto.
 *
 * @param upstream of moto's proxy
 * @returns where it listens
 */
export async function eksFront(entries: HubEks, upstream: string): Promise<string> {
  const server = createServer((asked, answer) => {
    if (/^\/clusters\/[^/]+\/access-entries/.test(asked.url!)) {
      void entries.serve(asked, answer);
      return;
    }
    const { method, url, headers } = asked;
    const onward = request(new URL(url!, upstream), { method, headers, agent: false }, (found) => {
      answer.writeHead(found.statusCode!, found.headers);
      found.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    asked.pipe(onward);
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  onCleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
