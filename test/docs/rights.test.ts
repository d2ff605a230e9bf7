import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tables, withRights } from './rights';

const page = readFileSync(join(__dirname, '../../docs/security.md'), 'utf8');

test('the rights in docs/security.md are those of the code', () => {
  const state = withRights(page) === page ? 'up to date' : 'run: npx ts-node -T test/docs/write-rights.ts';
  expect(state).toBe('up to date');
});

test('docs/security.md has each table once', () => {
  const marks = [...page.matchAll(/<!-- rights (\w+) -->/g)].map(([, name]) => name);
  expect(marks.sort()).toEqual(Object.keys(tables).sort());
});
