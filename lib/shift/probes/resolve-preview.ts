import { FileRefused, readBoundedLater, utf8Text } from '../../core/files/read';
import { oneLine } from '../../core/printable-text';
import { SourceError } from '../engine';
import type { SlotPreview } from '../engine';

/** A way to one slot, with the values of its headers. */
export interface ResolvedPreview {
  /** Where the load balancer answers. */
  readonly url: URL;
  /** Headers that lead to the slot; they may hold secrets, so they are shown nowhere. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Where the values of headers are read. */
export interface PreviewSources {
  /** Environment variables. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Reads a text file. @default - one of up to 16384 bytes: no server takes longer headers */
  readonly readFile?: (path: string) => Promise<string>;
}

/** In bytes; Node.js takes no longer headers, and most servers only 8192. */
const longestValue = 16_384;

/**
 * A slot's preview with the values of its headers, read now: a Secret that is mounted may have changed since.
 *
 * @throws SourceError for a value that is not there or can't be a header's; it names the variable or file, never the value
 */
export async function resolvePreview(
  { url, headers = {} }: SlotPreview,
  { env = process.env, readFile = readValue }: PreviewSources = {},
): Promise<ResolvedPreview> {
  if (!URL.canParse(url)) {
    throw new SourceError('the URL of the preview can not be read');
  }
  const values: [string, string][] = [];
  for (const [name, source] of Object.entries(headers)) {
    values.push([name, await valueOf(name, source, env, readFile)]);
  }
  return { url: new URL(url), headers: Object.fromEntries(values) };
}

/** The preview's URL with a path, and perhaps a query, behind its own; the host stays whatever the path is. */
export function previewUrl({ url }: ResolvedPreview, path: string): URL {
  const [, before = '', query = ''] = /^([^?#]*)(\?[^#]*)?/.exec(path) ?? [];
  const found = new URL(url);
  found.pathname = `${url.pathname.replace(/\/+$/, '')}/${before.replace(/^\/+/, '')}`;
  found.search = query;
  return found;
}

async function valueOf(
  name: string,
  source: string | { readonly env: string } | { readonly file: string },
  env: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => Promise<string>,
): Promise<string> {
  const header = `the header ${oneLine(name)} of the preview`;
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
    throw new SourceError(`${header}: its name is none of HTTP`);
  }
  const isText = typeof source === 'string';
  const place = isText
    ? 'its value'
    : 'env' in source
      ? `the variable ${source.env}`
      : `the file ${source.file}`;
  const read = isText
    ? source
    : 'env' in source
      ? env[source.env]
      : await textOf(source.file, header, readFile);
  const value = isText ? source : (read ?? '').trim();
  if (value.trim() === '') {
    throw new SourceError(`${header}: ${place} is not set or empty`);
  }
  if (value.length > longestValue) {
    throw new SourceError(`${header}: ${place} has more than ${longestValue} characters`);
  }
  // What Node.js sends of others is not what stands there.
  if (!/^[\t\x20-\x7e\x80-\xff]+$/.test(value)) {
    throw new SourceError(
      `${header}: ${place} has a character that no header may have, such as a line break`,
    );
  }
  return value;
}

async function textOf(
  path: string,
  header: string,
  readFile: (path: string) => Promise<string>,
): Promise<string> {
  try {
    return await readFile(path);
  } catch (error) {
    const why = error instanceof FileRefused ? error.reason : (error as { code?: string }).code;
    throw new SourceError(`${header}: the file ${path} can't be read${why === undefined ? '' : ` (${why})`}`);
  }
}

async function readValue(path: string): Promise<string> {
  return utf8Text(await readBoundedLater(path, longestValue), path);
}
