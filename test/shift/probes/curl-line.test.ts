import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { problemsOf } from '../../../lib/core/validation/schema';
import type { PreviewValue, SlotPreview } from '../../../lib/shift/engine';
import { curlLine, slotPreview } from '../../../lib/shift/probes';

const url = 'https://www.example.com/';

test.each<[SlotPreview, string]>([
  [{ url }, 'curl https://www.example.com/'],
  [{ url, headers: { 'x-slot': 'green' } }, `curl ${url} -H 'x-slot: green'`],
  [{ url, headers: { Cookie: 'slot=green' } }, `curl ${url} -H 'Cookie: slot=green'`],
  [{ url, headers: { 'x-slot': { env: 'SHOP_KEY' } } }, `curl ${url} -H "x-slot: $SHOP_KEY"`],
  [{ url, headers: { 'x-slot': { file: '/run/key' } } }, `curl ${url} -H "x-slot: $PREVIEW_VALUE"`],
  [{ url: 'http://[::1]:8080' }, "curl --globoff 'http://[::1]:8080'"],
])('%j', (preview, line) => {
  expect(curlLine(preview)).toBe(line);
});

test('a shell makes of it what stands in the preview, and runs nothing else', () => {
  const hidden = `s3 "cr'et $(id) \`id\``;
  const name = fc.stringMatching(/^[A-Za-z0-9!#$%&'+.^_`|~-]{1,12}$/);
  const value = fc.oneof(
    fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/),
    fc.constantFrom<PreviewValue>({ env: 'SHOP_KEY' }, { file: '/run/key' }),
  );
  const path = fc.stringMatching(/^(\/[!"$->@-[\]-~]{0,12})?$/);
  const previews = fc
    .record({ path, headers: fc.dictionary(name, value, { minKeys: 1, maxKeys: 3 }) })
    .map((given): SlotPreview => ({ url: `https://a.example.com${given.path}`, headers: given.headers }))
    .filter((preview) => problemsOf(slotPreview, preview).length === 0);
  const sample = fc.sample(previews, 40);
  expect(sample.length).toBe(40);
  const script = sample
    .map((preview) => curlLine(preview).replace('curl', `printf '%s\\n'`))
    .join('\necho\n');
  const env = { SHOP_KEY: hidden, PREVIEW_VALUE: hidden };
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', script], { env, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(stdout.split('\n\n').map((each) => each.trim().split('\n'))).toEqual(
    sample.map((preview) => [
      ...(/[[\]{}]/.test(preview.url) ? ['--globoff'] : []),
      preview.url,
      ...Object.entries(preview.headers!).flatMap(([header, of]) => [
        '-H',
        `${header}: ${typeof of === 'string' ? of : hidden}`,
      ]),
    ]),
  );
});
