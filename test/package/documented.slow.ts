import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { publicNames } from './public-names';

const manifest = JSON.parse(readFileSync(join(resolve(__dirname, '../..'), 'package.json'), 'utf8'));
const names = publicNames(Object.keys(manifest.typesVersions['*']));

test('the names are found: of exports, members, fields of inline types, and exports of modules within modules', () => {
  expect(names.length).toBeGreaterThan(3000);
  const found = new Set(names.map(({ name }) => name));
  expect(
    ['shift.Clock', 'shift.Clock.now', 'checks.cloudWatch.errorShare', 'simulation.Scenario.kill.at'].filter(
      (name) => !found.has(name),
    ),
  ).toEqual([]);
});

test('every public name has a docstring', () => {
  const bare = names.filter(({ documented }) => !documented);
  expect([...new Set(bare.map(({ name, place }) => `${place} ${name}`))].sort()).toEqual([]);
});
