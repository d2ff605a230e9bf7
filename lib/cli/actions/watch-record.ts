import { within } from '../../core/async';
import { oneLine } from '../../core/printable-text';
import {
  equalWeights,
  evacuationText,
  formatWeights,
  fullWeights,
  schedule,
  shiftPlan,
} from '../../shift/engine';
import type { Lease, LeaseLook, ShiftRecord } from '../../shift/engine';
import type { CheckedPlanFile } from '../../shift/plan-file';
import { couldNotRun, somethingWrong, writeOut } from '../output';

/** In milliseconds. */
const callTimeout = 10_000;

/**
 * Prints what the lease of a plan without `watch: true` knows of its shift, once, and sets the exit status. Writes nothing.
 *
 * @throws Error where it can't be read
 */
export async function showRecord(plan: CheckedPlanFile, lease: Lease, signal: AbortSignal): Promise<void> {
  const look = await within(callTimeout, signal, (own) => lease.look(own));
  if (look?.problem !== undefined) {
    throw new Error(`${lease.name}: ${look.problem}`);
  }
  const { record, holder } = look ?? {};
  if (look && record) {
    const isWell = record.ended ? record.ended.verdict === 'completed' : holder !== undefined;
    process.exitCode = isWell ? 0 : somethingWrong;
    await writeOut(recordLines(plan, look, record));
  } else {
    process.exitCode = couldNotRun;
    await writeOut([
      ...(holder === undefined ? [] : [oneLine(`${holder} holds ${lease.name}.`)]),
      'No shift of this plan has been recorded yet.',
    ]);
  }
}

/** What a lease knows of a shift, for a person, a line each. */
export function recordLines(
  plan: Pick<CheckedPlanFile, 'slots' | 'weights' | 'shift' | 'watch'>,
  { holder, expiresAt }: LeaseLook,
  record: ShiftRecord,
): readonly string[] {
  const { origin, wanted, written, startedAt, rollingBack, heldBy, approvals = [], ended } = record;
  const { step, pause } = placeOf(plan, record);
  const isAhead = ended === undefined && rollingBack !== true;
  return [
    `From ${formatWeights(origin)} to ${formatWeights(wanted)}, since ${iso(startedAt)}.`,
    `Last write: ${formatWeights(written)}${step}.`,
    ...(ended === undefined && rollingBack === true ? ['It takes the traffic back.'] : []),
    ...(isAhead && heldBy !== undefined ? [`It holds there, as ${heldBy} asked.`] : []),
    ...(isAhead && pause !== undefined
      ? [`The plan pauses there, at ${pause} % of the way, until a person lets it continue.`]
      : []),
    ...approvals.map(({ place, by, at }) => `Beyond ${place} % of the way since ${iso(at)}, by ${by}.`),
    ...(ended
      ? [
          `It ended ${iso(ended.at)}: ${ended.verdict}` +
            `${ended.live ? `, with ${formatWeights(ended.live)} live` : ''}.`,
        ]
      : [
          holder === undefined
            ? 'No process runs it. Run the same shift again: it continues where it was.'
            : `${holder} runs it${expiresAt === undefined ? '' : `, and holds its lease until ${iso(expiresAt)}`}.`,
        ]),
    ...(record.evacuated ? [`${evacuationText(record)}.`] : []),
    plan.watch
      ? 'It was started without "watch: true" in its plan: the next run can be followed, and hears what people answer.'
      : 'With "watch: true" in the plan, watch also shows checks, follows the shift, and lets people answer.',
  ].map(oneLine);
}

/** The step that was written last, and the pause behind it that no one has agreed to; nothing where the plan has changed since. */
function placeOf(
  { slots, weights, shift }: Pick<CheckedPlanFile, 'slots' | 'weights' | 'shift'>,
  { origin, wanted, written, approvals = [] }: ShiftRecord,
): { readonly step: string; readonly pause?: number } {
  if (!equalWeights(fullWeights(slots, weights), wanted)) {
    return { step: '' };
  }
  const { steps } = schedule(fullWeights(slots, origin), shiftPlan(slots, weights, shift));
  const index = steps.findIndex((step) => equalWeights(step.weights, written));
  if (index < 0) {
    return { step: equalWeights(written, origin) ? ` (no step of ${steps.length})` : '' };
  }
  const pause = steps[index + 1]?.pauseBefore;
  const isOpen = pause !== undefined && !approvals.some(({ place }) => place >= pause);
  return {
    step: ` (step ${index + 1} of ${steps.length}, ${steps[index]!.percent} % of the way)`,
    ...(isOpen && { pause }),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
