import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const examples = resolve(__dirname, '../../examples');
const table = readFileSync(join(examples, 'README.md'), 'utf8');
const rows = [...table.matchAll(/^\| \[(\S+)\]\((\S+)\) \| .+ \| (`.+) \|$/gm)].map(
  ([, name, link, command]) => ({ name: name!, link: link!, command: command! }),
);

test('every example has its line', () => {
  const folders = readdirSync(examples, { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map(({ name }) => name);
  expect(
    rows
      .map(({ name }) => name)
      .filter((name) => !name.includes('/'))
      .sort(),
  ).toEqual(folders.sort());
});

test.each(rows)('$name: its link and the files of its command are there', ({ link, command }) => {
  expect(existsSync(join(examples, link))).toBe(true);
  const named = [...command.matchAll(/examples\/[^\s`]+/g)].map(([path]) => path);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((path) => !existsSync(join(examples, '..', path)))).toEqual([]);
});
