/**
 * Works on many things, so many at once; answers in the order of the things. The first failure ends it.
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
    while (next < items.length) {
      signal?.throwIfAborted();
      const position = next;
      next += 1;
      answers[position] = await work(items[position]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(Math.max(limit, 1), items.length) }, worker));
  return answers;
}
