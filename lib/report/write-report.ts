import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReportFiles } from './render-report';

/** Writes a report into a folder, which is made where it is missing; answers the page's path. */
export function writeReport(folder: string, files: ReportFiles): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text as string);
  }
  return join(folder, 'report.html');
}
