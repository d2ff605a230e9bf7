import { shiftRecordAnnotation } from '../../core/names';
import { trueOrFalse } from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import type { Format, PlainObject, Problems } from '../../core/validation/problems';
import { problemsOf } from '../../core/validation/schema';
import { capacityRecord, evacuationText } from '../engine';
import type { ShiftRecord } from '../engine';
import { between, moment, shortText } from './document';
import type { RecordKind } from './record-kind';

/** Records of shifts. */
export const shiftRecords: RecordKind<ShiftRecord> = {
  of: 'shift',
  another: 'another shift of these weights',
  // Version 2 marks a shift that has ended; a release that knows version 1 alone would take it for unfinished.
  schemaVersion: 2,
  description: 'Who shifts traffic, and the record of the newest shift',
  annotation: shiftRecordAnnotation,
  prefix: 'shift-',
  check: checkShift,
  long: {
    key: 'raised',
    read: 'what capacity the shift has raised',
    written: 'what the record says of raised capacity',
  },
  seizedBy: (record) =>
    record.evacuated && record.ended?.verdict === 'evacuated'
      ? { why: evacuationText(record), by: record.evacuated.by }
      : undefined,
};

/** They are shown; nothing in a cluster has a longer name. */
const longestSlot = 253;

const verdicts = ['completed', 'rolledBack', 'held', 'aborted', 'forgotten', 'evacuated'];

const verdict: Format = {
  allowed: verdicts.join(', '),
  accepts: (value) => verdicts.includes(value as string),
};

const weights: Format = {
  allowed: `whole percents of 1 to 100 slots with names of at most ${longestSlot} characters`,
  accepts: (value) =>
    isPlainObject(value) &&
    between(Object.keys(value).length, 1, 100) &&
    Object.keys(value).every((slot) => slot.length <= longestSlot) &&
    Object.values(value).every((weight) => Number.isInteger(weight) && between(weight as number, 0, 100)),
};

const severalWeights: Format = {
  allowed: 'a list of at most 100 weights',
  accepts: (value) =>
    Array.isArray(value) && value.length <= 100 && value.every((each) => weights.accepts(each)),
};

const slotNames: Format = {
  allowed: `a list of 1 to 100 names of slots, of at most ${longestSlot} characters each`,
  accepts: (value) =>
    Array.isArray(value) &&
    between(value.length, 1, 100) &&
    value.every((slot) => typeof slot === 'string' && between(slot.length, 1, longestSlot)),
};

const countsByCheck: Format = {
  allowed: 'numbers by slot, by the name of a check',
  accepts: (value) =>
    isPlainObject(value) &&
    Object.values(value).every(
      (counts) => isPlainObject(counts) && Object.values(counts).every((count) => Number.isFinite(count)),
    ),
};

const approvalList: Format = {
  allowed: 'a list of at most 10 places, each with who agreed and when',
  accepts: (value) =>
    Array.isArray(value) &&
    value.length <= 10 &&
    value.every(
      (each) =>
        isPlainObject(each) &&
        Number.isInteger(each.place) &&
        between(each.place as number, 0, 100) &&
        shortText.accepts(each.by) &&
        moment.accepts(each.at),
    ),
};

function checkShift(value: PlainObject, problems: Problems): void {
  const { origin, wanted, written, startedAt, before, rollingBack, ended, evacuated, baselines, raised } =
    value;
  const { heldBy, approvals } = value;
  for (const [path, each] of Object.entries({ origin, wanted, written })) {
    problems.check(path, each, weights);
  }
  problems.check('startedAt', startedAt, moment);
  problems.checkGiven('', { before, rollingBack }, { before: severalWeights, rollingBack: trueOrFalse });
  if (ended !== undefined) {
    checkEnded(problems, ended);
  }
  if (evacuated !== undefined) {
    const { slots, by } = isPlainObject(evacuated) ? evacuated : {};
    problems.check('evacuated.slots', slots, slotNames);
    problems.check('evacuated.by', by, shortText);
  }
  problems.checkGiven(
    '',
    { baselines, heldBy, approvals },
    { baselines: countsByCheck, heldBy: shortText, approvals: approvalList },
  );
  if (raised !== undefined) {
    problems.addAll(problemsOf(capacityRecord, raised), 'raised');
  }
}

function checkEnded(problems: Problems, ended: unknown): void {
  const { at, verdict: how, live } = isPlainObject(ended) ? ended : {};
  problems.check('ended.at', at, moment);
  problems.check('ended.verdict', how, verdict);
  if (live !== null) {
    problems.check('ended.live', live, weights);
  }
}
