import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect } from 'node:tls';

/** Where a server is asked for its certificate. */
export interface ServedAt {
  /** Address of the pod. */
  readonly host: string;
  /** Port that the pod listens on. */
  readonly port: number;
  /** Name that is asked for: `SERVICE.NAMESPACE.svc`. */
  readonly serverName: string;
}

/** Asks a server for its certificate; answers undefined where it does not say. */
export type AskCertificate = (at: ServedAt, signal?: AbortSignal) => Promise<X509Certificate | undefined>;

/** How long a pod may take to answer, in milliseconds. */
const patience = 5_000;

/** Opens a TLS connection, once more if that fails, and closes it as soon as the server has shown its certificate. */
export const askByHandshake: AskCertificate = async (at, signal) =>
  (await handshake(at, signal)) ?? (await handshake(at, signal));

function handshake(
  { host, port, serverName }: ServedAt,
  signal?: AbortSignal,
): Promise<X509Certificate | undefined> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const socket = connect({
      host,
      port,
      // What is served is judged elsewhere, by the same rules for every pod.
      rejectUnauthorized: false,
      ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
    });
    const abort = (): void => void socket.destroy(signal?.reason as Error);
    signal?.addEventListener('abort', abort);
    let served: X509Certificate | undefined;
    socket
      .setTimeout(patience, () => socket.destroy())
      .on('secureConnect', () => {
        served = socket.getPeerX509Certificate();
        socket.destroy();
      })
      // What went wrong is told by the silence.
      .on('error', () => undefined)
      .on('close', () => {
        signal?.removeEventListener('abort', abort);
        if (signal?.aborted === true) {
          reject(signal.reason as Error);
        } else {
          resolve(served);
        }
      });
  });
}
