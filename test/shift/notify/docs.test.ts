import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { problemsOf } from '../../../lib/core/validation/schema';
import { eventTypes, notifySchema, sinkKinds } from '../../../lib/shift/notify';
import { sinkTable, withSinkTable } from './sink-table';

const page = readFileSync(join(__dirname, '../../../docs/notifications.md'), 'utf8');

test('docs/notifications.md has the table of all sinks: npx ts-node -T test/shift/notify/write-sink-table.ts', () => {
  expect(page).toContain(sinkTable());
  expect(withSinkTable(page)).toBe(page);
});

test('it has an example of each sink, and all examples are accepted', () => {
  const blocks = [...page.matchAll(/```yaml\n# sinks: [^\n]*\n([^]*?)```/g)].map(([, text]) => parse(text!));
  expect(blocks.flatMap((block) => problemsOf(notifySchema, block))).toEqual([]);
  const shown = blocks.flatMap((block: object[]) => block.flatMap((sink) => Object.keys(sink)));
  expect([...new Set(shown)].sort()).toEqual(Object.keys(sinkKinds).sort());
});

test('it says when each type of event is sent', () => {
  const rows = [...page.matchAll(/^\| (`[^|]*`) \|/gm)].map(([, cell]) => cell!).join(' ');
  expect(eventTypes.filter((type) => !rows.includes(`\`${type}\``))).toEqual([]);
});
