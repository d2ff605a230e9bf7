import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { allRules, findingText, lint, readManifests, withoutColours } from '../../lib/lint';

const root = resolve(__dirname, '../..');
const file = 'examples/lint/rendered.yaml';
const rendered = readFileSync(join(root, file), 'utf8');
const { objects, unreadable } = readManifests(rendered, { file, read: () => rendered });
const { findings } = lint(objects, { rules: allRules });

test('the example has the outage in it, and a workflow that it would end', () => {
  expect(unreadable).toEqual([]);
  const worth = findings.filter(({ severity }) => severity !== 'info');
  expect(worth.map(({ rule, severity, line }) => `${line} ${severity} ${rule}`)).toEqual([
    '7 error TLS01',
    '9 error WH03',
    '9 error WH06',
    '55 warning RT01',
    '56 warning RT03',
  ]);
});

test.each(['README.md', 'README.ja.md'])('%s shows what lint says of it', (readme) => {
  const text = readFileSync(join(root, readme), 'utf8');
  const said = findingText(
    findings.find(({ rule }) => rule === 'TLS01')!,
    withoutColours,
  );
  for (const line of said.split('\n').filter((each) => !each.includes('https://'))) {
    expect(text).toContain(line.trim());
  }
});
