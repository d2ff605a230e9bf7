import type { Plan } from '../../plans';
import type { ShiftOutcome } from '../../shift';
import type { Result } from './result-text';

/** One report that is to be written. */
export interface PlannedReport {
  /** Folder within that of all reports. */
  readonly below: string;
  readonly title: string;
  readonly outcome: ShiftOutcome;
}

/** One report for a shift; of waves one for each route that started, in a folder of its own. */
export function reportsOf({ file }: Plan, result: Result): readonly PlannedReport[] {
  if (!('shifts' in result)) {
    return [{ below: '.', title: `Traffic shift of ${file}`, outcome: result }];
  }
  return Object.entries(result.shifts).flatMap(([name, outcome]) =>
    [
      { below: name, title: `Traffic shift of ${file}: ${name}`, outcome },
      {
        below: takenBack(name),
        title: `${file}: ${name}, taken back`,
        outcome: result.takenBack[name],
      },
    ].flatMap((report) => (report.outcome ? [{ ...report, outcome: report.outcome }] : [])),
  );
}

/** Every folder that a report of the plan may come into, within that of all reports. */
export function reportFolders({ routes }: Plan): readonly string[] {
  const names = Object.keys(routes);
  return names.length === 1 ? ['.'] : names.flatMap((name) => [name, takenBack(name)]);
}

function takenBack(name: string): string {
  return `${name}-taken-back`;
}
