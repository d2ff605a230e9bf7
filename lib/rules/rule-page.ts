/** Where the rules are explained. */
const page = 'https://cluster-canary.example/docs/rules.md';

/** The page of a rule of the library. */
export function rulePage(id: string): string {
  return `${page}#${id.toLowerCase()}`;
}
