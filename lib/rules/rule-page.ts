/** The page of a rule of the library: its path in the package, since that needs no network. */
export function rulePage(id: string): string {
  return `docs/rules.md#${id.toLowerCase()}`;
}
