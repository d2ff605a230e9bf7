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
