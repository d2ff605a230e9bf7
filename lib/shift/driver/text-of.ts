/** What an error says. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
