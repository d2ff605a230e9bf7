import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidInput } from '../problems';
import type { ReportHeading } from '../report';
import { renderReport, writeReport } from '../report';
import type { ShiftOutcome } from '../shift';
import { couldNotWrite } from './output';

/**
 * Makes the folder of `--report`, and writes into it: that it can't be written is better known before than after a long
 * run.
 *
 * @throws InvalidInput where it can't be made, or nothing can be written into it
 */
export function makeReportFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    const allowed = ['EEXIST', 'ENOTDIR'].includes(code)
      ? 'a folder; there is a file of that name'
      : `a folder that can be made (${code})`;
    throw refused(folder, allowed);
  }
  try {
    // What is asked of the file system's rights is no answer for one that is read-only or full.
    rmdirSync(mkdtempSync(join(folder, '.cluster-canary-')));
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw refused(folder, `a folder that can be written to (${code})`);
  }
}

function refused(folder: string, allowed: string): InvalidInput {
  return new InvalidInput('--report', [{ path: '--report', value: folder, allowed }]);
}

/**
 * Writes a report, and says where it is. That it can't be written changes nothing about what it is of; it is told, and the
 * process does not end with 0.
 */
export function saveReport(folder: string, outcome: ShiftOutcome, heading: ReportHeading): void {
  try {
    process.stderr.write(`report: ${writeReport(folder, renderReport(outcome, heading))}\n`);
  } catch (error) {
    couldNotWrite('report', error as Error);
  }
}
