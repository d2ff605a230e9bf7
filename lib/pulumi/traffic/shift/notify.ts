import { join } from 'node:path';
import { object } from '../../../core/validation/collections';
import { Problems } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import { problemsOf } from '../../../core/validation/schema';
import type { ShiftOutcome, ShiftObserver } from '../../../shift/engine';
import { kubernetesLeaseName, userOnMachine } from '../../../shift/leases';
import type { LeaseSettings } from '../../../shift/leases';
import { deliveryLines, notifySchema, openNotifier } from '../../../shift/notify';
import type { Notifier, PlacedLease, SinkSettings } from '../../../shift/notify';

/** Sinks that a shift of a program notifies, and what it is called there. */
export interface ProgramNotify {
  readonly sinks: readonly SinkSettings[];
  /** Name of the resource. */
  readonly route: string;
  /** Organization, project and stack. */
  readonly source: string;
}

const asSetting = object<{ readonly notify: readonly SinkSettings[] }>({ notify: notifySchema });

/** Problems of sinks, at paths that begin with `notify`. */
export function sinkProblems(notify: unknown): readonly Problem[] {
  return problemsOf(asSetting, { notify });
}

/**
 * Sinks of a program, once their Outputs are known.
 *
 * @throws InvalidInput
 */
export function knownSinks(given: readonly unknown[] = []): readonly SinkSettings[] {
  if (given.length === 0) {
    return [];
  }
  const problems = new Problems('shift');
  problems.addAll(sinkProblems(given));
  problems.throwIfAny();
  return given as readonly SinkSettings[];
}

/** Opens the sinks of a program; paths start from its folder. */
export function openProgramNotifier(
  { sinks, source }: ProgramNotify,
  lease: PlacedLease | undefined,
): Notifier {
  const origin = { by: userOnMachine(), source };
  return openNotifier(sinks, join(process.cwd(), 'Pulumi.yaml'), origin, { leaseOf: () => lease });
}

/** The Lease of a shift, where Kubernetes keeps it: the first of its rules has the record. */
export function placedLease(
  lease: LeaseSettings | undefined,
  routerIds: readonly string[],
): PlacedLease | undefined {
  const [first] = [...routerIds].sort();
  return first === undefined || lease === undefined || lease === 'none' || !('kubernetes' in lease)
    ? undefined
    : { at: lease.kubernetes, namespace: lease.kubernetes.namespace, name: kubernetesLeaseName(first) };
}

/** After an interrupt Pulumi ends the program in five seconds, in milliseconds. */
const afterInterruptMs = 1_000;

/**
 * Runs a shift, and tells sinks of it. What they do changes nothing of it; what they did not get is a warning.
 *
 * @param run with an observer that makes the events, or without one
 */
export async function withNotifier(
  notify: { readonly route: string; readonly open: () => Notifier } | undefined,
  warn: (line: string) => void,
  signal: AbortSignal,
  run: (observers: readonly ShiftObserver[]) => Promise<ShiftOutcome>,
): Promise<ShiftOutcome> {
  if (notify === undefined) {
    return run([]);
  }
  const notifier = notify.open();
  try {
    return await run([
      notifier.observer(
        notify.route,
        'set resumedTo to the place, in the settings of the shift, and run pulumi up',
      ),
    ]);
  } finally {
    const reports = await notifier.end(signal.aborted ? AbortSignal.timeout(afterInterruptMs) : signal);
    deliveryLines(reports).forEach((line) => warn(line));
    notifier.close();
  }
}
