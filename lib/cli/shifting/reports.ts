import { join } from 'node:path';
import type { Plan } from '../../plans';
import type { ShiftOutcome } from '../../shift';
import type { Result } from './result-text';

/** One report that is to be written. */
export interface PlannedReport {
  readonly folder: string;
  readonly title: string;
  readonly outcome: ShiftOutcome;
}

/** One report for a shift; of waves one for each route that started, in a folder of its own. */
export function reportsOf({ file }: Plan, result: Result, folder: string): readonly PlannedReport[] {
  if (!('shifts' in result)) {
    return [{ folder, title: `Traffic shift of ${file}`, outcome: result }];
  }
  return Object.entries(result.shifts).flatMap(([name, outcome]) =>
    [
      { folder: join(folder, name), title: `Traffic shift of ${file}: ${name}`, outcome },
      {
        folder: join(folder, `${name}-taken-back`),
        title: `${file}: ${name}, taken back`,
        outcome: result.takenBack[name],
      },
    ].flatMap((report) => (report.outcome ? [{ ...report, outcome: report.outcome }] : [])),
  );
}
