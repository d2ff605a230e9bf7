import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';

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
const certificatePatience = 5_000;

/** Opens a TLS connection, once more if that fails, and closes it as soon as the server has shown its certificate. */
export const askByHandshake: AskCertificate = async (at, signal) =>
  (await certificateHandshake(at, signal)) ?? (await certificateHandshake(at, signal));

function certificateHandshake(
  { host, port, serverName }: ServedAt,
  signal?: AbortSignal,
): Promise<X509Certificate | undefined> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const socket = connect({
      host,
      port,
      // What is served is evaluated elsewhere, by the same rules for every pod.
      rejectUnauthorized: false,
      ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
    });
    const abort = (): void => void socket.destroy(signal?.reason as Error);
    signal?.addEventListener('abort', abort);
    let served: X509Certificate | undefined;
    socket
      .setTimeout(certificatePatience, () => socket.destroy())
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

/** Why there is no certificate to look at. */
export interface HandshakeFailure {
  /**
   * - `refused`: the machine is there, and nothing listens on the port
   * - `silent`: no answer: a firewall, a security group, a route that is missing
   * - `unknownHost`: the name is not known
   * - `notTls`: something answers that is no TLS
   * - `cut`: the server hangs up during the handshake
   * - `tls`: the server and this machine don't agree on TLS
   */
  readonly outcome: 'refused' | 'silent' | 'unknownHost' | 'notTls' | 'cut' | 'tls';
  /** In words. */
  readonly detail: string;
  /** What the name stands for, as far as it was looked up. */
  readonly addresses: readonly string[];
}

const byCode: Readonly<Record<string, readonly [HandshakeFailure['outcome'], string]>> = {
  ECONNREFUSED: ['refused', 'connection refused: nothing listens there'],
  EHOSTUNREACH: ['silent', 'no route to the host'],
  ENETUNREACH: ['silent', 'no route to the network'],
  EHOSTDOWN: ['silent', 'the host is down'],
  ETIMEDOUT: ['silent', 'no connection within the time of this system'],
  EACCES: ['silent', 'this system forbids the connection'],
  EPERM: ['silent', 'this system forbids the connection'],
  ENOTFOUND: ['unknownHost', 'the name is not known'],
  EAI_AGAIN: ['unknownHost', 'the name could not be looked up'],
  ECONNRESET: ['cut', 'hangs up during the handshake'],
  EPIPE: ['cut', 'hangs up during the handshake'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['notTls', 'answers, but not with TLS'],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: ['notTls', 'answers, but not with TLS'],
  ERR_SSL_HTTP_REQUEST: ['notTls', 'answers, but not with TLS'],
};

/**
 * What an error of a connection means. Errors whose code says nothing are told by whether there was a connection.
 *
 * @param connected whether the TCP connection stood
 */
export function handshakeFailure(
  error: { readonly code?: string; readonly message: string },
  connected: boolean,
  addresses: readonly string[],
): HandshakeFailure {
  const { code = '', message } = error;
  // A name with several addresses fails with an error of its own that holds the others.
  const [first] = ((error as { errors?: unknown }).errors ?? []) as readonly { code?: string }[];
  const known = byCode[code] ?? byCode[first?.code ?? ''];
  if (known) {
    return { outcome: known[0], detail: known[1], addresses };
  }
  if (/wrong version number|packet length too long/i.test(message)) {
    return { outcome: 'notTls', detail: 'answers, but not with TLS', addresses };
  }
  const words = `${code}: ${message}`.replace(/\s+/g, ' ').slice(0, 200);
  return { outcome: connected ? 'tls' : 'silent', detail: words, addresses };
}

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

/** A handshake that evaluates nothing, and a second one where the first one found no answer. */
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
      // What is served is evaluated elsewhere, as the one who is to trust it would.
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
