import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { awsClients } from '../../../lib/core/aws/clients';
import { callAws } from '../../../lib/core/aws/errors';
import { limitedAnswer } from '../../../lib/core/aws/requests';

test('an answer of AWS without an end is given up, and is no answer', async () => {
  const part = Buffer.alloc(1_048_576, 0x20);
  let written = 0;
  const server = createServer((_request, response) => {
    response.on('error', () => undefined);
    const write = (): void => {
      while (!response.destroyed && response.write(part)) {
        written += part.length;
      }
      written += part.length;
    };
    response.on('drain', write);
    write();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const clients = awsClients({
    region: 'eu-west-1',
    endpoint: `http://127.0.0.1:${port}`,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
  });
  for (const ask of [
    async () => (await clients.eks()).describeCluster({ name: 'a' }),
    async () => (await clients.ec2()).describeSecurityGroupRules({}),
    async () => (await clients.ssm()).getParameter({ Name: 'a' }),
    async () => (await clients.cloudWatch()).describeAlarms({}),
    async () => (await clients.route53()).listHostedZones({}),
  ]) {
    written = 0;
    await expect(callAws({ action: 'a:B', subject: 'x', region: 'eu-west-1' }, ask)).rejects.toThrow(
      /longer than 33554432 bytes/,
    );
    expect(written).toBeLessThan(120_000_000);
  }
  clients.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('an answer that trickles in has an end, too', async () => {
  const slow = Readable.from(
    (async function* () {
      for (;;) {
        yield Buffer.from('x');
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })(),
  );
  await expect(limitedAnswer(slow, { timeout: 50 })).rejects.toThrow('did not end within 0.05 s');
  expect(
    Buffer.from(await limitedAnswer(Readable.from([Buffer.from('a'), Buffer.from('b')]))).toString(),
  ).toBe('ab');
});
