import { mkdtempSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkBelow, FileRefused, makeFolders } from '../files';
import { InvalidInput } from '../problems';
import type { ReportFiles, ReportHeading } from '../report';
import { renderReport, writeReport } from '../report';
import type { ShiftOutcome } from '../shift';
import { couldNotWrite, writeNotes } from './output';

const reportFiles: readonly (keyof ReportFiles)[] = ['report.html', 'shift.svg'];

/**
 * Makes the folder of `--report`, and writes into it: that it can't be written is better known before than after a long
 * run.
 *
 * @param below folders in it that will have a report. @default - the folder itself
 * @throws InvalidInput where it can't be made, or nothing can be written into it, or a link is where a file is to be
 */
export function makeReportFolder(folder: string, below: readonly string[] = ['.']): void {
  try {
    makeFolders(folder);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    const allowed =
      error instanceof FileRefused || code === 'EEXIST'
        ? 'a folder; there is a file of that name'
        : `a folder that can be made (${code})`;
    throw refused(folder, allowed);
  }
  try {
    // What is asked of the file system's rights is no answer for one that is read-only or full.
    rmdirSync(mkdtempSync(join(folder, '.cluster-canary-')));
    below.forEach((each) => reportFiles.forEach((name) => checkBelow(folder, join(each, name))));
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw refused(
      folder,
      error instanceof FileRefused
        ? `a folder for the report; ${error.file} is ${error.reason}`
        : `a folder that can be written to (${code})`,
    );
  }
}

function refused(folder: string, allowed: string): InvalidInput {
  return new InvalidInput('--report', [{ path: '--report', value: folder, allowed }]);
}

/**
 * Writes a report, and says where it is. That it can't be written changes nothing about what it is of; it is told, and the
 * process does not end with 0.
 *
 * @param below folder within the folder. @default - the folder itself
 */
export function saveReport(
  folder: string,
  outcome: ShiftOutcome,
  heading: ReportHeading,
  below?: string,
): void {
  try {
    writeNotes(`report: ${writeReport(folder, renderReport(outcome, heading), below)}`);
  } catch (error) {
    couldNotWrite('report', error as Error);
  }
}
