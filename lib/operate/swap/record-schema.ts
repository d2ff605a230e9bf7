import { swapRecordAnnotation } from '../../core/names';
import { list, object, optional, record as byName } from '../../core/validation/collections';
import { dnsLabel } from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import { evaluating, issuesOf, problemsOf, raise } from '../../core/validation/schema';
import { fits, flag, number, oneOf, text, whole } from '../../core/validation/values';
import type { RecordKind } from '../../shift/leases';
import type { FleetConfiguration, SlotSetting } from './configuration';
import { swapPhases } from './phases';
import type {
  BackStep,
  DonePhase,
  SwapAdoption,
  SwapBack,
  SwapEnded,
  SwapRecord,
  SwapSlot,
  SwapStopped,
} from './record';

const slotName = fits(dnsLabel);

/** As EKS names it. */
const version = text('a Kubernetes version such as "1.36"', /^\d{1,3}(\.\d{1,4}){1,2}$/);

/** As a configuration names it, which is its owner's: a swap that it does not fit has refused it before. */
const written = text('a text of 1 to 100 characters', /./, 100);

/** A name that a configuration has, of another slot as well. */
const ownName = text(
  'letters, digits, "-", "_" and ".", a letter or digit first, at most 253 characters',
  /^[A-Za-z0-9][-\w.]*$/,
  253,
);

/** Until the year 9999: with the time that a phase may take, it is still one that a `Date` can hold. */
const time = number('milliseconds since 1970', { min: 0, max: Date.UTC(9999, 11, 31) });

const phase = oneOf(...swapPhases);

/** What else it says belongs to the program, and stays. */
const settings = object<{ readonly version: string }>({ version: written }, 'an object with version', 'any');

const setting: Schema<SlotSetting> = evaluating<SlotSetting>(
  'a Kubernetes version such as "1.36", or an object with version',
  (value, addIssue) => issuesOf(isPlainObject(value) ? settings : written, value).forEach(raise(addIssue)),
  () => ({ anyOf: [written.json, settings.json] }),
);

const configuration = object<FleetConfiguration>(
  {
    slots: byName(setting, ownName),
    weights: optional(byName(whole(0, 100), ownName)),
    active: optional(ownName),
  },
  'a configuration of a fleet',
  'any',
);

const slot = object<SwapSlot>({ name: slotName, version }, 'a slot: { name, version }', 'any');

const backSteps = [
  'allow',
  'restore',
  'deliver',
  'prescale',
  'shift',
  'drain',
  'delete',
] as const satisfies readonly BackStep[];

const anyText = text('a text');

/** A record as it is stored. What the machine uses is checked; further keys of a newer release stay as they are. */
export const swapRecord: Schema<SwapRecord> = object<SwapRecord>(
  {
    id: text('a text of 1 to 200 characters', /./, 200),
    by: anyText,
    startedAt: time,
    old: slot,
    new: slot,
    setting,
    adopted: optional(
      object<SwapAdoption>({ phase, mayBeDrained: flag }, 'an object with phase, mayBeDrained', 'any'),
    ),
    phase,
    phaseStartedAt: optional(time),
    askedAt: optional(time),
    approvedBy: optional(anyText),
    back: optional(
      object<SwapBack>(
        {
          why: anyText,
          then: oneOf('keep', 'delete'),
          step: oneOf(...backSteps),
          stepStartedAt: optional(time),
        },
        'an object with why, then, step',
        'any',
      ),
    ),
    written: optional(configuration),
    before: configuration,
    done: list(
      object<DonePhase>(
        {
          phase,
          startedAt: time,
          endedAt: time,
          verdict: oneOf('passed', 'failed', 'skipped', 'undone'),
          reason: optional(anyText),
          approvedBy: optional(anyText),
        },
        'a phase that has ended',
        'any',
      ),
    ),
    stopped: optional(
      object<SwapStopped>(
        { at: time, by: anyText, verdict: oneOf('held', 'aborted'), reason: anyText },
        'an object with at, by, verdict, reason',
        'any',
      ),
    ),
    ended: optional(
      object<SwapEnded>(
        { at: time, verdict: oneOf('completed', 'rolledBack', 'forgotten') },
        'an object with at, verdict',
        'any',
      ),
    ),
  },
  'a record of a swap',
  'any',
);

/** Records of swaps, for the lease that keeps them. */
export const swapRecords: RecordKind<SwapRecord> = {
  of: 'swap',
  another: 'another swap of this fleet',
  schemaVersion: 1,
  description: 'Who swaps the clusters of a fleet, and the record of the newest swap',
  annotation: swapRecordAnnotation,
  // The name of what is swapped begins with "swap" itself.
  prefix: '',
  check: (value, problems) => problems.addAll(problemsOf(swapRecord, value)),
  long: { read: 'the record of the swap', written: 'the record of the swap' },
};

/** Characters of a text in a record; a reason has at most 500 by its contract. */
const longest = { reason: 500, why: 1_000, name: 200 };

/**
 * A record with its texts cut: what is said by checks and people may be of any length, and a store is not.
 * The configurations stay whole: they are compared with what is there.
 */
export function boundedRecord(record: SwapRecord): SwapRecord {
  const { by, approvedBy, back, done, stopped } = record;
  return {
    ...record,
    by: cut(by, longest.name),
    ...(approvedBy !== undefined && { approvedBy: cut(approvedBy, longest.name) }),
    ...(back && { back: { ...back, why: cut(back.why, longest.why) } }),
    ...(stopped && {
      stopped: {
        ...stopped,
        ...{ by: cut(stopped.by, longest.name), reason: cut(stopped.reason, longest.reason) },
      },
    }),
    done: done.map((each) => ({
      ...each,
      ...(each.reason !== undefined && { reason: cut(each.reason, longest.reason) }),
      ...(each.approvedBy !== undefined && { approvedBy: cut(each.approvedBy, longest.name) }),
    })),
  };
}

function cut(said: string, most: number): string {
  return said.length > most ? `${said.slice(0, most - 3)}...` : said;
}
