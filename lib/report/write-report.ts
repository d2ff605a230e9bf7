import { join } from 'node:path';
import { writeBelow } from '../files';
import type { ReportFiles } from './render-report';

/**
 * Writes a report into a folder, which is made where it is missing; answers the page's path.
 *
 * @param below folder within the folder. @default - the folder itself
 * @throws FileRefused for a link below the folder where a file or a folder is to be
 */
export function writeReport(folder: string, files: ReportFiles, below = '.'): string {
  const named = Object.entries(files).map(([name, text]) => ({
    path: join(below, name),
    text: text as string,
  }));
  writeBelow(folder, named);
  return join(folder, below, 'report.html');
}
