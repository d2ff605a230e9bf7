/** A proxy leads nowhere. The message names it, without its login. */
export class ProxyFailure extends Error {
  /** The code of the error below, for those who ask whether another try may go better. */
  public readonly code: string;
  /** What the proxy answered. @default - nothing */
  public readonly status?: number;

  public constructor(message: string, { code = 'EPROXY', status }: { code?: string; status?: number } = {}) {
    super(message);
    this.name = 'ProxyFailure';
    this.code = code;
    if (status !== undefined) {
      this.status = status;
    }
  }

  /** Whether another try may go better: not where the proxy refuses, or where its URL or certificate is wrong. */
  public get isPassing(): boolean {
    return this.status === undefined
      ? !/^EPROXY$|CERT|SIGNATURE|ISSUER|^ERR_|^EPROTO|^HPE_/.test(this.code)
      : this.status >= 500;
  }
}

/** A proxy, taken apart. */
export interface Proxy {
  /** How it is spoken to. */
  readonly by: 'http' | 'https' | 'socks4' | 'socks5';
  readonly host: string;
  readonly port: number;
  readonly login?: { readonly user: string; readonly password: string };
  /** Its URL without the login. */
  readonly shown: string;
}

const kinds: Readonly<Record<string, readonly [by: Proxy['by'], port: number]>> = {
  'http:': ['http', 80],
  'https:': ['https', 443],
  'socks:': ['socks5', 1080],
  'socks4:': ['socks4', 1080],
  'socks4a:': ['socks4', 1080],
  'socks5:': ['socks5', 1080],
  'socks5h:': ['socks5', 1080],
};

/** @throws ProxyFailure for what is no URL of a proxy; its text may hold a password and is left out */
export function readProxy(text: string): Proxy {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const kind = kinds[url?.protocol ?? ''];
  if (!url || !kind || url.hostname === '') {
    throw new ProxyFailure(
      'the URL of the proxy must be http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT; it comes from ' +
        'HTTPS_PROXY or HTTP_PROXY, or from the setting of the proxy',
    );
  }
  const [by, defaultPort] = kind;
  const { protocol, hostname, port, username, password } = url;
  const host = hostname.replace(/^\[|\]$/g, '');
  return {
    by,
    host,
    port: Number(port || defaultPort),
    ...(username || password ? { login: { user: decoded(username), password: decoded(password) } } : {}),
    shown: `${protocol}//${hostname}:${port || defaultPort}`,
  };
}

/** The proxy for messages: scheme, host and port, never the login. */
export function shownProxy(text: string): string {
  try {
    return readProxy(text).shown;
  } catch {
    return 'with a URL that can not be read';
  }
}

/** The error of a request that went by a proxy, which it names then. The error stays the same, with its name and code. */
export function byProxy<Failure extends Error>(error: Failure, proxy: string): Failure {
  if (!(error instanceof ProxyFailure)) {
    const message = `${error.message} (by the proxy ${shownProxy(proxy)})`;
    // That of a DOMException, such as of a time-out, can't be assigned.
    Object.defineProperty(error, 'message', { value: message, configurable: true, writable: true });
  }
  return error;
}

/** A password may have a percent sign that begins nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
