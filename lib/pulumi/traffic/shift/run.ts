import type { WatchedRouter } from '../../../operate/argocd';
import { checksBesideCapacity, kindOf } from '../../../shift/checks';
import type { CheckSettings } from '../../../shift/checks';
import { routerGroup, shiftPlan } from '../../../shift/engine';
import type {
  Capacity,
  Check,
  Lease,
  LeaseContent,
  LeaseLook,
  Router,
  ShiftObserver,
  ShiftOutcome,
  ShiftPlan,
  ShiftRecord,
  ShiftSubject,
  ShiftedSlot,
  Weights,
} from '../../../shift/engine';
import type { OpenLease } from '../../../shift/leases';
import type { OpenRouter } from '../../../shift/routers';
import type { KnownCapacity } from './capacity-args';
import type { SplitEnvironment } from './dependencies';
import { liveMembers, slotsOfMembers } from './live-splits';
import type { LiveMember } from './live-splits';
import { routeOf } from './split-kind';
import type { PendingUpdate, NewSplit, SplitShift, WantedSplit } from './split-kind';

/**
 * The checks of all rules that are shifted together. Rules with the same target groups share theirs; those of a further rule
 * have its number behind their names.
 */
function checksOfRules(
  { checks, clusterNames, wanted }: Pick<SplitShift, 'checks' | 'clusterNames' | 'wanted'>,
  { members, routers }: Pick<PreparedShift, 'members' | 'routers'>,
  make: (settings: readonly CheckSettings[], subject: ShiftSubject) => readonly Check[],
): readonly Check[] {
  const ofTargetGroups = checks.filter((settings) =>
    Object.keys(settings).some((word) => kindOf(word)?.perRouter),
  );
  const subjects = new Map(
    routers.map(({ subject }, index) => {
      const { slots } = subject;
      const arns = Object.keys(slots).map((slot) => [slot, slots[slot]?.targetGroupArn]);
      const known = withPreviews(subject, members[index]!.wanted.previews);
      return [JSON.stringify(arns), withClusters(known, clusterNames, wanted)];
    }),
  );
  return [...subjects.values()].flatMap((subject, index) =>
    index === 0
      ? make(checks, subject)
      : make(ofTargetGroups, subject).map((check) => renamed(check, `${check.name} (${index + 1})`)),
  );
}

/** The clusters of all rules that are shifted together: each workload is raised once. */
function capacityOfRules(
  { clusterNames, wanted }: Pick<SplitShift, 'clusterNames' | 'wanted'>,
  known: KnownCapacity,
  routers: readonly OpenRouter[],
  open: SplitEnvironment['parts']['capacity'],
): Capacity {
  const [first, ...others] = routers.map(({ subject }) => withClusters(subject, clusterNames, wanted));
  // The same as that of `cluster-canary shift` for the rule.
  const [id] = routers.map((router) => router.id).sort();
  return open(known, [first!, ...others], id!);
}

function renamed(check: Check, name: string): Check {
  return { name, stages: check.stages, evaluate: (window, signal) => check.evaluate(window, signal) };
}

function withPreviews(subject: ShiftSubject, previews: WantedSplit['previews'] = {}): ShiftSubject {
  const slots = Object.entries(subject.slots).map(([slot, of]): [string, ShiftedSlot] => {
    const preview = previews[slot];
    return [slot, preview ? { ...of, preview } : of];
  });
  return { ...subject, slots: Object.fromEntries(slots) };
}

/** The program does not know the cluster of a slot that leaves: by its slot's name, nothing is found of it. */
function withClusters(
  subject: ShiftSubject,
  clusterNames: SplitShift['clusterNames'],
  wanted: SplitShift['wanted'],
): ShiftSubject {
  const slots = Object.entries(subject.slots).map(([slot, of]) => {
    const clusterName = clusterNames[slot] ?? (slot in wanted ? undefined : slot);
    return [slot, clusterName === undefined ? of : { ...of, clusterName }];
  });
  return { ...subject, slots: Object.fromEntries(slots) as ShiftSubject['slots'] };
}

/**
 * The leases of rules that one shift moves together, as one: all are taken or none, and each has the record. The first one's
 * record is the newest, since it is written first and marked as ended last; a rule that joined the others later has none.
 *
 * @param leases in an order that is the same for everybody who may want some of them
 */
export function leaseGroup(leases: readonly Lease[]): Lease {
  const [only, ...others] = leases;
  return only !== undefined && others.length === 0 ? only : new LeaseGroup(leases);
}

class LeaseGroup implements Lease {
  public readonly name: string;
  public readonly durationMs: number;

  public constructor(private readonly leases: readonly Lease[]) {
    this.name = leases.map(({ name }) => name).join(', ');
    this.durationMs = Math.min(...leases.map(({ durationMs = Infinity }) => durationMs));
  }

  public async acquire(signal?: AbortSignal): Promise<LeaseContent> {
    const taken: Lease[] = [];
    const found: LeaseContent[] = [];
    for (const lease of this.leases) {
      try {
        found.push(await lease.acquire(signal));
        taken.push(lease);
      } catch (error) {
        // Those that were taken are given back; one that can't be expires.
        await releaseAll(taken, undefined, signal).catch(() => undefined);
        throw error;
      }
    }
    return newestOf(found);
  }

  public async look(signal?: AbortSignal): Promise<LeaseLook> {
    const looks = await Promise.all(this.leases.map((lease) => lease.look(signal)));
    const { holder, expiresAt } = looks.find((look) => look.holder !== undefined) ?? {};
    return { ...newestOf(looks), ...(holder !== undefined && { holder, expiresAt }) };
  }

  public async keep(record: ShiftRecord, signal?: AbortSignal): Promise<void> {
    for (const lease of this.leases) {
      await lease.keep(record, signal);
    }
  }

  public release(record?: ShiftRecord, signal?: AbortSignal): Promise<void> {
    return releaseAll(this.leases, record, signal);
  }

  public async seize(record: ShiftRecord, signal?: AbortSignal): Promise<ShiftRecord | undefined> {
    const over = await Promise.all(this.leases.map((lease) => lease.seize(record, signal)));
    return newestOf(over.map((each) => (each ? { record: each } : {}))).record;
  }
}

/**
 * What the members hold, as one: the record of the shift that began last. Where only some members have the mark that it has
 * ended, it goes on, and ends anew.
 */
function newestOf(found: readonly LeaseContent[]): LeaseContent {
  let newest: ShiftRecord | undefined;
  for (const { record } of found) {
    const later = record && (!newest || record.startedAt > newest.startedAt);
    const unfinished = record?.startedAt === newest?.startedAt && newest?.ended && !record?.ended;
    newest = later || unfinished ? record : newest;
  }
  const problem = found.find((each) => each.problem !== undefined)?.problem;
  return { ...(newest && { record: newest }), ...(problem !== undefined && { problem }) };
}

/** The last first. One that can't be given back is no reason to keep the others; the first error is thrown then. */
async function releaseAll(
  leases: readonly Lease[],
  record: ShiftRecord | undefined,
  signal?: AbortSignal,
): Promise<void> {
  const errors: unknown[] = [];
  for (const lease of [...leases].reverse()) {
    await lease.release(record, signal).catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) {
    throw errors[0];
  }
}

/** What has to be there for a shift over live rules. */
export interface PreparedShift {
  /** The live rules that are shifted. */
  readonly members: readonly LiveMember[];
  /** One for each rule. */
  readonly routers: readonly OpenRouter[];
  readonly plan: ShiftPlan;
  /** Weights in Pulumi's state, as far as they are whole percents of these slots. */
  readonly origin: Weights | undefined;
}

/** What is around a run. */
export interface ShiftControl {
  readonly signal: AbortSignal;
  readonly observer: ShiftObserver;
  /** Makes the router and the observer what they have to be. @default - they stay as they are */
  readonly around?: (watched: WatchedRouter) => WatchedRouter;
}

/** Five seconds after an interrupt the engine kills the program. */
const interruptGraceMs = 3_000;

/**
 * Finds the live rules of a shift, and the slots that they have.
 *
 * @returns undefined where nothing can be shifted: no rule is live, or one slot has all of the traffic and stays alone
 * @throws Error where traffic goes to target groups of no slot
 */
export async function prepareShift(
  shift: SplitShift,
  due: PendingUpdate | NewSplit,
  { parts, clients, live }: SplitEnvironment,
  signal?: AbortSignal,
): Promise<PreparedShift | undefined> {
  const members = await liveMembers(shift, due, live, signal);
  const slots = await slotsOfMembers(shift, members, live, signal);
  if (members.length === 0 || slots.names.length < 2) {
    return undefined;
  }
  const targetsOf = (id: string) => slots.targets.get(id) ?? {};
  const { kind, roleArn } = shift;
  const { region } = clients;
  const routers = members.map(({ rule }) =>
    parts.router(routeOf(kind, rule, targetsOf(rule.id), { region, roleArn }), clients),
  );
  const waits = await Promise.all(routers.map((router) => router.minimumWait(signal)));
  const longest = Math.max(...waits.map(({ milliseconds }) => milliseconds));
  // Rules are written one after the other.
  const write = waits.reduce((sum, { writeMilliseconds }) => sum + writeMilliseconds, 0);
  return {
    members,
    routers,
    plan: shiftPlan(slots.names, shift.wanted, shift.settings, longest, write),
    origin: 'id' in due && due.before ? kind.origin(due.before, targetsOf(due.id)) : undefined,
  };
}

/** Runs a prepared shift to its end. */
export async function runPrepared(
  shift: SplitShift,
  { members, routers, plan, origin }: PreparedShift,
  { parts, clients }: SplitEnvironment,
  control: ShiftControl,
): Promise<ShiftOutcome> {
  const [first, ...others] = routers.map((router, index): Router => {
    const { rule, wanted } = members[index]!;
    const shifted = router.withMissingTargets(plan.wanted);
    return shift.kind.entering?.(shifted, rule, wanted, clients) ?? shifted;
  });
  const settings = shift.capacity
    ? checksBesideCapacity(shift.checks, shift.kind.holdsTargets)
    : shift.checks;
  const asked = { ...shift, checks: settings };
  const checks = checksOfRules(asked, { members, routers }, (given, subject) => parts.checks(given, subject));
  const capacity = shift.capacity && capacityOfRules(shift, shift.capacity, routers, parts.capacity);
  const { around = (watched) => watched } = control;
  const watched = around({ router: routerGroup([first!, ...others]), observer: control.observer });
  const opened = await openLeases(shift, routers, parts, clients);
  try {
    return await parts.run({
      plan,
      ...watched,
      checks,
      ...(capacity && { capacity }),
      lease: leaseGroup(opened.map(({ lease }) => lease)),
      ...(origin && { origin }),
      ...(shift.resumedTo !== undefined && { resumedTo: shift.resumedTo }),
      takeBack: parts.takesBack(),
      signal: control.signal,
      interruptGraceMs,
      runAgain: 'pulumi up',
      runBeyond: (place) => `set resumedTo: ${place} in the settings of the shift, and run pulumi up`,
    });
  } finally {
    opened.forEach((each) => each.close());
  }
}

/** A lease for every rule, in the order of their ids: two groups that share a rule ask for it in the same order. */
async function openLeases(
  { lease, holder }: SplitShift,
  routers: readonly OpenRouter[],
  parts: SplitEnvironment['parts'],
  clients: SplitEnvironment['clients'],
): Promise<readonly OpenLease[]> {
  const opened: OpenLease[] = [];
  try {
    for (const routerId of routers.map(({ id }) => id).sort()) {
      opened.push(await parts.lease(lease, { routerId, holder, clients }));
    }
  } catch (error) {
    opened.forEach((each) => each.close());
    throw error;
  }
  return opened;
}
