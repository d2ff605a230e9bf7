import type { ShiftOutcome } from '../shift';
import { weightsText } from './format';
import { page } from './page';
import { chartFile } from './weights-chart';

/** What stands above a report. */
export interface ReportHeading {
  /** What was shifted. @default - the weights that were wanted */
  readonly title?: string;
  /** How it came about: that it was simulated, with which scenario and seed. @default - none */
  readonly note?: string;
}

/** The files of a report by their names. */
export interface ReportFiles {
  /** One page that needs nothing else: no script, no font, no picture from elsewhere. */
  readonly 'report.html': string;
  /** The chart of the weights, for other documents. */
  readonly 'shift.svg': string;
}

/**
 * Draws what happened in a shift: the weights over time with the writes and the verdicts, every figure with its bounds,
 * the same as tables, and the log. It can be read with a keyboard, a screen reader, in the dark and on paper, and colours
 * never say anything alone.
 */
export function renderReport(outcome: ShiftOutcome, heading: ReportHeading = {}): ReportFiles {
  const title = heading.title ?? `Traffic shift to ${weightsText(outcome.to)}`;
  return {
    'report.html': page(outcome, title, heading.note),
    'shift.svg': chartFile(outcome, title),
  };
}
