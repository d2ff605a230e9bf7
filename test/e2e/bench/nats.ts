import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { programPath } from '../tools/go-tools';
import { answersAt } from './controller';
import { CertificateAuthority } from './pki';
import { BenchProcess } from './process';
import { freePort, temporaryFolder } from './temporary';
import { serviceAddress } from './webhook-server';

/** A running NATS server with JetStream. */
export interface Nats {
  readonly process: BenchProcess;
  /** `nats://HOST:PORT`, as the suite's processes and its pods reach it; clients must use TLS, as Argo Events does. */
  readonly url: string;
  /** Certificate authority of the server, PEM. */
  readonly certificateAuthority: string;
  /**
   * Names of a stream's durable consumers. A Sensor has one for each trigger and dependency, and sees nothing of what
   * was published before: wait for it.
   */
  consumers(stream?: string): Promise<string[]>;
}

/** Starts a NATS server with JetStream, its data in a temporary folder; it is gone when the test file ends. */
export async function nats(): Promise<Nats> {
  const folder = temporaryFolder('nats');
  const authority = await CertificateAuthority.create('nats-ca');
  const { certificate, key } = await authority.issue({ name: 'nats', addresses: [serviceAddress] });
  writeFileSync(join(folder, 'server.crt'), certificate);
  writeFileSync(join(folder, 'server.key'), key, { mode: 0o600 });
  const [port, monitoring] = [await freePort(), await freePort()];
  const process = new BenchProcess({
    name: 'nats-server',
    command: programPath('nats-server'),
    args: [
      ...['--addr', serviceAddress, '--port', String(port), '--jetstream', '--store_dir', 'jetstream'],
      ...['--http_port', String(monitoring), '--tls', '--tlscert', 'server.crt', '--tlskey', 'server.key'],
    ],
    folder,
  });
  await process.start(() => answersAt(monitoring, '/healthz', serviceAddress));
  const url = `nats://${serviceAddress}:${port}`;
  return {
    process,
    url,
    certificateAuthority: authority.certificate,
    consumers: (stream = 'default') => consumers(monitoring, stream),
  };
}

async function consumers(monitoring: number, stream: string): Promise<string[]> {
  const answer = await fetch(`http://${serviceAddress}:${monitoring}/jsz?streams=true&consumers=true`);
  const accounts: any[] = (await answer.json()).account_details ?? [];
  return accounts
    .flatMap(({ stream_detail: streams = [] }) => streams)
    .filter(({ name }) => name === stream)
    .flatMap(({ consumer_detail: details = [] }) => details.map(({ name }: { name: string }) => name));
}
