/**
 * Collects what a program throws, wherever it does: a rejection inside of `apply` reaches nobody but the
 * process. One error often comes by several ways; it counts once.
 */
export class ProgramErrors {
  private readonly found = new Set<unknown>();
  private announce: () => void = () => undefined;

  /** Resolves with the first error. */
  public readonly first = new Promise<void>((resolve) => {
    this.announce = resolve;
  });

  /** What was thrown, in order. */
  public get all(): unknown[] {
    const texts = new Set<string>();
    return [...this.found].filter((error) => {
      const text = String((error as Error | undefined)?.stack ?? error);
      return !texts.has(text) && texts.add(text);
    });
  }

  public readonly add = (error: unknown): void => {
    this.found.add(error);
    this.announce();
  };

  /** Listens to what nobody catches, until the returned function is called. */
  public listen(): () => void {
    process.on('uncaughtException', this.add);
    process.on('unhandledRejection', this.add);
    return () => {
      process.off('uncaughtException', this.add);
      process.off('unhandledRejection', this.add);
    };
  }
}
