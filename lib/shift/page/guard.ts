import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { formPurpose } from '../../core/names';

/** What a request says, as far as a page looks at it. */
export interface PageRequest {
  readonly method: string;
  /** Path with the query, as it was sent. */
  readonly url: string;
  /** Headers by their names in small letters. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Text of the body; empty where there is none. */
  readonly body: string;
}

/** Where a page may be asked for. */
export interface PagePlaces {
  /** Where it listens: `127.0.0.1:8080`. */
  readonly address: string;
  /** Where people find it, behind TLS of one's own: `https://shift.example.com`. @default - only where it listens */
  readonly publicUrl?: string;
}

/** Names of this machine: none of them leads to another one. */
const localNames = ['127.0.0.1', 'localhost', '[::1]'];

/** Values of the header `Host` that are ours. Another one is a name that leads here by a trick of DNS. */
export function ownHosts({ address, publicUrl }: PagePlaces): readonly string[] {
  const port = portOf(address);
  const local = localNames.flatMap((name) => [`${name}:${port}`, ...(port === '80' ? [name] : [])]);
  return [...new Set([address, ...local, ...(publicUrl === undefined ? [] : [new URL(publicUrl).host])])];
}

/** Where forms that are ours are sent from. */
export function ownOrigins({ address, publicUrl }: PagePlaces): readonly string[] {
  const port = portOf(address);
  const local = [address, ...localNames.map((name) => `${name}:${port}`)];
  return [
    ...new Set([
      ...local.map((host) => new URL(`http://${host}`).origin),
      ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin]),
    ]),
  ];
}

/** The port of an address: `8080`. */
export function portOf(address: string): string {
  return address.slice(address.lastIndexOf(':') + 1);
}

/** Why a request is refused, whatever it asks for; `undefined` where it is not. */
export function refusal({ method, headers }: PageRequest, places: PagePlaces): string | undefined {
  const host = headers['host']?.toLowerCase() ?? '';
  if (!ownHosts(places).includes(host)) {
    return 'This page is not asked for by that name.';
  }
  if (method === 'GET' || method === 'HEAD') {
    return undefined;
  }
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  const isOwn =
    origin === undefined
      ? site === 'same-origin'
      : ownOrigins(places).includes(origin.toLowerCase()) && (site === undefined || site === 'same-origin');
  if (isOwn) {
    return undefined;
  }
  return origin === undefined && site === undefined
    ? 'A request without the header Origin changes nothing here: browsers send it.'
    : 'A form of another site changes nothing here.';
}

/** Whether two secrets are the same, in a time that says nothing of them. */
export function isSameSecret(given: string | undefined, secret: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return given !== undefined && timingSafeEqual(digest(given), digest(secret));
}

/** The value of a cookie that a request brings. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const found = (header ?? '')
    .split(';')
    .map((each) => each.trim())
    .find((each) => each.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

/** What every cookie is: no script reads it, no other site sends it, and behind TLS it stays there. */
export function cookieKind({ publicUrl }: PagePlaces, host: string | undefined): string {
  const url = publicUrl === undefined ? undefined : new URL(publicUrl);
  return `HttpOnly; SameSite=Strict${url?.protocol === 'https:' && url.host === host ? '; Secure' : ''}`;
}

/** What a form holds beside the cookie: a page of another site can't know it. */
export function formValue(secret: string, purpose: string): string {
  return createHmac('sha256', secret).update(`${formPurpose}\n${purpose}`).digest('base64url');
}

/** Fields of a form; of a repeated one the first. */
export function fieldsOf(body: string): Readonly<Record<string, string>> {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(body)) {
    fields[name] ??= value;
  }
  return fields;
}
