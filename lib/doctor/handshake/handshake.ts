import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { connect } from 'node:tls';
import type { HandshakeFailure } from './handshake-failure';
import { handshakeFailure } from './handshake-failure';

/** Where a server is asked for its certificate. */
export interface HandshakeTarget {
  /** Address or name. */
  readonly host: string;
  readonly port: number;
  /** Name that is asked for (SNI); an address is not sent. */
  readonly serverName: string;
}

/** What came of a TLS handshake. */
export type Handshake =
  | {
      readonly outcome: 'served';
      /** What the server showed, its own certificate first; at least one. */
      readonly chain: readonly X509Certificate[];
      /** Address that was reached. @default - not known any more */
      readonly address?: string;
    }
  | HandshakeFailure;

/** Opens a TLS connection to see what is served; rejects with the signal's reason alone. */
export type AskHandshake = (target: HandshakeTarget, signal?: AbortSignal) => Promise<Handshake>;

/** How long a server may take, in milliseconds: a pod answers in a few, and many may not answer at all. */
const patience = 4_000;

/** A handshake that judges nothing, and a second one where the first one found no answer. */
export function askHandshake(limit = patience): AskHandshake {
  return async (target, signal) => {
    const first = await handshake(target, limit, signal);
    // A name that is unknown, or a port that is closed, is so a moment later, too.
    return first.outcome === 'cut' ? handshake(target, limit, signal) : first;
  };
}

function handshake(
  { host, port, serverName }: HandshakeTarget,
  limit: number,
  signal?: AbortSignal,
): Promise<Handshake> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const addresses: string[] = [];
    const socket = connect({
      host,
      port,
      // What is served is judged elsewhere, as the one who is to trust it would.
      rejectUnauthorized: false,
      ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
    });
    let outcome: Handshake | undefined;
    let connected = false;
    const end = (found: Handshake): void => {
      outcome ??= found;
      socket.destroy();
    };
    const timer = setTimeout(
      () =>
        end(
          connected
            ? { outcome: 'notTls', detail: `says nothing to a TLS greeting for ${limit / 1000} s`, addresses }
            : { outcome: 'silent', detail: `no connection within ${limit / 1000} s`, addresses },
        ),
      limit,
    );
    const abort = (): void => void socket.destroy();
    signal?.addEventListener('abort', abort);
    socket
      .on('lookup', (_error, address) => void (address && addresses.push(String(address))))
      .on('connect', () => (connected = true))
      .on('secureConnect', () => end(served(socket, addresses)))
      .on('error', (error: NodeJS.ErrnoException) => end(handshakeFailure(error, connected, addresses)))
      .on('close', () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        if (signal?.aborted === true) {
          reject(signal.reason as Error);
        } else {
          resolve(outcome ?? { outcome: 'cut', detail: 'closes the connection', addresses });
        }
      });
  });
}

/** Nothing may throw where a socket tells of itself: nobody would catch it. */
function served(socket: TLSSocket, addresses: readonly string[]): Handshake {
  try {
    const [chain, address] = [chainOf(socket), socket.remoteAddress];
    return chain.length > 0
      ? { outcome: 'served', chain, ...(address === undefined ? {} : { address }) }
      : { outcome: 'tls', detail: 'serves no certificate', addresses };
  } catch (error) {
    return handshakeFailure(error as Error, true, addresses);
  }
}

/** No server has a longer one. */
const longest = 10;

function chainOf(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  const seen = new Set<string>();
  while (next?.raw && chain.length < longest && !seen.has(next.fingerprint256)) {
    seen.add(next.fingerprint256);
    chain.push(new X509Certificate(next.raw));
    next = next.issuerCertificate;
  }
  return chain;
}
