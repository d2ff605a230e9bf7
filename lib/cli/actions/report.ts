import { existsSync } from 'node:fs';
import { InvalidInput, Problems } from '../../core/validation/problems';
import { shiftIdForm } from '../../shift/history';
import type { ReadShift } from '../../shift/history';
import { interruptible } from '../interruptible';
import { makeReportFolder, saveReport } from '../written-files';
import { sourcesOf } from './history/sources';
import type { HistorySource } from './history/sources';
import { shiftOfFile, shiftOfHistory } from './kept-shift';

/** What `cluster-canary report` takes beside the shift. */
export interface ReportFlags {
  readonly out: string;
  readonly route?: string;
  readonly store?: string;
  readonly plan?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

const named = { command: 'report', argument: 'shift' };

/**
 * Runs `cluster-canary report`, and sets the exit status.
 *
 * @param shift name of a kept shift, or a file with an outcome
 * @throws InvalidInput with everything that is wrong with the flags; where there is no such shift
 */
export async function report(shift: string, flags: ReportFlags): Promise<void> {
  await interruptible(async (signal) => {
    const { outcome, run, route } = await found(shift, flags, signal);
    makeReportFolder(flags.out);
    const of = run?.plan ?? shift;
    const note = run && `Run by ${run.by}; kept as ${run.id}.`;
    saveReport(flags.out, outcome, {
      title: `Traffic shift of ${of}${route === undefined || route === 'traffic' ? '' : `: ${route}`}`,
      ...(note !== undefined && { note }),
    });
  });
}

function found(shift: string, flags: ReportFlags, signal: AbortSignal): Promise<ReadShift> {
  const { out: _out, route, ...place } = flags;
  const isOfHistory = place.store !== undefined || place.plan !== undefined;
  if (!isOfHistory) {
    const problems = new Problems('report');
    for (const [name, value] of Object.entries({
      '--kubeconfig': place.kubeconfig,
      '--context': place.context,
    })) {
      if (value !== undefined) {
        problems.add(name, value, 'left out without --store kubernetes:NAMESPACE');
      }
    }
    problems.throwIfAny();
    if (shiftIdForm.test(shift) && !existsSync(shift)) {
      const allowed = 'a file, or the name of a kept shift with --store or --plan, where it is kept';
      throw new InvalidInput('report', [{ path: 'shift', value: shift, allowed }]);
    }
    return shiftOfFile(shift, route, named);
  }
  if (route !== undefined) {
    throw new InvalidInput('report', [
      {
        path: '--route',
        value: route,
        allowed: 'left out with --store or --plan: a kept shift is of one route',
      },
    ]);
  }
  if (!shiftIdForm.test(shift)) {
    const allowed = 'the name of a kept shift, such as 20260102t030405z-web-1f0c9a3b, with --store or --plan';
    throw new InvalidInput('report', [{ path: 'shift', value: shift, allowed }]);
  }
  const { histories } = sourcesOf({ ...place, limit: 1 }, 'report');
  const source = histories.find((each): each is HistorySource & Shifts => each.place.shifts !== undefined);
  if (!source) {
    const [path, value] = place.plan === undefined ? ['--store', place.store] : ['--plan', place.plan];
    const allowed = 'a place of whole shifts: s3, kubernetes or folder, or a plan with "history"';
    throw new InvalidInput('report', [{ path, value, allowed }]);
  }
  return shiftOfHistory(shift, source.place.shifts, source.base ?? '.', named, signal);
}

type Shifts = { readonly place: { readonly shifts: NonNullable<HistorySource['place']['shifts']> } };
