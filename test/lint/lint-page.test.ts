import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lintCommand } from '../../lib/cli/commands/lint';
import { allRules } from '../../lib/lint';

const page = readFileSync(join(__dirname, '../../docs/lint.md'), 'utf8');

/** A section of the page. */
function section(heading: string): string {
  const start = page.indexOf(heading);
  return page.slice(start, page.indexOf('\n## ', start + 1));
}

test('docs/lint.md has every flag, and no other', () => {
  const documented = [...section('## Flags').matchAll(/^\| `(--[a-z-]+)/gm)].map(([, flag]) => flag);
  const known = lintCommand().options.map(({ long }) => long);
  expect(documented.sort()).toEqual(known.sort());
});

/** Those from WH02 to WH05 stand there as a range. */
test.each(allRules.filter(({ liveKinds }) => liveKinds).map(({ id }) => id))(
  'docs/lint.md says what %s reads of a cluster',
  (id) => {
    expect(['WH03', 'WH04'].includes(id) || section('## With a cluster').includes(`[${id}]`)).toBe(true);
  },
);
