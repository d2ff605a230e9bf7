import { mkdtempSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { FileRefused } from '../core/files/read';
import { checkBelow, makeFolders, writeInPlace } from '../core/files/write';
import { InvalidInput } from '../core/validation/problems';
import type { ShiftOutcome } from '../shift/engine';
import { renderReport, writeReport } from '../shift/report';
import type { ReportFiles, ReportHeading } from '../shift/report';
import { couldNotWrite, linesText, writeNotes } from './output';

/**
 * Writes the folder of `--out`. Where the operating system refuses it, that is a problem of the argument.
 *
 * @param command how the error names the command
 */
export function writeOutFolder<T>(command: string, folder: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) {
      throw error;
    }
    const allowed =
      code === 'ENOTDIR' || code === 'EEXIST'
        ? 'a folder; there is a file of that name'
        : `a folder that can be made and written to (${code})`;
    throw new InvalidInput(command, [{ path: '--out', value: folder, allowed }]);
  }
}

/** The kubelet keeps no more of a termination message, in bytes. */
const longest = 4096;

/**
 * Lines as a container's termination message; those that do not fit are counted.
 *
 * @see https://kubernetes.io/docs/tasks/debug/debug-application/determine-reason-pod-failure/
 */
export function terminationMessage(lines: readonly string[]): string {
  for (let kept = lines.length; kept > 0; kept -= 1) {
    const rest = lines.length - kept;
    const text = linesText([...lines.slice(0, kept), ...(rest > 0 ? [`and ${rest} more`] : [])]);
    if (Buffer.byteLength(text) <= longest) {
      return text;
    }
  }
  return `${linesText(lines.slice(0, 1))
    .slice(0, longest / 4)
    .trimEnd()}\n`;
}

/** Writes lines as a termination message, into a file that is no link. What was done counts, also where it can't be reported. */
export function writeTerminationMessage(file: string, lines: readonly string[]): void {
  try {
    // The kubelet mounts the file by itself.
    writeInPlace(file, terminationMessage(lines));
  } catch (error) {
    writeNotes(`warning: ${(error as Error).message}`);
  }
}

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
 * Writes a report, and says where it is. That it can't be written changes nothing about what it is of; it is reported, and the
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
