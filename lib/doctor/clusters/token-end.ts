/**
 * When a token ends, if it says so itself: those of service accounts are JWTs with `exp`.
 *
 * @returns milliseconds since 1970; undefined where it does not say
 */
export function tokenEnd(token: string): number | undefined {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) {
    return undefined;
  }
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { exp?: unknown };
    return typeof exp === 'number' && Number.isFinite(exp) && Math.abs(exp) < 8e12 ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
