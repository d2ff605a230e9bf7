import { httpsTransport } from '../../../lib/core/kubernetes/transport';
import type { SilentProxy } from '../../silent-proxy';
import { silentProxy } from '../../silent-proxy';

let silent: SilentProxy;

beforeEach(async () => {
  silent = await silentProxy();
});
afterEach(() => silent.close());

describe.each(['http', 'socks5'])('a proxy by %s that says nothing', (scheme) => {
  const transport = () =>
    httpsTransport(
      { server: 'https://127.0.0.1:1', proxyUrl: `${scheme}://127.0.0.1:${silent.port}`, user: {} },
      {},
    );
  const request = { method: 'GET', path: '/livez', headers: {}, longest: 1_000 };

  test('is given up in time', async () => {
    const opened = transport();
    await expect(opened.send({ ...request, timeout: 50 })).rejects.toThrow('no answer within 0.05 s');
    opened.close();
    if (scheme === 'http') {
      await silent.left;
    }
  });

  test('is given up at once by a signal', async () => {
    const opened = transport();
    const abort = new AbortController();
    const sent = opened.send({ ...request, timeout: 20_000, signal: abort.signal });
    const reason = new Error('enough');
    abort.abort(reason);
    await expect(sent).rejects.toBe(reason);
    opened.close();
  });
});
