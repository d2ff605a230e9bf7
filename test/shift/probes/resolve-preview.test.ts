import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { previewUrl, resolvePreview } from '../../../lib/shift/probes/resolve-preview';

const url = 'https://www.example.com/app';
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'preview-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const fileOf = (name: string, content: string | Buffer): { readonly file: string } => {
  writeFileSync(join(folder, name), content);
  return { file: join(folder, name) };
};

test('takes values as they are, from the environment and from files, read anew each time', async () => {
  const file = fileOf('secret', 'of-a-file\n');
  const preview = { url, headers: { 'x-slot': 'green', 'x-key': { env: 'KEY' }, Cookie: file } };
  expect(await resolvePreview(preview, { env: { KEY: 'of-env' } })).toEqual({
    url: new URL(url),
    headers: { 'x-slot': 'green', 'x-key': 'of-env', Cookie: 'of-a-file' },
  });
  fileOf('secret', 'rotated\r\n');
  const { headers } = await resolvePreview(preview, { env: { KEY: 'of-env' } });
  expect(headers.Cookie).toBe('rotated');
  expect(await resolvePreview({ url })).toEqual({ url: new URL(url), headers: {} });
});

test.each<[string, () => string | { readonly env: string } | { readonly file: string }, RegExp]>([
  ['a variable that is not set', () => ({ env: 'NONE' }), /the variable NONE is not set or empty/],
  ['an empty variable', () => ({ env: 'EMPTY' }), /the variable EMPTY is not set or empty/],
  ['two lines', () => ({ env: 'LINES' }), /the variable LINES has a character that no header may have/],
  ['an escape', () => ({ env: 'ESCAPE' }), /the variable ESCAPE has a character/],
  ['a letter beyond Latin-1', () => ({ env: 'WIDE' }), /the variable WIDE has a character/],
  ['no file', () => ({ file: join(folder, 'none') }), /the file .*none can't be read \(ENOENT\)/],
  ['a folder', () => ({ file: folder }), /can't be read \(a folder\)/],
  ['a long file', () => fileOf('long', 'hush'.repeat(5_000)), /can't be read \(more than 16384 bytes\)/],
  ['a long variable', () => ({ env: 'LONG' }), /the variable LONG has more than 16384 characters/],
  ['a binary file', () => fileOf('binary', Buffer.from([0, 1, 2])), /binary, not text in UTF-8/],
])('%s is an error that names the place and not the value', async (_, source, message) => {
  const env = {
    EMPTY: ' ',
    LINES: 'hush\nhush',
    ESCAPE: 'hush\u001b[31m',
    WIDE: 'hush→',
    LONG: 'hush'.repeat(5_000),
  };
  const error = await resolvePreview({ url, headers: { 'x-key': source() } }, { env }).catch(
    (found) => found,
  );
  expect(error).toMatchObject({ name: 'SourceError', message: expect.stringMatching(message) });
  expect(error.message).toContain('the header x-key of the preview');
  expect(error.message).not.toContain('hush');
});

test('a name that is none of HTTP is refused', async () => {
  await expect(resolvePreview({ url, headers: { 'x key': 'a' } })).rejects.toThrow(
    /its name is none of HTTP/,
  );
});

test.each([
  ['/healthz', 'https://www.example.com/app/healthz'],
  ['/', 'https://www.example.com/app/'],
  ['/a?b=c#d', 'https://www.example.com/app/a?b=c'],
  ['//elsewhere.example/a', 'https://www.example.com/app/elsewhere.example/a'],
])('the path %s stands behind the URL of the preview', (path, expected) => {
  expect(previewUrl({ url: new URL(url), headers: {} }, path).href).toBe(expected);
});

test('no path leads to another host', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webUrl()), (path) => {
      expect(previewUrl({ url: new URL(url), headers: {} }, path).origin).toBe('https://www.example.com');
    }),
  );
});
