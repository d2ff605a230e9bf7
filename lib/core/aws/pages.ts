import { AwsError } from './errors';
import type { AwsCall } from './errors';

/** Of one list: a page of AWS has some hundred entries. */
const mostPages = 1_000;

/** A page of a list. */
export interface Page<Item, Token> {
  readonly items: readonly Item[];
  /** Names the next page. @default - it is the last one; an empty text says so, too */
  readonly next?: Token | undefined;
}

/**
 * All pages of a list, within bounds: what answers may be a stand-in whose pages never end.
 *
 * @param call what is listed, for errors
 * @throws AwsError where a page is named a second time, or there are more than 1,000 of them
 */
export async function everyPage<Item, Token = string>(
  call: AwsCall,
  ask: (token: Token | undefined) => Promise<Page<Item, Token>>,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  const whyEndless = endlessness();
  let token: Token | undefined;
  do {
    const { items, next } = await ask(token);
    items.forEach((item) => found.push(item));
    token = next === '' ? undefined : next;
    const why = whyEndless(token);
    if (why !== undefined) {
      throw new AwsError(call, { kind: 'unreachable', foreign: true }, new Error(why));
    }
  } while (token !== undefined);
  return found;
}

/**
 * The items of all pages that the SDK reads, within the same bounds.
 *
 * @param name of the list in each page
 * @param next names the page after it
 * @throws Error that `callAws`, inside of which it is called, takes for no answer
 */
export async function itemsOf<Page extends object, Name extends keyof Page & string>(
  name: Name,
  pages: AsyncIterable<Page>,
  next: (page: Page) => unknown,
): Promise<NonNullable<Page[Name]>> {
  const found: unknown[] = [];
  const whyEndless = endlessness();
  for await (const page of pages) {
    const list = await withList(name, Promise.resolve(page));
    (list[name] as readonly unknown[]).forEach((item) => found.push(item));
    const why = whyEndless(next(page) || undefined);
    if (why !== undefined) {
      throw Object.assign(new Error(why), { code: 'EPROTO' });
    }
  }
  return found as NonNullable<Page[Name]>;
}

/** Is given the name of each next page, undefined after the last one; answers why the list does not end, where it does not. */
function endlessness(): (next: unknown) => string | undefined {
  const seen = new Set<string>();
  return (next) => {
    if (next === undefined) {
      return undefined;
    }
    const name = JSON.stringify(next);
    if (seen.has(name)) {
      return 'the list does not end: it names the same next page again';
    }
    seen.add(name);
    return seen.size === mostPages ? `the list does not end: it has more than ${mostPages} pages` : undefined;
  };
}

/**
 * An answer that has its list. AWS sends the list also where it is empty; an answer without one is not AWS's own: of the
 * login page of a proxy, or of an empty body with status 200, the SDK makes an answer without fields, which would look as
 * if there were nothing.
 *
 * @param name of the list
 * @throws Error that `callAws`, inside of which it is called, takes for no answer
 */
export async function withList<Answer, Name extends keyof Answer & string>(
  name: Name,
  asked: Promise<Answer>,
): Promise<Omit<Answer, Name> & { readonly [Key in Name]: NonNullable<Answer[Key]> }> {
  const answer = await asked;
  if (!Array.isArray(answer[name])) {
    throw Object.assign(new Error(`what came has no list "${name}"`), { code: 'EPROTO' });
  }
  return answer as Answer & { readonly [Key in Name]: NonNullable<Answer[Key]> };
}

/** How an answer of AWS names the next page. */
interface Paged {
  readonly NextToken?: string | undefined;
  readonly NextMarker?: string | undefined;
  readonly nextToken?: string | undefined;
}

/**
 * An answer as a page of its list.
 *
 * @param name of the list
 * @throws Error, as {@link withList} does
 */
export async function pageOf<Name extends string, Item>(
  name: Name,
  asked: Promise<Paged & { readonly [Key in Name]?: readonly Item[] | undefined }>,
): Promise<Page<Item, string>> {
  const answer = await withList(name, asked);
  const { NextToken, NextMarker, nextToken }: Paged = answer;
  return { items: answer[name], next: NextToken ?? NextMarker ?? nextToken };
}
