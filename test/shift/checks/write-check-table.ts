import { writeFileSync } from 'node:fs';
import { checkKinds } from '../../../lib/shift/checks';
import type { AnyCheckKind } from '../../../lib/shift/checks';
import { checksPage, readPage, withTable } from './check-table';

/** Writes the table of kinds in docs/checks.md anew: `npx ts-node -T test/shift/checks/write-check-table.ts`. */
writeFileSync(
  checksPage,
  withTable(readPage(), checkKinds as unknown as Readonly<Record<string, AnyCheckKind>>),
);
