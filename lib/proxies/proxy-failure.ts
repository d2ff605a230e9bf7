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
