import { parseDuration } from '../../core/durations';
import { SecretMissing, readSecret, secretSource } from '../../core/secret-source';
import type { SecretReader, SecretSource } from '../../core/secret-source';
import { object, optional } from '../../core/validation/collections';
import { goDuration } from '../../core/validation/formats';
import { InvalidInput } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import { duration, following } from '../../core/validation/values';
import { shortestKey } from './link';

/** A link in the notification of a pause, which lets whoever has it continue the shift. It needs `--serve` and `--public-url`. */
export interface ApprovalLinkSettings {
  /** Where the key is read from that signs links: at least 32 bytes. */
  readonly key: SecretSource;
  /** How long a link counts, from `1m` to `24h`. @default '1h' */
  readonly expires?: string;
}

const [least, most] = [60_000, 24 * 3_600_000];

const expires = following(
  {
    allowed: 'a duration from 1m to 24h, such as "1h"',
    accepts: (value) => {
      const milliseconds = goDuration.accepts(value) ? parseDuration(value as string)! : 0;
      return milliseconds >= least && milliseconds <= most;
    },
  },
  duration.json,
);

/** What a plan file may say under `approvals.link`. */
export const approvalLinkSchema: Schema<ApprovalLinkSettings> = object<ApprovalLinkSettings>({
  key: secretSource,
  expires: optional(expires),
});

/**
 * Reads the key of links.
 *
 * @throws InvalidInput where it is not there, or too short
 */
export async function openLinks(
  { key: source, expires: lasts = '1h' }: ApprovalLinkSettings,
  reader: SecretReader,
  file: string,
): Promise<{ readonly key: string; readonly expiresMs: number }> {
  const key = await readSecret(reader, 'the key of links', [source]).catch((error: unknown) => {
    throw error instanceof SecretMissing
      ? new InvalidInput(file, [{ path: keyPath, allowed: `readable: ${error.message}` }])
      : error;
  });
  if (isShort(key)) {
    throw new InvalidInput(file, [{ path: keyPath, allowed: longerKey(source) }]);
  }
  return { key, expiresMs: parseDuration(lasts)! };
}

const keyPath = 'approvals.link.key';

function isShort(key: string): boolean {
  return Buffer.byteLength(key) < shortestKey;
}

function longerKey(source: SecretSource): string {
  const place = 'env' in source ? `the variable ${source.env}` : `the file ${source.file}`;
  return `a key of at least ${shortestKey} bytes, in ${place}; create one with: openssl rand -base64 32`;
}

/** Why links can't be signed now, on one line; `undefined` where they can. A dry run says so, as of the secrets of sinks. */
export async function linkKeyProblem(
  { key: source }: ApprovalLinkSettings,
  reader: SecretReader,
): Promise<string | undefined> {
  try {
    const key = await readSecret(reader, keyPath, [source]);
    return isShort(key) ? `${keyPath}: must be ${longerKey(source)}` : undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
