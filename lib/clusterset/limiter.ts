/** Lets so many calls run at once; the others wait in their order. */
export class Limiter {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /** @param most calls at once, at least one */
  public constructor(private readonly most: number) {}

  /** Makes a call as soon as there is room. */
  public async run<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    if (this.running >= this.most) {
      await new Promise<void>((proceed) => this.waiting.push(proceed));
    } else {
      this.running += 1;
    }
    try {
      return await call();
    } finally {
      // The room goes to the next one, or is free.
      const next = this.waiting.shift();
      if (next) {
        next();
      } else {
        this.running -= 1;
      }
    }
  }
}
