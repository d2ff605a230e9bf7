/** One request, and how long an answer may take. */
export interface TransportRequest {
  readonly method: string;
  /** Path and query, from the root of the server. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** PEM of the client certificate, with its key. */
  readonly certificate?: string;
  readonly key?: string;
  /** Of the whole exchange, in milliseconds. */
  readonly timeout: number;
  /** Of the answer, in bytes. */
  readonly longest: number;
  readonly signal?: AbortSignal;
}

/** An answer, whatever its status. */
export interface TransportAnswer {
  readonly status: number;
  readonly body: string;
  /** Seconds that the server asks to wait before the next try. */
  readonly retryAfter?: number;
}

/** The way to one API server. */
export interface Transport {
  /** @throws TransportFailure where no whole answer came; the signal's reason where that is aborted */
  send(request: TransportRequest): Promise<TransportAnswer>;
  close(): void;
}

/** There was no answer, or none that can be read. */
export class TransportFailure extends Error {
  public readonly beyond: boolean;

  public constructor(
    message: string,
    /** Whether the server may have read the request. */
    public readonly sent: boolean,
    /** Whether another try may go better. */
    public readonly passing: boolean,
    options?: {
      readonly cause?: unknown;
      /** Whether there was an answer, which is longer than any that can be read. */
      readonly beyond?: boolean;
    },
  ) {
    super(message, options);
    this.name = 'TransportFailure';
    this.beyond = options?.beyond ?? false;
  }
}
