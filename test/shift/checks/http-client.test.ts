import { webcrypto } from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import * as x509 from '@peculiar/x509';
import { httpClient } from '../../../lib/core/http';

x509.cryptoProvider.set(webcrypto as any);

/** A certificate for this machine that nobody has signed but itself. */
async function selfSigned(): Promise<{ cert: string; key: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=127.0.0.1',
    keys: keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true),
      new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }]),
    ],
  });
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: cert.toString('pem'), key: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY') };
}

test('trusts an authority that it is given, and no unknown one', async () => {
  const { cert, key } = await selfSigned();
  const server = https.createServer({ cert, key }, (_request, response) => response.end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const request = { method: 'GET', url, headers: {} } as const;
  try {
    const answer = await httpClient().send({ ...request, certificateAuthority: cert });
    expect([answer.status, answer.text]).toEqual([200, '{}']);
    await expect(httpClient().send(request)).rejects.toThrow(/self-signed certificate/);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

test('a server that changes the protocol has not answered, and nobody waits for it', async () => {
  const server = http.createServer((_request, response) => {
    response.writeHead(101, { connection: 'upgrade', upgrade: 'x' });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const begun = performance.now();
  await expect(httpClient().send({ method: 'GET', url, headers: {} })).rejects.toThrow(
    /the server ended the connection|socket hang up/,
  );
  expect(performance.now() - begun).toBeLessThan(5_000);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
