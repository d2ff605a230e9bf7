/** How long to try, and how often, in milliseconds. A busy machine needs patience; what happens at once costs none. */
export interface Patience {
  /** @default 180000 */
  readonly within?: number;
  /** @default 100 */
  readonly every?: number;
}

/** Calls until it neither throws nor answers `undefined` or `false`; the last failure is told at the end. */
export async function eventually<T>(
  what: string,
  attempt: () => Promise<T> | T,
  { within = 180_000, every = 100 }: Patience = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const end = Date.now() + within;
  for (;;) {
    let failure: unknown = 'not yet';
    try {
      const answer = await attempt();
      if (answer !== undefined && answer !== null && answer !== false) {
        return answer as NonNullable<Exclude<T, false>>;
      }
    } catch (error) {
      failure = error;
    }
    if (Date.now() > end) {
      throw new Error(
        `${what}: not within ${within / 1000} s; last: ${failure instanceof Error ? failure.message : String(failure)}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, every));
  }
}
