import { createHmac, randomBytes } from 'node:crypto';
import { approvalPurpose } from '../../core/names';
import { isSameSecret } from './guard';

/** What a signed link lets continue, until when. */
export interface LinkContent {
  /** Id of the shift: another run of the route has another one. */
  readonly shift: string;
  /** Name of the route. */
  readonly route: string;
  /** Place of the pause, in percent of the way. */
  readonly place: number;
  /** When it expires, in seconds since 1970. */
  readonly expires: number;
  /** Another one for each link: it counts once. */
  readonly id: string;
}

/** Bytes of a key at least: as many as its signatures have. */
export const shortestKey = 32;

/** What is signed begins so: the key may sign other things as well. */
const purpose = `${approvalPurpose}\n`;

function signature(key: string, payload: string): string {
  return createHmac('sha256', key).update(`${purpose}${payload}`).digest('base64url');
}

/** The text of a link: what it lets continue, and a signature. Who has it can let the shift continue there, once. */
export function linkToken(key: string, content: Omit<LinkContent, 'id'>): string {
  const { shift, route, place, expires } = content;
  const all = [shift, route, place, expires, randomBytes(9).toString('base64url')];
  const payload = Buffer.from(JSON.stringify(all)).toString('base64url');
  return `${payload}.${signature(key, payload)}`;
}

/**
 * Reads a link.
 *
 * @param now milliseconds since 1970
 * @returns `altered` for what the key has not signed
 */
export function readLink(key: string, token: string, now: number): LinkContent | 'altered' | 'expired' {
  const [payload = '', signed = '', ...more] = token.split('.');
  if (more.length > 0 || !isSameSecret(signed, signature(key, payload))) {
    return 'altered';
  }
  const content = contentOf(payload);
  if (!content) {
    return 'altered';
  }
  return now < content.expires * 1_000 ? content : 'expired';
}

/**
 * When a link to approve expires, as it says itself: ISO 8601 in UTC. Its signature is not looked at.
 *
 * @returns `undefined` for another address
 */
export function linkExpiry(url: string): string | undefined {
  const [, payload] = /\/approve\/([\w-]+)\.[\w-]+$/.exec(url) ?? [];
  const expires = payload === undefined ? undefined : contentOf(payload)?.expires;
  return typeof expires === 'number' && Math.abs(expires) <= 8.64e12
    ? new Date(expires * 1_000).toISOString()
    : undefined;
}

/** It is signed: nothing else than what {@link linkToken} has written is expected. */
function contentOf(payload: string): LinkContent | undefined {
  try {
    const [shift, route, place, expires, id] = JSON.parse(
      Buffer.from(payload, 'base64url').toString('utf8'),
    ) as readonly [string, string, number, number, string];
    return { shift, route, place, expires, id };
  } catch {
    return undefined;
  }
}
