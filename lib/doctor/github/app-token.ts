import { sign } from 'node:crypto';
import type { AppKey } from './private-key';

/**
 * When the token of an App begins and ends, in seconds from the clock of who makes it: Argo CD's library sets `iat` half a
 * minute back and `exp` two minutes after that.
 *
 * @see https://github.com/bradleyfalzon/ghinstallation/blob/v2.17.0/appsTransport.go
 */
export const appTokenTimes = { issued: -30, expires: 90 } as const;

/**
 * Token (JWT, RS256) with which a GitHub App asks, as Argo CD makes it. It is a secret while it lasts.
 *
 * @param now the clock of who makes it
 * @see https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
 */
export function appToken(appId: string, { key }: AppKey, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1000);
  const claims = {
    iat: seconds + appTokenTimes.issued,
    exp: seconds + appTokenTimes.expires,
    iss: appId,
  };
  const content = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`;
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
