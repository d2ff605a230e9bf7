/** A request of our own to one slot. */
export interface Probe {
  /** Where it goes; nobody but the slot's preview decides the host. */
  readonly url: URL;
  /** Method, in capital letters. */
  readonly method: string;
  /** Headers; they may hold a preview's secret value, so they are shown nowhere. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text that is sent. @default - nothing */
  readonly body?: string;
  /** For the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** The longest answer that is read, in bytes; a longer one is a failure. */
  readonly longestAnswer: number;
  /** Certificates of authorities to trust, in PEM. @default - those that Node.js trusts */
  readonly certificateAuthority?: string;
}

/** What came of it: an answer, or why there is none. */
export type ProbeResult =
  | {
      /** Status code. */
      readonly status: number;
      /** Headers, with names in small letters. */
      readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
      /** The body. */
      readonly text: string;
      /** From the start of the request to the end of the answer, in milliseconds. */
      readonly milliseconds: number;
    }
  | {
      /** Why there is no whole answer, on one line: `connection refused`, `no answer within 5 s`. Holds no secret. */
      readonly failure: string;
      /**
       * Whether it says nothing of the slot: a proxy refused, the name of the host was not found, this machine has no port left.
       * @default false
       */
      readonly ours?: boolean;
      /** From the start of the request until it was given up, in milliseconds. */
      readonly milliseconds: number;
    };

/** Sends a probe; rejects with the signal's reason alone. */
export type SendProbe = (probe: Probe, signal?: AbortSignal) => Promise<ProbeResult>;
