/**
 * Works on many things, so many at once; answers in the order of the things. After a failure nothing more is begun, and
 * what is under way comes to its end before that is told: a token is given back, a connection is closed.
 *
 * @param limit at least one
 */
export async function inTurn<Item, Answer>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer[]> {
  const answers: Answer[] = new Array<Answer>(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    try {
      while (next < items.length) {
        signal?.throwIfAborted();
        const position = next;
        next += 1;
        answers[position] = await work(items[position]!);
      }
    } catch (error) {
      next = items.length;
      throw error;
    }
  };
  const workers = Array.from({ length: Math.min(Math.max(limit, 1), items.length) }, worker);
  await Promise.allSettled(workers);
  await Promise.all(workers);
  return answers;
}
