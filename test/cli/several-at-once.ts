/** Most of what a command takes is waiting: for its next try, for answers. */
export async function severalAtOnce<Case>(
  cases: readonly Case[],
  runOne: (each: Case) => Promise<void>,
): Promise<void> {
  const left = [...cases];
  const work = async (): Promise<void> => {
    for (let each = left.shift(); each !== undefined; each = left.shift()) {
      await runOne(each);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
}
