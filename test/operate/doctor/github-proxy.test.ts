import { nodeHttp } from '../../../lib/operate/doctor/github/http';
import type { SilentProxy } from '../../silent-proxy';
import { silentProxy } from '../../silent-proxy';

let silent: SilentProxy;

beforeEach(async () => {
  silent = await silentProxy();
});
afterEach(() => silent.close());

test.each(['http', 'socks5'])(
  'a silent proxy by %s ends with the time, and so does its connection',
  async (scheme) => {
    const route = { proxy: `${scheme}://127.0.0.1:${silent.port}`, insecure: false };
    const request = { method: 'GET', url: 'https://127.0.0.1:1/', authorization: 'Bearer x', route } as const;
    await expect(nodeHttp(50).send(request, new AbortController().signal)).rejects.toThrow(
      /^no answer within 0.05 s by the proxy/,
    );
    await silent.left;
  },
);
