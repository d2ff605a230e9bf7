/** What stands in place of a secret. */
const shown = '[secret]';

/** Shorter ones are words such as "yes": hiding them would hide everything. */
const shortest = 4;

/**
 * Takes secrets out of a text, as they are and in base64: what a chart makes of a value can show up anywhere in the output of
 * Helm, and only Secrets are left out there.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return formsOf(secrets).reduce((left, secret) => left.replaceAll(secret, shown), text);
}

/** Longest first, so that no part of a secret is left where another one is contained in it. */
function formsOf(secrets: readonly string[]): string[] {
  const forms = secrets
    .flatMap((secret) => [secret, ...secret.split('\n')])
    .map((secret) => secret.trim())
    .filter((secret) => secret.length >= shortest)
    .flatMap((secret) => [
      secret,
      Buffer.from(secret).toString('base64'),
      JSON.stringify(secret).slice(1, -1),
    ]);
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

/** Texts and numbers in a value, which stands for a secret as a whole. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') {
    return [String(value)];
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
