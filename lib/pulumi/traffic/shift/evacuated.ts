import { inTurn, within } from '../../../core/async';
import { errorLine } from '../../../core/validation/problems';
import { capacityLeftText, evacuationText, giveBackRaised, markEnded } from '../../../shift/engine';
import type {
  Capacity,
  CapacityLeft,
  Lease,
  LeaseLook,
  ShiftRecord,
  ShiftSubject,
} from '../../../shift/engine';
import type { SplitEnvironment } from './dependencies';
import type { SplitShift } from './split-kind';

/** A fleet may have a hundred rules, and others in the account call SSM, too. */
const leasesAtOnce = 8;

/** Weights do not depend on it: an update waits so long for leases that do not answer, once for all. In milliseconds. */
const longestLook = 15_000;

/** So long has an update to give back what earlier ones have raised; the next one goes on. In milliseconds. */
const longestGiveBack = 30_000;

/** What a lease is opened with. */
type LeaseEnvironment = Pick<SplitEnvironment, 'parts' | 'clients'>;

/** Opens the lease of a router, and closes it again. */
async function withLease<T>(
  { lease, holder }: SplitShift,
  routerId: string,
  { parts, clients }: LeaseEnvironment,
  task: (lease: Lease) => Promise<T>,
): Promise<T> {
  const opened = await parts.lease(lease, { routerId, holder, clients });
  try {
    return await task(opened.lease);
  } finally {
    opened.close();
  }
}

/** Looks at leases. They are in one place, as a rule: where one has not answered in time, the others are not asked. */
async function looksAt(
  shift: SplitShift,
  routerIds: readonly string[],
  environment: LeaseEnvironment,
): Promise<readonly LeaseLook[]> {
  let silent: LeaseLook | undefined;
  return inTurn(routerIds, leasesAtOnce, async (id) => {
    try {
      return (
        silent ?? (await within(longestLook, undefined, () => lookAtLease(shift, id, environment))) ?? {}
      );
    } catch (error) {
      silent = { problem: errorLine(error) };
      return silent;
    }
  });
}

/** A preview may run with fewer rights than the update, so a lease that can't be read is said and no more. */
export async function lookAtLease(
  shift: SplitShift,
  routerId: string,
  environment: LeaseEnvironment,
): Promise<LeaseLook> {
  try {
    return await withLease(shift, routerId, environment, (lease) => lease.look());
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/**
 * Why the live weights are not the wanted ones, where an evacuation is the reason, with both ways on.
 *
 * @param routerIds of what has other weights than the program wants
 * @returns undefined where no slot of them that is to have traffic was evacuated
 */
export async function evacuationDrift(
  shift: SplitShift,
  routerIds: readonly string[],
  environment: LeaseEnvironment,
): Promise<string | undefined> {
  const looks = await looksAt(shift, routerIds, environment);
  const found = looks.flatMap(({ record }) =>
    record ? [{ record, slots: wantedSlots(shift, record) }] : [],
  );
  const first = found.find(({ slots }) => slots.length > 0);
  if (!first) {
    return undefined;
  }
  const names = first.slots.join(', ');
  return [
    `${shift.what}: ${evacuationText(first.record)}, and the program gives ${names} traffic. Nothing was written.`,
    `To leave ${names} empty: set weight 0 for ${names} in the program, then: pulumi up --refresh`,
    `To give ${names} traffic again: cluster-canary evacuate FLEET-${first.slots[0]} --forget, then: pulumi up --refresh`,
  ].join('\n');
}

/** Slots that were evacuated, and that the program gives traffic. */
function wantedSlots({ wanted }: SplitShift, { evacuated }: ShiftRecord): readonly string[] {
  return evacuated?.slots.filter((slot) => (wanted[slot] ?? 0) > 0) ?? [];
}

/**
 * Ends evacuations of slots that the program gives no traffic: it has taken note. Gives back capacity that a shift has raised
 * which was interrupted, where no shift is due that would do it. A lease that can't be read or written is left as it is.
 *
 * @param routerIds of what has the wanted weights
 * @returns what could not be given back, for a person
 */
export async function settleRecords(
  shift: SplitShift,
  routerIds: readonly string[],
  environment: LeaseEnvironment,
): Promise<readonly string[]> {
  if (Object.values(shift.wanted).every((weight) => weight > 0) && !shift.capacity) {
    return [];
  }
  const looks = await looksAt(shift, routerIds, environment);
  const due = routerIds.filter((_, index) => {
    const { record } = looks[index]!;
    const isOver = record?.evacuated !== undefined && wantedSlots(shift, record).length === 0;
    return record?.evacuated ? isOver : record?.raised !== undefined;
  });
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), longestGiveBack);
  const problems = await inTurn(due, leasesAtOnce, async (id) => {
    const at = environment.parts.clock.now();
    const ended = { at, verdict: 'forgotten', live: null } as const;
    let left: CapacityLeft | undefined;
    const giveBack: Capacity['giveBack'] = async (raised) => {
      // After an up, the program's weights are live.
      const opened: Capacity['giveBack'] = async (...args) =>
        recordedCapacity(shift, id, environment).giveBack(...args);
      left = await giveBackRaised({ giveBack: opened }, raised, shift.wanted, over.signal);
      return left;
    };
    await withLease(shift, id, environment, (lease) =>
      markEnded(lease, ended, undefined, { giveBack }),
    ).catch(() => undefined);
    return left && capacityLeftText(left.problem);
  });
  clearTimeout(timer);
  // Rules that were shifted together have one record.
  return [...new Set(problems.flatMap((problem) => problem ?? []))];
}

/** The clusters that records name, with the program's kubeconfigs. */
function recordedCapacity(
  { capacity = { settings: {}, kubeconfigs: {} }, clusterNames, wanted }: SplitShift,
  id: string,
  { parts }: LeaseEnvironment,
): Capacity {
  const slots = Object.keys(wanted).map((slot) => [slot, { clusterName: clusterNames[slot] ?? slot }]);
  const subject: ShiftSubject = { layer: 'http', slots: Object.fromEntries(slots) as ShiftSubject['slots'] };
  return parts.capacity(capacity, [subject], id);
}
