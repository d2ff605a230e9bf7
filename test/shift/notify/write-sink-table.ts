import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withSinkTable } from './sink-table';

/** Writes the table of sinks in docs/notifications.md anew: `npx ts-node -T test/shift/notify/write-sink-table.ts`. */
const file = join(__dirname, '../../../docs/notifications.md');
writeFileSync(file, withSinkTable(readFileSync(file, 'utf8')));
