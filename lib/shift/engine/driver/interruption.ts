/**
 * Turns two signals and a time into what a driver needs to know: whether a stop was requested, whether it has to stop at
 * once, and a signal for a call that such news cuts short.
 */
export class Interruption {
  /** Whether the machine has received the interrupt. */
  public told = false;
  private readonly killing = new AbortController();
  private current: { readonly controller: AbortController; readonly whole: boolean } | undefined;
  private timer: NodeJS.Timeout | undefined;

  public constructor(
    private readonly signal: AbortSignal | undefined,
    private readonly kill: AbortSignal | undefined,
    private readonly graceMs: number | undefined,
  ) {
    this.signal?.addEventListener('abort', this.onSignal);
    this.kill?.addEventListener('abort', this.onKill);
    if (this.kill?.aborted) {
      this.onKill();
    }
    if (this.signal?.aborted) {
      this.onSignal();
    }
  }

  public get killed(): boolean {
    return this.killing.signal.aborted;
  }

  /** Aborted when it has to stop at once. */
  public get killSignal(): AbortSignal {
    return this.killing.signal;
  }

  /** An interrupt that the machine has not received yet. */
  public get isNew(): boolean {
    return !this.told && this.signal?.aborted === true;
  }

  /** Whether there is little time left. */
  public get isPressed(): boolean {
    return this.killed || (this.graceMs !== undefined && this.signal?.aborted === true);
  }

  /**
   * Makes a call that is cut short when it has to stop.
   *
   * @param whole whether an interrupt lets it come to its end, as a write must
   */
  public async during<T>(whole: boolean, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.current = { controller, whole };
    if (this.killed || (this.isNew && !whole)) {
      controller.abort();
    }
    try {
      return await call(controller.signal);
    } finally {
      this.current = undefined;
    }
  }

  public dispose(): void {
    clearTimeout(this.timer);
    this.signal?.removeEventListener('abort', this.onSignal);
    this.kill?.removeEventListener('abort', this.onKill);
  }

  private readonly onSignal = (): void => {
    if (this.graceMs !== undefined) {
      this.timer ??= setTimeout(this.onKill, this.graceMs);
    }
    if (this.current && !this.current.whole) {
      this.current.controller.abort();
    }
  };

  private readonly onKill = (): void => {
    this.killing.abort();
    this.current?.controller.abort();
  };
}
