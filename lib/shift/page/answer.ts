import { notePage, pageHeaders } from './document';

/** What a person has asked for. */
export type PageAction =
  | {
      readonly type: 'continue';
      readonly route: string;
      readonly place: number;
      readonly by: string;
      /** Id of the link that it was done by. @default - by a button */ readonly link?: string;
    }
  | { readonly type: 'hold' | 'rollBack'; readonly route: string; readonly by: string }
  | { readonly type: 'control'; readonly name: string };

/** What is answered, and what is done before. */
export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** @default - nothing changes */
  readonly action?: PageAction;
}

/** What a page is. */
export const htmlType = { 'content-type': 'text/html; charset=utf-8' };

/** A page. */
export function html(status: number, body: string): PageAnswer {
  return { status, headers: { ...pageHeaders, ...htmlType }, body };
}

/** A page that says one thing. */
export function note(status: number, title: string, ...lines: readonly string[]): PageAnswer {
  return html(status, notePage(title, lines));
}

/** A line of text. */
export function textAnswer(status: number, text: string): PageAnswer {
  return {
    status,
    headers: { ...pageHeaders, 'content-type': 'text/plain; charset=utf-8' },
    body: `${text}\n`,
  };
}

/** Leads to another page, which is asked for by GET. */
export function redirect(location: string, headers: Readonly<Record<string, string>> = {}): PageAnswer {
  return { status: 303, headers: { ...pageHeaders, ...headers, location }, body: '' };
}
