/** Where a page listens. */
export interface PageAddress {
  /** `127.0.0.1`, `localhost`, `[::1]`, or an address of an interface. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

const form = /^(localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-fA-F:.]{2,45}\]):(\d{1,5})$/;

/** What an address may look like. */
export const addressAllowed =
  'an address of this machine and a port: 127.0.0.1:8080, localhost:8080, [::1]:8080';

/** Reads `127.0.0.1:8080`; `undefined` for what is no address with a port. */
export function parseAddress(text: string): PageAddress | undefined {
  const [, host, digits] = form.exec(text) ?? [];
  const port = Number(digits);
  return host === undefined || port > 65_535 ? undefined : { host, port };
}

/** Whether only this machine reaches it. */
export function isLoopback({ host }: PageAddress): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host);
}

/** What a public address may look like. */
export const publicUrlAllowed =
  'the https:// address of the page behind your own TLS, without a path, a login, a query and a fragment';

/** Whether people can be sent there: the origin of a page with TLS, or one of this machine for a trial. */
export function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text)) {
    return false;
  }
  const url = new URL(text);
  const isPlain = url.href === `${url.origin}/` && url.username === '' && url.password === '';
  const isLocal = ['localhost', '[::1]', '127.0.0.1'].includes(url.hostname);
  return isPlain && (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal));
}
